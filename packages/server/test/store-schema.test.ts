import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { describe, expect, test } from 'vitest';
import { type AnyTables, type DialectName, dialects } from '../src/store/sql/dialect.js';
import { createSchema } from '../src/store/sql/schema.js';
import { sqliteStore } from '../src/store/sql/sqlite.js';
import { temporaryFile } from './support/stores.js';

/** The statements that make a database of version 1. */
async function versionOne(name: DialectName): Promise<string> {
  const statements: string[] = [];
  const dialect = dialects[name];
  const recorder = new Kysely<AnyTables>({
    dialect: dialect.offline,
    log: ({ query }) => {
      statements.push(query.sql.replace(/\s+/g, ' '));
    },
  });
  await createSchema(recorder, dialect);
  return statements.join(';\n');
}

describe('the schema of version 1', () => {
  // Changed `tables.ts`? Databases that exist do not change with it: read `migrations.ts`. As long as no version has
  // been released, put the new fingerprint here.
  test.each([
    ['sqlite', '02be80a6e291a6c0'],
    ['postgres', 'b3b98eaef3dbe988'],
  ] as const)('on %s is the one that existing databases have', async (name, fingerprint) => {
    const statements = await versionOne(name);
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
  await createSchema(new Kysely({ dialect: new SqliteDialect({ database: described }) }), dialects.sqlite);
  expect(shapeOf(migrated)).toEqual(shapeOf(described));
  migrated.close();
  described.close();
  await remove();
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
