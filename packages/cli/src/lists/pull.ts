import { type ListPromise, NotFoundError } from '@mkt/sdk';
import { pMapIterable, pMapSkip } from 'p-map';
import { idOf } from '../api/organization.js';
import { CliError, exitCodes } from '../errors/cli-error.js';
import type { OpenReading } from '../history/journal.js';
import type { Progress } from '../output/progress.js';
import type { Row } from '../text/row.js';

/** Requests that a copy of an organization sends at the same time, so that the service stays usable for others. */
export const pullConcurrency = 4;

const attempts = 3;

/**
 * What `describe` returns for each row of a list, by id, in the order of the list. A row that is created or deleted
 * meanwhile moves others to pages that were read already, so the list is then read again.
 */
export async function listIds<Value>(
  plural: string,
  list: () => ListPromise<Row>,
  describe: (row: Row) => Value,
  progress?: Progress,
  /** Of the list, for the history. */
  open?: () => OpenReading | undefined,
): Promise<Map<string, Value>> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const found = new Map<string, Value>();
    const totals = new Set<number>();
    let count = 0;
    const reading = open?.();
    for await (const page of list().pages({ concurrency: pullConcurrency })) {
      if (page.totalCount !== null) totals.add(page.totalCount);
      count += page.items.length;
      reading?.add(page.items, page.totalCount);
      progress?.update(count, page.totalCount ?? undefined);
      for (const row of page.items) found.set(idOf(row), describe(row));
    }
    totals.add(count);
    if (totals.size === 1 && found.size === count) {
      reading?.end();
      return found;
    }
  }
  throw new CliError({
    code: 'changed_meanwhile',
    exitCode: exitCodes.unexpected,
    message: `The list of ${plural} changed each of the ${attempts} times that it was read, so nothing was written. Try again later.`,
  });
}

/** What `read` returns for each item, in this order; without those that were deleted meanwhile. */
export const readEach = <Item, Result>(
  items: Iterable<Item>,
  read: (item: Item) => PromiseLike<Result | typeof pMapSkip>,
): AsyncIterable<Result> =>
  pMapIterable(
    items,
    async (item) => {
      try {
        return await read(item);
      } catch (error) {
        if (error instanceof NotFoundError) return pMapSkip;
        throw error;
      }
    },
    { concurrency: pullConcurrency, backpressure: 2 * pullConcurrency },
  );
