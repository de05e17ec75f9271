import leven from 'leven';

/** The word that differs from `word` by few letters or by their order. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const letters = (text: string): string => [...text].sort().join('');
  const [best] = words
    .map((candidate) => ({
      candidate,
      distance: letters(candidate) === letters(word) ? 1 : leven(word, candidate),
    }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((left, right) => left.distance - right.distance);
  return best?.candidate;
}
