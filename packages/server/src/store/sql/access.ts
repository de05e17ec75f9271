import { inPieces } from '../../pieces.js';
import type { Group } from '../fair-turns.js';
import { completeRow } from '../new-row.js';
import {
  Conflict,
  type Key,
  type Reader,
  type Scan,
  type Selected,
  type Selection,
  type Slice,
  searchText,
  type Total,
  type Writer,
} from '../store.js';
import type { BaseType } from '../table-definition.js';
import {
  type AnyRow,
  definitionOf,
  type Id,
  type IdFormat,
  type ListRow,
  type NewRow,
  organizationTables,
  type Row,
  type SelectableTable,
  type TableName,
} from '../tables.js';
import { planOf } from './selection-plan.js';
import type { Query, Statement, Statements } from './statements.js';

/** A connection to either database. */
export interface Connection {
  readonly ids: IdFormat;
  readonly statements: Statements;
  /** @returns the rows, with columns as the driver has them @throws {StoreUnavailable} */
  run(statement: Statement, values?: readonly unknown[]): Promise<AnyRow[]>;
  /** The rows of a query, in batches of `size`. */
  batches(query: Statement, size: number): AsyncIterable<AnyRow[]>;
  /** Stores rows with their serial numbers. @throws {Conflict} */
  insertAll(table: TableName, rows: readonly AnyRow[]): Promise<void>;
  nextSerial(table: TableName): Promise<number>;
  setNextSerial(table: TableName, next: number): Promise<void>;
  /** An array as a single statement value. */
  list(values: readonly unknown[]): unknown;
}

const unstorable = /[\0\p{Surrogate}]/u;

/** Whether a row can have this value. PostgreSQL rejects queries with values that it cannot store. */
const isStorable = (type: BaseType | undefined, value: string | number): boolean =>
  type === 'integer' ? Number.isSafeInteger(value) : typeof value === 'string' && !unstorable.test(value);

/** Up to this offset, skipping rows costs less than adding up the counts of blocks. */
const nearOffset = 1000;
/** More rows are read in several statements, because each of SQLite blocks the event loop: 1000 take 10 to 15 ms. */
const rowsAtOnce = 1000;

/** Bytes of an image that are read at once. */
const pieceSize = 512 * 1024;
interface PieceRow extends AnyRow {
  readonly length: number;
  readonly bytes: Uint8Array;
}

/** After this offset, PostgreSQL skips rows for more than a few milliseconds. */
const farOffset = 20_000;

type Runner = Pick<Connection, 'run'>;

/** What runs reads that may take long among many rows, for an organization or a user. */
export interface ExpensiveReads {
  /** For pages of sorted lists that are far from both ends. */
  far(group: Group): Runner;
  /** For searches, and lists that are sorted or filtered. */
  searches(group: Group): Runner;
}

/** Each statement sees what is committed when it begins. */
export class SqlReader implements Reader {
  readonly ids: IdFormat;

  constructor(
    protected readonly connection: Connection,
    private readonly expensive: ExpensiveReads = { far: () => connection, searches: () => connection },
  ) {
    this.ids = connection.ids;
  }

  async get<T extends TableName>(table: T, id: Id<T>): Promise<Row<T> | null> {
    const { get, isInPieces, getPiece, idType } = this.connection.statements[table];
    if (!isStorable(idType, id)) return null;
    if (!isInPieces) return this.first(table, get, [id]);
    let whole: Uint8Array | undefined;
    for (let at = 0; ; ) {
      const found = await this.first<PieceRow>(table, getPiece, [at + 1, pieceSize, id]);
      if (!found) return null;
      const { length, bytes, ...row } = found;
      whole ??= new Uint8Array(length);
      whole.set(bytes, at);
      at += pieceSize;
      if (at >= length) return { ...row, bytes: whole } as Row<T>;
    }
  }

