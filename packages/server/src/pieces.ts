/** Few enough that the work on them blocks the event loop for a few milliseconds. */
const pieceSize = 200;

/** The results of `work` on each piece of a long list, one after the other. Other requests get their turn after each. */
export async function inPieces<Item, Result>(
  items: readonly Item[],
  work: (piece: readonly Item[]) => Result | Promise<Result>,
  size = pieceSize,
  pause: () => Promise<unknown> = () => new Promise((resolve) => setTimeout(resolve)),
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += size) {
    if (start > 0) await pause();
    results.push(await work(items.slice(start, start + size)));
  }
  return results;
}
