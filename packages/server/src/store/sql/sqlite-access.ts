import type { Key, Reader, Slice, Writer } from '../store.js';
import {
  type AnyRow,
  definitionOf,
  type Id,
  type ListRow,
  type NewRow,
  type Row,
  type TableName,
  withNulls,
} from '../tables.js';
import { markDeleted, type SteppingWriter } from './deletions.js';
import { canHold, canHoldKey, pageQuery, wantsTotal } from './look-up.js';
import type { SqliteConnection } from './sqlite-connection.js';
import type { IndexStatements } from './statements.js';

/** What the tables as data say of a row, said to the compiler. */
const typed = <Result>(row: AnyRow): Result => row as unknown as Result;

/** Verbs do their work in the call itself; only their answer is a promise. */
export class SqliteReader implements Reader {
  constructor(protected readonly connection: SqliteConnection) {}

  async get<T extends TableName>(table: T, id: Id<T>): Promise<Row<T> | null> {
    const { codec, get, idType } = this.connection.statements(table);
    const values = canHold(idType, id as string | number) ? this.connection.row(get, [id]) : undefined;
    return values ? typed(codec.decode(values)) : null;
  }

  async getMany<T extends TableName>(table: T, ids: readonly Id<T>[]): Promise<ListRow<T>[]> {
    const { codec, getListed, idType } = this.connection.statements(table);
    return ids.flatMap((id) => {
      const values = canHold(idType, id as string | number) ? this.connection.row(getListed, [id]) : undefined;
      return values ? typed<ListRow<T>>(codec.decodeListed(values)) : [];
    });
  }

  async find<T extends TableName>(table: T, index: string, key: Key): Promise<Row<T> | null> {
    const statements = this.connection.statements(table);
    const ofIndex = statements.index(index);
    const values = canHoldKey(ofIndex, key) ? this.connection.row(ofIndex.find, key) : undefined;
    return values ? typed(statements.codec.decode(values)) : null;
  }

  async page<T extends TableName>(table: T, index: string, key: Key, slice: Slice): Promise<ListRow<T>[]> {
    const statements = this.connection.statements(table);
    const ofIndex = statements.index(index);
    if (!canHoldKey(ofIndex, key)) return [];
    const total = wantsTotal(ofIndex, slice) ? this.#count(ofIndex, key) : undefined;
    const query = pageQuery(ofIndex, key, slice, total);
    if (!query) return [];
    const rows = this.connection.rows(query.statement, query.values).map(statements.codec.decodeListed);
    return (query.backwards ? rows.reverse() : rows).map((row) => typed<ListRow<T>>(row));
  }

  async count<T extends TableName>(table: T, index: string, key: Key): Promise<number> {
    return this.#count(this.connection.statements(table).index(index), key);
  }

  #count(index: IndexStatements, key: Key): number {
    if (!canHoldKey(index, key)) return 0;
    return (this.connection.row(index.count, key)?.[0] as number | undefined) ?? 0;
  }
}

export class SqliteWriter extends SqliteReader implements Writer, SteppingWriter {
  constructor(
    connection: SqliteConnection,
    private readonly onDeletion: () => void,
  ) {
    super(connection);
  }

  async insert<T extends TableName>(table: T, row: NewRow<T>): Promise<Row<T>> {
    const whole = withNulls(table, row);
    return typed({ ...whole, ...insertRow(this.connection, table, whole) } as unknown as AnyRow);
  }

  async update<T extends TableName>(table: T, id: Id<T>, changes: Partial<Row<T>>): Promise<Row<T>> {
    const { codec, get, update } = this.connection.statements(table);
    const columns = codec.columns.filter((column) => column in changes);
    const values = columns.length
      ? this.connection.row(update(columns), [...codec.encode(changes, columns), id], table)
      : this.connection.row(get, [id]);
    if (!values) throw new Error(`${table} ${String(id)} is not there to be changed.`);
    return typed(codec.decode(values));
  }

  async delete<T extends TableName>(table: T, id: Id<T>): Promise<boolean> {
    const { idType, delete: statement } = this.connection.statements(table);
    return canHold(idType, id as string | number) && this.connection.run(statement, [id]).changes > 0;
  }

  async deleteOrganization(id: number): Promise<void> {
    await markDeleted(this, id);
    this.onDeletion();
  }

  async deleteSome(table: TableName, organization: number, limit: number): Promise<number> {
    const { deleteSome } = this.connection.statements(table).index('byOrganization');
    return this.connection.run(deleteSome, [organization, limit]).changes;
  }

  /** Writers run one at a time, whatever process they run in: `begin immediate`. */
  lock = (): Promise<void> => Promise.resolve();
}

/** Stores a row and returns its serial number, by name, where it was given one. @throws {Conflict} */
export function insertRow(connection: SqliteConnection, table: TableName, row: object): Record<string, number> {
  const { serial } = definitionOf(table);
  const { codec, insert, insertNumbered } = connection.statements(table);
  const values = row as Record<string, unknown>;
  if (!serial || values[serial] !== undefined) {
    connection.run(insertNumbered, codec.encode(values, codec.columns), table);
    return {};
  }
  const others = codec.columns.filter((column) => column !== serial);
  const { lastInsertRowid } = connection.run(insert, codec.encode(values, others), table);
  return { [serial]: Number(lastInsertRowid) };
}
