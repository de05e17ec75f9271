import type { Exchange } from './exchange.js';

/** Removes access tokens from text to be stored or logged, because clients may put them into ids or queries, also encoded. */
export const masked = (text: string): string => {
  const plain = text.replaceAll(/%[2-7][\da-f]/gi, decodeURIComponent);
  return /mkt_/i.test(plain) ? plain.replaceAll(/mkt_[\w-]+/gi, 'mkt_***') : text;
};

/** Characters. Longer paths lead nowhere, and many of them would fill the disk of the log. */
const maxLogged = 500;

/**
 * The beginning of the path without its query, without the key of an image, and without access tokens in place of ids: all
 * three may be secrets.
 */
export const loggedPath = ({ request }: Exchange): string => {
  const { pathname } = new URL(request.url);
  return pathname.startsWith('/images/') ? '/images/:key' : masked(pathname).slice(0, maxLogged);
};
