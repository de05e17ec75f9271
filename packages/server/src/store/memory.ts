import { inPieces } from '../pieces.js';
import { mutex } from './mutex.js';
import { completeRow } from './new-row.js';
import { compare } from './ordering.js';
import { Conflict, type Dump, dumpTables, type Key, meets, type Reader, type Store, type Writer } from './store.js';
import type { IndexDefinition } from './table-definition.js';
import {
  type AnyRow,
  allTableNames,
  byTable,
  childrenOf,
  contentTables,
  definitionOf,
  type IdFormat,
  type ListRow,
  organizationTables,
  serialTables,
  type TableName,
  tableNames,
} from './tables.js';

/** Texts never contain NUL. */
export const keyText = (values: readonly unknown[]): string => values.join('\0');

/** One index: the rows of each key, in order. */
class MemoryIndex {
  readonly #rows = new Map<string, AnyRow[]>();
  constructor(readonly definition: IndexDefinition) {}

  #keyOf(row: AnyRow): string | null {
    const { columns, only = [] } = this.definition;
    return only.every((condition) => meets(row, condition)) ? keyText(columns.map((column) => row[column])) : null;
  }

  /** Whether the index is unique and another row has this row's key. */
  isTaken(row: AnyRow): boolean {
    const key = this.definition.unique ? this.#keyOf(row) : null;
    return key !== null && (this.#rows.get(key) ?? []).some((other) => other.id !== row.id);
  }

  rows(key: Key): readonly AnyRow[] {
    return this.#rows.get(keyText(key)) ?? [];
  }

  add(row: AnyRow): void {
    const key = this.#keyOf(row);
    if (key === null) return;
    const rows = this.#rows.get(key) ?? [];
    rows.splice(this.#position(rows, row), 0, row);
    this.#rows.set(key, rows);
  }

  remove(row: AnyRow): void {
    const key = this.#keyOf(row);
    if (key === null) return;
    const rows = this.#rows.get(key);
    if (!rows) return;
    rows.splice(rows.indexOf(row, this.#position(rows, row)), 1);
    if (rows.length === 0) this.#rows.delete(key);
  }

  /** The position of `row` among the sorted rows, by binary search. */
  #position(rows: readonly AnyRow[], row: AnyRow): number {
    const { order = [] } = this.definition;
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = rows[middle] as AnyRow;
      const column = order.find((name) => other[name] !== row[name]);
      if (column !== undefined && compare(other[column], row[column]) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** One table in memory. Stored rows are frozen: an update replaces the row. */
export class MemoryTable {
  readonly #rows = new Map<string | number, AnyRow>();
  readonly #indexes: ReadonlyMap<string, MemoryIndex>;
  readonly #serial: string | undefined;
  readonly #omitted: readonly string[];
  readonly #listRows = new WeakMap<AnyRow, AnyRow>();
  nextSerial = 1;

  constructor(
    readonly name: TableName,
    readonly ids: IdFormat,
  ) {
    const { serial, omittedFromLists = [], indexes } = definitionOf(name, ids);
    this.#serial = serial;
    this.#omitted = omittedFromLists;
    this.#indexes = new Map(Object.entries(indexes).map(([index, of]) => [index, new MemoryIndex(of)]));
  }

  get(id: string | number): AnyRow | undefined {
    return this.#rows.get(id);
  }

  rows(index: string, key: Key): readonly AnyRow[] {
    const found = this.#indexes.get(index);
    if (!found) throw new Error(`${this.name} has no index ${index}.`);
    return found.rows(key);
  }

  /** The rows with this value in a column, by an index of it. */
  rowsOf(column: string, value: string | number): readonly AnyRow[] {
    const index = [...this.#indexes.values()].find(
      ({ definition: { columns, only } }) => columns.length === 1 && columns[0] === column && !only,
    );
    if (!index)
      throw new Error(`${this.name} has no index of ${column}. Its rows are found by it when its parent is deleted.`);
    return index.rows([value]);
  }

  /** The rows as in a list: the same objects each time, because stored rows never change. They have the columns of T. */
  listed<T extends TableName>(rows: readonly AnyRow[]): ListRow<T>[] {
    return rows.map((row) => typed(this.#omitted.length === 0 ? row : this.#listRow(row)));
  }

  #listRow(row: AnyRow): AnyRow {
    const known = this.#listRows.get(row);
    if (known) return known;
    const listed: AnyRow = { ...row };
    for (const column of this.#omitted) delete listed[column];
    this.#listRows.set(row, Object.freeze(listed));
    return listed;
  }

  /** All rows, in order of creation if the table numbers its rows, otherwise by id. */
  all(): AnyRow[] {
    const order = this.#serial ?? 'id';
    return [...this.#rows.values()].sort((left, right) => compare(left[order], right[order]));
  }

  numberOf(row: AnyRow): number {
    return Number(row[this.#serial ?? 'id']);
  }

  /** A copy of the row, with a serial number if it has none. */
  numbered(row: object): AnyRow {
    const copy: Record<string, unknown> = { ...row };
    if (this.#serial) {
      const serial = (copy[this.#serial] as number | undefined) ?? this.nextSerial;
      this.nextSerial = Math.max(this.nextSerial, serial + 1);
      copy[this.#serial] = serial;
    }
    return copy as AnyRow;
  }

  /** Stores the row, and replaces the one with the same id. @throws {Conflict} */
  put(row: AnyRow): AnyRow {
    for (const index of this.#indexes.values()) {
      if (!index.isTaken(row)) continue;
      throw new Conflict(this.name, index.definition.columns.map((name) => `${name} ${row[name]}`).join(', '));
    }
    this.remove(row.id);
    this.#rows.set(row.id, Object.freeze(row));
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
}

type State = Readonly<Record<TableName, MemoryTable>>;

const emptyState = (ids: IdFormat): State => byTable(allTableNames, (name) => new MemoryTable(name, ids));

/** Stored rows have the columns of their table. They are frozen, so they are returned without copying. */
const typed = <Result>(row: AnyRow | null): Result => row as unknown as Result;
const orNull = <Result>(row: AnyRow | undefined): Result | null => typed(row ?? null);

export interface MemoryStore extends Store {
  /** The id of the row with this number, if there is one. */
  idOf(table: TableName, number: number): string | number | undefined;
}

/** What only web pages call. */
export type WebLists = Pick<Reader, 'scan' | 'totals' | 'select' | 'selectIds'>;
/** The mock has no web pages, and does not load the code for their lists. */
const noLists: Partial<WebLists> = {};

/** A store in the memory of this process. */
export function storeInMemory(
  ids: IdFormat = 'integer',
  initial?: Dump,
  listsOf?: (tables: (name: TableName) => MemoryTable) => WebLists,
): MemoryStore {
  // Work only awaits the store, so running readers one after another costs no time.
  const exclusively = mutex();
  let state = emptyState(ids);

  const reader: Reader = {
    ids,
    get: async (table, id) => orNull(state[table].get(id)),
    async getMany(table, ids) {
      const source = state[table];
      return source.listed(ids.flatMap((id) => source.get(id) ?? []));
    },
    async versions(table, ids) {
      const rows = ids.flatMap((id) => state[table].get(id) ?? []);
      return new Map(rows.map((row) => [row.id as (typeof ids)[number], JSON.stringify(row)]));
    },
    find: async (table, index, key) => orNull(state[table].rows(index, key)[0]),
    async page(table, index, key, { offset, limit }) {
      const source = state[table];
      return source.listed(source.rows(index, key).slice(offset, offset + limit));
    },
    ...(listsOf?.((table) => state[table]) ?? (noLists as WebLists)),
    count: async (table, index, key) => state[table].rows(index, key).length,
  };

  const load = (dump: Dump): void => {
    const next = emptyState(ids);
    for (const name of tableNames) {
      const { survivesLoad = false } = definitionOf(name);
      const table = next[name];
      if (survivesLoad) for (const row of state[name].all()) table.put(row);
      for (const row of dump.tables[name]) table.put(table.numbered(row));
      table.nextSerial = Math.max(table.nextSerial, dump.serials[name] ?? 1);
    }
    state = next;
  };
  if (initial) load(initial);
  const isEmpty = async () => contentTables.every((name) => state[name].all().length === 0);

  return {
    ids,
    read: (work) => exclusively(() => work(reader)),
    transact: (work) =>
      exclusively(async () => {
        const undo: (() => void)[] = [];
        try {
          return await work(writerOf(state, reader, undo));
        } catch (error) {
          await inPieces(undo.reverse(), (piece) => piece.map((step) => step()));
          throw error;
        }
      }),
    dump: () =>
      exclusively(async () => ({
        tables: dumpTables((name) => state[name].all().map((row) => ({ ...row }))),
        serials: Object.fromEntries(serialTables.map((name) => [name, state[name].nextSerial])),
      })),
    load: (dump) => exclusively(async () => load(dump)),
    fill: (dump) =>
      exclusively(async () => {
        const wasEmpty = await isEmpty();
        if (wasEmpty) load(dump);
        return wasEmpty;
      }),
    idOf: (table, number) => state[table].all().find((row) => state[table].numberOf(row) === number)?.id,
    isEmpty: () => exclusively(isEmpty),
    ping: async () => undefined,
    close: async () => undefined,
  };
}

/** Changes the tables immediately, and adds to `undo` how to take each change back. */
function writerOf(state: State, reader: Reader, undo: (() => void)[]): Writer {
  const remove = (table: TableName, id: string | number): boolean => {
    const target = state[table];
    // Before it, so that taking the changes back in reverse order restores it before them.
    for (const { table: child, column } of childrenOf(table))
      for (const row of state[child].rowsOf(column, id).toReversed()) remove(child, row.id);
    const row = target.remove(id);
    if (row) undo.push(() => target.put(row));
    return row !== undefined;
  };
  const update = (table: TableName, id: string | number, changes: object): AnyRow => {
    const target = state[table];
    const before = target.get(id);
    if (!before) throw new Error(`${table} ${id} does not exist.`);
    const after = target.put({ ...before, ...changes });
    undo.push(() => target.put(before));
    return after;
  };
  return {
    ...reader,
    async insert(table, row) {
      const target = state[table];
      const { nextSerial } = target;
      const whole = target.numbered(completeRow(reader.ids, table, row));
      undo.push(() => {
        target.nextSerial = nextSerial;
      });
      if (target.get(whole.id)) throw new Conflict(table, `id ${whole.id}`);
      target.put(whole);
      undo.push(() => target.remove(whole.id));
      return typed(whole);
    },
    update: async (table, id, changes) => typed(update(table, id, changes)),
    async updateMany(table, ids, changes) {
      for (const id of ids) update(table, id, changes);
    },
    delete: async (table, id) => remove(table, id),
    deleteMany: async (table, ids) => ids.filter((id) => remove(table, id)).length,
    async deleteOrganization(organization) {
      // From the end, because removing the first item of a long list moves all others.
      for (const table of organizationTables)
        for (const { id } of state[table].rows('byOrganization', [organization]).toReversed()) remove(table, id);
      remove('organizations', organization);
    },
    // Transactions run one at a time here.
    lock: async () => undefined,
  };
}
