import type { Exchange } from './exchange.js';

/** A text that is kept or logged, without the access tokens that somebody put where an id or a query belongs. */
export const masked = (text: string): string => text.replaceAll(/mkt_[\w-]+/g, 'mkt_***');

/**
 * The path without its query, without the key of an image, and without an access token that somebody put where an id
 * belongs: all three may be secrets.
 */
export const loggedPath = ({ request }: Exchange): string => {
  const { pathname } = new URL(request.url);
  return pathname.startsWith('/images/') ? '/images/:key' : masked(pathname);
};
