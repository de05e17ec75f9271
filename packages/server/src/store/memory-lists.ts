import { inPieces } from '../pieces.js';
import { keyText, type MemoryStore, type MemoryTable, storeInMemory, type WebLists } from './memory.js';
import { columnValue, inOrder, meetsAll } from './ordering.js';
import { type Dump, maxTested, type Selection, type Total, textMatcher } from './store.js';
import { type AnyRow, definitionOf, type Id, type IdFormat, type TableName } from './tables.js';

/** More rows of a list are made in several turns of the event loop. */
const listedAtOnce = 1000;

/** The store of tests and of `mkt serve` without `--db`: everything is in the memory of this process. */
export const memoryStore = (ids: IdFormat = 'integer', initial?: Dump): MemoryStore =>
  storeInMemory(ids, initial, listsOf);

function selectedFrom(table: MemoryTable, name: TableName, organization: string | number, selection: Selection) {
  const { where, order, descending = false } = selection;
  const found = table.rows('byOrganization', [organization]).filter((row) => meetsAll(name, row, where));
  return inOrder(name, table.ids, found, order, descending);
}

const listsOf = (tables: (name: TableName) => MemoryTable): WebLists => ({
  async scan(name, index, key, { limit, after, newestFirst = false, text = '', having = [], offset = 0 }) {
    const table = tables(name);
    const { searched = 'id' } = definitionOf(name, table.ids);
    const matches = textMatcher(text);
    const rows = table.rows(index, key);
    const isNext = (number: number): boolean => after === undefined || (newestFirst ? number < after : number > after);
    const isFound = (row: AnyRow): boolean => matches(String(row[searched]));
    const found = (newestFirst ? rows.toReversed() : rows).filter((row) => isNext(table.numberOf(row)) && isFound(row));
    const tested = having.length > 0 ? found.slice(0, maxTested) : found;
    return table.listed(tested.filter((row) => meetsAll(name, row, having)).slice(offset, offset + limit));
  },
  async totals(name, organization) {
    const table = tables(name);
    const { totals: { by, sums } = { by: [], sums: [] }, computed = {} } = definitionOf(name, table.ids);
    const totals = new Map<string, Record<string, unknown>>();
    for (const row of table.rows('byOrganization', [organization])) {
      const key = by.map((column) => {
        const value = columnValue(name, row, column);
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
  },
  async select(name, organization, selection, { offset, limit }) {
    const table = tables(name);
    const rows = selectedFrom(table, name, organization, selection);
    const listed = (piece: readonly AnyRow[]) => table.listed<typeof name>(piece);
    const some = await inPieces(rows.slice(offset, offset + limit), listed, listedAtOnce);
    return { rows: some.flat(), total: rows.length };
  },
  async selectIds(name, organization, selection) {
    const rows = selectedFrom(tables(name), name, organization, selection);
    return { rows: rows.slice(0, maxTested).map(({ id }) => id as Id<typeof name>), total: rows.length };
  },
});
