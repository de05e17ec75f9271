import { memoryStore } from '../store/memory.js';
import type { Store } from '../store/store.js';

/** `memory:`, a PostgreSQL address, or the path of an SQLite file. Drivers are loaded only when they are asked for. */
export async function openStore(db: string): Promise<Store> {
  if (db === 'memory:') return memoryStore();
  if (/^postgres(ql)?:/.test(db)) return (await import('../store/sql/postgres.js')).postgresStore(db);
  return (await import('../store/sql/sqlite.js')).sqliteStore(db);
}
