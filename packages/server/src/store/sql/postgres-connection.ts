import type pg from 'pg';
import { tracing } from '../../tracing.js';
import { Conflict, operatorMessage, StorageFailure, StoreUnavailable } from '../store.js';
import { type AnyRow, definitionOf, type IdFormat, type TableName } from '../tables.js';
import type { Connection } from './access.js';
import { changedByHand } from './schema-check.js';
import { type Statement, type Statements, statementsOf } from './statements.js';

/** A pool, or one connection. */
export interface Queryable {
  query(config: pg.QueryConfig): Promise<pg.QueryResult<AnyRow>>;
}

/** Calls that differ only in their last value, which wait for one another. */
interface Waiting {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  readonly lasts: Set<unknown>;
  /** By their last value, once it has started. */
  rows: Promise<ReadonlyMap<unknown, AnyRow>> | null;
}

/**
 * Runs statements, and throws errors of the store. Lookups of one row that start at the same time are one
 * statement, so that thousands of them do not wait for the network one after another.
 */
export class PostgresConnection implements Connection {
  readonly statements: Statements;
  readonly #waiting = new Map<string, Waiting>();

  /** @param prepares whether statements with a name are prepared: a pooler may run the next one on another connection */
  constructor(
    private readonly queryable: Queryable,
    readonly ids: IdFormat,
    private readonly prepares = false,
  ) {
    this.statements = statementsOf('postgres', ids);
  }

  /** @returns the driver's result @throws {Conflict} of `table`, if it is given */
  async execute(statement: Statement, values: readonly unknown[] = [], table?: TableName) {
    const { name, text } = statement;
    const query = { ...(this.prepares && name !== undefined ? { name, text } : { text }), values: [...values] };
    const spans = tracing();
    try {
      return await (spans
        ? spans.statement('postgresql', statement, () => this.queryable.query(query))
        : this.queryable.query(query));
    } catch (error) {
      throw storeError(error, table);
    }
  }

  async run(statement: Statement, values: readonly unknown[] = []): Promise<AnyRow[]> {
    const { many } = statement;
    if (!many) {
      this.#start();
      return (await this.execute(statement, values)).rows;
    }
    const last = values.at(-1);
    const key = JSON.stringify([statement.text, values.slice(0, -1)]);
    const waiting = this.#waiting.get(key) ?? { statement, values, lasts: new Set(), rows: null };
    this.#waiting.set(key, waiting);
    waiting.lasts.add(last);
    // All that start in the microtasks that wait already are part of it.
    await null;
    this.#start();
    const row = (await waiting.rows)?.get(last);
    return row ? [{ ...row }] : [];
  }

  /** Starts the statements that wait, in the order of their first calls. */
  #start(): void {
    for (const waiting of this.#waiting.values()) waiting.rows = this.#rowsOf(waiting);
    this.#waiting.clear();
  }

  async #rowsOf({ statement, values, lasts }: Waiting): Promise<ReadonlyMap<unknown, AnyRow>> {
    const { many } = statement;
    const { rows } =
      many && lasts.size > 1
        ? await this.execute(many.statement, [...values.slice(0, -1), [...lasts]])
        : await this.execute(statement, values);
    return new Map(rows.map((row) => [lasts.size > 1 && many ? row[many.by] : values.at(-1), row]));
  }

  async *batches({ text }: Statement, size: number): AsyncGenerator<AnyRow[]> {
    await this.run({ text: `declare batches no scroll cursor for ${text}` });
    for (;;) {
      const rows = await this.run({ text: `fetch ${size} from batches` });
      if (rows.length === 0) break;
      yield rows;
    }
    await this.run({ text: 'close batches' });
  }

  async insertAll(table: TableName, rows: readonly AnyRow[]): Promise<void> {
    const { columns, encode, insertNumbered, stored, storedRow } = this.statements[table];
    if (table === 'images') {
      // JSON has no bytes.
      for (const row of rows)
        if ((await this.run(insertNumbered, encode(row, columns))).length === 0) throw new Conflict(table);
      return;
    }
    const all = stored.join(', ');
    // One value for many rows, because a statement can have at most 65,535 values.
    const text = `insert into ${table} (${all}) select ${all} from json_populate_recordset(null::${table}, $1)`;
    const skip = definitionOf(table).survivesLoad ? ' on conflict do nothing' : '';
    await this.execute({ text: text + skip }, [JSON.stringify(rows.map(storedRow))], table);
  }

  async nextSerial(table: TableName): Promise<number> {
    const [row] = await this.run({
      text: `select last_value + is_called::int as next from ${this.#sequenceOf(table)}`,
    });
    return Number(row?.next);
  }

  async setNextSerial(table: TableName, next: number): Promise<void> {
    // Not `setval`, which a rollback does not undo.
    if ((await this.nextSerial(table)) !== next)
      await this.run({ text: `alter sequence ${this.#sequenceOf(table)} restart with ${next}` });
  }

  list(values: readonly unknown[]): unknown {
    return values;
  }

  /** The sequence of the serial column, as PostgreSQL names it. */
  #sequenceOf(table: TableName): string {
    return `${table}_${this.statements[table].serial}_seq`;
  }
}

