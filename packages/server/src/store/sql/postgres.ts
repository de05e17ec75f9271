import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { CommitUnknown, type Store, StoreUnavailable } from '../store.js';
import { tableNames } from '../tables.js';
import { type AnyTables, dialects } from './dialect.js';
import { StoreConfigurationError } from './errors.js';
import { migrate, needsMigration } from './migrations.js';
import { PostgresReader, PostgresWriter, RowGone } from './postgres-access.js';
import { named, PostgresConnection, sqlState } from './postgres-connection.js';
import { dumpAll, replaceAll } from './postgres-dump.js';
import { explained, placeOf } from './postgres-errors.js';
import { driverTypes } from './postgres-types.js';
import { turns } from './turns.js';

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

/**
 * A store in a PostgreSQL database, whose tables are created and migrated as needed. Several processes may share it.
 * Lost connections are replaced: once the database answers again, so does the store.
 * @param url such as `postgres://user:password@host:5432/database`
 * @throws {StoreConfigurationError} when the database cannot be used.
 */
export async function postgresStore(url: string, options: PostgresOptions = {}): Promise<Store> {
  const { default: driver } = await import('pg');
  const place = placeOf(url);
  try {
    await prepareSchema(driver, url, place, options);
  } catch (error) {
    throw explained(error, place);
  }
  return storeOf(driver, url, options);
}

function storeOf(driver: Driver, url: string, options: PostgresOptions): Store {
  const { connections = 10, statementTimeout = 4000 } = options;
  const pool = watched(
    new driver.Pool({
      ...connectionConfig(driver, url, options),
      max: connections,
      statement_timeout: statementTimeout,
      // The same again on this side, for a database that has stopped altogether.
      query_timeout: statementTimeout + 500,
      // A server process that hangs in a transaction must not keep its locks.
      idle_in_transaction_session_timeout: 2 * statementTimeout,
    }),
  );
  const reading = new PostgresConnection(pool);
  const reader = new PostgresReader(reading);
  const isEmpty = async () => {
    const filled = tableNames.map((table) => `exists (select from ${table})`).join(' or ');
    const { rows } = await reading.execute(`select not (${filled})`);
    return rows[0]?.[0] === true;
  };

  return {
    read: (work) => work(reader),
    transact: (work) => persistently(() => transaction(pool, work)),
    dump: () => unhurried(driver, url, options, dumpAll),
    load: (dump) => persistently(() => unhurried(driver, url, options, (own) => replaceAll(own, dump))),
    isEmpty,
    ping: async () => {
      await isEmpty();
    },
    close: () => pool.end(),
  };
}

const connectionConfig = (driver: Driver, url: string, { connectTimeout = 2000 }: PostgresOptions) => ({
  connectionString: url,
  application_name: 'mkt-server',
  connectionTimeoutMillis: connectTimeout,
  keepAlive: true,
  types: driverTypes(driver),
});

/**
 * A connection that is cut says so in an event, which ends the process when nobody listens: from the first moment on,
 * and also between two statements. The pool drops the connection, the next statement on it fails: no more is needed.
 */
const watched = (pool: pg.Pool): pg.Pool =>
  pool.on('connect', (client) => client.on('error', ignore)).on('error', ignore);

async function transaction<Result>(pool: pg.Pool, work: (writer: PostgresWriter) => Promise<Result>): Promise<Result> {
  const client = await pool.connect().catch((error: unknown) => {
    throw named(error);
  });
  // A connection takes one statement at a time; work may ask for several at once.
  const inTurn = turns();
  const connection = new PostgresConnection({ query: (config) => inTurn(() => client.query(config)) });
  let usable = true;
  try {
    await connection.execute('begin isolation level read committed');
    const result = await work(new PostgresWriter(connection));
    const { command } = await connection.execute('commit').catch((error: unknown) => {
      throw error instanceof StoreUnavailable ? new CommitUnknown(error.message, { cause: error }) : error;
    });
    // PostgreSQL does not call it an error to commit a transaction in which a statement has failed.
    if (command !== 'COMMIT') throw new Error('The transaction went on after an error, so it was rolled back.');
    return result;
  } catch (error) {
    // On a connection that does not answer, the rollback would not be answered either: it ends with the connection.
    usable =
      !(error instanceof StoreUnavailable) &&
      (await connection.execute('rollback').then(
        () => true,
        () => false,
      ));
    throw error;
  } finally {
    client.release(!usable);
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

/** Work on everything takes as long as it takes: on a connection of its own, without time limits. */
async function unhurried<Result>(
  driver: Driver,
  url: string,
  options: PostgresOptions,
  work: (connection: PostgresConnection) => Promise<Result>,
): Promise<Result> {
  const client = new driver.Client(connectionConfig(driver, url, options));
  client.on('error', ignore);
  await client.connect().catch((error: unknown) => {
    throw named(error);
  });
  try {
    return await work(new PostgresConnection(client));
  } finally {
    // Ends an open transaction too.
    await client.end();
  }
}

async function prepareSchema(driver: Driver, url: string, place: string, options: PostgresOptions): Promise<void> {
  const pool = watched(new driver.Pool({ ...connectionConfig(driver, url, options), max: 1 }));
  try {
    const { rows } = await pool.query<{ server_encoding: string }>('show server_encoding');
    const encoding = rows[0]?.server_encoding;
    if (encoding !== 'UTF8')
      throw new StoreConfigurationError(
        `The database at ${place} keeps text as ${encoding}; create it with the encoding UTF8.`,
      );
    const db = new Kysely<AnyTables>({ dialect: new PostgresDialect({ pool }) });
    if (await needsMigration(db, dialects.postgres, `The database at ${place}`)) await migrate(db, dialects.postgres);
  } finally {
    await pool.end();
  }
}

const ignore = (): void => undefined;
