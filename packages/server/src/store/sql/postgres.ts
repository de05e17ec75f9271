import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { mutex } from '../mutex.js';
import {
  CommitUnknown,
  type Part,
  type PersistentStore,
  StorageFailure,
  StoreConfigurationError,
  StoreUnavailable,
} from '../store.js';
import { type IdFormat, tableNames } from '../tables.js';
import { type ExpensiveReads, hasRowsToRemove, RowGone, SqlReader, SqlWriter } from './access.js';
import { BackgroundSteps, WriteHealth } from './background.js';
import { dumpOf, fillEmpty, isEmpty, loadDump, partsIn, restoreParts } from './dump.js';
import { type DatabaseAddress, parseAddress, protectionOf } from './postgres-address.js';
import {
  driverTypes,
  failures,
  noRight,
  PostgresConnection,
  type Queryable,
  readOnly,
  sqlState,
  storeError,
} from './postgres-connection.js';
import { expensiveReads } from './postgres-expensive-reads.js';
import { type ConnectionPool, connectionPool, connectWithRetries, ignore, LockQueue } from './postgres-pool.js';
import { causeOf, type Dial, NoPrimary, Primary, Standby } from './postgres-primary.js';
import { schemaFiles as ownFiles, type SchemaFile } from './schema/files.generated.js';
import { migrate, schemaState, storedTables, type WantedSchema } from './schema.js';
import { checkSchema, checkServedSchema } from './schema-check.js';
import type { Statement } from './statements.js';

export interface PostgresOptions extends WantedSchema {
  /** Maximum number of connections. @default 10 */
  readonly connections?: number | undefined;
  /** How long a statement may take, in milliseconds, before the store is considered unavailable. @default 4000 */
  readonly statementTimeout?: number;
  /** How long to wait for a connection to a host, in milliseconds. @default that of the URL, otherwise 2000 */
  readonly connectTimeout?: number | undefined;
  /** For operators: called once when the database is lost, and once when it is back. */
  readonly report?: ((message: string) => void) | undefined;
  /** @default those of this version */
  readonly schemaFiles?: readonly SchemaFile[];
}

/** Milliseconds to wait at startup for a database that has no free connections or is starting itself. */
const startTimeout = 10_000;

/**
 * A store in a PostgreSQL database, whose tables are created and migrated as needed. Several processes may share it, and
 * a pooler such as PgBouncer may be in front of it, in any mode.
 * Lost connections are replaced: the store recovers when the database responds again.
 * @param url such as `postgres://user:password@host:5432/database`, with several hosts as libpq takes them
 * @throws {StoreConfigurationError} when the database cannot be used.
 */
export async function postgresStore(url: string, options: PostgresOptions = {}): Promise<PersistentStore> {
  const { default: driver } = await import('pg');
  const address = parseAddress(url);
  const { connections = 10, statementTimeout = 4000, report = ignore } = options;
  const connectTimeout = options.connectTimeout ?? address.connectTimeout ?? 2000;
  const config = {
    application_name: 'mkt-server',
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    types: driverTypes(driver),
  };
  let patience = Math.max(startTimeout, connectTimeout);
  const dial: Dial = (endpoint) =>
    connectWithRetries(async () => {
      const client = new driver.Client({ ...config, connectionString: endpoint.url });
      client.on('error', ignore);
      await client.connect();
      return client;
    }, patience);
  let pool: ReturnType<typeof connectionPool> | undefined;
  const primary = new Primary(address, dial, report, (endpoint) => pool?.moveTo(endpoint.url));
  const connect = async () => dial(await primary.endpoint());
  const { pooled, ids } = await prepareDatabase(connect, address, options).catch((error: unknown) => {
    primary.close();
    throw startupError(error, address.name);
  });
  patience = connectTimeout;
  const endpoint = await primary.endpoint();
  const limits = {
    statement_timeout: statementTimeout,
    lock_timeout: Math.ceil(0.75 * statementTimeout),
    // A server process that hangs in a transaction must not hold its locks.
    idle_in_transaction_session_timeout: 2 * statementTimeout,
  };
  // The driver's own limit is for a database that does not respond at all.
  const poolConfig = { ...config, max: connections, query_timeout: statementTimeout + 500 };
  // A pooler rejects connections that set limits, so each transaction sets its own.
  const setLimits = Object.entries(limits).map(([name, value]) => `; set local ${name} = ${value}`);
  pool = connectionPool(driver, pooled ? poolConfig : { ...poolConfig, ...limits }, connectTimeout, {
    primary,
    url: endpoint.url,
  });
  return {
    ...storeOf({
      ids,
      pool,
      expensive: expensiveReads({ pool, ids, connections, statementTimeout }),
      begin: `begin isolation level read committed${pooled ? setLimits.join('') : ''}`,
      prepares: !pooled,
      lockQueue: new LockQueue(connections, statementTimeout),
      connect,
      schemaFiles: options.schemaFiles ?? ownFiles.postgres,
    }),
    protection: protectionOf(endpoint),
  };
}

