import { resources } from '@mkt/sdk/contract';
import { inOrder, meetsAll } from '../store/ordering.js';
import { maxTested, searchText, TooExpensive, totalOf } from '../store/store.js';
import { type Condition, notComputed } from '../store/table-definition.js';
import { definitionOf, type Id, type ListIndexName, type SelectableTable, usedThresholds } from '../store/tables.js';
import { isTimestamp } from '../timestamp.js';
import type { Listing, ListQuery, MemberContext } from './context.js';
import { idFrom } from './policy.js';

/** A list shows this many items of a search, so that it takes as long among a million. */
export const maxMatches = 500;

/** The tables whose lists have filters, with the indexes of their state. */
const stateIndexes = { campaigns: 'byOrganizationAndStatus', collabs: 'byOrganizationAndState' } as const;
export const isSelectable = (name: string): name is SelectableTable => Object.hasOwn(stateIndexes, name);

/** The orders of lists, by the value of `sort`, which may also be a computed field. */
const orders: ReadonlyMap<string, string> = new Map([
  ['name', 'byName'],
  ['budget', 'byBudget'],
  ['used', 'byUsed'],
  ['views', 'byViews'],
  ['submissions', 'bySubmissions'],
  ['completed', 'byCompleted'],
  ['published', 'byPublication'],
]);

/** The order of a list: the new items first, unless the table has the order that `sort` names. */
function orderOf(table: SelectableTable, sort: string): { order?: string; descending: boolean } {
  const name = sort.replace(/^-/, '');
  const { computed = {}, orders: own = {} } = definitionOf(table);
  const order = Object.hasOwn(computed, name) ? computed[name]?.order : orders.get(name);
  if (order !== undefined && Object.hasOwn(own, order)) return { order, descending: sort.startsWith('-') };
  return { descending: sort !== 'created' };
}

/** The computed fields that the list of a resource can be sorted by. */
export const computedSorts = (name: string): readonly string[] =>
  isSelectable(name) ? Object.keys(definitionOf(name).computed ?? {}) : [];

/** The percentages that a list can be filtered by. */
export const usedFilters = usedThresholds.filter((threshold) => threshold > 0).toReversed();

/** The value of the filter for campaigns without a budget. */
export const withoutBudget = 'none';

/** The states that a query names, separated by commas. */
const statesIn = (table: SelectableTable, { status }: Pick<ListQuery, 'status'>): readonly string[] =>
  status.split(',').filter((state) => (resources[table].states.names as readonly string[]).includes(state));

const isDay = (text: string): boolean => isTimestamp(`${text}T00:00:00Z`);

const conditionsOf = (table: SelectableTable, query: ListQuery): Condition[] => {
  const { platform, country, currency, used, from, to } = query;
  const { columns, computed = {} } = definitionOf(table);
  const { field, names } = resources[table].states;
  const percent = usedFilters.find((threshold) => String(threshold) === used);
  const states = statesIn(table, query);
  const others = states.length > 1 ? names.filter((name) => !states.includes(name)) : [];
  const conditions: Condition[] = [
    ...others.map((value) => ({ column: field, is: '<>' as const, value })),
    ...(used === withoutBudget ? [{ column: 'used_percent', is: '=' as const, value: notComputed }] : []),
    ...(currency ? [{ column: 'currency', is: '=' as const, value: currency.toLowerCase() }] : []),
    ...(percent ? [{ column: 'used_percent', is: '>=' as const, value: percent }] : []),
    ...(platform ? [{ column: 'platform_ids', is: 'has' as const, value: platform.toLowerCase() }] : []),
    ...(isDay(from) ? [{ column: 'published_at', is: '>=' as const, value: from }] : []),
    ...(isDay(to) ? [{ column: 'published_at', is: '<' as const, value: `${to}T24:00:00Z` }] : []),
    ...(country ? [{ column: 'countries', is: 'has' as const, value: country.toUpperCase() }] : []),
  ];
  return conditions.filter(({ column }) => column in columns || column in computed);
};

/** A search without this finds no parts of names in an index: it would read all names. */
const threeLetters = /[\p{L}\p{N}]{3}/u;

type SelectionContext = Pick<MemberContext, 'store' | 'caller' | 'page' | 'organizationId'>;

/**
 * The items that match the query of a web page, or a part of its download, which is in the order of creation.
 * @param hidden the state whose items the visitor may not see
 */
