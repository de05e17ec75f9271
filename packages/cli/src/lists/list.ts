import { type ListOptions, type ListPromise, NotFoundError } from '@mkt/sdk';
import { hasKind, kindsIn, singularOf } from '@mkt/sdk/contract/resources';
import { countOf, type Resource } from '../api/labels.js';
import type { Invocation } from '../context/command.js';
import type { Context } from '../context/context.js';
import type { Flag } from '../context/flags.js';
import { type FlagStyle, failure, toType, unknownName, usageError } from '../errors/cli-error.js';
import type { Printer } from '../output/printer.js';
import type { Progress } from '../output/progress.js';
import { cellText, pathsOf, type Row, valueAt } from '../text/values.js';
import { remember, STORED_ROWS } from './completion-cache.js';
import { Connection, connect, findId, namedOrPicked } from './connection.js';
import { checkSelection, filterFrom, recordedFilters, type Selection } from './filters.js';
import type { GroupField } from './groups.js';
import { type Listing, listView, type NestedListing, withColumns, withComputed } from './presenter.js';
import { type PagesRead, readPages } from './read-pages.js';

interface ListFlags {
  readonly page?: number;
  readonly limit?: number;
  readonly all?: boolean;
  readonly sort?: string;
  readonly out?: string;
  readonly web?: boolean;
  readonly 'group-by'?: GroupField;
}
export type ListInvocation = Invocation & { readonly flags: ListFlags };

/**
 * Prints one page, or as many as the flags ask for; filters and sorting are applied here.
 * @param selection that of the flags, if several lists share it
 */
export const list = (
  context: Context,
  invocation: ListInvocation,
  listing: Listing,
  selection?: Selection,
): Promise<void> =>
  printList(context, invocation, {
    selection,
    computed: listing.resource.computed,
    connection: () => connect(context, listing),
    explained: (connection, work) => connection.explained('list', undefined, work),
    list: (connection, options) => connection.operation('list')(options),
    openPage: async () => (await import('./browse.js')).openPage(context, listing.resource),
    names: listing.resource,
  });

/** The same for a list below one resource, which the command line names. */
export async function listBelow(
  context: Context,
  invocation: ListInvocation,
  listing: Listing,
  { name, schema, columns, list: listOf }: NestedListing,
): Promise<void> {
  const word = await namedOrPicked(context, listing, invocation);
  const above = await connect(context, listing);
  const id = await findId(above, word);
  const plural = name.replaceAll('_', ' ');
  const { resource } = listing;
  const named = {
    ...resource,
    fields: kindsIn(`${resource.name}.${name}`),
    plural: `${plural} of ${resource.singular} ${id}`,
    schema,
    listSchema: schema,
    computed: {},
  };
  const explained = (work: () => Promise<number>) => above.explained(`list the ${plural} of`, id, work);
  return printList(context, invocation, {
    computed: named.computed,
    connection: async () =>
      new Connection(context, { resource: named, columns, isBelow: true }, above.api, above.organization),
    explained: (_connection, work) =>
      explained(async () => {
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof NotFoundError)) throw error;
          // Throws if that is what was not found.
          await above.operations.get?.(id);
          const service = context.settings.requiredBaseUrl;
          throw failure(
            'not_found',
            `${service} has no list of ${plural}.`,
            toType('mkt doctor --drift', 'To see what else differs'),
          );
        }
      }),
    list: ({ api }, options) => listOf({ ...api, options: { ...api.options, ...options } }, id),
    openPage: async () => (await import('./browse.js')).openPage(context, resource, id, name),
    names: { command: name, singular: singularOf(plural), plural },
  });
}

interface Source extends Pick<Resource, 'computed'> {
  readonly selection?: Selection | undefined;
  readonly connection: () => Promise<Connection>;
  /** Runs a call of the list, and explains its errors. */
  readonly explained: (connection: Connection, work: () => Promise<number>) => Promise<number>;
  readonly list: (connection: Connection, options?: ListOptions) => ListPromise<Row>;
  readonly openPage: () => Promise<void>;
  /** For the name of a file, and for how many rows were written. */
  readonly names: { readonly command: string; readonly singular: string; readonly plural: string };
}

