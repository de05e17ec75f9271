/** How many letters differ: insertions, deletions, replacements. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

const plain = (word: string): string => word.toLowerCase().replaceAll(/[-\s]/g, '_');

/** The name that was probably meant: nearly the same letters, or the beginning or end of it (`cpm` for `cpm_amount`). */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const wanted = plain(word);
  if (wanted.length < 2) return undefined;
  const close = names
    .map((name) => ({ name, away: distance(wanted, name) }))
    .filter(({ name, away }) => away <= Math.max(1, Math.floor(name.length / 2.5)))
    .sort((one, other) => one.away - other.away);
  return (
    close[0]?.name ?? names.find((name) => wanted.length > 2 && (name.startsWith(wanted) || name.endsWith(wanted)))
  );
}
