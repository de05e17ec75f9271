// Loaded by the first `mkt.each()`. It imports nothing but types: what it shared with the client would become another file of
// every bundle.
import type { Transport } from './transport/transport.js';

/** Calls a function for each item, some at a time. The results are in the order of the items, errors included. */
export async function each<Item, T>(
  items: Iterable<Item>,
  call: (item: Item, index: number) => PromiseLike<T>,
  { concurrency, transport }: { concurrency: number; transport: Transport },
): Promise<PromiseSettledResult<T>[]> {
  const results: PromiseSettledResult<T>[] = [];
  const iterator = items[Symbol.iterator]();
  let count = 0;
  /** Waits as long as the server asks for it. */
  const pause = async (): Promise<void> => {
    for (let ms = transport.pauseMs(); ms > 0; ms = transport.pauseMs())
      await new Promise((resolve) => setTimeout(resolve, ms));
  };
  const settled = async (item: Item, index: number): Promise<PromiseSettledResult<T>> => {
    for (;;) {
      try {
        return { status: 'fulfilled', value: await call(item, index) };
      } catch (reason) {
        // It was not sent again, because its total time would have been over before.
        const waits = transport.settings.retry.limit > 0 && transport.pauseMs() > 0;
        if (!waits || (reason as Error)?.name !== 'RateLimitError') return { status: 'rejected', reason };
        await pause();
      }
    }
  };
  const work = async (): Promise<void> => {
    for (;;) {
      // The time of a call begins when it is made, so the pause is waited for before.
      await pause();
      const next = iterator.next();
      if (next.done) return;
      const index = count++;
      results[index] = await settled(next.value, index);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results;
}
