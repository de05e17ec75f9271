import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { TestStore } from './stores.js';

/** All that a store holds, as text that is equal as long as nothing was changed. */
export interface Everything {
  readonly read: () => Promise<string>;
  readonly close: () => Promise<void>;
}

/**
 * Of PostgreSQL over a connection that stays, in one statement: a dump opens a connection and reads table by table, which a test
 * that compares after each of thousands of requests would spend nine tenths of its time on.
 */
export async function everythingIn({ store, db }: TestStore): Promise<Everything> {
  if (!db.startsWith('postgres')) {
    return { read: async () => JSON.stringify(await store.dump()), close: async () => undefined };
  }
  const client = new pg.Client(db);
  await client.connect();
  const names = async (text: string) => (await client.query<{ name: string }>(text)).rows.map(({ name }) => name);
  const tables = await names('select tablename as name from pg_tables where schemaname = current_schema()');
  const sequences = await names('select sequencename as name from pg_sequences where schemaname = current_schema()');
  const text = `select ${[
    ...tables.map((name) => `(select json_agg(t order by t::text)::text from ${name} t) as "${name}"`),
    ...sequences.map((name) => `(select last_value::text || is_called from ${name}) as "${name}"`),
  ].join(', ')}`;
  /** The rows of a deleted organization are removed in the background: they are compared once that is done. */
  const read = async (): Promise<string> => {
    for (;;) {
      const { rows } = await client.query<{ deleted_organizations: string | null }>(text);
      if (rows[0]?.deleted_organizations === null) return JSON.stringify(rows);
      await setTimeout(10);
    }
  };
  return { read, close: () => client.end() };
}
