import type { Page } from '@mkt/sdk';
import type { Context } from '../context/context.js';
import type { OpenReading } from '../history/journal.js';
import type { Progress } from '../output/progress.js';
import type { Row } from '../text/values.js';

/** How far a list was read. */
export interface PagesRead {
  searched: number;
  /** Rows on all pages, if the service reports it. */
  total: number | undefined;
  /** Whether rows were left unread. */
  more: boolean;
}

type PageOfRows = Pick<Page<Row>, 'items' | 'totalCount' | 'hasNext'>;

interface Pages {
  readonly pages: (options: { readonly concurrency?: number }) => AsyncIterable<PageOfRows> | Iterable<PageOfRows>;
}

/** Pages to read at the same time. With a limit, pages are read one by one, because later ones may not be needed. */
const concurrency = 8;

/** All pages of a list, or as many as give `limit` rows that pass the test; `read` is updated meanwhile. */
export async function* readPages(
  list: Pages,
  {
    test,
    limit = Number.POSITIVE_INFINITY,
    reading,
  }: {
    test?: ((row: Row) => boolean) | undefined;
    limit?: number | undefined;
    /** Gets all rows for the history, also those that fail the test, if the whole list is read. */
    reading?: OpenReading | undefined;
  },
  read: PagesRead,
  progress: Progress,
): AsyncGenerator<Row[]> {
  let found = 0;
  const isWhole = limit === Number.POSITIVE_INFINITY;
  for await (const page of list.pages(isWhole ? { concurrency } : {})) {
    read.total = page.totalCount ?? undefined;
    const rows: Row[] = [];
    for (const row of page.items) {
      if (found >= limit) break;
      read.searched += 1;
      if (test !== undefined && !test(row)) continue;
      rows.push(row);
      found += 1;
    }
    reading?.add(page.items, page.totalCount);
    progress.update(read.searched, read.total);
    yield rows;
    if (found >= limit) {
      read.more = read.total === undefined ? page.hasNext() : read.searched < read.total;
      return;
    }
  }
  reading?.end();
}

/** All rows of a list, or those that pass the test, with a counter on stderr. */
export const readAll = (
  context: Context,
  plural: string,
  list: Pages,
  test?: (row: Row) => boolean,
  reading?: OpenReading,
): Promise<Row[]> =>
  context.withProgress(`Reading ${plural}`, async (progress) => {
    const rows: Row[] = [];
    const read: PagesRead = { searched: 0, total: undefined, more: false };
    for await (const page of readPages(list, { test, reading }, read, progress)) rows.push(...page);
    return rows;
  });
