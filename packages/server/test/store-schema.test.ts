import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ServeError } from '../src/node/errors.js';
import { openPersistentStore } from '../src/node/open-store.js';
import { serveCommand } from '../src/node/serve-command.js';
import { demoSeed } from '../src/seed/demo.js';
import { postgresStore } from '../src/store/sql/postgres.js';
import { type SchemaFile, schemaFiles } from '../src/store/sql/schema/files.generated.js';
import { type Dialect, migrate } from '../src/store/sql/schema.js';
import { sqliteStore } from '../src/store/sql/sqlite.js';
import { type SqliteDatabase, sqliteDriver } from '../src/store/sql/sqlite-driver.js';
import { type PersistentStore, StoreConfigurationError } from '../src/store/store.js';
import { definitionOf, type IdFormat, organizationTables } from '../src/store/tables.js';
import { Run } from './support/command.js';
import { createDatabase, createLimitedDatabase } from './support/postgres.js';
import { differences, type Shape, shapeOfPostgres, shapeOfSqlite } from './support/schema.js';

vi.setConfig({ testTimeout: 120_000 });

let folder: string;
const ends: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mkt-schema-'));
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  rmSync(folder, { recursive: true });
});

/** A database without tables, and what a test looks at past the store. */
interface TestDatabase {
  /** What `--db` takes. */
  readonly db: string;
  readonly open: (files?: readonly SchemaFile[], ids?: IdFormat) => Promise<PersistentStore>;
  readonly query: (text: string) => Promise<Record<string, unknown>[]>;
  /** Runs any number of statements. */
  readonly script: (text: string) => Promise<unknown>;
  readonly shape: () => Promise<Shape>;
  /** Everything in it. */
  readonly content: () => Promise<unknown>;
}

const closing = async (opened: Promise<PersistentStore>): Promise<PersistentStore> => {
  const store = await opened;
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= store.close();
    return closed;
  };
  ends.push(close);
  return { ...store, close };
};

