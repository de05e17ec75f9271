import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { indexName } from '../src/store/sql/schema.js';
import { sqliteStore } from '../src/store/sql/sqlite.js';
import { sqliteDriver } from '../src/store/sql/sqlite-driver.js';
import { statementsOf } from '../src/store/sql/statements.js';
import { type PersistentStore, type Store, StoreConfigurationError, StoreUnavailable } from '../src/store/store.js';
import { contentTables, definitionOf } from '../src/store/tables.js';
import { Run } from './support/command.js';
import { campaignRow, imageRow, organizationRow, userRow } from './support/rows.js';
import { temporaryFile } from './support/stores.js';

let file: string;
let remove: () => Promise<void>;
const open: Store[] = [];

beforeEach(async () => {
  ({ db: file, remove } = await temporaryFile());
});
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
  await remove();
});

const opened = async (...parameters: Parameters<typeof sqliteStore>): Promise<PersistentStore> => {
  const store = await sqliteStore(...parameters);
  open.push(store);
  return store;
};
const addUser = (store: Store, id: string) => store.transact((writer) => writer.insert('users', userRow(id)));

describe('statements', () => {
  test.each([0, 1000])('use their index and do not sort, with statistics of %i campaigns', async (count) => {
    const store = await opened(file);
    await store.transact(async (writer) => {
      for (const name of ['Acme', 'Globex']) await writer.insert('organizations', organizationRow({ name }));
      // The organization that the plans below are for has nearly all of them, after those of another one.
      for (let number = 1; number <= count; number += 1)
        await writer.insert('campaigns', campaignRow({ organization_id: number < 100 ? 2 : 1 }));
    });
    const analyzed = (await sqliteDriver()).open(file);
    analyzed.exec('analyze');
    analyzed.close();
    const database = (await sqliteDriver()).open(file, { readOnly: true });
    const statements = statementsOf('sqlite', 'integer');
    const plan = (text: string) => {
      const values = Array.from({ length: text.split('?').length - 1 }, () => 1);
      const steps = database.prepare(`explain query plan ${text}`).all(values) as { detail: string }[];
      return steps.map(({ detail }) => detail).join('; ');
    };
    for (const table of contentTables) {
      const { get, index } = statements[table];
      expect(plan(get.text)).toMatch(new RegExp(`^SEARCH ${table} USING (INTEGER PRIMARY KEY|INDEX sqlite_autoindex)`));
      for (const [name, { unique, counted }] of Object.entries(definitionOf(table).indexes)) {
        const { find, page, far, count, deleteSome } = index(name);
        expect(far !== null).toBe(counted === true);
        for (const { text } of Object.values(far ?? {})) {
          const steps = plan(text);
          expect(steps).toContain(`SEARCH ${table}_blocks USING PRIMARY KEY (organization_id=?)`);
          expect(steps).toMatch(
            new RegExp(`SEARCH ${table} USING (COVERING )?INDEX ${indexName(table, name)} \\(.*[<>]\\?\\)`),
          );
        }
        const lists = [page, count, ...deleteSome];
        for (const { text } of unique ? [find] : lists) {
          expect([text, plan(text)]).toEqual([text, expect.stringMatching(/SEARCH \w+ USING/)]);
          expect(plan(text)).not.toMatch(/SCAN|TEMP B-TREE/);
        }
      }
    }
    expect(plan(statements.campaigns.index('byOrganizationWithoutDrafts').page.text)).toContain(
      'campaigns_by_organization_without_drafts',
    );
    expect(plan(statements.campaigns.index('byOrganization').count.text)).toContain('totals');
    database.close();
  });
});