export async function selected<T extends SelectableTable>(
  context: SelectionContext,
  table: T,
  query: ListQuery,
  hidden: string | null,
): Promise<Listing<object>> {
  const none = { items: [], total: 0 };
  const { store, organizationId } = context;
  const states = statesIn(table, query);
  // Another value is a state that no item is in.
  if (query.status !== '' && !states.some((state) => state !== hidden)) return none;
  const own = await ownId(context, table, query, hidden);
  if (own) return { items: [own], total: 1 };
  if (query.name !== '' && !threeLetters.test(searchText(query.name))) {
    const count = totalOf(await store.totals(table, organizationId), []);
    if (count > maxTested) return { ...none, limit: 'letters' };
  }
  try {
    return await itemsOf(context, table, query, hidden);
  } catch (error) {
    // A download that has begun ends with the error.
    if (error instanceof TooExpensive && context.page.after === undefined) return { ...none, limit: 'slow' };
    throw error;
  }
}

/** The item whose id was searched, such as `#12`; null if there is none, or if the text is a part of names too. */
async function ownId<T extends SelectableTable>(
  { store, organizationId }: SelectionContext,
  table: T,
  { name }: ListQuery,
  hidden: string | null,
): Promise<object | null> {
  if (!/^#\S+$/.test(name)) return null;
  const row: Readonly<Record<string, unknown>> | null = await store.get(table, idFrom(name.slice(1), store) as Id<T>);
  const isHidden = hidden !== null && row?.[resources[table].states.field] === hidden;
  return row && row.organization_id === organizationId && !isHidden ? row : null;
}

async function itemsOf<T extends SelectableTable>(
  { store, caller, page, organizationId }: SelectionContext,
  table: T,
  query: ListQuery,
  hidden: string | null,
): Promise<Listing<object>> {
  const { field } = resources[table].states;
  const { name: text } = query;
  const { size, after, only, isOnlyIds = false } = page;
  const by = caller.userId;
  const states = statesIn(table, query).filter((state) => state !== hidden);
  const [status = ''] = states.length === 1 ? states : [];
  const where = conditionsOf(table, query);
  const { order, descending } = orderOf(table, query.sort);
  // The types of the indexes depend on the table.
  const all = hidden === null ? 'byOrganization' : 'byOrganizationWithoutDrafts';
  const index = (status !== '' ? stateIndexes[table] : all) as ListIndexName<T>;
  const key = status !== '' ? [organizationId, status] : [organizationId];

  if (only !== undefined) {
    const found: readonly Readonly<Record<string, unknown>>[] = await store.getMany(table, only as readonly Id<T>[]);
    const shown = found.filter((row) => row.organization_id === organizationId && row[field] !== hidden);
    const byId = new Map(shown.map((row): [unknown, object] => [row.id, row]));
    return { items: only.flatMap((id) => byId.get(id) ?? []), total: shown.length };
  }
  if (after !== undefined) {
    const scan = {
      limit: size,
      newestFirst: query.sort !== 'created',
      text,
      by,
      after: after === 'start' ? undefined : after,
    };
    const rows = await store.scan(table, index, key, scan);
    const items = rows.filter((row) => meetsAll(table, row, where));
    const end = rows.at(-1) as { readonly id: number; readonly position?: number } | undefined;
    return { items, total: items.length, last: rows.length < size ? undefined : (end?.position ?? end?.id) };
  }
  const hasUntested = async ({ length }: readonly Condition[]): Promise<boolean> => {
    if (length === 0 || totalOf(await store.totals(table, organizationId), []) <= maxTested) return false;
    const next = await store.scan(table, index, key, { limit: 1, offset: maxTested, newestFirst: true, text, by });
    return next.length > 0;
  };
  const offset = (Number(page.number) - 1) * size;
  if (text !== '') {
    const scan = { limit: maxMatches, newestFirst: true, text, having: where, by };
    const found = await store.scan(table, index, key, scan);
    // The first matches in another order would not be the first of all.
    const isCut = found.length === maxMatches;
    const rows = isCut ? found : inOrder(table, store.ids, found, order, descending);
    const limit = isCut ? 'matches' : (await hasUntested(where)) ? 'tested' : undefined;
    const items = isOnlyIds ? rows : rows.slice(offset, offset + size);
    return { items, total: rows.length, ...(limit && { limit }) };
  }
  const shown: Condition[] = [
    ...(status !== '' ? [{ column: field, is: '=' as const, value: status }] : []),
    ...(hidden !== null ? [{ column: field, is: '<>' as const, value: hidden }] : []),
    ...where,
  ];
  const selection = { where: shown, order, descending, by };
  if (isOnlyIds) {
    const { rows: ids, ...counted } = await store.selectIds(table, organizationId, selection);
    return { items: ids.map((id) => ({ id })), ...counted };
  }
  const { rows, ...counted } = await store.select(table, organizationId, selection, { offset, limit: size });
  return { items: rows, ...counted };
}
