import { existsSync } from 'node:fs';
import { memoryStore } from '../store/memory.js';
import { type KeptStore, type Store, StoreConfigurationError } from '../store/store.js';

export interface OpenOptions {
  /** Whether a file that is not there is an error; by default it is made. */
  readonly mustExist?: boolean;
  /** Connections to PostgreSQL at most. @default 10 */
  readonly connections?: number;
}

/**
 * `memory:`, a PostgreSQL address, or the path of an SQLite file. Drivers are loaded only when they are asked for.
 * @throws {StoreConfigurationError} when there is no data at such a place, or none can be kept there.
 */
export const openStore = async (db: string, options: OpenOptions = {}): Promise<Store> =>
  db === 'memory:' && options.connections === undefined ? memoryStore() : openKeptStore(db, options);

/** The same without `memory:`. @throws {StoreConfigurationError} */
export async function openKeptStore(db: string, options: OpenOptions = {}): Promise<KeptStore> {
  const { mustExist = false, connections } = options;
  if (/^postgres(ql)?:/.test(db))
    return (await import('../store/sql/postgres.js')).postgresStore(db, { ...(connections && { connections }) });
  if (connections !== undefined)
    throw new StoreConfigurationError(
      '--db-connections is for PostgreSQL. Leave it out, or give --db postgres://user:password@host:5432/database.',
    );
  // One letter and a colon begin a path on Windows. What follows a scheme is not shown: it may hold a password.
  const scheme = /^([a-z][\w+.-]+:|:memory:$|$)/i.exec(db)?.[0];
  if (scheme !== undefined)
    throw new StoreConfigurationError(
      `Data cannot be kept at "${scheme}". Give memory:, the path of a file, or postgres://user:password@host:5432/database.`,
    );
  if (mustExist && !existsSync(db))
    throw new StoreConfigurationError(`There is no database file ${db}. Check the path after --db.`);
  return (await import('../store/sql/sqlite.js')).sqliteStore(db);
}