describe('the file', () => {
  test.skipIf(process.platform === 'win32')('is readable by its owner only, unless it existed', async () => {
    const target = `${file}.target`;
    await symlink(target, file);
    const modes = () => Promise.all(['', '-wal', '-shm'].map(async (end) => (await stat(target + end)).mode & 0o777));
    const store = await sqliteStore(file);
    expect(await modes()).toEqual([0o600, 0o600, 0o600]);
    await store.close();
    await chmod(file, 0o640);
    await opened(file);
    expect(await modes()).toEqual([0o640, 0o640, 0o640]);
  });

  test('keeps the data, with a write-ahead log while it is open and without one afterwards', async () => {
    const store = await sqliteStore(file);
    await addUser(store, 'ada');
    const database = (await sqliteDriver()).open(file, { readOnly: true });
    expect(database.prepare('pragma journal_mode').all()).toMatchObject([{ journal_mode: 'wal' }]);
    database.close();
    await store.close();
    await expect(readFile(`${file}-wal`)).rejects.toThrow('ENOENT');

    const again = await opened(file);
    expect(await again.read((reader) => reader.get('users', 'ada'))).toEqual(userRow('ada'));
  });

  test('gets what is in a large log while it is open, except while a backup reads it', async () => {
    const store = await opened(file);
    const logSize = async () => (await stat(`${file}-wal`)).size;
    const addImage = (id: string) =>
      store.transact((writer) => writer.insert('images', imageRow(id, { bytes: new Uint8Array(5 * 1024 * 1024) })));
    await store.transact((writer) => writer.insert('organizations', organizationRow()));
    await addImage('one');
    await expect.poll(logSize).toBe(0);
    const parts = store.backup()[Symbol.asyncIterator]();
    await parts.next();
    await addImage('two');
    await addImage('three');
    expect(await logSize()).toBeGreaterThan(10 * 1024 * 1024);
    await parts.return?.();
    await addImage('four');
    await expect.poll(logSize).toBe(0);
    for (const id of ['one', 'two', 'three', 'four'])
      expect(await store.read((reader) => reader.get('images', id))).toMatchObject({ id });
  });

  test.each([
    [
      'in a directory that does not exist',
      () => join(dirname(file), 'missing', 'x.db'),
      /its directory does not exist/,
    ],
    ['that is a directory', () => dirname(file), /it cannot be opened or created there/],
  ])('%s is rejected in one sentence', async (_, path, reason) => {
    const rejection = sqliteStore(path());
    await expect(rejection).rejects.toThrow(StoreConfigurationError);
    await expect(rejection).rejects.toThrow(reason);
  });

  test('that is not a database is rejected and not changed', async () => {
    await writeFile(file, 'These are my notes. '.repeat(100));
    const rejection = sqliteStore(file);
    await expect(rejection).rejects.toThrow(StoreConfigurationError);
    await expect(rejection).rejects.toThrow(`The database file ${file} cannot be used: it is not an SQLite database.`);
    expect(await readFile(file, 'utf8')).toBe('These are my notes. '.repeat(100));
  });

  test("with another program's tables is rejected and not changed", async () => {
    const other = (await sqliteDriver()).open(file);
    other.exec("create table users (login text); insert into users values ('root')");
    other.close();
    await expect(sqliteStore(file)).rejects.toThrow(
      `The database file ${file} contains tables that are not in a record of this program (users): they belong to another ` +
        'program, or to an incomplete copy; nothing was changed. Restore a backup into a new database, or use another one.',
    );
    const after = (await sqliteDriver()).open(file);
    expect(after.prepare("select name from sqlite_master where type = 'table'").all()).toMatchObject([
      { name: 'users' },
    ]);
    after.close();
  });

  test('becomes a database if it is empty', async () => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, '');
    expect(await (await opened(file)).isEmpty()).toBe(true);
  });
});

test('a row cannot belong to what is not there, and totals go with their organization', async () => {
  const store = await opened(file);
  const orphan = store.transact((writer) => writer.insert('campaigns', campaignRow({ organization_id: 1 })));
  await expect(orphan).rejects.toThrow('FOREIGN KEY');
  await store.transact(async (writer) => {
    await writer.insert('organizations', organizationRow());
    const { id } = await writer.insert('campaigns', campaignRow({ organization_id: 1 }));
    await writer.delete('campaigns', id);
    await writer.delete('organizations', 1);
  });
  const database = (await sqliteDriver()).open(file, { readOnly: true });
  expect(database.prepare('select * from campaigns_totals').all()).toEqual([]);
  database.close();
});

