import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { demoSeed } from '../src/index.js';
import { postgresStore } from '../src/store/sql/postgres.js';
import { schemaOf } from '../src/store/sql/schema.js';
import { sqliteStore } from '../src/store/sql/sqlite.js';
import type { Store } from '../src/store/store.js';
import { createDatabase } from './support/postgres.js';
import { temporaryFile } from './support/stores.js';

describe('the tables of version 5', () => {
  // Changed `tables.ts`? Databases that exist do not change with it: read `schemaVersion` in `schema.ts`.
  test.each([
    ['sqlite', 'integer', '90126c108955d01a'],
    ['sqlite', 'opaque', '3b2f7842c6981be0'],
    ['postgres', 'integer', 'c3dcd870516e5e05'],
    ['postgres', 'opaque', 'ec8a375945bd7621'],
  ] as const)('on %s, with %s ids', (dialect, ids, fingerprint) => {
    const statements = schemaOf(dialect, ids).join(';\n').replace(/\s+/g, ' ');
    expect([createHash('sha256').update(statements).digest('hex').slice(0, 16), statements]).toEqual([
      fingerprint,
      statements,
    ]);
  });
});

describe('a database from before the first release', () => {
  const versions = (...names: number[]) =>
    `delete from mkt_schema; insert into mkt_schema values ${names.map((name) => `('${name}', '2026-01-01')`).join(', ')}`;

  async function check(open: () => Promise<Store>, run: (sql: string) => unknown): Promise<void> {
    const before = await open();
    await before.load(demoSeed());
    const dump = await before.dump();
    await before.close();
    await run(versions(1, 2, 3, 4));
    await expect(open()).rejects.toThrow(
      'was made before the first release of @mkt/server, with other tables; nothing was changed. Use a new database.',
    );
    await run(versions(1, 2, 3, 4, 5));
    const store = await open();
    expect(await store.dump()).toEqual(dump);
    await store.close();
  }

  test('is rejected, or used if its tables are the same, on sqlite', async () => {
    const { db: file, remove } = await temporaryFile();
    await check(
      () => sqliteStore(file),
      (sql) => {
        const database = new Database(file);
        database.exec(sql);
        database.close();
      },
    );
    await remove();
  });

  test('and on postgres', { timeout: 60_000 }, async () => {
    const { url, query, drop } = await createDatabase();
    await check(() => postgresStore(url), query);
    await drop();
  });
});

test('on postgres, a user who may not create extensions can search without the index', {
  timeout: 60_000,
}, async () => {
  const { url, query, drop } = await createDatabase();
  const user = `user_${new URL(url).pathname.slice(-12)}`;
  await query(`create role ${user} login password 'secret'`);
  await query(`grant create on schema public to ${user}`);
  const limited = new URL(url);
  limited.username = user;
  limited.password = 'secret';
  const store = await postgresStore(limited.href);
  await store.load(demoSeed());
  expect(await query("select from pg_extension where extname = 'pg_trgm'")).toEqual([]);
  const found = await store.read((reader) =>
    reader.scan('campaigns', 'byOrganization', [5], { limit: 2, text: 'creme' }),
  );
  expect(found).toHaveLength(1);
  await store.close();
  await query(`drop owned by ${user} cascade`);
  await query(`drop role ${user}`);
  await drop();
});

describe('the format of ids', () => {
  const { tables } = demoSeed();

  test('of a database without a record is integer, and its data stays', async () => {
    const { db: file, remove } = await temporaryFile();
    const before = await sqliteStore(file);
    await before.load(demoSeed());
    await before.close();
    const store = await sqliteStore(file);
    expect([store.ids, (await store.dump()).tables.campaigns]).toEqual(['integer', tables.campaigns]);
    await store.close();
    await expect(sqliteStore(file, { ids: 'opaque' })).rejects.toThrow('has integer ids, which cannot be changed');
    await remove();
  });

  test('is recorded, on postgres', { timeout: 60_000 }, async () => {
    const { url, drop } = await createDatabase();
    await (await postgresStore(url, { ids: 'opaque' })).close();
    const store = await postgresStore(url);
    expect(store.ids).toBe('opaque');
    await store.close();
    await expect(postgresStore(url, { ids: 'integer' })).rejects.toThrow('has opaque ids, which cannot be changed');
    await drop();
  });
});
