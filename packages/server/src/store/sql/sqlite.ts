import { closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { FairTurns, type Group } from '../fair-turns.js';
import {
  type Part,
  type PersistentStore,
  StorageFailure,
  StoreConfigurationError,
  StoreUnavailable,
} from '../store.js';
import type { IdFormat } from '../tables.js';
import { ownWork, Usage } from '../usage.js';
import { type Connection, hasRowsToRemove, SqlReader, SqlWriter } from './access.js';
import { BackgroundSteps, WriteHealth } from './background.js';
import { dumpOf, fillEmpty, isEmpty, loadDump, partsIn, restoreParts } from './dump.js';
import { CachedReader } from './read-cache.js';
import { schemaFiles as ownFiles, type SchemaFile } from './schema/files.generated.js';
import { migrate, schemaState, type WantedSchema } from './schema.js';
import { checkSchema, checkServedSchema } from './schema-check.js';
import { SqliteConnection, sqliteCode } from './sqlite-connection.js';
import { rollback, type SqliteDatabase, SqliteDriverMissing, sqliteDriver } from './sqlite-driver.js';
import { ExpensiveReads, SqliteThread } from './sqlite-thread.js';
import type { Statement } from './statements.js';

export interface SqliteOptions extends WantedSchema {
  /** How long a writer waits for a writer in another process, in milliseconds. @default 5000 */
  readonly busyTimeout?: number;
  /** @default those of this version */
  readonly schemaFiles?: readonly SchemaFile[];
}

/**
 * A store in an SQLite file, which is created and migrated as needed. One connection writes, one transaction at a
 * time; another one reads, so that a reader never sees what is not committed. Several processes may share the file.
 * @throws {StoreConfigurationError} when the file cannot be used.
 */
export async function sqliteStore(file: string, options: SqliteOptions = {}): Promise<PersistentStore> {
  const { busyTimeout = 5000, schemaFiles = ownFiles.sqlite } = options;
  const driver = await sqliteDriver().catch((error: unknown) => {
    if (!(error instanceof SqliteDriverMissing)) throw error;
    throw new StoreConfigurationError(
      `${file} cannot be opened because ${error.message}. ${error.hints.join('. ')}. Without a file: --db memory:`,
      { cause: error },
    );
  });
  const deadline = () => Date.now() + busyTimeout;
  let database: SqliteDatabase | undefined;
  try {
    // Waiting inside SQLite would block this process, and every request in it: `retryWhileBusy` waits instead.
    createPrivately(file);
    const opened = driver.open(file);
    database = opened;
    const ids = await prepareDatabase(opened, file, { ...options, schemaFiles }, deadline());
    const connect = () => new SqliteConnection(driver.open(file, { readOnly: true }), ids);
    const reading = connect();
    const thread = (readOnly: boolean) => new SqliteThread({ module: driver.module, file, readOnly });
    const expensive = new ExpensiveReads(reading, thread(true));
    const writing = new SqliteConnection(opened, ids);
    return storeOf({
      reading,
      expensive,
      writing,
      connect,
      deadline,
      checkpoint: checkpoints(file, thread(false)),
      checkReplaced: replacementCheck(file),
      checkTables: () => checkServedSchema({ query: (text) => writing.run({ text }) }, 'sqlite', ids, schemaFiles),
    });
  } catch (error) {
    database?.close();
    throw startupError(error, file);
  }
}

/** Creates the file for its owner only, if it does not exist; SQLite gives its other files the same mode. */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'a', 0o600));
  } catch {
    // SQLite reports what prevents it.
  }
}

/**
 * @returns a check that the file, its log and its locks are still those that were opened. SQLite goes on writing into a file
 * that was deleted or replaced, and all of that is lost with the process.
 */
function replacementCheck(file: string): () => void {
  const real = realpathSync(file);
  const identityOf = (path: string) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats && `${stats.dev}:${stats.ino}`;
  };
  const opened = [file, `${real}-wal`, `${real}-shm`].map((path) => ({ path, identity: identityOf(path) }));
  return () => {
    const changed = opened.find(({ path, identity }) => identityOf(path) !== identity);
    if (changed)
      throw new StorageFailure(
        `The database file ${basename(changed.path)} was deleted or replaced while the server was running, so nothing can be saved. Restore the file, or restart the server.`,
      );
  };
}