  async getMany<T extends TableName>(table: T, ids: readonly Id<T>[]): Promise<ListRow<T>[]> {
    const { getMany } = this.connection.statements[table];
    const found = async (piece: readonly Id<T>[]) => {
      const rows = await this.rows<ListRow<T> & { id: unknown }>(table, getMany, [this.list(table, piece)]);
      const byId = new Map<unknown, ListRow<T>>(rows.map((row) => [row.id, row]));
      return piece.flatMap((id) => byId.get(id) ?? []);
    };
    return (await inPieces(ids, found, rowsAtOnce)).flat();
  }

  /** Those of the ids that a row can have, as a value of a statement. */
  protected list(table: TableName, ids: readonly (number | string)[]): unknown {
    const { idType } = this.connection.statements[table];
    return this.connection.list(ids.filter((id) => isStorable(idType, id)));
  }

  async versions<T extends SelectableTable>(table: T, ids: readonly Id<T>[]): Promise<ReadonlyMap<Id<T>, string>> {
    const { versions } = this.connection.statements[table];
    const rows = await this.connection.run(versions, [this.list(table, ids)]);
    return new Map(rows.map(({ id, version }) => [id as Id<T>, String(version)]));
  }

  async find<T extends TableName>(table: T, index: string, key: Key): Promise<Row<T> | null> {
    const { find, keyTypes } = this.connection.statements[table].index(index);
    return this.#isStorableKey(keyTypes, key) ? this.first(table, find, key) : null;
  }

  async page<T extends TableName>(table: T, index: string, key: Key, slice: Slice): Promise<ListRow<T>[]> {
    const { keyTypes, far, page } = this.connection.statements[table].index(index);
    const { offset, limit } = slice;
    if (!this.#isStorableKey(keyTypes, key) || !Number.isSafeInteger(offset)) return [];
    if (far && offset > nearOffset) return this.#farRows(table, far.asc, key, slice);
    return this.rows(table, page, [...key, limit, offset]);
  }

  #farRows<R>(table: TableName, far: Statement, key: Key, { offset, limit }: Slice): Promise<R[]> {
    return this.rows(table, far, [...key, offset, offset, ...key, limit, offset]);
  }

