import type { Exchange } from './exchange.js';
import { HttpError } from './problems.js';

/** A weak ETag: representations have the same ETag only if they are equal. */
export const etagOf = (json: string, sha256: (text: string) => string): string => `W/"${sha256(json).slice(0, 32)}"`;

const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');

/** Whether an If-None-Match header names this tag: `*`, one tag, or a list, compared weakly. */
export function matches(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch === etag || ifNoneMatch === '*') return true;
  const wanted = opaque(etag);
  return ifNoneMatch.split(',').some((tag) => opaque(tag) === wanted);
}

/** The representation that the preconditions of a write are checked against: that of GET. */
export interface Representation {
  /** Null if the resource has none. */
  readonly etag: string | null;
  /** When it was last changed, in the API's format. */
  readonly updatedAt: string;
}

export const isConditional = (exchange: Exchange): boolean =>
  exchange.header('if-match') !== null ||
  exchange.header('if-unmodified-since') !== null ||
  exchange.header('if-none-match') !== null;

/**
 * The preconditions of a write, in the order of RFC 9110, 13.2.2. If-Match compares weakly: every ETag here is weak, so the
 * strong comparison of the RFC would match none.
 * @param current null where there is nothing yet.
 * @throws 412
 */
export function checkPreconditions(exchange: Exchange, current: Representation | null): void {
  const ifMatch = exchange.header('if-match');
  const ifNoneMatch = exchange.header('if-none-match');
  if (ifMatch !== null) {
    if (!isNamed(ifMatch, current)) throw changed(current !== null);
  } else if (current && isLater(current.updatedAt, exchange.header('if-unmodified-since'))) throw changed(true);
  if (ifNoneMatch !== null && isNamed(ifNoneMatch, current))
    throw new HttpError(412, 'The resource matches If-None-Match, so nothing was changed.');
}

const isNamed = (header: string, current: Representation | null): boolean =>
  current !== null && (header === '*' || (current.etag !== null && matches(header, current.etag)));

/** False for invalid dates, which must be ignored by the RFC. Accepts times in the API's format too. */
function isLater(updatedAt: string, date: string | null): boolean {
  if (date === null || !/^([A-Z][a-z]{2,8},? |\d{4}-\d\d-\d\dT)/.test(date)) return false;
  // The oldest of the three formats of HTTP names no time zone.
  const since = Date.parse(/(GMT|Z|[+-]\d\d:\d\d)$/.test(date) ? date : `${date} GMT`);
  return Date.parse(updatedAt) > since;
}

export const changed = (exists: boolean): HttpError =>
  new HttpError(
    412,
    exists
      ? 'The resource has changed since you read it, so nothing was changed. Read it again, and retry with its new ETag.'
      : 'The resource does not exist yet, so If-Match cannot match. Nothing was changed.',
  );