/** Types by their number in PostgreSQL's catalog. */
const bigint = 20;
const timestamptz = 1184;

/** Converts a time of PostgreSQL, in the session's time zone, to the API's format. */
const timestamp = (text: string): string => {
  if (text.length === 22 && text.endsWith('+00')) return `${text.slice(0, 10)}T${text.slice(11, 19)}Z`;
  // In another style, 05/11 may be a day of May or of November.
  if (!/^(\d+-|-?infinity$)/.test(text)) throw new StorageFailure(failures.dateStyle);
  if (!/^\d{4}-[^B]+$/.test(text))
    throw new StorageFailure(`The database has a time that this server cannot read: ${text}. Correct it.`);
  return new Date(text).toISOString().replace(/\.\d+Z$/, 'Z');
};

/** Numbers in the API are at most 2^53-1, so bigint fits a number. `pg` would return a string, and a Date for times. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = { [bigint]: Number, [timestamptz]: timestamp };

export const driverTypes = (driver: typeof pg): pg.CustomTypesConfig => ({
  getTypeParser: ((oid: number, format: 'text') =>
    parsers[oid] ?? driver.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
});

/** States in which the database has a problem, not the statement. */
const unavailable = new RegExp(
  [
    '^08', // the connection
    '^53', // memory, disk or connections ran out
    '^57', // shut down, restarted, or the statement took too long
    '^58', // the operating system
    '^28', // the password was changed
    '^25P03', // the transaction was idle for too long
    '^55P03', // a lock took too long
  ].join('|'),
);

/** The state of writes on a standby. */
export const readOnly = '25006';

/** The state of statements that the user may not run. */
export const noRight = '42501';

/** States that do not go away by themselves. */
export const failures = {
  '53100': 'The disk of the database is full, so nothing can be saved. Free some space.',
  '58030': 'The disk of the database reports an error. Check the disk of the database server.',
  [noRight]:
    'The user of this server may not change every table of the database. Grant it all rights on its tables, without row level security.',
  '2200H': 'A sequence of the database has reached its limit. Set it back to the highest number of its table.',
  '55000':
    'The database rejects changes of a table. Check whether it is published without a replica identity, and the log of the database server.',
  [readOnly]: 'The database does not accept writes. It is a standby, or was made read-only.',
  '42P01': changedByHand,
  '42703': changedByHand,
  '23505': changedByHand,
  '23514': changedByHand,
  '42P10': changedByHand,
  '0A000': changedByHand,
  P0001: changedByHand,
  dateStyle: 'The database writes dates in another style. Set its datestyle to ISO and restart this server.',
  XX001: 'The database reports damaged data. Check the log of the database server and restore a backup.',
  XX002: 'The database reports a damaged index. Check the log of the database server.',
} as const;

/** Messages in the place of "The database does not answer". */
const messages: Readonly<Record<string, string>> = {
  '28P01': 'The database rejects the user name or the password of this server',
  '28000': 'The database does not let the user of this server connect',
  '53300':
    'The database has no connection left for this server. Raise its max_connections, or start the servers with a smaller --db-connections',
  '55P03': 'Another transaction holds a lock on the same rows for too long',
  '57P03': 'The database is starting or stopping',
};

export const sqlState = (error: unknown): string | null => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null;
};

export function storeError(error: unknown, table?: TableName): unknown {
  if (error instanceof StoreUnavailable) return error;
  const state = sqlState(error);
  if (state === '23505' && table) return new Conflict(table);
  const failure = state ? (failures as Readonly<Record<string, string>>)[state] : operatorMessage(error);
  if (failure) return new StorageFailure(failure, { cause: error });
  // The driver's own errors have no class: "connection terminated" and "timeout exceeded".
  const isOwn = error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError);
  if (state ? unavailable.test(state) : isOwn) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return new StoreUnavailable(`${messages[state ?? ''] ?? 'The database does not answer'}${code}.`, { cause: error });
  }
  return error;
}
