import { Kysely, PostgresAdapter, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { CommitUnknown, type KeptStore, type Part, StoreNotEmpty, StoreUnavailable } from '../store.js';
import { tableNames } from '../tables.js';
import { BackgroundSteps, hasMarked, removeSome } from './deletions.js';
import { type AnyTables, dialects } from './dialect.js';
import { StoreConfigurationError } from './errors.js';
import { LockQueue } from './lock-queue.js';
import { migrate, needsMigration } from './migrations.js';
import { dumpOf, partsOf } from './parts.js';
import { type LockInTurn, PostgresReader, PostgresWriter, RowGone } from './postgres-access.js';
import { PostgresConnection, sqlState } from './postgres-connection.js';
import { deleteAll, everything, lockAll, storeParts } from './postgres-dump.js';
import { explained, placeOf } from './postgres-errors.js';
import { type ConnectionPool, connectionPool, ignore, whenThereIsRoom } from './postgres-pool.js';
import { driverTypes } from './postgres-types.js';
import { turns } from './turns.js';
import { WriteHealth } from './write-health.js';

export interface PostgresOptions {
  /** Connections at most. @default 10 */
  readonly connections?: number;
  /** How long a statement may take, in milliseconds, before the store counts as unavailable. @default 4000 */
  readonly statementTimeout?: number;
  /** How long to wait for a connection, in milliseconds. @default 2000 */
  readonly connectTimeout?: number;
}

type Driver = typeof pg;

const attempts = 3;
/** Milliseconds that a start waits for a database that is full or starting itself. */
const startPatience = 10_000;

/**
 * A store in a PostgreSQL database, whose tables are created and migrated as needed. Several processes may share it, and
 * a pooler such as PgBouncer may stand in front of it, in any mode.
 * Lost connections are replaced: once the database answers again, so does the store.
 * @param url such as `postgres://user:password@host:5432/database`
 * @throws {StoreConfigurationError} when the database cannot be used.
 */
export async function postgresStore(url: string, options: PostgresOptions = {}): Promise<KeptStore> {
  const { default: driver } = await import('pg');
  const place = placeOf(url);
  try {
    const { pooled } = await prepared(driver, url, place, options);
    return storeOf(driver, url, options, pooled);
  } catch (error) {
    throw explained(error, place);
  }
}

/** @param pooled whether a pooler may run each transaction on another connection: nothing of a session is used then. */
function storeOf(driver: Driver, url: string, options: PostgresOptions, pooled: boolean): KeptStore {
  const { connections = 10, statementTimeout = 4000, connectTimeout = 2000 } = options;
  const limits = {
    statement_timeout: statementTimeout,
    lock_timeout: Math.ceil(0.75 * statementTimeout),
    // A server process that hangs in a transaction must not keep its locks.
    idle_in_transaction_session_timeout: 2 * statementTimeout,
  };
  const config = {
    ...connectionConfig(driver, url, options),
    max: connections,
    // The same again on this side, for a database that has stopped altogether.
    query_timeout: statementTimeout + 500,
  };
  // A pooler rejects a connection that asks for limits; each transaction sets its own there.
  const pool = connectionPool(driver, pooled ? config : { ...config, ...limits }, connectTimeout);
  const setLimits = Object.entries(limits).map(([name, value]) => `; set local ${name} = ${value}`);
  const transactions: Transactions = {
    pool,
    plans: !pooled,
    begin: `begin isolation level read committed${pooled ? setLimits.join('') : ''}`,
    lockQueue: new LockQueue(connections, statementTimeout),
    onDeletion: () => removal.start(),
  };
  const reading = new PostgresConnection(pool, !pooled);
  const reader = new PostgresReader(reading);
  const transact = <Result>(work: (writer: PostgresWriter) => Promise<Result>): Promise<Result> =>
    persistently(() => transaction(transactions, work));
  const removal = new BackgroundSteps(async () => (await hasMarked(reader)) && transact(removeSome));
  removal.start();
  const isEmpty = async (connection = reading) => {
    const filled = tableNames.map((table) => `exists (select from ${table})`).join(' or ');
    const { rows } = await connection.execute(`select not (${filled})`);
    return rows[0]?.[0] === true;
  };

  /** Work on everything takes as long as it takes: on a connection of its own, without time limits. */
  const connect = () => ownConnection(driver, url, options);
  async function* backup(): AsyncGenerator<Part> {
    const client = await connect();
    try {
      yield* everything(new PostgresConnection(client));
    } finally {
      // Ends an open transaction too.
      await client.end();
    }
  }
  const unhurried = async (work: (connection: PostgresConnection) => Promise<unknown>): Promise<void> => {
    const client = await connect();
    try {
      await work(new PostgresConnection(client));
    } finally {
      await client.end();
    }
  };
  /** A transaction that nothing is written beside. */
  const locked = (work: (connection: PostgresConnection) => Promise<void>) =>
    unhurried(async (own) => {
      await own.execute('begin');
      await lockAll(own);
      await work(own);
      await own.execute('commit');
    });
  const health = new WriteHealth(() => unhurried((own) => own.execute(writeProbe)));

  return {
    read: (work) => work(reader),
    transact: (work) => health.watch(() => transact(work)),
    dump: () => dumpOf(backup()),
    // Readers go on with what was there until it is done.
    load: (dump) =>
      persistently(() =>
        locked(async (own) => {
          await deleteAll(own);
          await storeParts(own, partsOf(dump));
        }),
      ),
    backup,
    restore: (parts) =>
      locked(async (own) => {
        if (!(await isEmpty(own))) throw new StoreNotEmpty('The database is not empty.');
        await storeParts(own, parts);
      }),
    isEmpty: () => isEmpty(),
    ping: async () => {
      await isEmpty();
      await health.check();
    },
    close: async () => {
      await removal.stop();
      await pool.end();
    },
  };
}

/** Takes up room in the database and gives it back. Without a transaction of its own, the text runs as one. */
const writeProbe =
  "create temporary table mkt_probe (x text) on commit drop; insert into mkt_probe select repeat('x', 65536)";

const connectionConfig = (driver: Driver, url: string, { connectTimeout = 2000 }: PostgresOptions) => ({
  connectionString: url,
  application_name: 'mkt-server',
  connectionTimeoutMillis: connectTimeout,
  keepAlive: true,
  types: driverTypes(driver),
});

interface Transactions {
  readonly pool: ConnectionPool;
  readonly plans: boolean;
  readonly begin: string;
  readonly lockQueue: LockQueue;
  /** After the commit of a transaction that deleted an organization. */
  readonly onDeletion: () => void;
}

/** Takes a connection at the first statement, so that a writer that waits for its turn holds none. */
async function transaction<Result>(
  { pool, plans, begin, lockQueue, onDeletion }: Transactions,
  work: (writer: PostgresWriter) => Promise<Result>,
): Promise<Result> {
  const begun = async () => {
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
  // A connection takes one statement at a time; work may ask for several at once.
  const inTurn = turns();
  const connection = new PostgresConnection(
    {
      query: (config) => {
        session ??= begun();
        const client = session;
        return inTurn(async () => (await client).query(config));
      },
    },
    plans,
  );
  const lockInTurn: LockInTurn = async (row, lock) => {
    // Who has a lock already must not wait for another one here: PostgreSQL sees a deadlock, this queue does not.
    if (session) return lock();
    leaveQueue = await lockQueue.locked(row, lock);
  };
  let usable = true;
  try {
    let hasDeleted = false;
    const writer = new PostgresWriter(connection, lockInTurn, () => {
      hasDeleted = true;
    });
    const result = await work(writer);
    if (!session) return result;
    const { command } = await connection.execute('commit').catch((error: unknown) => {
      throw error instanceof StoreUnavailable ? new CommitUnknown(error.message, { cause: error }) : error;
    });
    // PostgreSQL does not call it an error to commit a transaction in which a statement has failed.
    if (command !== 'COMMIT') throw new Error('The transaction went on after an error, so it was rolled back.');
    if (hasDeleted) onDeletion();
    return result;
  } catch (error) {
    // On a connection that does not answer, the rollback would not be answered either: it ends with the connection.
    usable =
      !(error instanceof StoreUnavailable) &&
      session !== undefined &&
      (await connection.execute('rollback').then(
        () => true,
        () => false,
      ));
    throw error;
  } finally {
    const client = await session?.catch(ignore);
    client?.release(!usable);
    leaveQueue();
  }
}

/** Runs `attempt` again when another transaction came in between. */
async function persistently<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!cameInBetween(error)) throw error;
      if (tried === attempts)
        throw isSerializationFailure(error)
          ? new StoreUnavailable('Too many writers changed the same rows at once.', { cause: error })
          : error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * tried));
    }
  }
}

