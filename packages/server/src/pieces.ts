/** Few enough that the work on them blocks the event loop for a few milliseconds. */
const pieceSize = 200;
/** Items of a long page that are made in one turn: a visitor waits the longer, the longer it kept others waiting. */
export const itemsPerTurn = 100;

export const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** The results of `work` on each piece of a long list, one after the other. Other requests get their turn after each. */
export async function inPieces<Item, Result>(
  items: readonly Item[],
  work: (piece: readonly Item[]) => Result | Promise<Result>,
  size = pieceSize,
  pause: () => Promise<unknown> = nextTurn,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += size) {
    if (start > 0) await pause();
    results.push(await work(items.slice(start, start + size)));
  }
  return results;
}

/** Milliseconds of work after which others have their turn. */
const longestTurn = 20;

/** A pause for work that others wait for: only after some milliseconds of it, and without a timer, which comes later when much happens. */
export function shortPauses(): () => Promise<void> {
  const { setImmediate: soon = setTimeout } = globalThis as { setImmediate?: (callback: () => void) => unknown };
  let since = performance.now();
  return async () => {
    if (performance.now() - since < longestTurn) return;
    await new Promise<void>((resolve) => soon(resolve));
    since = performance.now();
  };
}
