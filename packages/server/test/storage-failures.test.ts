import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { jsonLog, type Log, textLog } from '../src/node/logs.js';
import type { MetricsOptions } from '../src/node/metrics.js';
import { type Server, serve } from '../src/node/serve.js';
import { demoSeed, demoTokens } from '../src/seed/demo.js';
import { postgresStore } from '../src/store/sql/postgres.js';
import { sqliteStore } from '../src/store/sql/sqlite.js';
import { sqliteDriver } from '../src/store/sql/sqlite-driver.js';
import { type Store, StoreUnavailable } from '../src/store/store.js';
import { Run } from './support/command.js';
import { createDatabase } from './support/postgres.js';
import { send, urlOf } from './support/served.js';

vi.setConfig({ testTimeout: 60_000 });

let folder: string;
const running: Server[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mkt-storage-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
  rmSync(folder, { recursive: true, force: true });
});

const errors: unknown[] = [];
const log = {
  requestCompleted: () => undefined,
  failed: (_: unknown, error: unknown) => errors.push(error),
  stopping: () => undefined,
};

async function served(store: Store, ownLog: Log = log, metrics?: MetricsOptions): Promise<string> {
  errors.length = 0;
  await store.load(demoSeed());
  const server = await serve({ store, port: 0, log: ownLog, ...(metrics && { metrics }) });
  running.push(server);
  return server.url;
}

/** More campaigns of Acme than a download reads at once. */
async function addCopies(store: Store): Promise<void> {
  const dump = await store.dump();
  const [campaign] = dump.tables.campaigns.filter(({ organization_id }) => organization_id === 5);
  const copies = Array.from({ length: 1500 }, (_, place) => ({ ...campaign, id: 1000 + place }));
  await store.load({
    ...dump,
    tables: { ...dump.tables, campaigns: [...dump.tables.campaigns, ...copies] as typeof dump.tables.campaigns },
  });
}

const readiness = async (url: string) => {
  const response = await fetch(`${url}/readyz`);
  return { code: response.status, ...((await response.json()) as { status: string }) };
};
const becomesReady = (url: string) =>
  vi.waitFor(async () => expect((await readiness(url)).code).toBe(200), { timeout: 10_000, interval: 200 });
const campaigns = '/organizations/5/campaigns.json';
const create = (url: string, name = 'One more', brief = '') =>
  send(url, 'ada_write', 'POST', campaigns, { campaign: { name, brief } });
const connectAccount = (url: string) =>
  send(url, 'ada_write', 'POST', '/me/social_accounts.json', {
    social_account: { platform_id: 'tiktok', account_url: 'https://www.tiktok.com/@one.more' },
  });
const read = (url: string) => send(url, 'ada_write', 'GET', campaigns);

/** Writes until the database is full. */
async function fill(url: string) {
  for (let count = 0; count < 300; count += 1) {
    const reply = await create(url, `Campaign ${count}`, `<p>${'long '.repeat(2000)}</p>`);
    if (reply.status !== 201) return reply;
  }
  throw new Error('The database never became full.');
}

const fullDisk = /^The disk of the database is full, so nothing can be saved\./;

