import { type Key, maxTested, type Selection, type Total, totalOf } from '../store.js';
import type { Condition, IndexCondition, IndexDefinition, TableDefinition } from '../table-definition.js';

/** How the rows of a selection are found. */
export interface SelectionPlan {
  readonly index: string;
  /** The conditions of the rows that are found in it. */
  readonly found: readonly Condition[];
  /** Conditions that are tested on the first `maxTested` of these rows. */
  readonly tested: readonly Condition[];
  readonly order: readonly string[];
  readonly descending: boolean;
  /** How many rows meet all conditions; null if only the database can count them. */
  readonly total: number | null;
  /** If a counted index has exactly these rows in this order: the values of its columns after the organization. */
  readonly key?: Key;
  /** How many rows are read before the first page is known. */
  readonly read: number;
  readonly limit?: 'first' | 'unsorted';
}

/** Whether rows that meet `given` meet `needed`. */
const implies = (given: IndexCondition, needed: IndexCondition): boolean => {
  if (given.column !== needed.column || !('value' in given && 'value' in needed)) return false;
  if (needed.is === '>=') return /^(=|>=)$/.test(given.is) && Number(given.value) >= Number(needed.value);
  if (needed.is === '<>' && given.is === '=') return given.value !== needed.value;
  return given.is === needed.is && given.value === needed.value;
};

/** Whether every row that meets the conditions is in the index. */
function hasAll({ columns, only = [], unindexed }: IndexDefinition, where: readonly Condition[]) {
  if (unindexed || columns[0] !== 'organization_id') return false;
  return (
    only.every((condition) => where.some((given) => implies(given, condition))) &&
    columns.slice(1).every((key) => where.some(({ column, is }) => column === key && is === '='))
  );
}

/** The conditions for which no other rows of the index have to be read. */
function coveredBy({ columns, order = [], only = [] }: IndexDefinition, where: readonly Condition[]) {
  const next = columns[1] ?? order[0];
  return where.filter(
    (given) =>
      (given.column === next && /^(=|>=|<)$/.test(given.is)) ||
      (given.column === next && where.some((other) => other.is === '=' && implies(other, given))) ||
      only.some((condition) => implies(condition, given)),
  );
}

/**
 * Rows are found through the index that leaves the fewest. If these are too many to sort or to test, only the first ones in
 * the wanted order are considered.
 */
export function planOf(
  definition: TableDefinition,
  totals: readonly Total[],
  { where, order: wanted, descending = false }: Selection,
): SelectionPlan {
  const { orders = {}, serial = 'id' } = definition;
  const indexes: Readonly<Record<string, IndexDefinition>> = { ...definition.indexes, ...orders };
  const isCounted = ({ column }: Condition): boolean => definition.totals?.by.includes(column) ?? false;
  const usable = Object.entries(indexes)
    .filter(([, index]) => hasAll(index, where))
    .map(([name, index]) => {
      const covered = coveredBy(index, where);
      return { name, covered, index, count: totalOf(totals, covered.filter(isCounted)) };
    })
    .sort((left, right) => left.count - right.count);
  const [best] = usable;
  const creation = usable.find(({ index }) => index.order?.[0] === serial);
  if (!best || !creation) throw new Error('A table with totals needs the index byOrganization.');
  const order = orders[wanted ?? '']?.order ?? [serial];
  const total = where.every(isCounted) ? totalOf(totals, where) : null;
  const complete = { found: where, tested: [], order, descending, total };
  const ordered = usable.find(
    ({ index, covered }) => covered.length === where.length && index.order?.join() === order.join(),
  );
  if (ordered) {
    const key = ordered.index.columns.slice(1).map((name) => where.find(({ column }) => column === name)?.value ?? '');
    return { ...complete, index: ordered.name, read: 0, ...(ordered.index.counted && { key }) };
  }
  if (best.count <= maxTested) return { ...complete, index: best.name, read: best.count };
  if (orders[wanted ?? '']?.unindexed)
    return { ...planOf(definition, totals, { where, descending: true }), limit: 'unsorted' };

  const index = wanted ?? creation.name;
  const found = coveredBy(indexes[index] ?? creation.index, where);
  const tested = where.filter((condition) => !found.includes(condition));
  const read = tested.length > 0 ? maxTested : 0;
  return { index, found, tested, order, descending, total: null, read, limit: 'first' };
}
