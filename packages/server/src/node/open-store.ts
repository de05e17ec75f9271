import { existsSync } from 'node:fs';
import { memoryStore } from '../store/memory-lists.js';
import type { WantedSchema } from '../store/sql/schema.js';
import { type PersistentStore, type Store, StoreConfigurationError } from '../store/store.js';
import { ServeError, withServeErrors } from './errors.js';

export interface OpenOptions extends WantedSchema {
  /** Maximum number of connections to PostgreSQL. @default 10 */
  readonly connections?: number | undefined;
  /** Milliseconds to wait for a connection to each host of PostgreSQL. @default that of the URL, otherwise 2000 */
  readonly connectTimeout?: number | undefined;
  /** For operators: called once when the database is lost, and once when it is back. */
  readonly report?: (message: string) => void;
}

const isPostgres = (db: string): boolean => /^postgres(ql)?:/.test(db);

/** Whether `--db` names an SQLite file. */
export const isSqliteFile = (db: string): boolean => db !== 'memory:' && !isPostgres(db);

/**
 * Opens `memory:`, a PostgreSQL URL or the path of an SQLite file. Drivers are loaded when they are needed.
 * @throws {StoreConfigurationError}
 */
export const openStore = async (db: string, options: OpenOptions = {}): Promise<Store> =>
  db === 'memory:' && options.connections === undefined && options.connectTimeout === undefined
    ? memoryStore(options.ids)
    : openPersistentStore(db, options);

/** Opens a persistent store. @throws {StoreConfigurationError} */
export async function openPersistentStore(db: string, options: OpenOptions = {}): Promise<PersistentStore> {
  const { connections, connectTimeout, ids, mustExist = false } = options;
  if (isPostgres(db)) return (await import('../store/sql/postgres.js')).postgresStore(db, options);
  if (connections !== undefined || connectTimeout !== undefined)
    throw new StoreConfigurationError(
      `${connections === undefined ? '--connect-timeout' : '--db-connections'} is only for PostgreSQL. Omit it, or use --db postgres://user:password@host:5432/database.`,
    );
  // A single letter with a colon starts a path on Windows. Only the scheme is shown: a URL may contain a password.
  const scheme = /^([a-z][\w+.-]+:|:memory:$|$)/i.exec(db)?.[0];
  if (scheme !== undefined)
    throw new StoreConfigurationError(
      `Data cannot be stored at "${scheme}". Use memory:, the path of a file, or postgres://user:password@host:5432/database.`,
    );
  if (mustExist && !existsSync(db))
    throw new StoreConfigurationError(`There is no database file ${db}. Check the path after --db.`);
  return (await import('../store/sql/sqlite.js')).sqliteStore(db, { ids, mustExist });
}

/** Opens a persistent store, runs `work`, closes the store. @throws {ServeError} */
export async function withStore<Result>(
  db: string,
  work: (store: PersistentStore) => Promise<Result>,
  options: OpenOptions = {},
): Promise<Result> {
  if (db === 'memory:') throw new ServeError('Select the stored data with --db FILE.db or --db postgres://...');
  return withServeErrors(async () => {
    const store = await openPersistentStore(db, options);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  });
}