  async scan<T extends TableName>(table: T, index: string, key: Key, scan: Scan): Promise<ListRow<T>[]> {
    const { keyTypes, scan: scanOf } = this.connection.statements[table].index(index);
    const {
      limit,
      newestFirst = false,
      after = newestFirst ? Number.MAX_SAFE_INTEGER : 0,
      having = [],
      offset = 0,
    } = scan;
    const text = searchText(scan.text ?? '');
    if (!this.#isStorableKey(keyTypes, key) || !isStorable('text', text)) return [];
    const { statement, values } = scanOf(key, { limit, after, newestFirst, text, having, offset });
    return this.rows(
      table,
      statement,
      values,
      text === '' ? this.connection : this.expensive.searches(scan.by ?? key[0] ?? ''),
    );
  }

  async count<T extends TableName>(table: T, index: string, key: Key): Promise<number> {
    const { keyTypes, count } = this.connection.statements[table].index(index);
    if (!this.#isStorableKey(keyTypes, key)) return 0;
    return this.#countOf({ statement: count, values: key });
  }

  async totals(table: SelectableTable, organization: Id<'organizations'>): Promise<readonly Total[]> {
    const { totals } = this.#selection(table);
    return (await this.connection.run(totals, [organization])) as unknown as readonly Total[];
  }

  async select<T extends SelectableTable>(
    table: T,
    organization: Id<'organizations'>,
    selection: Selection,
    slice: Slice,
  ): Promise<Selected<ListRow<T>>> {
    const { offset, limit } = slice;
    const planned = await this.#planned(table, organization, selection);
    if (!planned || !Number.isSafeInteger(offset)) return { rows: [], total: 0 };
    const { plan, statements, limited, connection, group } = planned;
    if (plan.total === null && (plan.tested.length > 0 || !plan.limit)) {
      const ids = await planned.ids();
      return { rows: await this.getMany(table, ids.slice(offset, offset + limit)), total: ids.length, ...limited };
    }
    const total = plan.total ?? (await this.#countOf(statements.count()));
    const count = Math.min(limit, total - offset);
    if (count <= 0) return { rows: [], total, ...limited };
    if (plan.key && offset > nearOffset) {
      const { far } = this.connection.statements[table].index(plan.index);
      const statement = plan.descending ? far?.desc : far?.asc;
      const key = [organization, ...plan.key];
      if (statement) return { rows: await this.#farRows(table, statement, key, slice), total, ...limited };
    }
    // The last of the first rows in an order is not the last one in the index.
    const fromEnd = plan.total !== null && offset > total / 2;
    const skipped = fromEnd ? total - offset - count : offset;
    const { statement, values } = statements.page({ offset: skipped, limit: count }, fromEnd);
    const isFar = skipped > farOffset && plan.read <= nearOffset;
    const by = isFar ? this.expensive.far(group) : connection;
    const rows = await this.rows<ListRow<T>>(table, statement, values, by);
    return { rows: fromEnd ? rows.reverse() : rows, total, ...limited };
  }

  async selectIds<T extends SelectableTable>(
    table: T,
    organization: Id<'organizations'>,
    selection: Selection,
  ): Promise<Selected<Id<T>>> {
    const planned = await this.#planned(table, organization, selection);
    if (!planned) return { rows: [], total: 0 };
    const ids = await planned.ids();
    return { rows: ids, total: planned.plan.total ?? ids.length, ...planned.limited };
  }

  /** How a selection is read; null if no row can have the values of its conditions. */
  async #planned<T extends SelectableTable>(table: T, organization: Id<'organizations'>, selection: Selection) {
    const { where, by: group = organization } = selection;
    if (!where.every(({ value }) => isStorable(typeof value === 'number' ? 'integer' : 'text', value))) return null;
    const plan = planOf(definitionOf(table, this.ids), await this.totals(table, organization), selection);
    const statements = this.#selection(table).select(organization, plan);
    const limited = plan.limit && { limit: plan.limit };
    const connection = plan.read > nearOffset ? this.expensive.searches(group) : this.connection;
    const ids = async (): Promise<Id<T>[]> => {
      const { statement, values } = statements.ids();
      return (await connection.run(statement, values)).map(({ id }) => id as Id<T>);
    };
    return { plan, statements, limited, connection, group, ids };
  }

  async #countOf({ statement, values }: Query): Promise<number> {
    const [row] = await this.connection.run(statement, values);
    return Number(row?.total ?? 0);
  }

  #selection(table: SelectableTable) {
    const { selection } = this.connection.statements[table];
    if (!selection) throw new Error(`${table} has no totals.`);
    return selection;
  }

  /** The rows that a statement returns, decoded. */
  protected async rows<R>(
    table: TableName,
    statement: Statement,
    values: readonly unknown[],
    connection: Runner = this.connection,
  ): Promise<R[]> {
    const rows = await connection.run(statement, values);
    return rows.map(this.connection.statements[table].decode) as unknown as R[];
  }

  protected async first<R>(table: TableName, statement: Statement, values: readonly unknown[]): Promise<R | null> {
    const [row] = await this.rows<R>(table, statement, values);
    return row ?? null;
  }

  #isStorableKey(types: readonly BaseType[], key: Key): boolean {
    return key.every((value, position) => isStorable(types[position], value));
  }
}

/** Another transaction deleted a row that this one has read. When the work runs again, it sees the deletion. */
export class RowGone extends Error {
  override readonly name = 'RowGone';
}

/** Runs a statement that locks a row when it is the transaction's turn. */
type LockInTurn = (row: string, lock: () => Promise<unknown>) => Promise<void>;

/** How many rows of a deleted organization one transaction removes: a few milliseconds of work. An image has up to 5 MiB. */
const removalLimit = (table: TableName): number => (table === 'images' ? 10 : 1000);
const first = { offset: 0, limit: 1 };

