/** How many letters must be changed, put in, left out or swapped with the next to make one word of the other. */
function distance(left: string, right: string): number {
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      const swapped = left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1] ? (before[j - 2] ?? 0) + 1 : changed;
      next.push(Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}

/** The word that was probably meant; null when none is near. */
export function closest(word: string, words: readonly string[]): string | null {
  const near = words
    .map((candidate) => ({ candidate, away: distance(word, candidate) }))
    .filter(({ candidate, away }) => away <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((left, right) => left.away - right.away);
  return near[0]?.candidate ?? null;
}
