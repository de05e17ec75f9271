import { Conflict, type Key, type Slice } from './store.js';
import { type AnyRow, definitionOf, type IndexDefinition, type TableName } from './tables.js';

const compare = (left: unknown, right: unknown): number =>
  left === right ? 0 : (left as string | number) < (right as string | number) ? -1 : 1;

/** No text holds a NUL (D19). */
const keyText = (values: readonly unknown[]): string => values.join('\0');

/** One index: the rows of each key, in order. */
class MemoryIndex {
  readonly #rows = new Map<string, AnyRow[]>();
  constructor(readonly definition: IndexDefinition) {}

  #keyOf(row: AnyRow): string | null {
    const { columns, except, whereNull } = this.definition;
    if (except && row[except.column] === except.value) return null;
    if (whereNull && row[whereNull] !== null) return null;
    return keyText(columns.map((column) => row[column]));
  }

  /** Whether another row than `row` holds its key in a unique index. */
  refuses(row: AnyRow): boolean {
    if (!this.definition.unique) return false;
    const key = this.#keyOf(row);
    const rows = key === null ? undefined : this.#rows.get(key);
    return rows?.some((other) => other.id !== row.id) ?? false;
  }

  rows(key: Key): readonly AnyRow[] {
    return this.#rows.get(keyText(key)) ?? [];
  }

  add(row: AnyRow): void {
    const key = this.#keyOf(row);
    if (key === null) return;
    const rows = this.#rows.get(key);
    if (rows) rows.splice(this.#place(rows, row), 0, row);
    else this.#rows.set(key, [row]);
  }

  remove(row: AnyRow): void {
    const key = this.#keyOf(row);
    const rows = key === null ? undefined : this.#rows.get(key);
    if (!rows || key === null) return;
    rows.splice(rows.indexOf(row, this.#place(rows, row)), 1);
    if (rows.length === 0) this.#rows.delete(key);
  }

  /** Where `row` stands, or would stand, among the sorted rows: found by halving. */
  #place(rows: readonly AnyRow[], row: AnyRow): number {
    const order = this.definition.order ?? [];
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = rows[middle] as AnyRow;
      let difference = 0;
      for (const column of order) {
        difference = compare(other[column], row[column]);
        if (difference !== 0) break;
      }
      if (difference < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** One table in memory. Stored rows are frozen: an update replaces the row. */
export class MemoryTable {
  readonly #rows = new Map<string | number, AnyRow>();
  readonly #indexes: Map<string, MemoryIndex>;
  readonly #serial: string | undefined;
  readonly #wide: readonly string[];
  readonly #listed = new WeakMap<AnyRow, AnyRow>();
  nextSerial = 1;

  constructor(readonly name: TableName) {
    const definition = definitionOf(name);
    this.#serial = definition.serial;
    this.#wide = definition.wide ?? [];
    this.#indexes = new Map(Object.entries(definition.indexes).map(([index, of]) => [index, new MemoryIndex(of)]));
  }

  get(id: string | number): AnyRow | undefined {
    return this.#rows.get(id);
  }

  rows(index: string, key: Key, slice?: Slice): readonly AnyRow[] {
    const rows = this.#index(index).rows(key);
    return slice ? rows.slice(slice.offset, slice.offset + slice.limit) : rows;
  }

  /** The row as lists have it, without the wide columns: made once, as rows are never changed. */
  listed(row: AnyRow): AnyRow {
    if (this.#wide.length === 0) return row;
    const known = this.#listed.get(row);
    if (known) return known;
    const columns = Object.entries(row).filter(([column]) => !this.#wide.includes(column));
    const narrow = Object.freeze(Object.fromEntries(columns)) as AnyRow;
    this.#listed.set(row, narrow);
    return narrow;
  }

  count(index: string, key: Key): number {
    return this.#index(index).rows(key).length;
  }

  /** Every row, in order of creation where the table numbers its rows, else by id. */
  all(): readonly AnyRow[] {
    const order = this.#serial ?? 'id';
    return [...this.#rows.values()].sort((left, right) => compare(left[order], right[order]));
  }

  /** A copy of the row, with its serial number where it has none. */
  numbered(row: Record<string, unknown>): AnyRow {
    if (!this.#serial) return { ...row } as AnyRow;
    const serial = (row[this.#serial] as number | undefined) ?? this.nextSerial;
    this.nextSerial = Math.max(this.nextSerial, serial + 1);
    return { ...row, [this.#serial]: serial } as AnyRow;
  }

  /** Stores a frozen copy in the place of the row with the same id, if any, and returns it. @throws {Conflict} */
  put(given: AnyRow): AnyRow {
    for (const index of this.#indexes.values()) if (index.refuses(given)) throw new Conflict(this.name);
    this.remove(given.id);
    const row = Object.isFrozen(given) ? given : Object.freeze({ ...given });
    this.#rows.set(row.id, row);
    for (const index of this.#indexes.values()) index.add(row);
    return row;
  }

  remove(id: string | number): AnyRow | undefined {
    const row = this.#rows.get(id);
    if (!row) return undefined;
    this.#rows.delete(id);
    for (const index of this.#indexes.values()) index.remove(row);
    return row;
  }

  #index(name: string): MemoryIndex {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`${this.name} has no index ${name}.`);
    return index;
  }
}