/** Whether deleted organizations still have rows to remove. Locks nothing. */
export const hasRowsToRemove = async (reader: Reader): Promise<boolean> =>
  (await reader.page('deleted_organizations', 'all', [], first)).length > 0;

export class SqlWriter extends SqlReader implements Writer {
  /** Whether there are rows to remove after the commit. */
  hasDeleted = false;

  constructor(
    connection: Connection,
    private readonly lockInTurn: LockInTurn,
  ) {
    super(connection);
  }

  async insert<T extends TableName>(table: T, row: NewRow<T>): Promise<Row<T>> {
    const { inserted, serial, encode, insert } = this.connection.statements[table];
    const values: Record<string, unknown> = completeRow(this.ids, table, row);
    const [stored] = await this.connection.run(insert, encode(values, inserted));
    if (!stored) throw new Conflict(table);
    return { ...values, ...(serial && { [serial]: stored[serial] }) } as Row<T>;
  }

  async update<T extends TableName>(table: T, id: Id<T>, changes: Partial<Row<T>>): Promise<Row<T>> {
    const { columns, encode, update } = this.connection.statements[table];
    const changed = columns.filter((column) => column in changes);
    const row =
      changed.length > 0
        ? await this.first<Row<T>>(table, update(changed), [...encode(changes, changed), id])
        : await this.get(table, id);
    if (!row) throw new RowGone(`${table} ${id} does not exist.`);
    return row;
  }

  async updateMany<T extends TableName>(table: T, ids: readonly Id<T>[], changes: Partial<Row<T>>): Promise<void> {
    const { columns, encode, updateMany } = this.connection.statements[table];
    const changed = columns.filter((column) => column in changes);
    await this.connection.run(updateMany(changed), [...encode(changes, changed), this.list(table, ids)]);
  }

  async delete<T extends TableName>(table: T, id: Id<T>): Promise<boolean> {
    return (await this.deleteMany(table, [id])) > 0;
  }

  async deleteMany<T extends TableName>(table: T, ids: readonly Id<T>[]): Promise<number> {
    const { delete: statement, deleteBelow } = this.connection.statements[table];
    const list = this.list(table, ids);
    for (const below of deleteBelow) await this.connection.run(below, [list]);
    return (await this.connection.run(statement, [list])).length;
  }

  async lock(table: 'organizations' | 'users', id: string | number, user?: string): Promise<void> {
    const { idType, lock, lockSharing } = this.connection.statements[table];
    const locking = () =>
      user === undefined ? this.connection.run(lock, [id]) : this.connection.run(lockSharing, [id, user]);
    if (isStorable(idType, id)) await this.lockInTurn(`${table} ${id}`, locking);
  }

  /**
   * Removes the members, through which everything in the organization is found, and marks it as deleted. `removeSome`
   * removes the rest.
   */
  async deleteOrganization(id: Id<'organizations'>): Promise<void> {
    while (await this.#deleteSome('memberships', id));
    await this.insert('deleted_organizations', { id });
    this.hasDeleted = true;
  }

  /** Removes some rows of a deleted organization. @returns whether there may be more */
  async removeSome(): Promise<boolean> {
    const [deleted] = await this.page('deleted_organizations', 'all', [], first);
    if (!deleted) return false;
    await this.lock('organizations', deleted.id);
    // Another process may have removed the last rows, or loaded other data.
    if (!(await this.get('deleted_organizations', deleted.id))) return true;
    for (const table of organizationTables) if (await this.#deleteSome(table, deleted.id)) return true;
    await this.delete('deleted_organizations', deleted.id);
    await this.delete('organizations', deleted.id);
    return true;
  }

  /** @returns whether rows were removed */
  async #deleteSome(table: TableName, organization: Id<'organizations'>): Promise<boolean> {
    for (const some of this.connection.statements[table].index('byOrganization').deleteSome)
      if ((await this.connection.run(some, [organization, removalLimit(table)])).length > 0) return true;
    return false;
  }
}
