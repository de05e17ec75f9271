import { setTimeout as wait } from 'node:timers/promises';
import { type ListPromise, type Marketplace, NotFoundError } from '@mkt/sdk';
import { pMapIterable, pMapSkip } from 'p-map';
import { withErrorContext } from '../api/errors/with-context.js';
import { LIST_ATTEMPTS, retryOptions } from '../api/http/retries.js';
import { type DraftResource, drafts, type Resource } from '../api/labels.js';
import { operationsOf } from '../api/operations.js';
import type { Context, Organization } from '../context/context.js';
import { CliError, exitCodes } from '../errors/cli-error.js';
import { OpenReading } from '../history/journal.js';
import { hostOf } from '../history/place.js';
import type { Reading } from '../history/record.js';
import type { Progress } from '../output/progress.js';
import { idOf, type Row } from '../text/values.js';

/** Requests that a copy of an organization sends at the same time, so that the service stays usable for others. */
export const wholeListConcurrency = 4;

/** A client for whole organizations. */
export const bulkClient = (context: Context, client: Marketplace): Marketplace =>
  client.withOptions({ maxConcurrency: wholeListConcurrency, ...retryOptions(context, LIST_ATTEMPTS) });

const attempts = 3;

/**
 * What `describe` returns for each row of a list, by id, in the order of the list. A row that is created or deleted
 * meanwhile moves others to pages that were read already, so the list is then read again.
 */
export async function readWholeList<Value>(
  { io }: Context,
  { plural }: Resource,
  list: () => ListPromise<Row>,
  describe: (row: Row) => Value,
  /** `open` begins a reading of the list for the history. */
  { progress, open }: { readonly progress?: Progress; readonly open?: () => OpenReading | undefined } = {},
): Promise<Map<string, Value>> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    // So that all of a few creations in a row are over.
    if (attempt > 1) await wait(attempt * 200, undefined, { signal: io.interrupted });
    const found = new Map<string, Value>();
    const totals = new Set<number>();
    let count = 0;
    const reading = open?.();
    for await (const page of list().pages({ concurrency: wholeListConcurrency })) {
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
    message: `The list of ${plural} changed each of the ${attempts} times that it was read, so nothing was written.`,
    hints: ['Try again later'],
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
    { concurrency: wholeListConcurrency, backpressure: 2 * wholeListConcurrency },
  );

/** Campaigns and collabs of an organization, as they are now. */
export interface Observed {
  readonly campaigns: readonly Row[];
  readonly collabs: readonly Row[];
  /** For the history, which the caller writes. */
  readonly readings: readonly Reading[];
}

/** Reads all campaigns and collabs. */
export async function observe(context: Context, organization: Organization): Promise<Observed> {
  const client = bulkClient(context, await context.client());
  const { io, settings, journal } = context;
  const readings: Reading[] = [];
  const done = (reading: Reading) => void readings.push(reading);
  const read = async (resource: DraftResource): Promise<Row[]> => {
    const scope = {
      host: hostOf(settings.requiredBaseUrl),
      organization: organization.id,
      resource: resource.command,
    };
    const { list } = operationsOf(resource, client, organization.id, { signal: io.interrupted });
    const rows = await withErrorContext(context, { action: 'list', resource, organization }, () =>
      readWholeList(context, resource, list, (row) => row, { open: () => new OpenReading(scope, journal, done) }),
    );
    return [...rows.values()];
  };
  const [campaigns, collabs] = await Promise.all([read(drafts.campaigns), read(drafts.collabs)]);
  return { campaigns, collabs, readings };
}