/** 40001 and 40P01: "try again" in PostgreSQL's own words. */
const isSerializationFailure = (error: unknown): boolean => /^40(001|P01)$/.test(sqlState(error) ?? '');

/** 23503: a row that the work looked at, the organization of a new campaign say, was deleted before it wrote. */
const cameInBetween = (error: unknown): boolean =>
  isSerializationFailure(error) || error instanceof RowGone || sqlState(error) === '23503';

const ownConnection = (driver: Driver, url: string, options: PostgresOptions): Promise<pg.Client> =>
  whenThereIsRoom(async () => {
    const client = new driver.Client(connectionConfig(driver, url, options));
    client.on('error', ignore);
    await client.connect();
    return client;
  }, options.connectTimeout ?? 2000);

/** Brings the schema up to date, and finds out what the address leads to. */
async function prepared(
  driver: Driver,
  url: string,
  place: string,
  options: PostgresOptions,
): Promise<{ readonly pooled: boolean }> {
  const pool = connectionPool(driver, { ...connectionConfig(driver, url, options), max: 1 }, startPatience);
  try {
    const pooled = await isPooled(pool, url);
    const { rows } = await pool.query({ text: 'show server_encoding', rowMode: 'array' });
    const encoding = rows[0]?.[0];
    if (encoding !== 'UTF8')
      throw new StoreConfigurationError(
        `The database at ${place} keeps text as ${encoding}; create it with the encoding UTF8.`,
      );
    await withMigrations(pool, `The database at ${place}`);
    return { pooled };
  } finally {
    await pool.end();
  }
}

