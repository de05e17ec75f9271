// Loaded by the first `mkt.each()`. It imports nothing but types: what it shared with the client would become another file of
// every bundle.
import type { Transport } from './transport/transport.js';

interface EachContext {
  concurrency: number;
  signal: AbortSignal | undefined;
  /** The error of the items for which no call was made. */
  aborted: () => Error;
  onAbort: (signal: AbortSignal, callback: () => void) => () => void;
  transport: Transport;
}

/** Calls a function for each item, some at a time. The results are in the order of the items, errors included. */
export async function each<Item, T>(
  items: Iterable<Item> | AsyncIterable<Item>,
  call: (item: Item, index: number) => PromiseLike<T>,
  { concurrency, signal, aborted, onAbort, transport }: EachContext,
): Promise<PromiseSettledResult<T>[]> {
  const { retry, concurrency: limit } = transport.settings;
  const results: PromiseSettledResult<T>[] = [];
  const given = (items ?? {}) as Partial<Iterable<Item> & AsyncIterable<Item>>;
  const source = given[Symbol.asyncIterator]?.() ?? given[Symbol.iterator]?.();
  if (!source || typeof call !== 'function')
    throw new TypeError('mkt.each() takes an array, a list or another iterable, and a function.');
  let count = 0;
  /** The failure of the iterable: no further call is made. */
  let stopped: PromiseRejectedResult | undefined;
  let stopListening: (() => void) | undefined;
  const abort = new Promise<undefined>((resolve) => {
    stopListening = signal && onAbort(signal, () => resolve(undefined));
  });
  const wait = async (ms: number): Promise<void> => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = new Promise((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([end, abort]);
    clearTimeout(timer);
  };
  const settled = async (item: Item, index: number): Promise<PromiseSettledResult<T>> => {
    for (let waits = 0; ; waits += 1) {
      try {
        return { status: 'fulfilled', value: await call(item, index) };
      } catch (reason) {
        // It was not sent again, because its total time would have been over before.
        const { name, retryAfterMs: ms } = (reason ?? {}) as { name?: string; retryAfterMs?: number | null };
        const may = name === 'RateLimitError' && retry.limit > 0 && waits < 10;
        if (!may || !ms || ms > retry.maxRetryAfter || signal?.aborted) return { status: 'rejected', reason };
        await wait(ms);
      }
    }
  };
  // One at a time: not every async iterable takes requests for several items at once.
  let turn: Promise<unknown> = Promise.resolve();
  const take = (): Promise<IteratorResult<Item> | undefined> => {
    const next = turn.then(() => (stopped || signal?.aborted ? undefined : Promise.race([source.next(), abort])));
    turn = next.catch(() => undefined);
    return next;
  };
  const pauseMs = () => (signal?.aborted ? 0 : transport.pauseMs());
  const work = async (): Promise<void> => {
    while (!stopped) {
      // The time of a call begins when it is made, so the pause is waited for before.
      for (let ms = pauseMs(); ms > 0 && ms <= retry.maxRetryAfter; ms = pauseMs()) await wait(ms);
      const next = await take().catch((reason) => {
        stopped = { status: 'rejected', reason };
      });
      if (!next || next.done) return;
      const index = count++;
      results[index] = await settled(next.value, index);
    }
  };
  // More than may run at the same time would wait for their turn while their time runs.
  await Promise.all(Array.from({ length: Math.min(concurrency, limit.max) }, work));
  stopListening?.();
  const failure = stopped as PromiseRejectedResult | undefined;
  if (failure && count === 0) throw failure.reason;
  // Thrown, it would lose the results of the calls.
  if (failure) results.push(failure);
  if (signal?.aborted) {
    // Not awaited: an iterable may wait for its next item.
    turn.then(() => source.return?.()).catch(() => undefined);
    for (let index = count; index < ((items as Item[]).length ?? 0); index += 1)
      results[index] = { status: 'rejected', reason: aborted() };
  }
  return results;
}
