import { keyText, type MemoryStore, type MemoryTable, storeInMemory, type WebLists } from './memory.js';
import { columnValue, inOrder, meetsAll } from './ordering.js';
import { type Dump, type Key, maxTested, type Scan, type Total, textMatcher } from './store.js';
import { type AnyRow, definitionOf, type IdFormat, type TableName } from './tables.js';

/** The store of tests and of `mkt serve` without `--db`: everything is in the memory of this process. */
export const memoryStore = (ids: IdFormat = 'integer', initial?: Dump): MemoryStore =>
  storeInMemory(ids, initial, listsOf);

const listsOf = (tables: (name: TableName) => MemoryTable): WebLists => ({
  async scan(table, index, key, scan) {
    const source = tables(table);
    return source.listed(scanned(source, index, key, scan));
  },
  totals: async (table, organization) => totalsOf(tables(table), organization),
  async select(table, organization, { where, order, descending = false }, { offset, limit }) {
    const source = tables(table);
    const found = source.rows('byOrganization', [organization]).filter((row) => meetsAll(table, row, where));
    const rows = inOrder(table, source.ids, found, order, descending);
    return { rows: source.listed(rows.slice(offset, offset + limit)), total: rows.length };
  },
});

function scanned(
  table: MemoryTable,
  index: string,
  key: Key,
  { limit, after, newestFirst = false, text = '', having = [] }: Scan,
): AnyRow[] {
  const { searched = 'id' } = definitionOf(table.name, table.ids);
  const matches = textMatcher(text);
  const rows = table.rows(index, key);
  const isNext = (number: number): boolean => after === undefined || (newestFirst ? number < after : number > after);
  const isFound = (row: AnyRow): boolean => matches(String(row[searched]));
  const found = (newestFirst ? rows.toReversed() : rows).filter((row) => isNext(table.numberOf(row)) && isFound(row));
  return (having.length > 0 ? found.slice(0, maxTested) : found)
    .filter((row) => meetsAll(table.name, row, having))
    .slice(0, limit);
}

function totalsOf(table: MemoryTable, organization: string | number): Total[] {
  const { totals: { by, sums } = { by: [], sums: [] }, computed = {} } = definitionOf(table.name, table.ids);
  const totals = new Map<string, Record<string, unknown>>();
  for (const row of table.rows('byOrganization', [organization])) {
    const key = by.map((column) => {
      const value = columnValue(table.name, row, column);
      return computed[column]?.thresholds?.find((threshold) => Number(value) >= threshold) ?? value;
    });
    const total = totals.get(keyText(key)) ?? { total: 0 };
    totals.set(keyText(key), total);
    by.forEach((column, place) => {
      total[column] = key[place];
    });
    for (const column of ['total', ...sums])
      total[column] = Number(total[column] ?? 0) + (column === 'total' ? 1 : Number(row[column]));
  }
  return [...totals.values()] as unknown as Total[];
}
