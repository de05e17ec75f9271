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
    const statements = schemaOf(dialect, tables).join(';\n').replace(/\s+/g, ' ');
    expect([createHash('sha256').update(statements).digest('hex').slice(0, 16), statements]).toEqual([
      fingerprint,
      statements,
    ]);
  });
});

test('a migrated database has the columns, indexes and triggers that tables.ts describes', async () => {
  const { db: file, remove } = await temporaryFile();
  await (await sqliteStore(file)).close();
  const migrated = new Database(file);
  const described = new Database(':memory:');
  for (const statement of schemaOf('sqlite', allTableNames)) described.exec(statement);
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