describe('SQLite', () => {
  test('a full disk: 503 that says so, reads go on, /readyz is 503 until there is room again', async () => {
    const file = join(folder, 'kept.db');
    // A connection's own limit: what the disk is to the others.
    let limit: (pages: number) => void = () => undefined;
    const driver = await sqliteDriver();
    const { open } = driver;
    const spy = vi.spyOn(driver, 'open').mockImplementation((path, options) => {
      const database = open(path, options);
      if (!options?.readOnly) limit = (pages) => database.exec(`pragma max_page_count = ${pages}`);
      return database;
    });
    const store = await sqliteStore(file);
    spy.mockRestore();
    const lines: string[] = [];
    const url = await served(store, await jsonLog({ write: (line) => lines.push(line) }), { port: 0 });
    const isReady = async () =>
      /^mkt_ready (\d)$/m.exec(await (await fetch(running.at(-1)?.metricsUrl ?? '')).text())?.[1];
    expect((await create(url)).status).toBe(201);
    // No request has written since then: /readyz finds it out itself.
    await vi.waitFor(async () => expect(await isReady()).toBe('1'), { timeout: 10_000, interval: 50 });
    const other = driver.open(file);
    other.exec('create table filler (x); insert into filler values (zeroblob(1000000))');
    other.close();
    limit(1);
    const full = { code: 503, status: expect.stringMatching(fullDisk) };
    await vi.waitFor(async () => expect(await readiness(url)).toMatchObject(full), { timeout: 10_000, interval: 200 });
    expect(await isReady()).toBe('0');
    limit(100_000);
    await becomesReady(url);
    const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => /ready/.test(msg));
    expect(told.map(({ level, msg }) => [level, msg])).toEqual([
      [40, expect.stringMatching(/^The server is not ready: The disk of the database is full/)],
      [30, 'The server is ready again.'],
    ]);
    limit(400);

    const rejected = await fill(url);
    expect(rejected).toMatchObject({ status: 503, body: { error: expect.stringMatching(fullDisk) } });
    expect((await read(url)).status).toBe(200);
    expect(await readiness(url)).toMatchObject({ code: 503, status: expect.stringMatching(fullDisk) });
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    // It is looked at again, and is still full.
    await setTimeout(1100);
    expect((await readiness(url)).code).toBe(503);

    limit(100_000);
    await becomesReady(url);
    expect((await create(url, 'There is room')).status).toBe(201);
    // The probe has left nothing behind.
    const looked = (await sqliteDriver()).open(file, { readOnly: true });
    expect(looked.prepare("select name from sqlite_master where name like '%probe%'").all()).toEqual([]);
    looked.close();
  });

  test.each([
    ['kept.db', 'deleted'],
    ['kept.db', 'replaced'],
    ['kept.db-wal', 'deleted'],
    ['kept.db-wal', 'replaced'],
    ['kept.db-shm', 'deleted'],
  ])('%s was %s: no write is acknowledged, /readyz is 503', async (name, how) => {
    const url = await served(await sqliteStore(join(folder, 'kept.db')));
    expect((await create(url)).status).toBe(201);
    const file = join(folder, name);
    renameSync(file, join(folder, 'elsewhere'));
    if (how === 'replaced') writeFileSync(file, 'another one');
    const words = expect.stringMatching(
      `^The database file ${name} was deleted or replaced while the server was running`,
    );
    expect(await create(url)).toMatchObject({ status: 503, body: { error: words } });
    expect(await readiness(url)).toMatchObject({ code: 503, status: words });

    rmSync(file, { force: true });
    renameSync(join(folder, 'elsewhere'), file);
    expect(await readiness(url)).toMatchObject({ code: 200 });
    expect((await create(url)).status).toBe(201);
  });

  test('a long write, and another one that waits for it, are a failure only when it does not go on', async () => {
    const store = await sqliteStore(join(folder, 'long.db'));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const pauses = [...Array(10).fill(500), 5000];
      const long = store.transact(async (writer) => {
        for (const pause of pauses) {
          await writer.get('users', 'usr_ada');
          await new Promise((resolve) => globalThis.setTimeout(resolve, pause));
        }
      }, 'eve');
      const waiting = store.transact(async () => undefined, 'ada');
      const readyAfter = async (milliseconds: number) => {
        await vi.advanceTimersByTimeAsync(milliseconds);
        const ready = store.ping().then(
          () => 'ready',
          ({ message }: Error) => message,
        );
        await vi.advanceTimersByTimeAsync(1000);
        return ready;
      };
      expect(await readyAfter(3000)).toBe('ready');
      expect(await readyAfter(3100)).toMatch(/^Writes wait for more than 2 s/);
      expect(await readyAfter(2000)).toBe('ready');
      await Promise.all([long, waiting]);
    } finally {
      vi.useRealTimers();
      await store.close();
    }
  });

  test('a file that the user may not write: /readyz says so, with the first request', async () => {
    const file = join(folder, 'kept.db');
    const store = await sqliteStore(file);
    await store.load(demoSeed());
    await store.close();
    chmodSync(folder, 0o777);
    chmodSync(file, 0o444);
    // Root may write to every file, and the folder of the command is private.
    chmodSync(dirname(inject('serverCommand')), 0o755);
    const user = process.getuid?.() === 0 ? 65_534 : null;
    const run = new Run(['--port', '0', '--json', '--db', file], {}, null, undefined, user);
    try {
      const status = 'The database file may not be written to. Check its permissions and those of its directory.';
      expect(await readiness(await urlOf(run))).toMatchObject({ code: 503, status });
      expect(run.stdout).toContain(`"msg":"The server is not ready: ${status}"`);
    } finally {
      await run.stop();
    }
  });

  test('a row that was damaged by hand: one sentence, and everything else goes on', async () => {
    const file = join(folder, 'kept.db');
    let text = '';
    const url = await served(await sqliteStore(file), textLog({ write: (more) => (text += more) }));
    const other = (await sqliteDriver()).open(file);
    other.exec("update campaigns set countries = 'US,CA' where id = 3");
    other.close();
    const one = `${campaigns.replace('.json', '')}/3.json`;
    expect((await send(url, 'ada_write', 'GET', one)).status).toBe(503);
    expect((await send(url, 'ada_write', 'PATCH', one, { campaign: { name: 'x' } })).status).toBe(503);
    const sentence = 'The column countries of campaigns 3 in the database is damaged. Repair it, or restore a backup.';
    expect(text).toMatch(/^error: GET campaigns\.get \(request \S+\): [^\n]*\n$/);
    expect(text).toContain(sentence);
    expect([(await create(url)).status, (await readiness(url)).code]).toEqual([201, 200]);
    const backup = new Run(['backup', '--db', file, '--out', join(folder, 'x.backup')]);
    expect([await backup.ended, backup.stderr]).toEqual([2, `error: ${sentence}\n`]);
  });

  test('a file that was cut off by hand: after a write has failed, /readyz is 503 until another file is served', async () => {
    const file = join(folder, 'kept.db');
    const whole = await sqliteStore(file);
    await whole.load(demoSeed());
    await addCopies(whole);
    await whole.close();
    const server = await serve({ store: await sqliteStore(file), port: 0, log });
    running.push(server);
    const { url } = server;
    expect([(await create(url)).status, (await readiness(url)).code]).toEqual([201, 200]);
    truncateSync(file, statSync(file).size / 2);
    const status = 'The database file is damaged. Stop the server and restore a backup.';
    await vi.waitUntil(async () => (await create(url)).body.error === status);
    // A probe writes to a table of its own, which may be whole.
    for (let probe = 0; probe < 3; probe += 1) {
      await setTimeout(1100);
      expect(await readiness(url)).toMatchObject({ code: 503, status });
    }
  });

  test('a damaged file says so', async () => {
    const file = join(folder, 'kept.db');
    const whole = await sqliteStore(file);
    await whole.load(demoSeed());
    await whole.close();
    const looked = (await sqliteDriver()).open(file, { readOnly: true });
    const [{ rootpage: page } = {}] = looked
      .prepare("select rootpage from sqlite_master where name = 'campaigns'")
      .all();
    const [{ page_size: size } = {}] = looked.prepare('pragma page_size').all();
    looked.close();
    writeFileSync(file, readFileSync(file).fill(0xff, (Number(page) - 1) * Number(size), Number(page) * Number(size)));
    const server = await serve({ store: await sqliteStore(file), port: 0, log });
    running.push(server);
    expect(await read(server.url)).toMatchObject({
      status: 503,
      body: { error: 'The database file is damaged. Stop the server and restore a backup.' },
    });
  });
});

