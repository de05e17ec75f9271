// Loaded by the first `mkt.each()`. It imports nothing: what it shared with the client would become another file of every
// bundle.

/** Calls a function for each item, some at a time. The results are in the order of the items, errors included. */
export async function each<Item, T>(
  items: Iterable<Item>,
  call: (item: Item, index: number) => PromiseLike<T>,
  { concurrency, pauseMs }: { concurrency: number; pauseMs: () => number },
): Promise<PromiseSettledResult<T>[]> {
  const results: PromiseSettledResult<T>[] = [];
  const iterator = items[Symbol.iterator]();
  let count = 0;
  const work = async (): Promise<void> => {
    for (;;) {
      // The time of a call begins when it is made, so the pause that a server asks for is waited for before.
      for (let ms = pauseMs(); ms > 0; ms = pauseMs()) await new Promise((resolve) => setTimeout(resolve, ms));
      const next = iterator.next();
      if (next.done) return;
      const index = count++;
      try {
        results[index] = { status: 'fulfilled', value: await call(next.value, index) };
      } catch (reason) {
        results[index] = { status: 'rejected', reason };
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results;
}