interface Database {
  readonly ids: IdFormat;
  readonly pool: ConnectionPool;
  readonly expensive: ExpensiveReads;
  readonly begin: string;
  /** Not behind a pooler, which may run each transaction on another connection. */
  readonly prepares: boolean;
  readonly lockQueue: LockQueue;
  /** Opens a connection outside the pool, without time limits for statements. */
  readonly connect: () => Promise<pg.Client>;
  readonly schemaFiles: readonly SchemaFile[];
}

/** Allocates space in the database and frees it, in one transaction, which waits for a synchronous standby as others do. */
const writeProbe = (id: string): string =>
  `insert into processed_forms (id, result, expires_at) values ('${id}', repeat('x', 65536), now()); ` +
  `delete from processed_forms where id = '${id}'`;

function storeOf(database: Database): PersistentStore {
  const { ids, pool, prepares, connect, lockQueue } = database;
  let retries = 0;
  const retried = () => {
    retries += 1;
  };
  const reading = new PostgresConnection(pool, ids, prepares);
  const reader = new SqlReader(reading, database.expensive);
  const write = <Result>(work: (writer: SqlWriter) => Promise<Result>, begins: () => void = ignore): Promise<Result> =>
    withRetries(() => transaction(database, work, begins, () => removal.start()), retried);
  const removal = new BackgroundSteps(
    async () => (await hasRowsToRemove(reader)) && write((writer) => writer.removeSome()),
  );
  removal.start();

  /** A transaction during which readers see the old data and other writers wait: otherwise their rows would remain. */
  const withoutWriters = async <Result>(work: (own: PostgresConnection) => Promise<Result>): Promise<Result> => {
    const client = await connect();
    try {
      const own = new PostgresConnection(client, ids);
      await own.run({ text: `begin; lock table ${tableNames.join(', ')} in exclusive mode` });
      const result = await work(own);
      await own.run({ text: 'commit' });
      return result;
    } finally {
      // Also ends an open transaction.
      await client.end();
    }
  };
  async function* backup(): AsyncGenerator<Part> {
    const client = await connect();
    try {
      const own = new PostgresConnection(client, ids);
      await own.run({ text: 'begin isolation level repeatable read read only' });
      yield* partsIn(own);
    } finally {
      await client.end();
    }
  }
  const health = new WriteHealth(async (begins, hasFailed) => {
    begins();
    const client = await connect();
    const query = async (text: string) => {
      begins();
      const config: pg.QueryConfig & { readonly query_timeout: number } = { text, query_timeout: 10_000 };
      return (await client.query(config)).rows;
    };
    try {
      await checkServedSchema({ query }, 'postgres', ids, database.schemaFiles, hasFailed);
      // One at a time, so that it holds none while it waits, and fails before its connection is closed.
      for (const table of storedTables)
        await query(`begin; set local lock_timeout = 5000; delete from ${table} where false; commit`);
      await query(writeProbe(`probe-${randomUUID()}`));
    } catch (error) {
      throw storeError(error);
    } finally {
      void client.end().catch(ignore);
    }
  });

  return {
    ids,
    read: (work) => work(reader),
    transact: (work) => health.watch((begins) => write(work, begins)),
    dump: () => dumpOf(backup()),
    load: (dump) => withRetries(() => withoutWriters((own) => loadDump(own, dump)), retried),
    // Locks nothing in a database with data, which other servers may be using.
    fill: async (dump) =>
      (await isEmpty(reading)) && withRetries(() => withoutWriters((own) => fillEmpty(own, dump)), retried),
    backup,
    restore: (parts) => withoutWriters((own) => restoreParts(own, parts)),
    isEmpty: () => isEmpty(reading),
    ping: async () => {
      await isEmpty(reading);
      const [role] = await reading.run(roleOfServer, [storedTables]);
      if (role?.is_read_only) {
        pool.foundReadOnly();
        throw new StorageFailure(failures[readOnly]);
      }
      if (!role?.has_rights) throw new StorageFailure(failures[noRight]);
      if (role.has_other_dates) throw new StorageFailure(failures.dateStyle);
      if (role.is_exhausted) throw new StorageFailure(failures['2200H']);
      await health.check();
    },
    activity: () => ({ ...pool.usage(), ...lockQueue.waited, retries }),
    close: async () => {
      await removal.stop();
      await pool.end();
    },
  };
}

