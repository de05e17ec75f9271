import type { Exchange } from './exchange.js';

/** Removes access tokens from text to be stored or logged, because clients may put them into ids or queries. */
export const masked = (text: string): string => text.replaceAll(/mkt_[\w-]+/g, 'mkt_***');

/**
 * The path without its query, without the key of an image, and without access tokens in place of ids: all three may be
 * secrets.
 */
export const loggedPath = ({ request }: Exchange): string => {
  const { pathname } = new URL(request.url);
  return pathname.startsWith('/images/') ? '/images/:key' : masked(pathname);
};
