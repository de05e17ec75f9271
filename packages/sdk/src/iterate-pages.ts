import { atCaller, MarketplaceError } from './errors.js';
import { type FetchPage, type Page, signature } from './page.js';
import { onAbort } from './transport/deadline.js';
import { Progress, throwIfAborted } from './transport/progress.js';

interface Iteration {
  /** What its errors name. */
  endpoint: Progress['operation'];
  from: number;
  to: number | undefined;
  /** How many pages are requested at the same time, at most. `as needed`: more while the loop waits for them, as a connection grows. */
  concurrency: number | 'as needed';
  /** How many more items are wanted: no page beyond them is requested. */
  wanted: () => number;
  signal: AbortSignal | undefined;
}

/** The most that `as needed` requests at the same time. */
const maxNeeded = 8;

/** How many pages beyond the announced total are read before the list counts as endless. */
const maxUnannouncedPages = 1000;

/**
 * Pages in order, fetched ahead. The totals are read from every page, since a list may grow or shrink meanwhile.
 * Without totals the pages are fetched one by one, until one is empty or shorter than the one before.
 */
export async function* iteratePages<T>(fetch: FetchPage<T>, plan: Iteration): AsyncGenerator<Page<T>, void, undefined> {
  const { from, to = Number.POSITIVE_INFINITY, concurrency: usual, wanted, signal, endpoint } = plan;
  const isGrowing = usual === 'as needed';
  let concurrency = isGrowing ? 1 : usual;
  const leaving = new AbortController();
  const leave = () => leaving.abort(signal?.reason);
  const ahead: { page: Promise<Page<T>>; hasArrived: boolean }[] = [];
  let requested = from - 1;
  let announced: number | undefined;
  let end = from;
  let previousSize = 0;
  let seen = 0;
  let previous = '';
  // The last page whose number is a power of two: pages that repeat in a cycle reach it, and only one is stored.
  let mark = '';

  const request = (last: number, awaited = 0) => {
    while (requested < Math.min(last, to) && ahead.length + awaited < concurrency) {
      requested += 1;
      const next = { page: fetch(requested, { signal: leaving.signal }), hasArrived: false };
      const arrive = () => {
        next.hasArrived = true;
      };
      // A page that is not awaited yet must not count as an unhandled rejection.
      next.page.then(arrive, arrive);
      ahead.push(next);
    }
  };

  if (signal?.aborted) leave();
  const stopListening = signal && onAbort(signal, leave);
  try {
    request(from);
    for (let next = ahead.shift(); next !== undefined; next = ahead.shift()) {
      if (isGrowing && !next.hasArrived && end > from) {
        concurrency = Math.min(maxNeeded, concurrency * 2);
        request(end, 1);
      }
      const page = await next.page;
      const size = page.items.length;
      const key = signature(page.items);
      if (size === 0 || key === previous || key === mark) return;
      const { number, totalPages, totalCount } = page;
      seen += size;
      const count = number - from + 1;
      if ((count & (count - 1)) === 0) mark = key;
      previous = key;

      announced ??= Math.max(totalPages ?? 0, number);
      if (number > announced + maxUnannouncedPages)
        throw new MarketplaceError(
          `The list has over ${maxUnannouncedPages} pages more than announced. If it is that long, read it in ranges, with from and to.`,
        );
      end = totalPages ?? (size < previousSize ? number : number + 1);
      // Totals may disagree: then the items count.
      if (from === 1 && totalCount !== null && seen < totalCount) end = Math.max(end, number + 1);
      previousSize = size;

      request(Math.min(end, number + Math.ceil((wanted() - size) / size)));
      throwIfAborted(signal, endpoint);
      yield page;
      // Items seen before do not count as found, so it may be that more pages are wanted than seemed.
      request(Math.min(end, number + Math.ceil(wanted() / size)));
    }
  } catch (error) {
    throw atCaller(new Progress(endpoint).describe(error));
  } finally {
    stopListening?.();
    leaving.abort();
  }
}