/** A privilege of a table that does not exist is null. */
const roleOfServer: Statement = {
  text: `
    select current_setting('transaction_read_only') = 'on' as is_read_only,
      current_setting('datestyle') not like 'ISO%' as has_other_dates,
      bool_and(coalesce(has_table_privilege(to_regclass(name), privilege), false)
        and not row_security_active(to_regclass(name))) as has_rights,
      exists (select from pg_sequences where schemaname = current_schema() and last_value >= max_value
        and sequencename ~ ('^(' || array_to_string($1, '|') || ')_(id|position)_seq$')) as is_exhausted
    from unnest($1::text[]) name, unnest(array['select', 'insert', 'update', 'delete']) privilege`,
};

/** Takes a connection at the first statement, so that writers that wait for their turn do not occupy one. */
async function transaction<Result>(
  { ids, pool, begin, prepares, lockQueue }: Database,
  work: (writer: SqlWriter) => Promise<Result>,
  begins: () => void,
  onDeletion: () => void,
): Promise<Result> {
  const begun = async (): Promise<pg.PoolClient> => {
    const client = await pool.connect();
    try {
      await client.query(begin);
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  };
  let session: Promise<pg.PoolClient> | undefined;
  let leaveQueue: () => void = ignore;
  let usable = true;
  // A connection runs one statement at a time, but work may start several at once.
  const exclusively = mutex();
  const query: Queryable['query'] = (config) => {
    session ??= begun();
    const client = session;
    return exclusively(async () => {
      const connected = await client;
      begins();
      return connected.query(config);
    });
  };
  const connection = new PostgresConnection({ query }, ids, prepares);
  const writer = new SqlWriter(connection, async (row, lock) => {
    // A writer that holds a lock must not wait here for another one: PostgreSQL detects deadlocks, this queue does not.
    if (session) await lock();
    else leaveQueue = await lockQueue.locked(row, lock);
  });
  try {
    const result = await work(writer);
    if (!session) return result;
    const { command } = await connection.execute({ text: 'commit' }).catch((error: unknown) => {
      throw error instanceof StoreUnavailable ? new CommitUnknown(error.message, { cause: error }) : error;
    });
    // PostgreSQL does not report an error when a transaction with a failed statement is committed.
    if (command !== 'COMMIT') throw new Error('The transaction continued after an error, so it was rolled back.');
    if (writer.hasDeleted) onDeletion();
    return result;
  } catch (error) {
    // A connection that does not respond would not respond to a rollback either: closing it rolls back.
    if (error instanceof StoreUnavailable && sqlState(error.cause) === readOnly) pool.foundReadOnly();
    const rollback = error instanceof StoreUnavailable ? null : session && connection.run({ text: 'rollback' });
    usable = rollback ? await rollback.then(() => true).catch(() => false) : false;
    throw error;
  } finally {
    const client = await session?.catch(ignore);
    client?.release(!usable);
    leaveQueue();
  }
}

/** Milliseconds in which a transaction is run again when another one interferes. */
const retryFor = 2000;
/** How often it is run when a row that it has read is deleted before its write. */
const attempts = 3;

/** Retries `attempt` when another transaction interferes, with growing waits. */
async function withRetries<Result>(attempt: () => Promise<Result>, retried: () => void): Promise<Result> {
  const deadline = performance.now() + retryFor;
  for (let tried = 1, wait = 10; ; tried += 1, wait = Math.min(2 * wait, 250)) {
    try {
      return await attempt();
    } catch (error) {
      const state = sqlState(error);
      // 40001 and 40P01: serialization failure, frequent in distributed databases, and deadlock.
      const isSerializationFailure = state === '40001' || state === '40P01';
      // 23503: a row that the work has read, such as the organization of a new campaign, was deleted before the write.
      if (!isSerializationFailure && state !== '23503' && !(error instanceof RowGone)) throw error;
      if (isSerializationFailure ? performance.now() + wait > deadline : tried === attempts)
        throw isSerializationFailure
          ? new StoreUnavailable('Too many writers changed the same rows at once.', { cause: error })
          : error;
      retried();
      await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())));
    }
  }
}

