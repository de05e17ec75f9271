import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { type KeptStore, type Part, StorageFailure, StoreNotEmpty, StoreUnavailable } from '../store.js';
import { BackgroundSteps, hasMarked, removeSome } from './deletions.js';
import { type AnyTables, dialects } from './dialect.js';
import { StoreConfigurationError } from './errors.js';
import { migrate, needsMigration } from './migrations.js';
import { dumpOf, partsOf } from './parts.js';
import { CachedReader } from './read-cache.js';
import { SqliteReader, SqliteWriter } from './sqlite-access.js';
import { SqliteConnection, sqliteCode } from './sqlite-connection.js';
import { deleteAll, everything, isEmpty, storeParts } from './sqlite-dump.js';
import type { Statement } from './statements.js';
import { turns } from './turns.js';
import { WriteHealth } from './write-health.js';

export interface SqliteOptions {
  /** How long a writer waits for a writer in another process, in milliseconds. @default 5000 */
  readonly busyTimeout?: number;
  /**
   * When the disk has a write before it is acknowledged. `NORMAL`: every acknowledged write outlives the process;
   * after a loss of power the last ones may be gone. `FULL`: they outlive that too, at ten times the cost of a commit.
   * @default 'NORMAL'
   */
  readonly synchronous?: 'NORMAL' | 'FULL';
}

type Open = (options?: Database.Options) => Database.Database;

/**
 * A store in an SQLite file, which is created and migrated as needed. One connection writes, one transaction at a
 * time; another one reads, so that a reader never sees what is not committed. Several processes may share the file.
 * @throws {StoreConfigurationError} when the file cannot be used.
 */
export async function sqliteStore(file: string, options: SqliteOptions = {}): Promise<KeptStore> {
  const { busyTimeout = 5000, synchronous = 'NORMAL' } = options;
  const open = await opener(file);
  const deadline = () => Date.now() + busyTimeout;
  let database: Database.Database | undefined;
  try {
    // Busy is waited for below, in turns, not inside SQLite: that would stop this process, and every request in it.
    const opened = open({ timeout: 0 });
    database = opened;
    await whenFree(deadline(), () => opened.pragma('journal_mode = WAL'));
    opened.pragma(`synchronous = ${synchronous}`);
    opened.pragma('foreign_keys = ON');
    await prepareSchema(opened, file, deadline());
    const connect = () => new SqliteConnection(open({ readonly: true }));
    return storeOf(new SqliteConnection(opened), connect, deadline, placeCheck(file));
  } catch (error) {
    database?.close();
    throw explained(error, file);
  }
}

/**
 * @returns a check that the file is still where it was opened. SQLite goes on writing into a file that was deleted or
 * replaced, and all of that is lost with the process.
 */
function placeCheck(file: string): () => void {
  const identity = () => {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats && `${stats.dev}:${stats.ino}`;
  };
  const opened = identity();
  return () => {
    if (identity() !== opened)
      throw new StorageFailure(
        'The database file was deleted or replaced while the server runs, so nothing can be saved. Bring it back, or restart the server.',
      );
  };
}

/** Takes up room in the file and gives it back. The version of the schema is not ours: it only has the commit write. */
const writeProbe =
  'create table mkt_probe (x); insert into mkt_probe values (zeroblob(65536)); drop table mkt_probe; pragma user_version = 0';

/** Differs when any other connection, the writer's included, has committed since it was last asked for. */
const dataVersion: Statement = { name: 'dataVersion', text: 'pragma data_version' };

