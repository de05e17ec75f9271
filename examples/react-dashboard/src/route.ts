import { useSyncExternalStore } from 'react';

/** The current screen. The URL contains all of it, so that reload, back and links work. */
export interface Route {
  readonly brand: string | null;
  readonly screen: 'list' | 'new' | 'campaign';
  readonly campaign: string | null;
  readonly page: number;
  readonly status: string;
}

function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [, brand = null, , part = null] = path.split('/');
  const parameters = new URLSearchParams(query);
  return {
    brand,
    screen: part === null ? 'list' : part === 'new' ? 'new' : 'campaign',
    campaign: part === 'new' ? null : part,
    page: Math.max(1, Number(parameters.get('page')) || 1),
    status: parameters.get('status') ?? '',
  };
}

export const listUrl = (brand: string | number, page = 1, status = ''): string => {
  const query = new URLSearchParams({ ...(page > 1 && { page: String(page) }), ...(status && { status }) });
  return `#/brands/${brand}/campaigns${query.size > 0 ? `?${query}` : ''}`;
};
export const campaignUrl = (brand: string | number, id: string | number): string => `#/brands/${brand}/campaigns/${id}`;
export const newUrl = (brand: string | number): string => `#/brands/${brand}/campaigns/new`;

export const go = (url: string): void => {
  location.hash = url;
};
/** Replaces the URL, so that Back skips it. */
export const replaceUrl = (url: string): void => location.replace(url);

let moved = false;
addEventListener('hashchange', () => {
  moved = true;
});
/** Whether the user has navigated since the page was loaded. */
export const hasMoved = (): boolean => moved;

const subscribe = (changed: () => void): (() => void) => {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
};

export const useRoute = (): Route => routeOf(useSyncExternalStore(subscribe, () => location.hash));
