import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { demoSeed } from '../src/index.js';
import { postgresStore } from '../src/store/sql/postgres.js';
import { schemaOf, versionStatements } from '../src/store/sql/schema.js';
import { sqliteStore } from '../src/store/sql/sqlite.js';
import { type SqliteDatabase, sqliteDriver } from '../src/store/sql/sqlite-driver.js';
import type { Store } from '../src/store/store.js';
import { allTableNames } from '../src/store/tables.js';
import { createDatabase } from './support/postgres.js';
import { temporaryFile } from './support/stores.js';

describe('the tables of each version', () => {
  // Changed `tables.ts`? Databases that exist do not change with it: read `versions` in `schema.ts`.
  test.each([
    ['sqlite', '1', '054b257d4b2f7b74'],
    ['postgres', '1', '6ed89d772151cb96'],
    ['sqlite', '2', 'a1ec8a64b25c999a'],
    ['postgres', '2', 'b04b09cad1c586ed'],
    ['sqlite', '3', '2ad78b8c8bf12c7d'],
    ['postgres', '3', 'c5badbae049d34d6'],
    ['sqlite', '4', '822e0672384c000b'],
    ['postgres', '4', '4ca367815e6342b1'],
    ['sqlite', '5', 'eaa625a885c67b84'],
    ['postgres', '5', '9b099ec46803300d'],
  ] as const)('on %s: what version %s adds', (dialect, version, fingerprint) => {
    check(versionStatements(dialect, version, 'integer'), fingerprint);
  });

  test.each([
    ['sqlite', '3f7ad79eee5ffbf1'],
    ['postgres', 'ec8a375945bd7621'],
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
  const migrated = (await sqliteDriver()).open(file);
  const described = (await sqliteDriver()).open(':memory:');
  for (const statement of schemaOf('sqlite', allTableNames, ids)) described.exec(statement);
  expect(shapeOf(migrated)).toEqual(shapeOf(described));
  migrated.close();
  described.close();
  await remove();
});

describe('a database of version 1 keeps its data', () => {
  const totals = ['campaigns_by_organization_and_status', 'collabs_by_organization_and_state'];
  const downgrade = [
    'drop table ended_sessions',
    'drop table deleted_organizations',
    ...totals.flatMap((name) => [`drop index ${name}`, `drop table ${name}_totals`]),
    "delete from mkt_schema where name > '1'",
  ];
  const searched = ['campaigns', 'collabs'];
  const countDrafts = (store: Store) =>
    store.read((reader) => reader.count('campaigns', 'byOrganizationAndStatus', [5, 'draft']));

  async function check(open: () => Promise<Store>, run: (sql: string) => unknown, triggers: string[]): Promise<void> {
    const before = await open();
    await before.load(demoSeed());
    const dump = await before.dump();
    const drafts = await countDrafts(before);
    expect(drafts).toBeGreaterThan(0);
    await before.close();
    await run([...triggers, ...downgrade].join('; '));
    const store = await open();
    expect(await store.dump()).toEqual(dump);
    expect(await countDrafts(store)).toBe(drafts);
    const found = await store.read((reader) =>
      reader.scan('campaigns', 'byOrganization', [5], { limit: 2, text: 'CREME' }),
    );
    expect(found.map(({ name }) => name)).toEqual(['Crème de nuit: avant et après']);
    const row = { id: 'abc', expires_at: '2026-06-01T12:00:00Z' };
    await store.transact((writer) => writer.insert('ended_sessions', row));
    expect(await store.read((reader) => reader.get('ended_sessions', 'abc'))).toEqual(row);
    await store.close();
  }

  test('on sqlite', async () => {
    const { db: file, remove } = await temporaryFile();
    await check(
      () => sqliteStore(file),
      async (sql) => {
        const database = (await sqliteDriver()).open(file);
        database.exec(sql);
        database.close();
      },
      [
        ...totals.flatMap((name) =>
          ['inserted', 'deleted', 'moved_out', 'moved_in'].map((event) => `drop trigger ${name}_totals_${event}`),
        ),
        ...searched.flatMap((table) => [
          ...['inserted', 'deleted', 'updated'].map((event) => `drop trigger ${table}_search_${event}`),
          `drop table ${table}_search`,
        ]),
      ],
    );
    await remove();
  });

  test('on postgres', { timeout: 60_000 }, async () => {
    const { url, query, drop } = await createDatabase();
    await check(() => postgresStore(url), query, [
      ...totals.flatMap((name) =>
        ['insert', 'delete', 'update'].map((event) => `drop function ${name}_totals_${event}() cascade`),
      ),
      ...searched.map((table) => `alter table ${table} drop column searched_text`),
    ]);
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

/** Without the order of columns, which a migration that adds one cannot choose. */
function shapeOf(database: SqliteDatabase): string[] {
  const entries = database
    .prepare("select type, name, sql from sqlite_master where name not like 'mkt_schema%' and sql is not null")
    .all() as { type: string; name: string; sql: string }[];
  return entries
    .flatMap(({ type, name, sql }) =>
      type === 'table'
        ? database
            .prepare(`pragma table_info(${name})`)
            .all()
            .map((column) => `${name}: ${JSON.stringify({ ...column, cid: undefined })}`)
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
