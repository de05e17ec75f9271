/** A weak tag of the representation itself: equal bodies have equal tags, and only they (D14). */
export const etagOf = (json: string, sha256: (text: string) => string): string => `W/"${sha256(json).slice(0, 32)}"`;

const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');

/** Whether an If-None-Match header names this tag: `*`, one tag, or a list, compared weakly. */
export function matches(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch === etag || ifNoneMatch === '*') return true;
  const wanted = opaque(etag);
  return ifNoneMatch.split(',').some((tag) => opaque(tag) === wanted);
}