let count = 0;
function sqliteDatabase(): TestDatabase {
  count += 1;
  const db = join(folder, `${count}.db`);
  const run = async <Result>(work: (database: SqliteDatabase) => Result): Promise<Result> => {
    const database = (await sqliteDriver()).open(db);
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  return {
    db,
    open: (files, ids) => closing(sqliteStore(db, { ids, ...(files && { schemaFiles: files }) })),
    query: (text) =>
      run((database) =>
        database
          .prepare(text)
          .all()
          .map((row) => ({ ...row })),
      ),
    script: (text) => run((database) => database.exec(text)),
    shape: () => run(shapeOfSqlite),
    content: async () => readFileSync(db).toString('base64'),
  };
}

async function postgresDatabase(): Promise<TestDatabase> {
  const { url, query, drop } = await createDatabase();
  ends.push(drop);
  return {
    db: url,
    open: (files, ids) => closing(postgresStore(url, { ids, ...(files && { schemaFiles: files }) })),
    query,
    script: query,
    shape: () => shapeOfPostgres(query),
    content: async () => [
      await query(
        "select relname, relfilenode, reltuples from pg_class where relnamespace = 'public'::regnamespace order by 1",
      ),
      await query('select sum(n_tup_ins + n_tup_upd + n_tup_del) from pg_stat_user_tables'),
    ],
  };
}

const newDatabase = async (dialect: Dialect): Promise<TestDatabase> =>
  dialect === 'sqlite' ? sqliteDatabase() : postgresDatabase();

async function rejection(opened: Promise<PersistentStore>): Promise<string> {
  const error = await opened.then(
    () => new Error('It was opened.'),
    (reason: Error) => reason,
  );
  if (!(error instanceof StoreConfigurationError)) throw error;
  return error.message;
}

/** What SQL files make. No store opens it: where a table is missing, a store only says that the database is incomplete. */
async function shapeOfFiles(dialect: Dialect, ids: IdFormat, missing: readonly SchemaFile[]): Promise<Shape> {
  const { query, script, shape } = await newDatabase(dialect);
  await migrate({ query, script }, { ids, missing });
  return shape();
}

test('the SQL files make the tables that tables.ts describes', async () => {
  const unindexed = organizationTables.filter((table) => !definitionOf(table).indexes.byOrganization);
  const problems = unindexed.map(
    (table) =>
      `${table} in tables.ts needs an index, to be deleted with its organization: byOrganization: { columns: ['organization_id'], order: ['id'] }`,
  );
  for (const dialect of ['sqlite', 'postgres'] as const)
    for (const ids of ['integer', 'opaque'] as const)
      problems.push(...differences(dialect, ids, await shapeOfFiles(dialect, ids, schemaFiles[dialect])));
  if (problems.length > 0) throw new Error(`\n${[...new Set(problems)].join('\n')}\nThen run: npm run generate`);
});

/** The files as they would be if these lines came later. */
function without(dialect: Dialect, lines: RegExp): SchemaFile[] {
  const [first, ...rest] = schemaFiles[dialect];
  const text = first?.text.replace(lines, '') ?? '';
  expect(text).not.toBe(first?.text);
  return [{ name: '0001', text }, ...rest];
}
const last = '9999_last';
const next = (dialect: Dialect, text: string): SchemaFile[] => [...schemaFiles[dialect], { name: last, text }];

describe.each(['sqlite', 'postgres'] as const)('on %s', (dialect) => {
  test('the test above prints the statement that ends it, and a new file with it upgrades a database', async () => {
    const { open, shape, query, script } = await newDatabase(dialect);
    const earlier = without(dialect, /(?<=create table organizations \([^;]*) {2}default_countries .*\n/);
    await (await open(earlier)).close();
    await script(
      `insert into organizations (name, privacy_setting, default_currency, has_active_subscription, created_at, updated_at)
       values ('Acme', 'public', 'usd', ${dialect === 'sqlite' ? 1 : true}, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')`,
    );
    const [problem, ...others] = differences(dialect, 'integer', await shape());
    expect(others).toEqual([]);
    const type = { sqlite: "text not null default '[]'", postgres: "text[] not null default '{}'" }[dialect];
    const number = String(schemaFiles[dialect].length + 1).padStart(4, '0');
    expect(problem).toBe(
      'organizations.default_countries is in tables.ts, but not in the schema. ' +
        `Add packages/server/src/store/sql/schema/${number}_NAME.${dialect}.sql with: alter table organizations add column default_countries ${type};`,
    );
    const [, statement = ''] = problem?.split(' with: ') ?? [];
    const store = await open([...earlier, { name: last, text: statement }]);
    expect(differences(dialect, 'integer', await shape())).toEqual([]);
    expect(await store.read((reader) => reader.get('organizations', 1))).toMatchObject({ default_countries: [] });
    const recorded = await query('select file from mkt_schema_files order by file');
    expect(recorded.map(({ file }) => file)).toEqual([...schemaFiles[dialect].map(({ name }) => name), last]);
  });

  test('a missing table is printed with its indexes, for both formats of ids', async () => {
    const earlier = without(dialect, /create table social_accounts [\s\S]*?(?=create table addresses)/);
    const [problem, ...others] = differences(dialect, 'integer', await shapeOfFiles(dialect, 'integer', earlier));
    expect(others).toEqual([]);
    expect(problem).toMatch(/^social_accounts is in tables\.ts, but not in the schema\. /);
    const [, statements = ''] = problem?.split(' with: ') ?? [];
    for (const ids of ['integer', 'opaque'] as const) {
      const shape = await shapeOfFiles(dialect, ids, [...earlier, { name: last, text: statements }]);
      expect(differences(dialect, ids, shape)).toEqual([]);
    }
  });

  test('rows and totals stay when a later file is applied, and several processes may start at once', async () => {
    const { open, query } = await newDatabase(dialect);
    const before = await open();
    await before.load(demoSeed());
    const dump = await before.dump();
    await before.close();
    const files = next(dialect, "create table later (x text); insert into later values ('once');");
    const stores = await Promise.all(Array.from({ length: 4 }, () => open(files)));
    for (const store of stores) expect(await store.dump()).toEqual(dump);
    expect(await query('select x from later')).toEqual([{ x: 'once' }]);
  });

  test('a file that fails changes nothing, nor do the files before it', async () => {
    const { open, query } = await newDatabase(dialect);
    await (await open()).close();
    const files = [...next(dialect, 'create table later (x text);'), { name: '9999_wrong', text: 'create tabel y' }];
    expect(await rejection(open(files))).toMatch(/cannot be used\..* syntax error/);
    expect(await query('select file from mkt_schema_files')).toEqual(
      schemaFiles[dialect].map(({ name }) => ({ file: name })),
    );
    await expect(query('select x from later')).rejects.toThrow(/later/);
    await open();
  });

  test('a file that was changed after it was applied is named', async () => {
    const { open, content } = await newDatabase(dialect);
    const [first, ...rest] = schemaFiles[dialect];
    await (await open([{ name: '0001', text: first?.text.replaceAll('\n', '\r\n') ?? '' }, ...rest])).close();
    await (await open()).close();
    const before = await content();
    const message = await rejection(open([{ name: '0001', text: `${first?.text}\n` }, ...rest]));
    expect(message).toContain(`the schema file 0001.${dialect}.sql, which was changed after it was applied`);
    expect(await content()).toEqual(before);
  });

  test.each<[string, string, RegExp]>([
    [
      'a record of a later file',
      "insert into mkt_schema_files values ('t', '9999_x', 'integer', 'h')",
      /made by a newer version .* version 9999_x\)/,
    ],
    ['an empty record', 'delete from mkt_schema_files', /has a record of its schema .* cannot read/],
    [
      'a record with another format',
      'alter table mkt_schema_files add column y text',
      /has a record of its schema .* cannot read/,
    ],
    ['no record', 'drop table mkt_schema_files', /contains tables that are not in a record of this program \(.*users/],
    ['a missing table', 'drop table addresses', /is incomplete: it has no table addresses/],
  ])('a database with %s is rejected and not changed', async (_, change, words) => {
    const { open, script, content } = await newDatabase(dialect);
    await (await open()).close();
    await script(change);
    const before = await content();
    expect(await rejection(open())).toMatch(words);
    expect(await rejection(open())).toContain('nothing was changed');
    expect(await content()).toEqual(before);
  });

  test('a database with a later file and not the one before is rejected', async () => {
    const { open, query } = await newDatabase(dialect);
    const files = next(dialect, '');
    await (await open(files)).close();
    await query(`delete from mkt_schema_files where file = '0001'${dialect === 'sqlite' ? ' returning file' : ''}`);
    expect(await rejection(open(files))).toContain(`has no record of the schema file 0001.${dialect}.sql, but one of`);
  });

  test('the format of ids is recorded', async () => {
    const { open } = await newDatabase(dialect);
    await (await open(undefined, 'opaque')).close();
    expect((await open()).ids).toBe('opaque');
    expect(await rejection(open(undefined, 'integer'))).toContain('has opaque ids, which cannot be changed');
  });
});

test('several processes may create one SQLite file', async () => {
  const { db, query } = sqliteDatabase();
  const runs = Array.from({ length: 4 }, () => new Run(['--port', '0', '--json', '--db', db]));
  await Promise.all(runs.map((run) => run.printed('"url"')));
  expect(await Promise.all(runs.map((run) => run.stop()))).toEqual([0, 0, 0, 0]);
  expect(await query('select count(*) as total from users')).toEqual([{ total: 1 }]);
});

test("another program's SQLite file is rejected and not changed, whatever its tables are called", async () => {
  const { open, script, content } = sqliteDatabase();
  await script("create table notes (x); insert into notes values ('mine')");
  const before = await content();
  expect(await rejection(open())).toContain('(notes): they belong to another program');
  expect(await content()).toBe(before);
});

test('on postgres, a user who may not create extensions can search without the index', async () => {
  const { url, query, drop } = await createLimitedDatabase();
  const store = await postgresStore(url);
  await store.load(demoSeed());
  expect(await query("select from pg_extension where extname = 'pg_trgm'")).toEqual([]);
  const found = await store.read((reader) =>
    reader.scan('campaigns', 'byOrganization', [5], { limit: 2, text: 'creme' }),
  );
  expect(found).toHaveLength(1);
  await store.close();
  await drop();
});

// Made by commit a52114f, the last one before the SQL files: a seed of two users, an organization and an image, a campaign
// that was created and deleted, and a backup of the SQLite file.
describe('what was made before the first release', () => {
  const fixture = (name: string) => join(import.meta.dirname, 'fixtures/before-schema-files', name);

  const formerDatabase = async (dialect: Dialect): Promise<TestDatabase> => {
    const database = await newDatabase(dialect);
    if (dialect === 'sqlite') writeFileSync(database.db, gunzipSync(readFileSync(fixture('sqlite.db.gz'))));
    else await database.script(readFileSync(fixture('postgres.sql'), 'utf8'));
    return database;
  };

  async function errorOf(...args: string[]): Promise<string> {
    const io = { write: () => true };
    const command = serveCommand('serve', { stdout: io, stderr: io }).exitOverride();
    const error = await command.parseAsync(args, { from: 'user' }).catch((reason: unknown) => reason);
    if (!(error instanceof ServeError)) throw error;
    expect(error.exitCode).toBe(2);
    return error.message;
  }

  test.each(['sqlite', 'postgres'] as const)('a database on %s: each command says what to do', async (dialect) => {
    const { db, content } = await formerDatabase(dialect);
    const before = await content();
    for (const command of [
      ['--port', '0'],
      ['users', 'add', 'mia@example.com'],
      ['tokens', 'add', 'ada@acme.example', '--permission', 'read'],
      ['export'],
      ['backup', '--out', join(folder, 'x.backup')],
      ['restore', '--from', fixture('all.backup')],
    ])
      expect([command, await errorOf(...command, '--db', db)]).toEqual([
        command,
        expect.stringMatching(
          /^The database .* was made by a version of mkt before its first release; nothing was changed\. Back it up with the version that made it \("serve backup"\), then restore that file into a new database with this one \("serve restore"\)\.$/,
        ),
      ]);
    expect(await content()).toEqual(before);
  });

  test.each(['sqlite', 'postgres'] as const)('a backup is restored into %s', async (dialect) => {
    const { db } = await newDatabase(dialect);
    const run = new Run(['restore', '--db', db, '--from', fixture('all.backup')]);
    expect([await run.ended, run.stderr]).toEqual([0, expect.stringMatching(/^Restored 12 rows/)]);
    const store = await closing(openPersistentStore(db));
    const { tables, serials } = await store.dump();
    expect(tables.campaigns).toMatchObject([
      { id: 1, name: 'Summer sale', countries: ['DE', 'FR'], total_budget_amount: 50_000, paused_at: null },
      { id: 2, name: 'Crème de nuit', status: 'draft' },
    ]);
    expect(tables.images[0]?.bytes.length).toBe(70);
    expect(tables.images[0]?.id).toBe(tables.campaigns[0]?.banner_image_key);
    expect(serials.campaigns).toBe(4);
    const found = await store.read((reader) =>
      reader.scan('campaigns', 'byOrganization', [1], { limit: 2, text: 'CREME' }),
    );
    expect(found.map(({ name }) => name)).toEqual(['Crème de nuit']);
    expect(await store.read((reader) => reader.count('campaigns', 'byOrganizationAndStatus', [1, 'active']))).toBe(1);
  });
});
