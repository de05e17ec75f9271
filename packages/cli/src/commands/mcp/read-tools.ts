import { fieldsOfKind, kindsIn } from '@mkt/sdk/contract/resources';
import type { McpServer } from '@modelcontextprotocol/server';
import { fieldNames } from '../../api/field-flags.js';
import { type DraftResource, drafts } from '../../api/labels.js';
import { rowsNamed } from '../../api/organization.js';
import type { Context } from '../../context/context.js';
import { usageError } from '../../errors/cli-error.js';
import { didYouMean, nearest } from '../../text/nearest.js';
import { cellText, valueAt } from '../../text/row.js';
import { json } from './command-line.js';
import { cut, failure, type Row, result } from './result.js';
import { flagsFrom, organizationFlag, registerTool } from './tool.js';

const MAX_ROWS = 100;

const organization = { type: ['string', 'integer'], description: 'Id or exact name; default: the configured one' };
const id = { type: ['string', 'integer'] };
const status = { type: 'string', description: 'Such as "active,paused"; for collabs their state' };
const limit = { type: 'integer', minimum: 1, maximum: MAX_ROWS };
const next = { type: 'string' };
const text = { type: 'string' };

const computed = [...new Set(Object.values(drafts).flatMap((resource) => Object.keys(resource.computed)))];

