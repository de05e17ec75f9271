import { useSyncExternalStore } from 'react';

const key = 'campaign-desk token';
const listeners = new Set<() => void>();

const subscribe = (changed: () => void): (() => void) => {
  listeners.add(changed);
  return () => listeners.delete(changed);
};

/** The token of this tab, until the tab is closed. */
export const useToken = (): string | null => useSyncExternalStore(subscribe, () => sessionStorage.getItem(key));

export function setToken(token: string | null): void {
  if (token === null) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, token);
  for (const changed of listeners) changed();
}
