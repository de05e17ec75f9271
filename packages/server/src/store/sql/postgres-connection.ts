import type { QueryArrayConfig, QueryArrayResult } from 'pg';
import { Conflict, StoreUnavailable } from '../store.js';
import type { TableName } from '../tables.js';
import { dialects } from './dialect.js';
import { type Statement, statementsOf } from './statements.js';

const statements = statementsOf(dialects.postgres);

/** What the database answers when it is the database that is in trouble, not the statement. */
const unavailable = new RegExp(
  [
    '^08', // the connection
    '^53', // memory, disk or connections ran out
    '^57', // shut down, restarted, or the statement took too long
    '^58', // the operating system
    '^28', // the password was changed
    '^25006', // a standby: the primary is elsewhere now
    '^25P03', // the transaction was idle for too long
    '^55P03', // a lock took too long
  ].join('|'),
);

export const sqlState = (error: unknown): string | null => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null;
};

/** What `pg` takes beyond what its types say. */
interface Query extends QueryArrayConfig {
  /** Milliseconds, in the place of the connection's. */
  readonly query_timeout?: number;
}

/** A pool, or one connection out of it. */
interface Queryable {
  query(config: Query): Promise<QueryArrayResult>;
}

/** Runs statements and gives their errors the names that a store throws. */
export class PostgresConnection {
  readonly statements = statements;
  readonly #connection: Queryable;

  constructor(connection: Queryable) {
    this.#connection = connection;
  }

  async rows(statement: Statement, values: readonly unknown[]): Promise<readonly (readonly unknown[])[]> {
    return (await this.run(statement, values)).rows;
  }

  /** @throws {Conflict} of `table` @throws {StoreUnavailable} */
  async run(
    statement: Statement,
    values: readonly unknown[],
    table?: TableName,
    timeout?: number,
  ): Promise<QueryArrayResult> {
    const limit = timeout === undefined ? {} : { query_timeout: timeout };
    try {
      return await this.#connection.query({ ...statement, ...limit, values: [...values], rowMode: 'array' });
    } catch (error) {
      throw named(error, table);
    }
  }

  /** Runs text that is not worth a plan of its own. */
  execute(text: string, values: readonly unknown[] = []): Promise<QueryArrayResult> {
    return this.run({ text }, values);
  }
}

export function named(error: unknown, table?: TableName): unknown {
  const state = sqlState(error);
  if (state === '23505' && table) return new Conflict(table);
  if (state ? unavailable.test(state) : isConnectionError(error)) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return new StoreUnavailable(`The database does not answer${code}.`, { cause: error });
  }
  return error;
}

/** The driver has no class for "connection terminated" and "timeout exceeded": what is not the database's own answer. */
const isConnectionError = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError);