// Not on the second Node of CI: it is what PostgreSQL does.
describe.skipIf(process.env.TEST_SECOND === '1')('PostgreSQL', () => {
  test('a full disk: 503 that says so, /readyz is 503 until there is room again', async () => {
    const database = await createDatabase();
    try {
      const url = await served(await postgresStore(database.url));
      // What the server says when a file cannot be extended.
      await database.query(`
        create function no_space() returns trigger language plpgsql as
          $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
        create trigger full_disk before insert on campaigns execute function no_space();
        create trigger full_disk_too before insert on processed_forms execute function no_space()`);
      // Before any request has failed.
      await vi.waitFor(async () => expect((await readiness(url)).code).toBe(503), { timeout: 10_000, interval: 200 });
      expect(await create(url)).toMatchObject({ status: 503, body: { error: expect.stringMatching(fullDisk) } });
      expect(errors.at(-1)).toMatchObject({ name: 'StorageFailure', cause: { code: '53100' } });
      expect((await read(url)).status).toBe(200);
      expect(await readiness(url)).toMatchObject({ code: 503, status: expect.stringMatching(fullDisk) });
      await database.query('drop trigger full_disk_too on processed_forms; drop trigger full_disk on campaigns');
      await becomesReady(url);
      expect((await create(url)).status).toBe(201);
    } finally {
      await Promise.all(running.splice(0).map((server) => server.close()));
      await database.drop();
    }
  });

  test('a table that the user may not change: /readyz says so before and after a write fails', async () => {
    const database = await createDatabase();
    const role = `reader_${randomUUID().slice(0, 8)}`;
    try {
      const filled = await postgresStore(database.url);
      await filled.load(demoSeed());
      await filled.close();
      await database.query(`
        create role ${role} login password 'x'; grant create on schema public to ${role};
        grant all on all tables in schema public to ${role}; grant all on all sequences in schema public to ${role}`);
      const url = await served(
        await postgresStore(String(Object.assign(new URL(database.url), { username: role, password: 'x' }))),
      );
      expect(await readiness(url)).toMatchObject({ code: 200 });
      await database.query(`revoke insert on campaigns from ${role}`);
      const words = expect.stringMatching(/^The user of this server may not change every table of the database\./);
      expect(await readiness(url)).toMatchObject({ code: 503, status: words });
      expect(await create(url)).toMatchObject({ status: 503, body: { error: words } });
      await database.query(`grant insert on campaigns to ${role}`);
      for (const [change, back] of [
        // What triggers write.
        [`revoke insert, update on campaigns_totals from ${role}`, `grant all on campaigns_totals to ${role}`],
        [`revoke insert on campaigns_blocks from ${role}`, `grant all on campaigns_blocks to ${role}`],
        ['alter table campaigns enable row level security', 'alter table campaigns disable row level security'],
      ] as const) {
        await database.query(change);
        for (let times = 0; times < 6; times += 1) {
          expect(await readiness(url)).toMatchObject({ code: 503, status: words });
          expect(await create(url)).toMatchObject({ status: 503, body: { error: words } });
          await setTimeout(300);
        }
        await database.query(back);
        await becomesReady(url);
      }
      await database.query('alter table campaigns rename to elsewhere');
      expect(await readiness(url)).toMatchObject({ code: 503 });
      expect(await create(url)).toMatchObject({
        status: 503,
        body: { error: expect.stringMatching(/changed by hand/) },
      });
      await database.query('alter table elsewhere rename to campaigns');
      await becomesReady(url);
      expect((await create(url)).status).toBe(201);
    } finally {
      await Promise.all(running.splice(0).map((server) => server.close()));
      await database.query(`drop owned by ${role}; drop role ${role}`);
      await database.drop();
    }
  });

  test('a password that was changed meanwhile, and a lock on a table: /readyz says so', async () => {
    const database = await createDatabase();
    const role = `owner_${randomUUID().slice(0, 8)}`;
    const locker = new pg.Client(database.url);
    try {
      await database.query(`create role ${role} login password 'x'; grant create on schema public to ${role}`);
      const own = String(Object.assign(new URL(database.url), { username: role, password: 'x' }));
      const url = await served(await postgresStore(own));
      expect(await readiness(url)).toMatchObject({ code: 200 });
      await locker.connect();
      const locks = ['processed_forms in access exclusive mode', 'campaigns in exclusive mode'];
      const becomes = (code: number, status: RegExp) =>
        vi.waitFor(async () => expect(await readiness(url)).toEqual({ code, status: expect.stringMatching(status) }), {
          timeout: 15_000,
          interval: 200,
        });
      const waiting = /^Writes wait for more than 2 s\. Check .* transactions that hold a lock\.$/;
      for (const lock of locks) {
        await locker.query(`begin; lock table ${lock}`);
        await becomes(503, waiting);
        const until = performance.now() + 7000;
        while (performance.now() < until) {
          expect((await readiness(url)).code).toBe(503);
          await setTimeout(200);
        }
        await locker.query('rollback');
        await becomes(200, /^ready$/);
      }
      const endAll = `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`;
      await database.query(`alter role ${role} password 'y'`);
      await database.query(endAll);
      await becomes(503, /^The database rejects the user name or the password of this server \(28P01\)\.$/);
      await database.query(`alter role ${role} password 'x'`);
      await becomes(200, /^ready$/);
    } finally {
      await locker.end();
      await Promise.all(running.splice(0).map((server) => server.close()));
      await database.query(`drop owned by ${role}; drop role ${role}`);
      await database.drop();
    }
  });

  test('a sequence that has reached its limit: /readyz says so', async () => {
    const database = await createDatabase();
    try {
      const url = await served(await postgresStore(database.url));
      const words = expect.stringMatching(/^A sequence of the database has reached its limit\./);
      await database.query("select setval('campaigns_id_seq', 9223372036854775807)");
      expect(await readiness(url)).toEqual({ code: 503, status: words });
      expect(await create(url)).toMatchObject({ status: 503, body: { error: words } });
      expect(await readiness(url)).toEqual({ code: 503, status: words });
      await database.query("select setval('campaigns_id_seq', (select max(id) from campaigns))");
      await becomesReady(url);
    } finally {
      await Promise.all(running.splice(0).map((server) => server.close()));
      await database.drop();
    }
  });

  test('a table that is published without a replica identity: /readyz says so until it is repaired', async () => {
    const database = await createDatabase();
    try {
      const url = await served(await postgresStore(database.url));
      const words =
        'The database rejects changes of a table. Check whether it is published without a replica identity, and the log of the database server.';
      await database.query('alter table campaigns replica identity nothing');
      await database.query('create publication changes for table campaigns');
      const one = `${campaigns.replace('.json', '')}/3.json`;
      for (let times = 0; times < 6; times += 1) {
        expect(await readiness(url)).toEqual({ code: 503, status: words });
        const reply = await send(url, 'ada_write', 'PATCH', one, { campaign: { name: 'x' } });
        expect(reply).toMatchObject({ status: 503, body: { error: words } });
        await setTimeout(300);
      }
      await database.query('drop publication changes');
      await becomesReady(url);
      expect((await send(url, 'ada_write', 'PATCH', one, { campaign: { name: 'x' } })).status).toBe(200);
    } finally {
      await Promise.all(running.splice(0).map((server) => server.close()));
      await database.drop();
    }
  });

  test('a sequence that was set back: no id is used twice, and /readyz says so until it is repaired', async () => {
    const database = await createDatabase();
    try {
      const url = await served(await postgresStore(database.url));
      const words = 'The schema of the database was changed by hand. The command "check" names what was changed.';
      for (const table of ['campaigns', 'social_accounts']) {
        await database.query(`select setval('${table}_id_seq', 1, false)`);
        for (let times = 0; times < 2; times += 1) {
          const reply = await (table === 'campaigns' ? create(url) : connectAccount(url));
          expect(reply).toMatchObject({ status: 503, body: { error: words } });
          expect(await readiness(url)).toEqual({ code: 503, status: words });
        }
        await database.query(`select setval('${table}_id_seq', (select max(id) from ${table}))`);
        await becomesReady(url);
      }
      expect((await create(url)).status).toBe(201);
    } finally {
      await Promise.all(running.splice(0).map((server) => server.close()));
      await database.drop();
    }
  });

  test('a database that became read-only says so', async () => {
    const database = await createDatabase();
    try {
      const store = await postgresStore(database.url);
      const url = await served(store);
      const { pathname } = new URL(database.url);
      await database.query(`alter database ${pathname.slice(1)} set default_transaction_read_only = on`);
      await database.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      await vi.waitFor(async () =>
        expect(await create(url)).toMatchObject({
          status: 503,
          body: { error: expect.stringMatching(/does not accept writes/) },
        }),
      );
    } finally {
      await Promise.all(running.splice(0).map((server) => server.close()));
      await database.drop();
    }
  });
});