/** Bytes of the log from which on it is moved into the file. SQLite itself would do it 16 times later. */
const maxLog = 4 * 1024 * 1024;

/** Moves the log into the file, in a thread, because SQLite would do it in a commit: 50 ms in which no request is answered. */
function checkpoints(file: string, thread: SqliteThread) {
  const log = `${realpathSync(file)}-wal`;
  const size = () => statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  let nextAt = maxLog;
  return {
    isDue: () => size() >= nextAt,
    async run() {
      // What fails, or waits for a reader, stays in the log.
      await thread.run({ text: 'pragma wal_checkpoint(truncate)' }).catch(() => undefined);
      nextAt = size() + maxLog;
    },
    close: () => thread.close(),
  };
}

/** Allocates space in the file and frees it. Setting the version forces a write at commit, and changes nothing. */
const writeProbe = [
  'create table mkt_probe (x)',
  'insert into mkt_probe values (zeroblob(65536))',
  'drop table mkt_probe',
  'pragma user_version = 0',
];

/** Differs when another connection, the writing one included, has committed since the last call. */
const dataVersion: Statement = { text: 'pragma data_version' };

/** Half of the time is for others, and more after a write of hundreds of items, for which they wait longer. */
const pauseOfWriter = (used: number): number => used + used ** 2 / 40;

interface Database {
  readonly writing: SqliteConnection;
  readonly reading: SqliteConnection;
  readonly expensive: ExpensiveReads;
  readonly checkpoint: ReturnType<typeof checkpoints>;
  readonly connect: () => SqliteConnection;
  readonly deadline: () => number;
  readonly checkReplaced: () => void;
  readonly checkTables: () => Promise<void>;
}

function storeOf(database: Database): PersistentStore {
  const { writing, reading, expensive, checkpoint, connect, deadline, checkReplaced, checkTables } = database;
  const inThread = (group: Group): Pick<Connection, 'run'> => ({
    run: (statement, values) => expensive.run(group, statement, values),
  });
  const source = new SqlReader(reading, { far: inThread, searches: inThread });
  const reader = new CachedReader(source, () => Number(reading.runSync(dataVersion)[0]?.data_version));
  const writers = new FairTurns(1, () => new StoreUnavailable('Too many writers wait.'), 1, new Usage(pauseOfWriter));
  const exclusively = <Result>(by: string, work: () => Promise<Result>): Promise<Result> =>
    writers.run(by, Number.POSITIVE_INFINITY, work);

  const transaction = <Result>(
    work: (writer: SqlWriter) => Promise<Result>,
    by: string | undefined,
    begins: () => void,
  ): Promise<Result> => {
    // Includes the wait for other transactions. Otherwise the last of many writers would wait much longer for a busy file.
    const until = deadline();
    return exclusively(by ?? ownWork, async () => {
      checkReplaced();
      begins();
      // Writers run one at a time, across all processes.
      const writer = new SqlWriter(writing, async () => undefined);
      // Starts as a writer: a reader cannot become one after another process has written.
      await retryWhileBusy(until, () => writing.runSync({ text: 'begin immediate' }));
      writing.onStatement = begins;
      try {
        const result = await work(writer);
        writing.runSync({ text: 'commit' });
        if (writer.hasDeleted) removal.start();
        // Other writers wait for it, so that the log stays small; this one's response does not.
        if (checkpoint.isDue()) void exclusively(ownWork, checkpoint.run);
        return result;
      } catch (error) {
        rollback(writing.database);
        throw error;
      }
    });
  };

  const health = new WriteHealth((begins) => {
    const probe = async () => {
      await checkTables();
      for (const text of writeProbe) writing.runSync({ text });
    };
    return transaction(probe, ownWork, begins);
  });
  const transact = <Result>(work: (writer: SqlWriter) => Promise<Result>, by?: string): Promise<Result> =>
    health.watch((begins) => transaction(work, by, begins));
  const removal = new BackgroundSteps(
    async () => (await hasRowsToRemove(reader.fresh())) && transact((writer) => writer.removeSome()),
  );
  removal.start();

  async function* backup(): AsyncGenerator<Part> {
    const connection = connect();
    try {
      connection.runSync({ text: 'begin' });
      yield* partsIn(connection);
    } finally {
      connection.database.close();
    }
  }

  return {
    ids: writing.ids,
    read: async (work) => work(reader.fresh()),
    transact,
    dump: () => dumpOf(backup()),
    load: (dump) => transact(() => loadDump(writing, dump)),
    fill: async (dump) => (await isEmpty(reading)) && transact(() => fillEmpty(writing, dump)),
    backup,
    restore: (parts) => transact(() => restoreParts(writing, parts)),
    isEmpty: () => isEmpty(reading),
    ping: async () => {
      await isEmpty(reading);
      checkReplaced();
      await health.check();
    },
    close: async () => {
      await removal.stop();
      while (writers.isBusy) await new Promise((resolve) => setTimeout(resolve));
      await exclusively(ownWork, async () => {
        await Promise.all([expensive.close(), checkpoint.close()]);
        // The writing connection last: it moves the log into the file and deletes it.
        reading.database.close();
        writing.database.close();
      });
    },
  };
}