async function printList(context: Context, invocation: ListInvocation, source: Source): Promise<void> {
  const { names } = source;
  const { flags } = invocation;
  const { web, ...others } = flags;
  if (web === true) {
    const [other] = Object.keys(others);
    if (other !== undefined) throw usageError(`--web and --${other} cannot be used together.`);
    return source.openPage();
  }
  const wanted = wantedFrom(invocation, () => new Date(context.journal.now()), source);
  const out = flags.out === '-' ? undefined : flags.out;
  const printed = await context.printTo(
    { out, example: `${names.command}.csv` },
    () => context.print,
    async (print) => {
      const connection = await source.connection();
      return source.explained(connection, async () => {
        await checkSelection(connection, wanted.selection, () => source.list(connection));
        const pages = source.list(connection, { page: wanted.page });
        const read = wanted.all || wanted.limit !== undefined ? allPages : onePage;
        return read(connection, pages, { ...wanted, invocation, print, isFile: out !== undefined });
      });
    },
  );
  const written = flags['group-by'] === undefined ? countOf(names, printed) : `${printed} groups`;
  if (out !== undefined) context.note(`Wrote ${written} to ${out}.`);
}

/** What the flags ask for. @throws a usage error for flags that contradict each other */
function wantedFrom({ command, flags }: ListInvocation, now: () => Date, { names, computed, ...source }: Source) {
  const { page, limit, sort, 'group-by': groupBy } = flags;
  const [recorded] = recordedFilters({ command, flags });
  const selection =
    source.selection ?? filterFrom(command.flags ?? [], flags, now, { command: names.command, computed });
  for (const [name, value] of Object.entries({ page, limit })) {
    if (value !== undefined && value < 1)
      throw usageError((flag) => `${flag(name)} takes a number from 1, not ${value}.`);
  }
  const whole = recorded?.name ?? (groupBy && 'group-by');
  if (page !== undefined && whole !== undefined) throw usageError(`--page and --${whole} cannot be used together.`);
  const given = [
    page !== undefined && '--page',
    limit !== undefined && '--limit',
    flags.all === true && '--all',
  ].filter(Boolean);
  if (given.length > 1) throw usageError(`${given.join(' and ')} cannot be used together.`);
  // Filters and sorting happen here, so they need all rows to be right.
  const all =
    flags.all === true ||
    (page === undefined &&
      limit === undefined &&
      (sort !== undefined || selection !== undefined || whole !== undefined));
  return {
    page,
    limit,
    all,
    sort,
    selection,
    groupBy,
    isRecorded: recorded !== undefined,
    compared: comparedFields(command.flags ?? [], flags),
  };
}

interface Wanted extends ReturnType<typeof wantedFrom> {
  readonly invocation: Invocation;
  readonly print: Printer;
  readonly isFile: boolean;
}

/** The fields that the rows are sorted by or compared with a number, which the table has to show. */
export const comparedFields = (
  flags: readonly Flag[],
  given: ListFlags & Readonly<Record<string, unknown>>,
): string[] => [
  ...(given.sort === undefined ? [] : [given.sort.replace(/^[-+]/, '')]),
  ...flags.flatMap(({ name, filter }) =>
    filter?.match === 'atLeast' && given[name] !== undefined ? [filter.field] : [],
  ),
];