/** Kysely's number for its migration lock: processes of an earlier version wait for it too. */
const migrationLock = '3853314791062309107';

/** Kysely locks the session, which is another one after each statement behind a pooler. The transaction has the lock. */
class MigrationAdapter extends PostgresAdapter {
  override acquireMigrationLock = async (): Promise<void> => undefined;
  override releaseMigrationLock = async (): Promise<void> => undefined;
}

async function withMigrations(pool: ConnectionPool, database: string): Promise<void> {
  const client = await pool.connect();
  const dialect = new PostgresDialect({
    pool: {
      connect: async () => ({ query: client.query.bind(client) as PostgresPoolClient['query'], release: ignore }),
      end: async () => undefined,
    },
  });
  const db = new Kysely<AnyTables>({
    dialect: Object.assign(dialect, { createAdapter: () => new MigrationAdapter() }),
  });
  const isDue = () => needsMigration(db, dialects.postgres, database);
  try {
    if (!(await isDue())) return;
    await client.query(`begin; select pg_advisory_xact_lock(${migrationLock})`);
    // Another process may have done it meanwhile.
    if (await isDue()) await migrate(db, dialects.postgres);
    await client.query('commit');
  } finally {
    // Ends a transaction that has failed as well.
    client.release(true);
  }
}

/**
 * Whether a pooler answers in the place of PostgreSQL: it names a process of its own, not the one that runs the
 * statements. `?pgbouncer=true` in the URL, which other tools use as well, says so for one that hides it.
 */
async function isPooled(pool: ConnectionPool, url: string): Promise<boolean> {
  if (new URL(url).searchParams.get('pgbouncer') === 'true') return true;
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return rows[0]?.pid !== (client as pg.PoolClient & { readonly processID: number | null }).processID;
  } finally {
    client.release();
  }
}
