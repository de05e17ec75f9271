/** Few enough that the work on them blocks the event loop for a few milliseconds. */
const pieceSize = 200;

/**
 * The results of `work` on each item of a long list. Other requests get their turn after some items. It rejects only when
 * no work runs on: a transaction can then be rolled back.
 */
export async function inPieces<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += pieceSize) {
    if (start > 0) await new Promise((resolve) => setTimeout(resolve));
    const piece = items.slice(start, start + pieceSize).map(work);
    await Promise.allSettled(piece);
    results.push(...(await Promise.all(piece)));
  }
  return results;
}
