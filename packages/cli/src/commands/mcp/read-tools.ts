import { fieldsOfKind, kindsIn } from '@mkt/sdk/contract/resources';
import { fieldNames } from '../../api/field-flags.js';
import { type DraftResource, drafts } from '../../api/labels.js';
import { rowsNamed } from '../../api/organization.js';
import type { Context } from '../../context/context.js';
import { usageError } from '../../errors/cli-error.js';
import { didYouMean, nearest } from '../../text/nearest.js';
import { pathsOf, pick, textAt } from '../../text/values.js';
import { json } from './command-line.js';
import { cut, failure, type Row, result } from './result.js';
import type { Bound } from './session.js';
import { flagsFrom, registerTool, type Toolbox } from './tool.js';

const MAX_ROWS = 100;

/** How much of a brief a result has. */
const MAX_BRIEF = 4000;

const text = { type: 'string' };
export const organization = { type: 'string', description: 'Id or exact name' };
export const status = { type: 'string', description: 'active,paused; for collabs their state' };
const limit = { type: 'integer', minimum: 1, maximum: MAX_ROWS };
const next = { type: 'string', description: 'From the last result' };

const computed = [...new Set(Object.values(drafts).flatMap((resource) => Object.keys(resource.computed)))];

/** Fields of each list that are shown by default, and by what it can be filtered. */
const lists = {
  organizations: { fields: ['id', 'name', 'privacy_setting', 'website'], filters: ['name'] },
  members: { fields: ['id', 'role', 'is_owner', 'user.name'], filters: ['name'] },
  campaigns: {
    fields: ['id', 'name', 'status', 'currency', 'countries', 'total_budget_amount', 'unused_amount', 'view_count'],
    filters: ['status', 'name', 'country', 'platform', 'currency', 'updated_since'],
  },
  collabs: {
    fields: ['id', 'name', 'state', 'countries', 'submissions_count', 'completed_count'],
    filters: ['status', 'name', 'country', 'updated_since'],
  },
  'social-accounts': {
    fields: ['id', 'platform_id', 'account_url', 'status', 'subscriber_count'],
    filters: ['status'],
  },
} as const;
type ListName = keyof typeof lists;

const isPersonal = (resource: string): boolean => ['organizations', 'social-accounts', 'address'].includes(resource);

export type Texts<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/** What chooses a part of a list, in every tool. */
interface ListArguments<Name> extends Texts<'organization' | 'status' | 'next'> {
  readonly resource: Name;
  readonly limit?: number;
}

/** Rows from an earlier `next` on. */
export function startOf(token: string | undefined): number {
  if (token === undefined) return 0;
  if (!/^\d{1,9}$/.test(token)) throw usageError('next must be what an earlier result has as next.');
  return Number(token);
}

/** The flag for the organization of a resource that belongs to one. */
const placeOf = async (bound: Bound, resource: string, given: string | undefined): Promise<Row> =>
  isPersonal(resource) ? {} : { org: await bound.organization(given) };

/** The rows of a list, all or the first `limit`. */
export async function listRows(
  bound: Bound,
  { resource, organization: given, status: states }: ListArguments<string>,
  { limit: count, ...flags }: Row,
  options: Parameters<typeof json>[2],
): Promise<readonly Row[]> {
  const values = {
    ...(await placeOf(bound, resource, given)),
    [resource === 'collabs' ? 'state' : 'status']: states,
    ...flags,
  };
  const amount = count === undefined ? '--all' : `--limit=${String(count)}`;
  return (await json(bound.context, [resource, 'list', ...flagsFrom(values), amount], options)) as readonly Row[];
}

/** The part of a list that a result has, and how to get the rest. */
export function pageOf(
  rows: readonly unknown[],
  start: number,
  count: number,
  total: number | undefined,
  more = false,
) {
  const data = rows.slice(start, start + count);
  const end = start + data.length;
  const hasMore = more || end < (total ?? rows.length);
  return { data, more: { ...(total !== undefined && { total }), ...(hasMore && { next: String(end) }) } };
}

const summaryOf = (data: readonly unknown[], total: number | undefined, what: string): string =>
  `${data.length}${total === undefined ? '' : ` of ${total}`} ${what}`;

/** Filters by time, which every list has. */
const DATES = ['since', 'created_before'];

type FindArguments = ListArguments<ListName> & { readonly fields?: readonly string[] } & Texts<
    'name' | 'country' | 'platform' | 'currency' | 'since' | 'created_before' | 'updated_since' | 'sort'
  >;

