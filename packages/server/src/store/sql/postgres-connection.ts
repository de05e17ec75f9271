import type { QueryArrayConfig, QueryArrayResult } from 'pg';
import { Conflict, descriptorMessage, lacksDescriptors, StorageFailure, StoreUnavailable } from '../store.js';
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
    '^25P03', // the transaction was idle for too long
    '^55P03', // a lock took too long
  ].join('|'),
);

/** What it answers when somebody has to help: by state, what clients and operators are told. */
const failures: Readonly<Record<string, string>> = {
  '53100': 'The disk of the database is full, so nothing can be saved. Free some space.',
  '58030': 'The disk of the database reports an error. Check the disk of the database server.',
  '25006': 'The database takes no writes: it is a standby, or was made read-only.',
  XX001: 'The database reports damaged data. Check the log of the database server, and restore a backup.',
  XX002: 'The database reports a damaged index. Check the log of the database server.',
};

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
export interface Queryable {
  query(config: Query): Promise<QueryArrayResult>;
}

/** Runs statements and gives their errors the names that a store throws. */
export class PostgresConnection {
  readonly statements = statements;

  /** @param plans whether a statement that has a name is planned once for each connection */
  constructor(
    private readonly connection: Queryable,
    private readonly plans = false,
  ) {}

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
      const query = this.plans ? statement : { text: statement.text };
      return await this.connection.query({ ...query, ...limit, values: [...values], rowMode: 'array' });
    } catch (error) {
      throw named(error, table);
    }
  }

  /** Runs text that is not worth a plan of its own. */
  execute(text: string, values: readonly unknown[] = []): Promise<QueryArrayResult> {
    return this.run({ text }, values);
  }
}

/** What an operator can do about it; anything else "does not answer". */
const messages: Readonly<Record<string, string>> = {
  '53300':
    'The database has no connection left for this server. Raise its max_connections, or start the servers with a smaller --db-connections',
  '55P03': 'Another transaction holds a row of the same organization or user for too long',
  '57P03': 'The database is starting or stopping',
};

export function named(error: unknown, table?: TableName): unknown {
  if (error instanceof StoreUnavailable) return error;
  const state = sqlState(error);
  if (state === '23505' && table) return new Conflict(table);
  const failure = state ? failures[state] : lacksDescriptors(error) ? descriptorMessage : undefined;
  if (failure !== undefined) return new StorageFailure(failure, { cause: error });
  if (state ? unavailable.test(state) : isConnectionError(error)) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return new StoreUnavailable(`${messages[state ?? ''] ?? 'The database does not answer'}${code}.`, { cause: error });
  }
  return error;
}

/** The driver has no class for "connection terminated" and "timeout exceeded": what is not the database's own answer. */
const isConnectionError = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError);
