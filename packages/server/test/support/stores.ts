import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restoreBackup, writeBackup } from '../../src/node/backup-file.js';
import { memoryStore } from '../../src/store/memory-lists.js';
import { postgresStore } from '../../src/store/sql/postgres.js';
import { sqliteStore } from '../../src/store/sql/sqlite.js';
import { sqliteDriver } from '../../src/store/sql/sqlite-driver.js';
import type { PersistentStore, Store } from '../../src/store/store.js';
import type { IdFormat } from '../../src/store/tables.js';
import { createDatabase } from './postgres.js';
import { differences, shapeOfPostgres, shapeOfSqlite } from './schema.js';

export const storeKinds = ['memory', 'sqlite', 'postgres'] as const;
export type StoreKind = (typeof storeKinds)[number];

export interface TestStore {
  readonly store: Store;
  /** What `--db` takes. */
  readonly db: string;
  /** Closes the store and removes what it kept. */
  readonly dispose: () => Promise<void>;
}

/** Longer than any test runs: on a busy machine sixty writers wait seconds for their turn, and none of them is to be rejected. */
const patient = { connectTimeout: 600_000, statementTimeout: 600_000 };

/** A new, empty store. */
export async function openTestStore(kind: StoreKind, ids: IdFormat = 'integer'): Promise<TestStore> {
  if (kind === 'memory') {
    const store = memoryStore(ids);
    return { store, db: 'memory:', dispose: () => store.close() };
  }
  const place = kind === 'sqlite' ? await temporaryFile() : await temporaryDatabase();
  const store = await (kind === 'sqlite'
    ? sqliteStore(place.db, { ids })
    : postgresStore(place.db, { ...patient, ids }));
  return {
    store,
    db: place.db,
    dispose: async () => {
      await store.close();
      await place.remove();
    },
  };
}

export async function temporaryFile(): Promise<{ db: string; remove: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'mkt-store-'));
  return { db: join(directory, 'test.db'), remove: () => rm(directory, { recursive: true, force: true }) };
}

async function temporaryDatabase(): Promise<{ db: string; remove: () => Promise<void> }> {
  const database = await createDatabase();
  return { db: database.url, remove: database.drop };
}

/** Copies everything with a backup file, or with a dump where there are no backups. */
export async function copyStore(from: Store, to: Store): Promise<void> {
  if (!('backup' in from)) return to.load(await from.dump());
  const folder = await mkdtemp(join(tmpdir(), 'mkt-backup-'));
  const file = join(folder, 'all.backup');
  await writeBackup(file, from as PersistentStore);
  await restoreBackup(file, (work) => work(to as PersistentStore));
  await rm(folder, { recursive: true });
}

/** What a new database lacks of the tables. */
export async function missingInNew(kind: 'sqlite' | 'postgres'): Promise<string[]> {
  if (kind === 'sqlite') {
    const { db, dispose } = await openTestStore(kind);
    const database = (await sqliteDriver()).open(db, { readOnly: true });
    const found = differences(kind, 'integer', shapeOfSqlite(database));
    database.close();
    await dispose();
    return found;
  }
  const { url, query, drop } = await createDatabase();
  await (await postgresStore(url)).close();
  const found = differences(kind, 'integer', await shapeOfPostgres(query));
  await drop();
  return found;
}
