import leven from 'leven';

const letters = (word: string): string => [...word].sort().join('');

/** The word that was probably meant: a few letters differ, or they are in another order. Null when none is near. */
export function closest(word: string, words: readonly string[]): string | null {
  const near = words
    .map((candidate) => ({
      candidate,
      distance: letters(candidate) === letters(word) ? 1 : leven(word, candidate),
    }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((left, right) => left.distance - right.distance);
  return near[0]?.candidate ?? null;
}