function storeOf(
  writing: SqliteConnection,
  connect: () => SqliteConnection,
  deadline: () => number,
  checkPlace: () => void,
): KeptStore {
  const reading = connect();
  const reader = new CachedReader(new SqliteReader(reading), () => reading.row(dataVersion, [])?.[0] as number);
  let hasDeleted = false;
  const writer = new SqliteWriter(writing, () => {
    hasDeleted = true;
  });
  const removal = new BackgroundSteps(async () => (await hasMarked(reader.fresh())) && transact(removeSome));
  const inTurn = turns();

  const transaction = <Result>(work: (writer: SqliteWriter) => Promise<Result>): Promise<Result> => {
    // The wait for one's turn counts, or the last of many writers would be told late that the file is not free.
    const until = deadline();
    return inTurn(async () => {
      checkPlace();
      hasDeleted = false;
      // A transaction that began as a reader could not become a writer after another process wrote: it starts as one.
      await whenFree(until, () => writing.execute('begin immediate'));
      try {
        const result = await work(writer);
        writing.execute('commit');
        if (hasDeleted) removal.start();
        return result;
      } catch (error) {
        // Some errors (a full disk) have ended the transaction already.
        if (writing.database.inTransaction) writing.execute('rollback');
        throw error;
      }
    });
  };

  const health = new WriteHealth(() => transaction(async () => writing.execute(writeProbe)));
  const transact: typeof transaction = (work) => health.watch(() => transaction(work));

  removal.start();
  return {
    read: async (work) => work(reader.fresh()),
    transact,
    dump: () => dumpOf(everything(connect())),
    load: (dump) =>
      transact(async () => {
        deleteAll(writing);
        await storeParts(writing, partsOf(dump));
      }),
    backup: () => everything(connect()),
    restore: (parts: AsyncIterable<Part>) =>
      transact(async () => {
        if (!isEmpty(writing)) throw new StoreNotEmpty('The database is not empty.');
        await storeParts(writing, parts);
      }),
    isEmpty: async () => isEmpty(reading),
    ping: async () => {
      isEmpty(reading);
      checkPlace();
      await health.check();
    },
    close: async () => {
      await removal.stop();
      await inTurn(async () => {
        // The writer last: it moves the log into the file and removes it.
        reading.database.close();
        writing.database.close();
      });
    },
  };
}

async function prepareSchema(database: Database.Database, file: string, deadline: number): Promise<void> {
  const db = new Kysely<AnyTables>({ dialect: new SqliteDialect({ database }) });
  const place = `The database file ${file}`;
  // Busy may be any of it: another process that migrates, or that repairs the log after a crash.
  await whenFree(deadline, async () => {
    if (!(await needsMigration(db, dialects.sqlite, place))) return;
    database.exec('begin exclusive');
    try {
      // Another process may have done it meanwhile.
      if (await needsMigration(db, dialects.sqlite, place)) await migrate(db, dialects.sqlite);
      database.exec('commit');
    } catch (error) {
      if (database.inTransaction) database.exec('rollback');
      throw error;
    }
  });
}

const isBusy = (error: unknown): boolean =>
  sqliteCode(error instanceof StoreUnavailable ? error.cause : error).startsWith('SQLITE_BUSY');

/** Runs `attempt` again while another process writes. */
async function whenFree(deadline: number, attempt: () => unknown): Promise<void> {
  for (let pause = 1; ; pause = Math.min(pause * 2, 25)) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() >= deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

async function opener(file: string): Promise<Open> {
  const driver = await import('better-sqlite3').catch((cause: unknown) => {
    throw withoutDriver(file, cause);
  });
  return (options) => new driver.default(file, options);
}

const withoutDriver = (file: string, cause: unknown) =>
  new StoreConfigurationError(
    `${file} cannot be opened because the optional package better-sqlite3 is missing or was not built for this version ` +
      'of Node. Run `npm install better-sqlite3`, `npm rebuild better-sqlite3` where it is there, or keep the data in memory.',
    { cause },
  );

const reasons: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'it is not an SQLite database',
  SQLITE_CORRUPT: 'it is damaged',
  SQLITE_CANTOPEN: 'it cannot be opened or created there',
  SQLITE_READONLY: 'it may not be written to',
  SQLITE_BUSY: 'another program is using it',
  SQLITE_FULL: 'the disk is full',
};

/** What an error at start-up means to the person who gave the path. */
function explained(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreConfigurationError) return error;
  const code = sqliteCode(error instanceof StoreUnavailable ? error.cause : error);
  if (/bindings|ERR_DLOPEN_FAILED/.test(`${error.message} ${code}`)) return withoutDriver(file, error);
  const known = Object.entries(reasons).find(([prefix]) => code.startsWith(prefix))?.[1];
  const reason = known ?? (/directory does not exist/.test(error.message) ? 'its directory does not exist' : undefined);
  if (!reason) return error;
  return new StoreConfigurationError(`The database file ${file} cannot be used: ${reason}.`, { cause: error });
}
