import leven from 'leven';

const plain = (word: string): string => word.toLowerCase().replaceAll(/[-\s]/g, '_');

const letters = (word: string): string => [...word].sort().join('');

/** Letters in the wrong order are one mistake: `nmae` for `name`. */
const distanceBetween = (one: string, other: string): number =>
  letters(one) === letters(other) ? Math.min(1, leven(one, other)) : leven(one, other);

/** A question for the end of an error. */
export const didYouMean = (name: string | undefined): string => (name === undefined ? '' : ` Did you mean ${name}?`);

/**
 * The name that the user probably meant: a similar one, or one that begins or ends with the word (`cpm` for `cpm_amount`,
 * `views` for `view_count`).
 */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const wanted = plain(word);
  if (wanted.length < 2) return undefined;
  const close = names
    .map((name) => ({ name, distance: distanceBetween(wanted, plain(name)) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 2.5)))
    .sort((one, other) => one.distance - other.distance);
  const part = wanted.length > 3 ? wanted.replace(/s$/, '') : wanted;
  return (
    close[0]?.name ??
    names.find((name) => part.length > 2 && (plain(name).startsWith(part) || plain(name).endsWith(part)))
  );
}