/** An arbitrary number, the same in all versions of this program. */
const migrationLock = '3853314791062309107';

/** Brings the schema up to date. `pooled`: whether a pooler is in front of the database. */
async function prepareDatabase(
  connect: Database['connect'],
  { name: database, isPooler }: DatabaseAddress,
  { schemaFiles = ownFiles.postgres, ...wanted }: PostgresOptions,
): Promise<Readonly<{ pooled: boolean; ids: IdFormat }>> {
  const client = await connect();
  const connection = new PostgresConnection(client, 'integer');
  const execute = (text: string) => connection.run({ text });
  const schema = { query: execute, script: execute };
  const readState = () => schemaState(schema, 'postgres', `The database at ${database}`, wanted, schemaFiles);
  try {
    const [server] = await execute(
      "select pg_backend_pid() as pid, current_setting('server_encoding') as encoding, current_setting('datestyle') as dates",
    );
    const unfit = (problem: string) => new StoreConfigurationError(`The database at ${database} ${problem}.`);
    if (server?.encoding !== 'UTF8')
      throw unfit(`stores text as ${server?.encoding}; create it with the encoding UTF8`);
    if (!String(server.dates).startsWith('ISO'))
      throw unfit(`writes dates as ${server.dates}; run: alter database ... set datestyle = 'ISO'`);
    if ((await readState()).missing.length > 0) {
      // The transaction holds the lock, because behind a pooler each statement may run in another session.
      await execute(`begin; select pg_advisory_xact_lock(${migrationLock})`);
      // Another process may have migrated in the meantime.
      await migrate(schema, await readState());
      await execute('commit');
    }
    // A pooler returns a process id of its own, not the one that runs the statements. `?pgbouncer=true`, which other tools
    // also use, is for poolers that hide this.
    const { processID } = client as pg.Client & { readonly processID?: number };
    const pooled = isPooler || server.pid !== processID;
    const { ids } = await readState();
    await checkSchema(`The database at ${database}`, schema, 'postgres', ids, schemaFiles, true);
    return { pooled, ids };
  } finally {
    // Also ends a failed transaction.
    await client.end();
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'that host is not known',
  EAI_AGAIN: 'that host is not known',
  ECONNRESET: 'it ended the connection',
  '28P01': 'the user name or the password is wrong',
  '28000': 'this user may not connect to it',
  '3D000': 'there is no database of that name',
  '42501': 'this user may not create tables there',
  '53300': 'it has no connection left; raise its max_connections, or start the servers with a smaller --db-connections',
  '57P03': 'it is still starting',
};

/** Why a host cannot be used; null if that is not known. */
function reasonOf(error: unknown): string | null {
  if (error instanceof StoreUnavailable) return reasonOf(error.cause);
  if (error instanceof Standby) return error.message;
  if (!(error instanceof Error)) return null;
  const code = 'code' in error ? String(error.code) : '';
  return reasons[code] ?? (/timeout|timed out|ETIMEDOUT/i.test(error.message) ? 'it does not answer' : null);
}

function startupError(error: unknown, database: string): unknown {
  if (error instanceof NoPrimary && error.failures.length > 1) {
    const hosts = error.failures.map((failure) => {
      const theirs = causeOf(failure.error);
      return `${failure.host} (${reasonOf(theirs) ?? (theirs as Error).message})`;
    });
    return new StoreConfigurationError(
      `The database at ${database} cannot be used: no host accepts writes: ${hosts.join(', ')}.`,
      { cause: error },
    );
  }
  if (error instanceof StoreUnavailable) return startupError(error.cause, database);
  if (!(error instanceof Error) || error instanceof StoreConfigurationError) return error;
  const reason = reasonOf(error);
  if (reason)
    return new StoreConfigurationError(`The database at ${database} cannot be used: ${reason}.`, { cause: error });
  // Shows the message of the database or driver. Errors of other classes are bugs in this program.
  const isTheirs = 'code' in error || Object.getPrototypeOf(error) === Error.prototype;
  return isTheirs
    ? new StoreConfigurationError(`The database at ${database} cannot be used. It says: ${error.message}`, {
        cause: error,
      })
    : error;
}