function registerFind(tools: Toolbox): void {
  registerTool<FindArguments>(tools, 'find', {
    title: 'Find resources',
    description: 'Find organizations, members, campaigns, collabs or social accounts.',
    properties: {
      resource: { type: 'string', enum: Object.keys(lists) },
      organization,
      status,
      name: { type: 'string', description: 'Part of it' },
      country: { type: 'string', description: 'US,DE' },
      platform: text,
      currency: text,
      since: { type: 'string', description: 'Created since 2026-11-01 or 7d' },
      created_before: text,
      updated_since: text,
      sort: { type: 'string', description: `Field, also ${computed.join(', ')}; -field: descending` },
      fields: { type: 'array', items: text },
      limit: { ...limit, description: 'Default 20' },
      next,
    },
    required: ['resource'],
    run: async (args, bound, { mcpReq: { signal } }) => {
      const { resource, organization: _, fields, limit: count = 20, next: token, sort, ...filters } = args;
      const { fields: defaults, filters: possible } = lists[resource];
      const filterable: readonly string[] = [...possible, ...DATES];
      const wrong = Object.keys(filters).find((name) => !filterable.includes(name));
      if (wrong !== undefined)
        return failure({ message: `${resource} cannot be filtered by ${wrong}. Possible: ${filterable.join(', ')}.` });
      const start = startOf(token);
      const { status: __, updated_since, created_before, ...others } = filters;
      // Filters and sorting are done here, so all rows have to be read.
      const isWhole = sort !== undefined || Object.keys(filters).length > 0;
      let listed: { total: number | undefined; more: boolean } = { total: undefined, more: false };
      const flags = {
        ...others,
        'updated-since': updated_since,
        'created-before': created_before,
        sort,
        fields: (fields ?? defaults).join(','),
        limit: isWhole ? undefined : start + count,
      };
      const found = await listRows(bound, args, flags, {
        signal,
        listed: (list) => {
          listed = list;
        },
      });
      const own = resource === 'organizations' ? await bound.confinedTo() : undefined;
      const rows = own === undefined ? found : found.filter((row) => String(row.id) === own.id);
      const total = isWhole || own !== undefined ? rows.length : listed.total;
      const page = pageOf(rows, start, count, total, total === undefined && listed.more);
      return result(summaryOf(page.data, total, resource), cut(page.data), page.more);
    },
  });
}

/** The API has no single members, so one is looked up in the list. */
async function readMember(context: Context, flags: readonly string[], word: string, signal: AbortSignal) {
  const rows = (await json(context, ['members', 'list', '--all', ...flags], { signal })) as readonly Row[];
  const nameOf = (row: Row): string => textAt(row, 'user.name');
  const found = rowsNamed(rows, word, (row) => [textAt(row, 'user.email'), nameOf(row)]);
  const [only] = found;
  if (only !== undefined && found.length === 1) return { row: only };
  const named = found.length === 0 ? rows : found;
  const message =
    found.length > 0
      ? `${found.length} members have this name. Use an id.`
      : `There is no member "${word}".${didYouMean(nearest(word, rows.map(nameOf)))}`;
  return { error: failure({ message, code: 'not_found', ids: named.slice(0, 20).map((row) => row.id) }) };
}

/** The row of a resource with the part of its brief from `start` on. */
function withBriefFrom(resource: string, row: Row, start: number) {
  const [field = ''] = fieldsOfKind(kindsIn(resource), 'richText');
  const { [field]: brief, ...others } = row;
  if (typeof brief !== 'string') return { data: cut(row), more: {} };
  const end = start + MAX_BRIEF;
  const part = brief.slice(start, end);
  const more = { [`${field}_length`]: brief.length, ...(brief.length > end && { next: String(end) }) };
  return start > 0
    ? { data: { id: row.id, [field]: part }, more }
    : { data: { ...(cut(others) as Row), [field]: part }, more: brief.length > end ? more : {} };
}

interface ReadArguments extends Texts<'id' | 'organization' | 'next'> {
  readonly resource: ListName | 'address';
  readonly fields?: readonly string[];
}