async function onePage(place: Connection, list: ListPromise<Row>, wanted: Wanted): Promise<number> {
  const { selection, sort, page, print } = wanted;
  const { context, shown: presenter } = place;
  const { resource } = presenter;
  const response = await list;
  const test = selection?.test;
  const matching = test === undefined ? [...response.items] : response.items.filter(test);
  await print.rows(
    [sort === undefined ? matching : sortRows(matching, sort, presenter)],
    withColumns(listView(presenter), wanted.compared),
  );
  if (!presenter.isBelow) remember(place, response.items, { complete: response.number === 1 && !response.hasNext() });
  const { totalCount, totalPages } = response;
  if (totalCount === 0) {
    await nothing(place, wanted);
    return 0;
  }
  if (response.items.length === 0) {
    const last = totalPages === null ? '' : `; the last page is ${totalPages}`;
    footer(place, wanted, `No ${resource.plural} on page ${response.number}${last}.`, false);
    return 0;
  }
  const counted = totalCount === null ? rowCount(matching.length) : `${matching.length}`;
  const shown = test === undefined ? counted : `${matching.length} of ${response.items.length} searched`;
  const of = totalCount === null ? '' : test === undefined ? ` of ${totalCount}` : `, ${totalCount} in total`;
  const pages = totalPages === null ? `page ${response.number}` : `page ${response.number} of ${totalPages}`;
  // Without totals, only an empty page is known to be past the last one.
  const label = totalPages === null ? 'There may be more' : 'More';
  const more = response.hasNext() ? ` ${label}: ${context.commandWith({ page: response.number + 1 })}` : '';
  if (more === '' && page === undefined && test === undefined) footer(place, wanted, `${shown}${of}.`, false);
  else if (more !== '' && page === undefined && !print.isHumanReadable) {
    // A program would take the first page for the whole list.
    const all = context.commandWith({ all: true });
    context.note(`Only ${pages}: ${shown}${of} ${resource.plural}. For all: ${all}`);
  } else footer(place, wanted, `${shown}${of}, ${pages}.${more}`, more !== '');
  return matching.length;
}

