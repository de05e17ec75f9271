import type { ListPromise } from '@mkt/sdk';
import { explained } from '../api/errors/explain.js';
import type { Resource } from '../api/resources.js';
import type { Invocation } from '../context/command.js';
import type { Context, Organization } from '../context/context.js';
import { commandWith } from '../context/next-command.js';
import { usageError } from '../errors/cli-error.js';
import type { View } from '../output/view.js';
import type { Row } from '../text/row.js';
import { KEPT_ROWS, remember } from './completion-cache.js';
import { connect, type Listing, listView, placeOf } from './presenter.js';
import { filterFrom, type Selection, sortRows } from './select-rows.js';
import { type Walked, walkPages } from './walk.js';

interface Wanted {
  readonly page: number | undefined;
  readonly limit: number | undefined;
  readonly all: boolean;
  readonly sort: string | undefined;
  readonly selection: Selection | undefined;
}

/** The values of `listFlags`. */
interface ListFlags {
  readonly page?: number;
  readonly limit?: number;
  readonly all?: boolean;
  readonly sort?: string;
}
type ListInvocation = Invocation & { readonly flags: ListFlags };

function wantedFrom({ command, flags }: ListInvocation): Wanted {
  const { page, limit, sort } = flags;
  const selection = filterFrom(command.flags ?? [], flags);
  for (const [name, value] of [
    ['page', page],
    ['limit', limit],
  ] as const) {
    if (value !== undefined && value < 1) throw usageError(`--${name} takes a number from 1, not ${value}.`);
  }
  const given = [
    page !== undefined && '--page',
    limit !== undefined && '--limit',
    flags.all === true && '--all',
  ].filter(Boolean);
  if (given.length > 1) throw usageError(`${given.join(' and ')} contradict each other: give one of them.`);
  // Filters and sorting happen here, so without all rows they would tell half the truth.
  const all =
    flags.all === true ||
    (page === undefined && limit === undefined && (sort !== undefined || selection !== undefined));
  return { page, limit, all, sort, selection };
}

interface Place {
  readonly resource: Resource;
  readonly organization: Organization | undefined;
  readonly context: Context;
  readonly invocation: Invocation;
}

/** What was listed can be completed from then on. */
function rememberRows({ context, resource, organization }: Place, rows: readonly Row[], complete: boolean): void {
  const { io, settings } = context;
  remember(io, settings.requiredBaseUrl, { resource, organization: organization?.id }, rows, complete);
}

/** Says it in formats for people and spreadsheets always, to programs only when rows are missing. */
function footer({ context }: Place, text: string, incomplete: boolean): void {
  const { format } = context.print.options;
  if (incomplete || format === 'table') context.note(text);
}

async function nothing(place: Place): Promise<void> {
  const { resource, organization } = place;
  footer(place, `No ${resource.plural}${await placeOf(organization)}.`, false);
}

const rowCount = (count: number): string => (count === 1 ? '1 row' : `${count} rows`);

async function onePage(
  place: Place,
  list: ListPromise<Row>,
  { selection, sort, page }: Wanted,
  view: View,
): Promise<void> {
  const { context, invocation, resource } = place;
  const answer = await list;
  const test = selection?.test;
  const kept = test === undefined ? [...answer.items] : answer.items.filter(test);
  await context.print.rows([sort === undefined ? kept : sortRows(kept, sort)], view);
  rememberRows(place, answer.items, answer.number === 1 && !answer.hasNext());
  const { totalCount, totalPages } = answer;
  if (totalCount === 0) return nothing(place);
  if (answer.items.length === 0) {
    const last = totalPages === null ? '' : `: there are ${totalPages}`;
    return footer(place, `No ${resource.plural} on page ${answer.number}${last}.`, false);
  }
  const counted = totalCount === null ? rowCount(kept.length) : `${kept.length}`;
  const shown = test === undefined ? counted : `${kept.length} of ${answer.items.length} searched`;
  const of = totalCount === null ? '' : test === undefined ? ` of ${totalCount}` : `, ${totalCount} in all`;
  const pages = totalPages === null ? `page ${answer.number}` : `page ${answer.number} of ${totalPages}`;
  const more = answer.hasNext() ? ` More: ${commandWith(invocation, context, { page: answer.number + 1 })}` : '';
  if (more === '' && page === undefined && test === undefined) return footer(place, `${shown}${of}.`, false);
  return footer(place, `${shown}${of}, ${pages}.${more}`, more !== '');
}

async function walk(
  place: Place,
  list: ListPromise<Row>,
  { selection, sort, limit }: Wanted,
  view: View,
): Promise<void> {
  const { context, invocation, resource } = place;
  const test = selection?.test;
  const walked: Walked = { searched: 0, total: undefined, more: false };
  let shown = 0;
  const first: Row[] = [];
  const keep = (rows: readonly Row[]) => first.push(...rows.slice(0, KEPT_ROWS - first.length));
  await context.withProgress(`Reading ${resource.plural}`, async (progress) => {
    // The first rows in order are known only when all are.
    const pages = walkPages(list, { test, limit: sort === undefined ? limit : undefined }, walked, progress);
    async function* counted(): AsyncGenerator<readonly Row[]> {
      if (sort === undefined) {
        for await (const rows of pages) {
          shown += rows.length;
          keep(rows);
          yield rows;
        }
        progress.end();
        return;
      }
      const rows: Row[] = [];
      for await (const some of pages) rows.push(...some);
      progress.end();
      walked.total ??= walked.searched;
      const sorted = sortRows(rows, sort).slice(0, limit);
      walked.more = sorted.length < rows.length;
      shown = sorted.length;
      keep(sorted);
      yield sorted;
    }
    await context.print.rows(counted(), view);
  });
  rememberRows(place, first, test === undefined && !walked.more);
  if ((walked.total ?? walked.searched) === 0) return nothing(place);
  const more = walked.more ? ` More: ${commandWith(invocation, context, { limit: undefined, all: true })}` : '';
  // Without a total, and with more to come, nobody knows of how many these are.
  const total = walked.total ?? (walked.more ? undefined : walked.searched);
  const all = total === undefined ? rowCount(shown) : `${shown} of ${total}`;
  const found = `${shown} found, ${walked.searched} searched.${shown === 0 ? selection?.unmet() : ''}`;
  const text = selection === undefined ? `${all}.` : found;
  return footer(place, `${text}${more}`, walked.more);
}

/** Prints one page, or as many as the flags ask for; filters and sorting are applied here. */
export async function list(context: Context, invocation: ListInvocation, listing: Listing): Promise<void> {
  const wanted = wantedFrom(invocation);
  const { resource } = listing;
  const { api, organization } = await connect(context, resource);
  const view = await listView(listing, context.print.needsFields);
  const place: Place = { resource, organization, context, invocation };
  await explained(context, { verb: 'list', resource, organization }, async () => {
    const pages = listing.list({ ...api, options: { ...api.options, page: wanted.page } });
    if (wanted.all || wanted.limit !== undefined) await walk(place, pages, wanted, view);
    else await onePage(place, pages, wanted, view);
  });
}