describe.each(['SQLite', 'PostgreSQL'])('a schema that is changed by hand while the server runs, %s', (kind) => {
  const words = 'The schema of the database was changed by hand. The command "check" names what was changed.';

  test.each([
    [
      'a column',
      'alter table campaigns rename column brief to text',
      'alter table campaigns rename column text to brief',
    ],
    ['a unique index', 'drop index users_by_email', 'create unique index users_by_email on users (email)'],
    [
      'the unique index of what is created',
      'drop index social_accounts_by_normalized_url',
      'create unique index social_accounts_by_normalized_url on social_accounts (normalized_url)',
    ],
    ['an added unique index', 'create unique index added on campaigns (name)', 'drop index added'],
    [
      'an added trigger',
      kind === 'PostgreSQL'
        ? `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'No.'; end $$;
           create trigger added before insert on campaigns for each row execute function refuse()`
        : "create trigger added before insert on campaigns begin select raise(abort, 'No.'); end",
      kind === 'PostgreSQL' ? 'drop trigger added on campaigns' : 'drop trigger added',
    ],
    ...(kind === 'PostgreSQL'
      ? [
          [
            'an added constraint',
            "alter table campaigns add constraint named check (name <> 'No')",
            'alter table campaigns drop constraint named',
          ],
        ]
      : []),
  ])('%s: /readyz is 503 until it is repaired', async (what, change, repair) => {
    const database = kind === 'PostgreSQL' ? await createDatabase() : null;
    const file = join(folder, 'kept.db');
    const run = async (sql: string) => {
      if (database) return database.query(sql);
      const other = (await sqliteDriver()).open(file);
      other.exec(sql);
      return other.close();
    };
    try {
      const url = await served(await (database ? postgresStore(database.url) : sqliteStore(file)));
      await run(change);
      expect(await readiness(url)).toEqual({ code: 503, status: words });
      const rejected = { status: 503, body: { error: words } };
      const { body } = await read(url);
      const [{ id }, { name: taken }] = body;
      const name = { 'an added constraint': 'No', 'an added unique index': taken }[what];
      // A write that succeeds is not enough.
      if (what === 'a unique index') expect((await create(url)).status).toBe(201);
      else if (what === 'the unique index of what is created')
        expect(await connectAccount(url)).toMatchObject(rejected);
      else expect(await create(url, name)).toMatchObject(rejected);
      if (what === 'an added unique index')
        expect(
          await send(url, 'ada_write', 'PATCH', `/organizations/5/campaigns/${id}.json`, { campaign: { name } }),
        ).toMatchObject(rejected);
      expect(await readiness(url)).toEqual({ code: 503, status: words });
      await run(repair);
      await becomesReady(url);
      expect((await create(url)).status).toBe(201);
    } finally {
      await Promise.all(running.splice(0).map((server) => server.close()));
      await database?.drop();
    }
  });
});

