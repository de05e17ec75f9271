import type { Key, Reader, Slice, Writer } from '../store.js';
import { Conflict } from '../store.js';
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
import type { PostgresConnection } from './postgres-connection.js';
import { sequenceName } from './schema.js';
import type { IndexStatements } from './statements.js';

/** What the tables as data say of a row, said to the compiler. */
const typed = <Result>(row: AnyRow): Result => row as unknown as Result;

/** Each statement sees what is committed when it begins: READ COMMITTED, or no transaction at all. */
export class PostgresReader implements Reader {
  constructor(protected readonly connection: PostgresConnection) {}

  async get<T extends TableName>(table: T, id: Id<T>): Promise<Row<T> | null> {
    const { codec, get, idType } = this.connection.statements(table);
    const [values] = canHold(idType, id as string | number) ? await this.connection.rows(get, [id]) : [];
    return values ? typed(codec.decode(values)) : null;
  }

  async getMany<T extends TableName>(table: T, ids: readonly Id<T>[]): Promise<ListRow<T>[]> {
    const { codec, getListed, idType } = this.connection.statements(table);
    const possible = ids.filter((id) => canHold(idType, id as string | number));
    if (possible.length === 0) return [];
    const rows = (await this.connection.rows(getListed, [possible])).map(codec.decodeListed);
    const byId = new Map<unknown, AnyRow>(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => {
      const row = byId.get(id);
      return row ? typed<ListRow<T>>({ ...row }) : [];
    });
  }

  async find<T extends TableName>(table: T, index: string, key: Key): Promise<Row<T> | null> {
    const statements = this.connection.statements(table);
    const ofIndex = statements.index(index);
    const [values] = canHoldKey(ofIndex, key) ? await this.connection.rows(ofIndex.find, key) : [];
    return values ? typed(statements.codec.decode(values)) : null;
  }

  async page<T extends TableName>(table: T, index: string, key: Key, slice: Slice): Promise<ListRow<T>[]> {
    const statements = this.connection.statements(table);
    const ofIndex = statements.index(index);
    if (!canHoldKey(ofIndex, key)) return [];
    const total = wantsTotal(ofIndex, slice) ? await this.#count(ofIndex, key) : undefined;
    const query = pageQuery(ofIndex, key, slice, total);
    if (!query) return [];
    const rows = (await this.connection.rows(query.statement, query.values)).map(statements.codec.decodeListed);
    return (query.backwards ? rows.reverse() : rows).map((row) => typed<ListRow<T>>(row));
  }

  async count<T extends TableName>(table: T, index: string, key: Key): Promise<number> {
    return this.#count(this.connection.statements(table).index(index), key);
  }

  async #count(index: IndexStatements, key: Key): Promise<number> {
    if (!canHoldKey(index, key)) return 0;
    const [values] = await this.connection.rows(index.count, key);
    return (values?.[0] as number | undefined) ?? 0;
  }
}

/** A row that this transaction saw is gone: another one deleted it. Run again, the work will see that it is gone. */
export class RowGone extends Error {
  override readonly name = 'RowGone';
}

/** Runs the statement that locks a row, when it is the transaction's turn. */
export type LockInTurn = (row: string, lock: () => Promise<void>) => Promise<void>;

export class PostgresWriter extends PostgresReader implements Writer, SteppingWriter {
  constructor(
    connection: PostgresConnection,
    private readonly inTurn: LockInTurn,
    private readonly onDeletion: () => void,
  ) {
    super(connection);
  }

  async insert<T extends TableName>(table: T, row: NewRow<T>): Promise<Row<T>> {
    const { serial } = definitionOf(table);
    const { codec, insert, insertNumbered } = this.connection.statements(table);
    const values: Record<string, unknown> = withNulls(table, row);
    const number = serial && values[serial];
    // Another insert that counts on meanwhile must not meet this number: it waits for the end of this transaction.
    if (number !== undefined) await this.connection.execute(`lock table ${table} in share row exclusive mode`);
    const columns = number === undefined ? codec.columns.filter((column) => column !== serial) : codec.columns;
    const statement = number === undefined ? insert : insertNumbered;
    const { rows } = await this.connection.run(statement, codec.encode(values, columns), table);
    const [stored] = rows;
    if (!stored) throw new Conflict(table);
    if (!serial) return typed(values as AnyRow);
    if (number !== undefined) await this.#countFrom(sequenceName(table, serial), number);
    return typed({ ...values, [serial]: stored[0] } as AnyRow);
  }

  async update<T extends TableName>(table: T, id: Id<T>, changes: Partial<Row<T>>): Promise<Row<T>> {
    const { codec, get, update } = this.connection.statements(table);
    const columns = codec.columns.filter((column) => column in changes);
    const change = async () => {
      // Not a named statement: requests choose the columns, and PostgreSQL would keep a plan for every choice.
      const { rows } = columns.length
        ? await this.connection.run({ text: update(columns).text }, [...codec.encode(changes, columns), id], table)
        : await this.connection.run(get, [id]);
      return rows[0];
    };
    const values = await (touchesUnique(table, columns) ? this.#undoable(change) : change());
    if (!values) throw new RowGone(`${table} ${String(id)} is not there to be changed.`);
    return typed(codec.decode(values));
  }

  async delete<T extends TableName>(table: T, id: Id<T>): Promise<boolean> {
    const { idType, delete: statement } = this.connection.statements(table);
    if (!canHold(idType, id as string | number)) return false;
    return (await this.connection.run(statement, [id])).rowCount !== 0;
  }

  async deleteOrganization(id: number): Promise<void> {
    await markDeleted(this, id);
    this.onDeletion();
  }

  async deleteSome(table: TableName, organization: number, limit: number): Promise<number> {
    const { deleteSome } = this.connection.statements(table).index('byOrganization');
    return (await this.connection.run(deleteSome, [organization, limit])).rowCount ?? 0;
  }

  async lock(table: 'organizations' | 'users', id: string | number): Promise<void> {
    const { idType, lock } = this.connection.statements(table);
    if (!canHold(idType, id)) return;
    await this.inTurn(`${table} ${id}`, async () => {
      await this.connection.run(lock, [id]);
    });
  }

  async #countFrom(sequence: string, number: unknown): Promise<void> {
    await this.connection.execute(
      `select setval('${sequence}', $1::bigint) from ${sequence} where last_value < $1::bigint or not is_called`,
      [number],
    );
  }

  /** A violated index ends a transaction of PostgreSQL; with a savepoint it goes on, as on the other stores. */
  async #undoable<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.connection.execute('savepoint change');
    try {
      return await work();
    } catch (error) {
      await this.connection.execute('rollback to savepoint change');
      throw error;
    }
  }
}

const touchesUnique = (table: TableName, changed: readonly string[]): boolean =>
  Object.values(definitionOf(table).indexes).some(
    ({ unique, columns }) => unique && columns.some((column) => changed.includes(column)),
  );
