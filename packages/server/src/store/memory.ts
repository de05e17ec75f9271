import { ReadWriteLock } from './lock.js';
import { MemoryTable } from './memory-table.js';
import { Conflict, type Dump, type Key, type Reader, type Slice, type Store, type Writer } from './store.js';
import {
  type AnyRow,
  allTableNames,
  type Id,
  type ListRow,
  type NewRow,
  type Row,
  serialTables,
  type TableName,
  tableNames,
  withNulls,
} from './tables.js';

/** What needs a connection elsewhere needs nothing here. */
const atOnce = (): Promise<void> => Promise.resolve();

type State = Readonly<Record<TableName, MemoryTable>>;

const emptyState = (): State =>
  Object.fromEntries(allTableNames.map((name) => [name, new MemoryTable(name)])) as Record<TableName, MemoryTable>;

/** Stored rows are frozen, so they are handed out as they are. */
const typed = <T extends TableName>(row: AnyRow): Row<T> => row as unknown as Row<T>;

class MemoryReader implements Reader {
  constructor(protected readonly state: State) {}

  async get<T extends TableName>(table: T, id: Id<T>): Promise<Row<T> | null> {
    const row = this.state[table].get(id as string | number);
    return row ? typed<T>(row) : null;
  }

  async getMany<T extends TableName>(table: T, ids: readonly Id<T>[]): Promise<ListRow<T>[]> {
    const source = this.state[table];
    return ids.flatMap((id) => source.get(id as string | number) ?? []).map((row) => typed<T>(source.listed(row)));
  }

  async find<T extends TableName>(table: T, index: string, key: Key): Promise<Row<T> | null> {
    const [row] = this.state[table].rows(index, key);
    return row ? typed<T>(row) : null;
  }

  async page<T extends TableName>(table: T, index: string, key: Key, slice: Slice): Promise<ListRow<T>[]> {
    const source = this.state[table];
    return source.rows(index, key, slice).map((row) => typed<T>(source.listed(row)));
  }

  async count<T extends TableName>(table: T, index: string, key: Key): Promise<number> {
    return this.state[table].count(index, key);
  }
}

/** Writes at once and remembers how to take each write back. */
class MemoryWriter extends MemoryReader implements Writer {
  readonly #undo: (() => void)[] = [];

  async insert<T extends TableName>(table: T, row: NewRow<T>): Promise<Row<T>> {
    const target = this.state[table];
    const { nextSerial } = target;
    const given = target.numbered(withNulls(table, row));
    this.#undo.push(() => {
      target.nextSerial = nextSerial;
    });
    if (target.get(given.id)) throw new Conflict(table);
    const stored = target.put(given);
    this.#undo.push(() => target.remove(stored.id));
    return typed<T>(stored);
  }

  async update<T extends TableName>(table: T, id: Id<T>, changes: Partial<Row<T>>): Promise<Row<T>> {
    const target = this.state[table];
    const before = target.get(id as string | number);
    if (!before) throw new Error(`${table} ${String(id)} is not there to be changed.`);
    const after = target.put({ ...before, ...changes });
    this.#undo.push(() => target.put(before));
    return typed<T>(after);
  }

  async delete<T extends TableName>(table: T, id: Id<T>): Promise<boolean> {
    return this.#remove(table, id as string | number);
  }

  async deleteOrganization(organization: number): Promise<void> {
    // From the end: taking the first out of a long list moves all the others.
    for (const table of ['campaigns', 'collabs', 'images', 'memberships'] as const)
      for (const { id } of this.state[table].rows('byOrganization', [organization]).toReversed())
        this.#remove(table, id);
    this.#remove('organizations', organization);
  }

  /** Writers run one at a time here. */
  lock = atOnce;

  rollback(): void {
    for (const undo of this.#undo.reverse()) undo();
  }

  #remove(table: TableName, id: string | number): boolean {
    const target = this.state[table];
    const row = target.remove(id);
    if (row) this.#undo.push(() => target.put(row));
    return row !== undefined;
  }
}

/** The store of the mock, of tests and of `mkt serve` without `--db`: everything in this process's memory. */
export function memoryStore(): Store {
  const lock = new ReadWriteLock();
  let state = emptyState();

  return {
    read: (work) => lock.read(() => work(new MemoryReader(state))),
    transact: (work) =>
      lock.write(async () => {
        const writer = new MemoryWriter(state);
        try {
          return await work(writer);
        } catch (error) {
          writer.rollback();
          throw error;
        }
      }),
    dump: () =>
      lock.read(async () => ({
        tables: Object.fromEntries(
          tableNames.map((name) => [name, state[name].all().map((row) => ({ ...row }))]),
        ) as unknown as Dump['tables'],
        serials: Object.fromEntries(serialTables.map((name) => [name, state[name].nextSerial])),
      })),
    load: (dump) =>
      lock.write(async () => {
        const next: State = { ...emptyState(), ended_sessions: state.ended_sessions };
        for (const name of tableNames) {
          for (const row of dump.tables[name]) next[name].put(next[name].numbered(row));
          next[name].nextSerial = Math.max(next[name].nextSerial, dump.serials[name] ?? 1);
        }
        state = next;
      }),
    isEmpty: () => lock.read(async () => tableNames.every((name) => state[name].all().length === 0)),
    ping: atOnce,
    close: atOnce,
  };
}
