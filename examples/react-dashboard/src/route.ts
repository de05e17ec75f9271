import { useSyncExternalStore } from 'react';

/** Where the person is: the address tells all of it, so that reload, back and links work. */
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
  const asked = new URLSearchParams(query);
  return {
    brand,
    screen: part === null ? 'list' : part === 'new' ? 'new' : 'campaign',
    campaign: part === 'new' ? null : part,
    page: Math.max(1, Number(asked.get('page')) || 1),
    status: asked.get('status') ?? '',
  };
}

export const listAddress = (brand: string | number, page = 1, status = ''): string => {
  const query = new URLSearchParams({ ...(page > 1 && { page: String(page) }), ...(status && { status }) });
  return `#/brands/${brand}/campaigns${query.size > 0 ? `?${query}` : ''}`;
};
export const campaignAddress = (brand: string | number, id: string | number): string =>
  `#/brands/${brand}/campaigns/${id}`;
export const newAddress = (brand: string | number): string => `#/brands/${brand}/campaigns/new`;

export const go = (address: string): void => {
  location.hash = address;
};
/** Goes on from a place where nobody can stay: Back must not lead there again. */
export const goInstead = (address: string): void => location.replace(address);

let moved = false;
addEventListener('hashchange', () => {
  moved = true;
});
/** Whether the person went somewhere since the page was loaded. */
export const hasMoved = (): boolean => moved;

const subscribe = (changed: () => void): (() => void) => {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
};

export const useRoute = (): Route => routeOf(useSyncExternalStore(subscribe, () => location.hash));