test('without file descriptors: 503 that says so, and /readyz too', async () => {
  const { memoryStore } = await import('../src/store/memory-lists.js');
  const store = memoryStore();
  const lacking = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE', syscall: 'open' });
  let isLacking = false;
  const url = await served({
    ...store,
    transact: (work) => (isLacking ? Promise.reject(lacking) : store.transact(work)),
    ping: () => (isLacking ? Promise.reject(lacking) : store.ping()),
  });
  isLacking = true;
  const words = expect.stringMatching(/^The server has no file descriptors left\. Raise the limit/);
  expect(await create(url)).toMatchObject({ status: 503, body: { error: words } });
  expect(await readiness(url)).toMatchObject({ code: 503, status: words });
  isLacking = false;
  expect(await readiness(url)).toMatchObject({ code: 200 });
});

test('health checks at the same time ask the store once', async () => {
  const { memoryStore } = await import('../src/store/memory-lists.js');
  const store = memoryStore();
  let pings = 0;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const ping = () => {
    pings += 1;
    return ended;
  };
  const url = await served({ ...store, ping });
  const checks = Array.from({ length: 50 }, () => readiness(url));
  await vi.waitFor(() => expect(pings).toBe(1));
  // All of them have arrived: this one is answered after them.
  expect((await read(url)).status).toBe(200);
  expect(pings).toBe(1);
  end();
  expect((await Promise.all(checks)).map(({ code }) => code)).toEqual(Array(50).fill(200));
  expect((await readiness(url)).code).toBe(200);
  expect(pings).toBe(2);
});