function registerRead(tools: Toolbox): void {
  registerTool<ReadArguments>(tools, 'read', {
    title: 'Read one resource',
    description: 'Read one resource with its brief; a long one continues with next.',
    properties: {
      resource: { type: 'string', enum: [...Object.keys(lists), 'address'] },
      id: { type: 'string', description: 'Id or unique name' },
      organization,
      fields: { type: 'array', items: text },
      next,
    },
    required: ['resource'],
    run: async ({ resource, id: wanted, organization: given, fields, next: token }, bound, { mcpReq: { signal } }) => {
      if (wanted === undefined && resource !== 'address') return failure({ message: 'id is required.' });
      if (wanted !== undefined && resource === 'address')
        return failure({ message: 'There is only one address, so it has no id here.' });
      const start = startOf(token);
      const flags = flagsFrom(await placeOf(bound, resource, given));
      if (resource === 'members') {
        const { row, error } = await readMember(bound.context, flags, String(wanted), signal);
        if (row === undefined) return error;
        const shown = fields ?? pathsOf(row).filter((path) => path !== 'user.email');
        return result('1 member', cut(pick(row, shown)));
      }
      const id = resource === 'organizations' ? await bound.organization(wanted) : wanted;
      const words = id === undefined ? [] : ['--', String(id)];
      const only = fields === undefined ? [] : [`--fields=${fields.join(',')}`];
      const row = (await json(bound.context, [resource, 'show', ...flags, ...only, ...words], { signal })) as Row;
      const { data, more } = withBriefFrom(resource, row, start);
      return result(`1 of ${resource}`, data, more);
    },
  });
}

/** The numbers that the marketplace counts. Those that are computed from them are compared too, but not added up. */
const numbersOf = ({ fields, creation }: DraftResource): string[] => {
  const settable = fieldNames(creation);
  return fieldsOfKind(fields, 'amount', 'number').filter((field) => !settable.includes(field));
};

function totalsOf(rows: readonly Row[], numbers: readonly string[]) {
  const totals: Record<string, Record<string, number>> = {};
  for (const row of rows) {
    const total = totals[String(row.currency)] ?? { count: 0 };
    for (const name of numbers) total[name] = (total[name] ?? 0) + Number(row[name] ?? 0);
    totals[String(row.currency)] = { ...total, count: Number(total.count) + 1 };
  }
  return totals;
}

interface CompareArguments extends ListArguments<keyof typeof drafts> {
  readonly ids?: readonly string[];
  readonly by?: string;
}

function registerCompare(tools: Toolbox): void {
  registerTool<CompareArguments>(tools, 'compare', {
    title: 'Compare numbers',
    description: 'Compare the numbers of campaigns or collabs: rows in order, and totals per currency of all rows.',
    properties: {
      resource: { type: 'string', enum: Object.keys(drafts) },
      organization,
      ids: { type: 'array', items: text },
      status,
      by: { type: 'string', description: 'Such as used_percent; highest first' },
      limit,
      next,
    },
    required: ['resource'],
    run: async (args, bound, { mcpReq: { signal } }) => {
      const { resource, ids, by, limit: count = 15, next: token } = args;
      const summed = numbersOf(drafts[resource]);
      const numbers = [...summed, ...Object.keys(drafts[resource].computed)];
      const order = by ?? summed[0] ?? '';
      if (!numbers.includes(order))
        return failure({ message: `"${order}" is not possible for by. Possible: ${numbers.join(', ')}.` });
      const start = startOf(token);
      const fields = ['id', 'name', drafts[resource].states.field, 'currency', ...numbers];
      const all = await listRows(bound, args, { sort: `-${order}`, fields: fields.join(',') }, { signal });
      const wanted = ids?.map(String);
      const rows = all.filter(
        ({ id: own, name }) => wanted?.some((each) => each === String(own) || each === name) ?? true,
      );
      const missing = ids?.filter((each) => !rows.some((row) => [String(row.id), row.name].includes(String(each))));
      if (rows.length === 0 && missing !== undefined && missing.length > 0)
        return failure({ message: `None of these ${resource} was found.`, code: 'not_found', missing });
      const page = pageOf(rows, start, count, rows.length);
      return result(summaryOf(page.data, rows.length, resource), cut(page.data), {
        ...page.more,
        totals: totalsOf(rows, summed),
        ...(missing !== undefined && missing.length > 0 && { missing }),
      });
    },
  });
}

/** Registers the tools that read. Each runs command lines, so settings, rules and limits are those of `mkt`. */
export function registerReadTools(tools: Toolbox): void {
  registerFind(tools);
  registerRead(tools);
  registerCompare(tools);
}