async function allPages(place: Connection, list: ListPromise<Row>, wanted: Wanted): Promise<number> {
  const { selection, sort, limit, print, groupBy } = wanted;
  const { context, shown: presenter } = place;
  // Without such a filter, the history is not needed.
  const recorded = wanted.isRecorded
    ? await (await import('./recorded.js')).readRecorded(place, wanted.invocation, list, selection?.test)
    : { list, test: selection?.test, reading: place.reading() };
  const { test } = recorded;
  const groups = groupBy === undefined ? undefined : await import('./groups.js');
  const listed = groups && groupBy ? groups.groupedListing(presenter, groupBy) : presenter;
  const read: PagesRead = { searched: 0, total: undefined, more: false };
  let shown = 0;
  let grouped = '';
  /** Rows that pass the test, or groups of them, where all were read before the first was shown. */
  let found = 0;
  const first: Row[] = [];
  /** Sorting and groups need all rows before the first ones are known. */
  async function* arranged(pages: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[]> {
    const rows: Row[] = [];
    for await (const some of pages) rows.push(...some);
    read.total ??= read.searched;
    const all = groups && groupBy ? groups.groupsOf(rows, groupBy) : rows;
    found = all.length;
    const first = firstRows(all, sort, limit, listed);
    ({ grouped } = first);
    read.more = first.rows.length < found;
    yield first.rows;
  }
  async function* counted(pages: AsyncIterable<readonly Row[]>, progress: Progress): AsyncGenerator<readonly Row[]> {
    for await (const rows of pages) {
      shown += rows.length;
      first.push(...rows.slice(0, STORED_ROWS - first.length));
      yield rows;
    }
    // Most formats are written now, perhaps to a program that shows them on the same terminal.
    progress.end();
  }
  await context.withProgress(`Reading ${presenter.resource.plural}`, async (progress) => {
    const isArranged = sort !== undefined || groupBy !== undefined;
    const most = isArranged ? undefined : limit;
    const pages = readPages(recorded.list, { test, limit: most, reading: recorded.reading }, read, progress);
    const view = withColumns(listView(listed), wanted.compared);
    await print.rows(counted(isArranged ? arranged(pages) : pages, progress), view);
  });
  if (groups && groupBy) {
    const cut = shown < found ? `${shown} of ${found} groups. ` : '';
    const searched = `${read.searched} ${presenter.resource.plural} searched.`;
    footer(place, wanted, `${cut}${searched}${grouped} ${groups.groupsText(groupBy)}`, true);
    return shown;
  }
  context.io.listed?.({ total: test === undefined ? read.total : undefined, more: read.more });
  if (!presenter.isBelow) remember(place, first, { complete: test === undefined && !read.more });
  if ((read.total ?? read.searched) === 0) {
    await nothing(place, wanted);
    return 0;
  }
  const more = read.more ? ` More: ${context.commandWith({ limit: undefined, all: true })}` : '';
  // Without a total and with more pages to come, the number of rows is unknown.
  const total = read.total ?? (read.more ? undefined : read.searched);
  const all = total === undefined ? rowCount(shown) : `${shown} of ${total}`;
  const matching = found > shown ? `${shown} of ${found}` : shown;
  const { values = '', drafts = '' } = (shown === 0 && selection?.unmet()) || {};
  const filtered = `${matching} found, ${read.searched} searched.${values}${drafts}`;
  const text = test === undefined ? `${all}.` : filtered;
  footer(place, wanted, `${text}${grouped}${more}`, read.more || drafts !== '');
  return shown;
}

/** Shows a footer: always for tables and files, in other formats only if rows are, or may be, missing. */
function footer({ context, shown }: Connection, { print, isFile }: Wanted, text: string, incomplete: boolean): void {
  // In a list of several, the footer is about all of them.
  if (context.options.quiet === true) return;
  const remark = shown.unknown === undefined ? '' : ` ${shown.unknown}`;
  if (incomplete || isFile || print.isHumanReadable) context.note(text + remark);
}

const nothing = async (connection: Connection, wanted: Wanted): Promise<void> =>
  footer(connection, wanted, `No ${connection.shown.resource.plural}${await connection.place()}.`, false);

const rowCount = (count: number): string => (count === 1 ? '1 row' : `${count} rows`);

/** Created at its first use, because that takes 6 ms. */
let collator: Intl.Collator | undefined;

/** Compares numbers as numbers and text alphabetically; empty values come last in both directions. */
const compare = (left: unknown, right: unknown, direction: 1 | -1): number => {
  const [noLeft, noRight] = [left, right].map((value) => value === null || value === undefined || value === '');
  if (noLeft || noRight) return Number(noLeft) - Number(noRight);
  if (typeof left === 'number' && typeof right === 'number') return direction * (left - right);
  collator ??= new Intl.Collator('en', { numeric: true });
  return direction * collator.compare(cellText(left), cellText(right));
};

/** The field of `--sort`, and that of the currency in which its amounts are; those are only compared with each other. */
function sortFields({ resource: { computed, fields, money } }: Listing, sort: string) {
  const field = sort.replace(/^[-+]/, '');
  const isAmount = hasKind(fields, field, 'amount') || computed[field]?.unit === 'amount';
  return { field, currency: isAmount ? money?.currency : undefined };
}

/**
 * The first rows. In an order by amounts at most `limit` of each currency, and what says so: amounts of one say nothing about
 * another.
 */
export function firstRows(
  given: readonly Row[],
  sort: string | undefined,
  limit: number | undefined,
  presenter: Listing,
) {
  if (sort === undefined) return { rows: given.slice(0, limit), grouped: '' };
  const { currency } = sortFields(presenter, sort);
  const counts = new Map<unknown, number>();
  const rows = sortRows(given, sort, presenter).filter((row) => {
    const group = currency && valueAt(row, currency);
    const count = (counts.get(group) ?? 0) + 1;
    counts.set(group, count);
    return limit === undefined || count <= limit;
  });
  const most = limit === undefined ? '' : `, at most ${limit} rows of each`;
  return { rows, grouped: counts.size > 1 ? ` Amounts are sorted within each currency${most}.` : '' };
}

/** Sorts by a field, `-field` for the largest first; equal rows stay in the order of the service. */
function sortRows(given: readonly Row[], sort: string, presenter: Listing): Row[] {
  const direction = sort.startsWith('-') ? -1 : 1;
  const { field, currency } = sortFields(presenter, sort);
  const rows = given.map((row) => withComputed(presenter.resource, row));
  const { fields: kinds, computed } = presenter.resource;
  const fields = [...(rows.length > 0 ? pathsOf(rows[0]) : Object.keys(kinds)), ...Object.keys(computed)];
  const isKnown =
    rows.some((row) => valueAt(row, field) !== undefined) ||
    (rows.length === 0 && fields.includes(field.replace(/\..*/, '')));
  if (!isKnown) {
    const sentence = (flag: FlagStyle) => `${flag('sort')} ${sort}: this list has no field "${field}".`;
    throw unknownName(sentence, field, fields, { sign: sort.replace(/[^-+].*/, '') });
  }
  return [...rows].sort(
    (left, right) =>
      (currency === undefined ? 0 : compare(valueAt(left, currency), valueAt(right, currency), 1)) ||
      compare(valueAt(left, field), valueAt(right, field), direction),
  );
}