describe('several stores on one file', () => {
  test('may start at the same moment', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => opened(file)));
    await Promise.all(stores.map((store, index) => addUser(store, `user ${index}`)));
    for (const store of stores) expect((await store.dump()).tables.users).toHaveLength(4);
  });

  test('write one after the other and lose nothing', async () => {
    const [one, other] = [await opened(file), await opened(file)];
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 ? one : other).transact(async (writer) => {
          await writer.get('users', 'ada');
          await writer.insert('users', userRow(`user ${index}`));
        }),
      ),
    );
    expect((await one.dump()).tables.users).toHaveLength(40);
  });

  test('a writer that waits too long gets StoreUnavailable, without blocking the process', async () => {
    const store = await opened(file, { busyTimeout: 500 });
    const holder = (await sqliteDriver()).open(file);
    holder.exec('begin immediate');
    // Turns of the event loop: also on a busy machine there are thousands, unless a writer blocks it.
    let turns = 0;
    let next = setImmediate(() => undefined);
    const turn = () => {
      turns += 1;
      next = setImmediate(turn);
    };
    turn();
    const started = performance.now();
    // All of them in the time of one: they do not wait one after the other.
    const waiting = ['ada', 'ben', 'cleo', 'dan', 'eve', 'fay', 'gus', 'hal'].map((id) => addUser(store, id));
    for (const rejected of waiting) await expect(rejected).rejects.toThrow(StoreUnavailable);
    expect(performance.now() - started).toBeLessThan(8 * 500);
    clearImmediate(next);
    expect(turns).toBeGreaterThan(500);
    expect(await store.read((reader) => reader.get('users', 'ada'))).toBeNull();
    holder.exec('rollback');
    holder.close();
    await addUser(store, 'ada');
    expect(await store.read((reader) => reader.get('users', 'ada'))).toEqual(userRow('ada'));
  });
});

describe('without better-sqlite3 and node:sqlite', () => {
  /** A run of the command where this Node has no node:sqlite, and where `found` is loaded as better-sqlite3. */
  const runWith = async (found: string) => {
    const [hooks, register] = [join(dirname(file), 'hooks.mjs'), join(dirname(file), 'register.mjs')];
    await writeFile(
      hooks,
      `export const resolve = (name, context, next) => next(name === 'better-sqlite3' ? ${JSON.stringify(found)} : name, context);`,
    );
    await writeFile(
      register,
      `import { register } from 'node:module';
      register(${JSON.stringify(`file://${hooks}`)});
      const { getBuiltinModule } = process;
      process.getBuiltinModule = (name) => (name === 'node:sqlite' ? undefined : getBuiltinModule(name));`,
    );
    return new Run(['--port', '0', '--db', file], {
      // Node 26 warns about the function that registers the loader.
      NODE_OPTIONS: `--disable-warning=DEP0205 --import=file://${register}`,
    });
  };
  const unbuilt = 'export default class { constructor() { throw new Error("Could not locate the bindings file."); } }';

  test.each([
    ['not installed', 'better-sqlite3-is-missing'],
    ['not built', `data:text/javascript,${encodeURIComponent(unbuilt)}`],
  ])('%s: the server says so in one sentence and ends with 2', async (_, found) => {
    const run = await runWith(found);
    const code = await run.ended;
    const { stderr } = run;
    expect(stderr).toMatch(/cannot be opened because the optional package better-sqlite3 is missing or was not built/);
    expect(stderr.match(/npm install better-sqlite3/g)).toHaveLength(1);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(code).toBe(2);
  });
});

test('the server names the driver in use', async () => {
  const run = new Run(['--port', '0', '--db', file]);
  await run.printed(`The data is stored in ${file}, with ${(await sqliteDriver()).name}.`);
  expect(await run.stop()).toBe(0);
});

test('a closed store is unavailable', async () => {
  const store = await sqliteStore(file);
  await store.close();
  await expect(store.ping()).rejects.toThrow(StoreUnavailable);
  await expect(addUser(store, 'ada')).rejects.toThrow(StoreUnavailable);
});
