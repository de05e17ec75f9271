import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { demoSeed } from '../src/index.js';
import { postgresStore } from '../src/store/sql/postgres.js';
import { schemaOf } from '../src/store/sql/schema.js';
import { sqliteStore } from '../src/store/sql/sqlite.js';
import type { Store } from '../src/store/store.js';
import { allTableNames, contentTables } from '../src/store/tables.js';
import { createDatabase } from './support/postgres.js';
import { temporaryFile } from './support/stores.js';

describe('the tables of each version', () => {
  // Changed `tables.ts`? Databases that exist do not change with it: read `versions` in `schema.ts`. As long as no version has
  // been released, put the new fingerprint here.
  test.each([
    ['sqlite', 1, contentTables, '2444a604a47bf1e3'],
    ['postgres', 1, contentTables, 'fe38d7966ba57fb7'],
    ['sqlite', 2, ['ended_sessions'], 'a1ec8a64b25c999a'],
    ['postgres', 2, ['ended_sessions'], 'b04b09cad1c586ed'],
    ['sqlite', 3, ['deleted_organizations'], '2ad78b8c8bf12c7d'],
    ['postgres', 3, ['deleted_organizations'], 'c5badbae049d34d6'],
  ] as const)('on %s: what existing databases have of version %i', (dialect, _version, tables, fingerprint) => {
    check(schemaOf(dialect, tables, 'integer'), fingerprint);
  });

  test.each([
    ['sqlite', '3bae72ab0e58be0e'],
    ['postgres', '28a91aadca654d49'],
  ] as const)('on %s: what existing databases with opaque ids have', (dialect, fingerprint) => {
    check(schemaOf(dialect, allTableNames, 'opaque'), fingerprint);
  });

  function check(schema: readonly string[], fingerprint: string): void {
    const statements = schema.join(';\n').replace(/\s+/g, ' ');
    expect([createHash('sha256').update(statements).digest('hex').slice(0, 16), statements]).toEqual([
      fingerprint,
      statements,
    ]);
  }
});

test.each(['integer', 'opaque'] as const)('a new database has what tables.ts describes, with %s ids', async (ids) => {
  const { db: file, remove } = await temporaryFile();
  await (await sqliteStore(file, { ids })).close();
  const migrated = new Database(file);
  const described = new Database(':memory:');
  for (const statement of schemaOf('sqlite', allTableNames, ids)) described.exec(statement);
  expect(shapeOf(migrated)).toEqual(shapeOf(described));
  migrated.close();
  described.close();
  await remove();
});

describe('a database of version 1 keeps its data', () => {
  const downgrade =
    "drop table ended_sessions; drop table deleted_organizations; delete from mkt_schema where name > '1'";

  async function check(open: () => Promise<Store>, run: (sql: string) => unknown): Promise<void> {
    const before = await open();
    await before.load(demoSeed());
    const dump = await before.dump();
    await before.close();
    await run(downgrade);
    const store = await open();
    expect(await store.dump()).toEqual(dump);
    const row = { id: 'abc', expires_at: '2026-06-01T12:00:00Z' };
    await store.transact((writer) => writer.insert('ended_sessions', row));
    expect(await store.read((reader) => reader.get('ended_sessions', 'abc'))).toEqual(row);
    await store.close();
  }

  test('on sqlite', async () => {
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

  test('on postgres', { timeout: 60_000 }, async () => {
    const { url, query, drop } = await createDatabase();
    await check(() => postgresStore(url), query);
    await drop();
  });
});

/** Without the order of columns, which a migration that adds one cannot choose. */
function shapeOf(database: Database.Database): string[] {
  const entries = database
    .prepare("select type, name, sql from sqlite_master where name not like 'mkt_schema%' and sql is not null")
    .all() as { type: string; name: string; sql: string }[];
  return entries
    .flatMap(({ type, name, sql }) =>
      type === 'table'
        ? (database.pragma(`table_info(${name})`) as object[]).map(
            (column) => `${name}: ${JSON.stringify({ ...column, cid: undefined })}`,
          )
        : [sql],
    )
    .sort();
}

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
