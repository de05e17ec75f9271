import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { describe, expect, test } from 'vitest';
import { demoSeed } from '../src/index.js';
import { type AnyTables, type DialectName, dialects } from '../src/store/sql/dialect.js';
import { postgresStore } from '../src/store/sql/postgres.js';
import { createSchema } from '../src/store/sql/schema.js';
import { sqliteStore } from '../src/store/sql/sqlite.js';
import type { Store } from '../src/store/store.js';
import { allTableNames, type TableName, tableNames } from '../src/store/tables.js';
import { createDatabase } from './support/postgres.js';
import { temporaryFile } from './support/stores.js';

/** The statements that make these tables. */
async function statementsFor(name: DialectName, tables: readonly TableName[]): Promise<string> {
  const statements: string[] = [];
  const dialect = dialects[name];
  const recorder = new Kysely<AnyTables>({
    dialect: dialect.offline,
    log: ({ query }) => {
      statements.push(query.sql.replace(/\s+/g, ' '));
    },
  });
  await createSchema(recorder, dialect, tables);
  return statements.join(';\n');
}

describe('the tables of each version', () => {
  // Changed `tables.ts`? Databases that exist do not change with it: read `migrations.ts`. As long as no version has
  // been released, put the new fingerprint here.
  test.each([
    ['sqlite', 1, tableNames, '02be80a6e291a6c0'],
    ['postgres', 1, tableNames, 'b3b98eaef3dbe988'],
    ['sqlite', 2, ['ended_sessions'], '55d089204cd7c622'],
    ['postgres', 2, ['ended_sessions'], '235ce3e65c887eaf'],
    ['sqlite', 3, ['deleted_organizations'], '0fe21db6ca4d9fad'],
    ['postgres', 3, ['deleted_organizations'], '7e17062c64e76dc8'],
  ] as const)('on %s: what existing databases have of version %i', async (name, _version, tables, fingerprint) => {
    const statements = await statementsFor(name, tables);
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
  await createSchema(
    new Kysely({ dialect: new SqliteDialect({ database: described }) }),
    dialects.sqlite,
    allTableNames,
  );
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
