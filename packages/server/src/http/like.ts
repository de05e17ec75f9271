/** How responses of today's service differ from the API document, apart from its ids, which are those of the store. */
export const serviceDifferences = [
  'extra-fields',
  'absent-null',
  'new-values',
  'empty-404',
  'text-401',
  'hidden-totals',
] as const;
export type ServiceDifference = (typeof serviceDifferences)[number];

/** As in the API document, like today's service with all of its differences, or with some of them. */
export type Like = 'document' | 'live' | readonly ServiceDifference[];

/** The differences in `like`; undefined if it is not valid. */
export function differencesIn(like: unknown): readonly ServiceDifference[] | undefined {
  if (like === 'document') return [];
  if (like === 'live') return serviceDifferences;
  return Array.isArray(like) && like.every((name) => serviceDifferences.includes(name)) ? like : undefined;
}