/** Fields of each list that are shown by default, and by what it can be filtered. */
const lists = {
  organizations: { fields: ['id', 'name', 'privacy_setting', 'website'], filters: ['name'] },
  members: { fields: ['id', 'role', 'is_owner', 'user.name', 'user.email'], filters: ['name'] },
  campaigns: {
    fields: ['id', 'name', 'status', 'currency', 'countries', 'total_budget_amount', 'unused_amount', 'view_count'],
    filters: ['status', 'name', 'country', 'updated_since'],
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

/** What chooses a part of a list, in every tool. */
interface ListArguments<Name> {
  readonly resource: Name;
  readonly organization?: string | number;
  readonly status?: string;
  readonly limit?: number;
  readonly next?: string;
}

/** Rows from an earlier `next` on. */
function startOf(token: string | undefined): number {
  if (token === undefined) return 0;
  if (!/^\d{1,9}$/.test(token)) throw usageError('next must be what an earlier result has as next.');
  return Number(token);
}

/** The rows of a list, all or the first `limit`. */
const listRows = (
  context: Context,
  { resource, organization: given, status: states }: ListArguments<string>,
  { limit: count, ...flags }: Row,
  options: Parameters<typeof json>[2],
) =>
  json(
    context,
    [
      resource,
      'list',
      ...flagsFrom({
        ...(!isPersonal(resource) && organizationFlag(context, given)),
        [resource === 'collabs' ? 'state' : 'status']: states,
        ...flags,
      }),
      count === undefined ? '--all' : `--limit=${String(count)}`,
    ],
    options,
  ) as Promise<readonly Row[]>;

/** The part of a list that a result has, and how to get the rest. */
function pageOf(rows: readonly unknown[], start: number, count: number, total: number | undefined, more = false) {
  const data = rows.slice(start, start + count);
  const end = start + data.length;
  const hasMore = more || end < (total ?? rows.length);
  return { data, more: { ...(total !== undefined && { total }), ...(hasMore && { next: String(end) }) } };
}

const summaryOf = (data: readonly unknown[], total: number | undefined, what: string): string =>
  `${data.length}${total === undefined ? '' : ` of ${total}`} ${what}`;

interface FindArguments extends ListArguments<ListName> {
  readonly name?: string;
  readonly country?: string;
  readonly since?: string;
  readonly updated_since?: string;
  readonly sort?: string;
  readonly fields?: readonly string[];
}

/** Lists of resources. */
function registerFind(server: McpServer, context: Context): void {
  registerTool<FindArguments>(server, 'find', {
    title: 'Find resources',
    description: 'Find organizations, members, campaigns, collabs or social accounts.',
    properties: {
      resource: { type: 'string', enum: Object.keys(lists) },
      organization,
      status,
      name: { type: 'string', description: 'Part of it' },
      country: { type: 'string', description: 'US,DE' },
      since: { type: 'string', description: 'Created since 2026-11-01 or 7d' },
      updated_since: text,
      sort: { type: 'string', description: `Field, also ${computed.join(', ')}; -field: descending` },
      fields: { type: 'array', items: text },
      limit: { ...limit, description: 'Default 20' },
      next: { type: 'string', description: 'From the last result' },
    },
    required: ['resource'],
    output: { total: { type: 'integer' }, next },
    run: async (args, { mcpReq: { signal } }) => {
      const { resource, organization: _, fields, limit: count = 20, next: token, sort, ...filters } = args;
      const { fields: defaults, filters: possible } = lists[resource];
      const [wrong] = Object.keys(filters).filter((name) => ![...possible, 'since'].includes(name));
      if (wrong !== undefined)
        return failure({
          message: `${resource} cannot be filtered by ${wrong}. Possible: ${[...possible, 'since'].join(', ')}.`,
        });
      const start = startOf(token);
      const { status: __, updated_since, ...others } = filters;
      // Filters and sorting are done here, so all rows have to be read.
      const isWhole = sort !== undefined || Object.keys(filters).length > 0;
      let listed: { total: number | undefined; more: boolean } = { total: undefined, more: false };
      const flags = {
        ...others,
        'updated-since': updated_since,
        sort,
        fields: (fields ?? defaults).join(','),
        limit: isWhole ? undefined : start + count,
      };
      const rows = await listRows(context, args, flags, {
        signal,
        listed: (list) => {
          listed = list;
        },
      });
      const total = isWhole ? rows.length : listed.total;
      const page = pageOf(rows, start, count, total, !isWhole && total === undefined && listed.more);
      return result(summaryOf(page.data, total, resource), cut(page.data), page.more);
    },
  });
}

/** The API has no single members, so one is looked up in the list. */
async function readMember(context: Context, flags: readonly string[], word: string, signal: AbortSignal) {
  const rows = (await json(context, ['members', 'list', '--all', ...flags], { signal })) as readonly Row[];
  const found = rowsNamed(rows, word, (row) => ['user.email', 'user.name'].map((path) => cellText(valueAt(row, path))));
  const [only] = found;
  if (only !== undefined && found.length === 1) return { row: only };
  const named = found.length === 0 ? rows : found;
  const meant = nearest(
    word,
    rows.flatMap((row) => cellText(valueAt(row, 'user.name'))),
  );
  const message =
    found.length > 0
      ? `${found.length} members have this name. Use an id.`
      : `There is no member "${word}".${didYouMean(meant)}`;
  return { error: failure({ message, code: 'not_found', ids: named.slice(0, 20).map((row) => row.id) }) };
}

interface ReadArguments {
  readonly resource: ListName | 'address';
  readonly id?: string | number;
  readonly organization?: string | number;
}

/** One resource. */
function registerRead(server: McpServer, context: Context): void {
  registerTool<ReadArguments>(server, 'read', {
    title: 'Read one resource',
    description: 'Read one resource with all its fields and its brief.',
    properties: {
      resource: { type: 'string', enum: [...Object.keys(lists), 'address'] },
      id: { ...id, description: 'Id or unique name' },
      organization,
    },
    required: ['resource'],
    data: 'object',
    run: async ({ resource, id: wanted, organization: given }, { mcpReq: { signal } }) => {
      if (wanted === undefined && resource !== 'address') return failure({ message: 'id is required.' });
      if (wanted !== undefined && resource === 'address')
        return failure({ message: 'There is only one address, so it has no id here.' });
      const flags = isPersonal(resource) ? [] : flagsFrom(organizationFlag(context, given));
      if (resource === 'members') {
        const { row, error } = await readMember(context, flags, String(wanted), signal);
        return error ?? result('1 member', cut(row));
      }
      const words = wanted === undefined ? [] : ['--', String(wanted)];
      const row = (await json(context, [resource, 'show', ...flags, ...words], { signal })) as Row;
      const own = /\/organizations\/([^/]+)\/\w+\/([^/]+)\.json$/.exec(String(row.url));
      const whole = own === null ? '' : `mkt://organizations/${own[1]}/${resource}/${own[2]}/brief`;
      return result(`1 of ${resource}`, cut(row, { fields: kindsIn(resource), whole }));
    },
  });
}

/** The numbers that the marketplace counts. Those that are computed from them are compared too, but not added up. */
const numbersOf = ({ fields, creation }: DraftResource): string[] => {
  const settable = fieldNames(creation);
  return fieldsOfKind(fields, 'amount', 'number').filter((field) => !settable.includes(field));
};

/** Counts and sums by currency. */
function totalsOf(rows: readonly Row[], numbers: readonly string[]) {
  const totals: Record<string, Record<string, number>> = {};
  for (const row of rows) {
    totals[String(row.currency)] ??= { count: 0 };
    const total = totals[String(row.currency)] ?? {};
    total.count = (total.count ?? 0) + 1;
    for (const name of numbers) total[name] = (total[name] ?? 0) + Number(row[name] ?? 0);
  }
  return totals;
}

interface CompareArguments extends ListArguments<keyof typeof drafts> {
  readonly ids?: readonly (string | number)[];
  readonly by?: string;
}

/** Numbers of campaigns and collabs. */
function registerCompare(server: McpServer, context: Context): void {
  registerTool<CompareArguments>(server, 'compare', {
    title: 'Compare numbers',
    description: 'Compare the numbers of campaigns or collabs: rows in order, and totals per currency of all rows.',
    properties: {
      resource: { type: 'string', enum: Object.keys(drafts) },
      organization,
      ids: { type: 'array', items: id },
      status,
      by: { type: 'string', description: 'Such as used_percent; highest first' },
      limit,
      next,
    },
    required: ['resource'],
    output: { total: { type: 'integer' }, next, totals: { type: 'object' }, missing: { type: 'array' } },
    run: async (args, { mcpReq: { signal } }) => {
      const { resource, ids, by, limit: count = 15, next: token } = args;
      const summed = numbersOf(drafts[resource]);
      const numbers = [...summed, ...Object.keys(drafts[resource].computed)];
      const order = by ?? summed[0] ?? '';
      if (!numbers.includes(order))
        return failure({ message: `"${order}" is not possible for by. Possible: ${numbers.join(', ')}.` });
      const start = startOf(token);
      const fields = ['id', 'name', drafts[resource].states.field, 'currency', ...numbers];
      const all = await listRows(context, args, { sort: `-${order}`, fields: fields.join(',') }, { signal });
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
export function registerReadTools(server: McpServer, context: Context): void {
  registerFind(server, context);
  registerRead(server, context);
  registerCompare(server, context);
}