/** Sets up the connection and brings the schema up to date. A file that cannot be used is not changed. */
async function prepareDatabase(
  database: SqliteDatabase,
  file: string,
  { schemaFiles, ...wanted }: WantedSchema & { readonly schemaFiles: readonly SchemaFile[] },
  deadline: number,
): Promise<IdFormat> {
  const connection = {
    query: async (text: string) => database.prepare(text).all(),
    script: async (text: string) => database.exec(text),
  };
  const name = `The database file ${file}`;
  const readState = () => schemaState(connection, 'sqlite', name, wanted, schemaFiles);
  await retryWhileBusy(deadline, readState);
  await retryWhileBusy(deadline, () => database.exec('pragma journal_mode = WAL'));
  // After a loss of power the last writes may be gone. `FULL` would keep them, at ten times the cost of a commit.
  database.exec('pragma synchronous = NORMAL');
  database.exec(`pragma wal_autocheckpoint = ${(16 * maxLog) / 4096}`);
  database.exec('pragma foreign_keys = ON');
  // Another process may be migrating, or repairing the log after a crash.
  return retryWhileBusy(deadline, async () => {
    const { ids, missing } = await readState();
    if (missing.length === 0) {
      await checkSchema(name, connection, 'sqlite', ids, schemaFiles);
      return ids;
    }
    database.exec('begin exclusive');
    try {
      // Another process may have migrated in the meantime.
      const state = await readState();
      await migrate(connection, state);
      database.exec('commit');
      return state.ids;
    } catch (error) {
      rollback(database);
      throw error;
    }
  });
}

async function retryWhileBusy<Result>(deadline: number, attempt: () => Result | Promise<Result>): Promise<Result> {
  for (let pause = 1; ; pause = Math.min(pause * 2, 25)) {
    try {
      return await attempt();
    } catch (error) {
      if (!sqliteCode(error).startsWith('SQLITE_BUSY') || Date.now() >= deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

const reasons: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'it is not an SQLite database',
  SQLITE_CORRUPT: 'it is damaged',
  SQLITE_CANTOPEN: 'it cannot be opened or created there',
  SQLITE_READONLY: 'it may not be written to',
  SQLITE_BUSY: 'another program is using it',
  SQLITE_FULL: 'the disk is full',
};

function startupError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreConfigurationError) return error;
  const code = sqliteCode(error);
  const known = Object.entries(reasons).find(([prefix]) => code.startsWith(prefix))?.[1];
  const reason = existsSync(dirname(file)) ? known : 'its directory does not exist';
  // Shows the message of SQLite. Other errors are bugs in this program.
  if (!reason && code.startsWith('SQLITE_'))
    return new StoreConfigurationError(`The database file ${file} cannot be used. SQLite says: ${error.message}`, {
      cause: error,
    });
  if (!reason) return error;
  return new StoreConfigurationError(`The database file ${file} cannot be used: ${reason}.`, { cause: error });
}