describe('while the store is unavailable', () => {
  /** What ten failing requests print. */
  const printed = async (logTo: (output: { write(text: string): unknown }) => Log | Promise<Log>) => {
    const { memoryStore } = await import('../src/store/memory-lists.js');
    const store = memoryStore();
    const lost = () => Promise.reject(new StoreUnavailable('The database does not answer (ECONNREFUSED).'));
    let text = '';
    const writeTo = await logTo({ write: (more) => (text += more) });
    const url = await served({ ...store, read: lost, transact: lost }, writeTo);
    for (let count = 0; count < 10; count += 1) expect((await create(url)).status).toBe(503);
    return text;
  };

  test('the log has one line for each request, with the reason and without a stack', async () => {
    const lines = (await printed(jsonLog)).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      Array.from({ length: 10 }, () =>
        expect.objectContaining({
          msg: 'request completed',
          status: 503,
          reason: 'The database does not answer (ECONNREFUSED).',
        }),
      ),
    );
    expect(lines.join()).not.toContain('stack');
  });

  test.each(['json', 'text'])('a download that has begun ends early, and the log (%s) has one line', async (format) => {
    const { memoryStore } = await import('../src/store/memory-lists.js');
    const store = memoryStore();
    let left = Number.POSITIVE_INFINITY;
    let reads = 0;
    const read: Store['read'] = (work) => {
      reads += 1;
      return reads > left
        ? Promise.reject(new StoreUnavailable('The database does not answer (ECONNREFUSED).'))
        : store.read(work);
    };
    const lines: string[] = [];
    const output = { write: (line: string) => lines.push(line) };
    const url = await served({ ...store, read }, format === 'json' ? await jsonLog(output) : textLog(output));
    await addCopies(store);
    const download = () =>
      fetch(`${url}/organizations/5/campaigns.csv`, { headers: { Authorization: `Bearer ${demoTokens.ada_write}` } });
    expect((await (await download()).text()).split('\r\n').length).toBeGreaterThan(1500);
    left = 2 * reads - 1;
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const response = await download();
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    await vi.waitFor(() => expect(lines.filter((line) => line.includes('ECONNREFUSED'))).toHaveLength(1));
    const line = lines.find((each) => each.includes('ECONNREFUSED')) ?? '';
    if (format === 'json')
      expect(JSON.parse(line)).toMatchObject({
        level: 50,
        request_id: response.headers.get('x-request-id'),
        reason: 'The database does not answer (ECONNREFUSED).',
        msg: 'response ended early',
      });
    else expect(line).toMatch(/^error: GET .*\(request \S+\): The database does not answer \(ECONNREFUSED\)\.\n$/);
    expect(lines.join()).not.toContain('stack');
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });

  test('a download whose client disconnects logs no error', async () => {
    const { memoryStore } = await import('../src/store/memory-lists.js');
    const store = memoryStore();
    const lines: string[] = [];
    const url = new URL(await served(store, await jsonLog({ write: (line) => lines.push(line) })));
    await addCopies(store);
    for (let client = 0; client < 10; client += 1) {
      const socket = connect(Number(url.port), url.hostname);
      socket.write(
        `GET /organizations/5/campaigns.csv HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${demoTokens.ada_write}\r\n\r\n`,
      );
      await once(socket, 'data');
      await setTimeout(client);
      socket.destroy();
    }
    await vi.waitFor(() => expect(lines.filter((line) => line.includes('.csv'))).toHaveLength(10));
    await setTimeout(300);
    expect(lines.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  test('a terminal shows the reason once', async () => {
    expect(await printed(textLog)).toMatch(
      /^error: POST campaigns\.create \(request \S+\): The database does not answer \(ECONNREFUSED\)\.\n$/,
    );
  });
});

describe.skipIf(process.platform === 'win32')('a process with few file descriptors', () => {
  // Below 22 Node itself ends with a segmentation fault.
  test.each([22, 23, 24, 26, 30, 50, 70])('does not start with %i, and says why in one sentence', async (limit) => {
    const run = new Run(['--port', '0', '--db', join(folder, 'kept.db')], {}, limit);
    expect(await run.ended).toBe(2);
    expect(run.stderr).toMatch(/^error: [^\n]*file descriptors[^\n]*\n$/);
  });

  test.skipIf(process.platform !== 'linux')('leaves some of them to the store', async () => {
    const flags = ['--port', '0', '--json', '--db', join(folder, 'kept.db'), '--seed', 'demo'];
    const run = new Run(flags, {}, 300);
    const sockets: Socket[] = [];
    try {
      const url = await urlOf(run);
      const { hostname, port } = new URL(url);
      for (let count = 0; count < 250; count += 1)
        sockets.push(connect(Number(port), hostname).on('error', () => undefined));
      await run.printed('There are 200 connections, so idle ones of 127.0.0.1, which has the most, are closed.');
      for (const socket of sockets) socket.destroy();
      await vi.waitFor(async () => expect((await create(url)).status).toBe(201), { timeout: 20_000, interval: 300 });
    } finally {
      await run.stop();
    }
  });
});

test('a storage failure is also an unavailable store', async () => {
  const store = await sqliteStore(join(folder, 'kept.db'));
  rmSync(join(folder, 'kept.db'));
  await expect(store.ping()).rejects.toThrow(StoreUnavailable);
  await store.close();
});
