import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from '../../src/store/memory.js';
import { postgresStore } from '../../src/store/sql/postgres.js';
import { sqliteStore } from '../../src/store/sql/sqlite.js';
import type { Store } from '../../src/store/store.js';
import type { IdFormat } from '../../src/store/tables.js';
import { createDatabase } from './postgres.js';

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
