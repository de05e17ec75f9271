import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Connection, SqlReader } from '../src/store/sql/access.js';
import { postgresStore } from '../src/store/sql/postgres.js';
import { parseAddress } from '../src/store/sql/postgres-address.js';
import { PostgresConnection } from '../src/store/sql/postgres-connection.js';
import { expensiveReads } from '../src/store/sql/postgres-expensive-reads.js';
import { type ConnectionPool, connectionPool } from '../src/store/sql/postgres-pool.js';
import { Primary } from '../src/store/sql/postgres-primary.js';
import { sqliteStore } from '../src/store/sql/sqlite.js';
import { SqliteConnection } from '../src/store/sql/sqlite-connection.js';
import { type SqliteDriver, sqliteDriver } from '../src/store/sql/sqlite-driver.js';
import { ExpensiveReads, SqliteThread } from '../src/store/sql/sqlite-thread.js';
import { maxTested, StorageFailure, StoreUnavailable, TooExpensive } from '../src/store/store.js';
import { campaigns } from './support/forms.js';
import { createDatabase, type TestDatabase } from './support/postgres.js';
import { campaignRow, organizationRow } from './support/rows.js';
import { temporaryFile } from './support/stores.js';
import { demoSite } from './support/visitor.js';

describe('expensive reads of PostgreSQL', () => {
  let database: TestDatabase;
  let pool: ConnectionPool;
  const statementTimeout = 2000;
  beforeAll(async () => {
    database = await createDatabase();
    await (await postgresStore(database.url)).close();
    const dial = async () => {
      const client = new pg.Client(database.url);
      await client.connect();
      return client;
    };
    const ignore = () => undefined;
    const primary = new Primary(parseAddress(database.url), dial, ignore, ignore);
    pool = connectionPool(pg, { max: 8 }, 60_000, { primary, url: database.url });
  });
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  test('use a quarter of the connections, one organization half of that, and end after a quarter of the time limit', async () => {
    const reads = expensiveReads({ pool, ids: 'integer', connections: 8, statementTimeout });
    const searches = reads.searches(1);
    let done = 0;
    const hostile = Array.from({ length: 12 }, (_, n) => {
      const organization = n < 10 ? 1 : 2;
      const sleep = { text: `select pg_sleep(60) as of_${organization}` };
      return reads
        .searches(organization)
        .run(sleep)
        .catch((error: unknown) => {
          done += 1;
          return error;
        });
    });
    let most = 0;
    let mostOfFirst = 0;
    while (done < hostile.length) {
      const { rows } = await pool.query({
        text: `select query from pg_stat_activity where datname = current_database() and state = 'active' and query like '%pg_sleep(60)%' and pid <> pg_backend_pid()`,
      });
      most = Math.max(most, rows.length);
      mostOfFirst = Math.max(mostOfFirst, rows.filter(({ query }) => String(query).includes('of_1')).length);
    }
    expect([most, mostOfFirst]).toEqual([2, 1]);
    for (const error of await Promise.all(hostile)) expect(error).toBeInstanceOf(TooExpensive);
    // Afterwards the connections are as before: without the time limit of a search, and outside a transaction.
    expect((await searches.run({ text: 'select 1 as one' }))[0]).toEqual({ one: 1 });
    // Without helpers: a search would use the processors of three connections.
    const [helpers] = await searches.run({ text: 'show max_parallel_workers_per_gather' });
    expect(helpers).toEqual({ max_parallel_workers_per_gather: '0' });
    const { rows } = await pool.query({ text: 'show statement_timeout' });
    expect(rows[0]).toEqual({ statement_timeout: '0' });
  });

  test('are searches, long sorts and their far pages', async () => {
    const connection = new PostgresConnection(pool, 'integer');
    await connection.run({
      text: "insert into organizations (name, privacy_setting, default_currency, default_countries, has_active_subscription, created_at, updated_at) values ('Acme', 'public', 'usd', '{}', true, now(), now())",
    });
    // As if there were a million campaigns.
    await connection.run({
      text: "insert into campaigns_totals values (1, 'active', 'usd', 0, 1000000, 0, 0, 0, 0, 0)",
    });
    const used: string[] = [];
    const recorded = (name: string): Connection =>
      Object.assign(Object.create(connection) as Connection, {
        run: (...call: Parameters<Connection['run']>) => {
          used.push(name);
          return connection.run(...call);
        },
      });
    const reader = new SqlReader(recorded('usual'), {
      far: () => recorded('far'),
      searches: () => recorded('searches'),
    });
    const usedBy = async (work: () => Promise<unknown>) => {
      used.length = 0;
      await work();
      return used.at(-1);
    };
    const page = (offset: number) => reader.page('campaigns', 'byOrganization', [1], { offset, limit: 20 });
    const scan = (text: string) => reader.scan('campaigns', 'byOrganization', [1], { limit: 20, text });
    const sorted = (where: Parameters<SqlReader['select']>[2]['where'], offset = 0, order = 'byViews') =>
      reader.select('campaigns', 1, { where, order }, { offset, limit: 20 });
    expect(await usedBy(() => page(0))).toBe('usual');
    expect([await usedBy(() => scan('')), await usedBy(() => scan('glow'))]).toEqual(['usual', 'searches']);
    expect(await usedBy(() => sorted([]))).toBe('usual');
    expect(await usedBy(() => sorted([{ column: 'countries', is: 'has', value: 'US' }]))).toBe('searches');
    // The index of budgets has all campaigns. In the order of creation, no page is far.
    expect(await usedBy(() => sorted([], 400_000, 'byBudget'))).toBe('far');
    expect(await usedBy(() => sorted([], 999_000, 'byBudget'))).toBe('usual');
    const newest = { where: [], descending: true };
    const select = () => reader.select('campaigns', 1, newest, { offset: 500_000, limit: 20 });
    expect([await usedBy(() => page(400_000)), await usedBy(select)]).toEqual(['usual', 'usual']);
  });
});

describe('expensive reads of SQLite', () => {
  let file: Awaited<ReturnType<typeof temporaryFile>>;
  let driver: SqliteDriver;
  beforeAll(async () => {
    file = await temporaryFile();
    driver = await sqliteDriver();
    const store = await sqliteStore(file.db);
    const names = ['Crème brûlée', ...Array.from({ length: 24 }, (_, n) => `Glow ${n}`)];
    await store.transact(async (writer) => {
      await writer.insert('organizations', organizationRow());
      // Larger than the files that need no thread.
      for (const name of names) await writer.insert('campaigns', campaignRow({ name, brief: 'x'.repeat(500_000) }));
    });
    await store.close();
  });
  afterAll(() => file.remove());

  /** A read that takes a while. */
  const slow = {
    text: 'with recursive counter(n) as (select 1 union all select n + 1 from counter where n < 100000) select count(*) as count from counter',
  };

  const opened = () => {
    const database = driver.open(file.db, { readOnly: true });
    return {
      database,
      thread: new ExpensiveReads(
        new SqliteConnection(database, 'integer'),
        new SqliteThread({ module: driver.module, file: file.db, readOnly: true }),
      ),
    };
  };

  test('run in a thread, one after the other, while this one goes on; organizations take turns', async () => {
    const { database, thread } = opened();
    let turns = 0;
    const ended: number[] = [];
    const reads = [1, 1, 1, 2].map(async (organization) => {
      expect(await thread.run(organization, slow)).toEqual([{ count: 100_000 }]);
      ended.push(organization);
    });
    while (ended.length < reads.length) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    await Promise.all(reads);
    expect(ended).toEqual([1, 2, 1, 1]);
    // One read in this thread would be one turn.
    expect(turns).toBeGreaterThan(100);
    await thread.close();
    database.close();
  });

  test('find what was just committed, report errors, and end with the store', async () => {
    const store = await sqliteStore(file.db);
    const found = async (text: string) =>
      (await store.read((reader) => reader.scan('campaigns', 'byOrganization', [1], { limit: 9, text }))).map(
        ({ name, countries }) => [name, countries],
      );
    expect(await found('creme')).toEqual([['Crème brûlée', ['US']]]);
    await store.transact((writer) => writer.update('campaigns', 1, { name: 'Crème fraîche' }));
    expect(await found('creme')).toEqual([['Crème fraîche', ['US']]]);
    await store.close();
    await expect(found('other')).rejects.toThrow(StoreUnavailable);

    const { database, thread } = opened();
    await expect(thread.run(1, { text: 'select * from missing' })).rejects.toThrow('was changed by hand');
    const write = thread.run(1, { text: "insert into users values ('a', 'b', 'c') returning id" });
    await expect(write).rejects.toThrow(StorageFailure);
    const settled = Promise.allSettled([slow, slow].map((read) => thread.run(1, read)));
    await new Promise((resolve) => setImmediate(resolve));
    await thread.close();
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await expect(thread.run(1, slow)).rejects.toThrow(StoreUnavailable);
    database.close();
  });
});

test('the page of a long list says that a search needs three letters, or did not test all', async () => {
  const site = await demoSite();
  const ada = await site.signedIn('ada_write');
  const matches = async (name: string) => (await ada.get(`${campaigns}?name=${name}`)).all('tbody th');
  expect((await matches('lo')).length).toBeGreaterThan(0);
  const dump = await site.store.dump();
  const row = dump.tables.campaigns.find(({ organization_id: organization }) => organization === 5);
  const copies = Array.from({ length: maxTested }, (_, n) => ({
    ...row,
    id: 1000 + n,
    name: 'Copy',
    platform_ids: ['tiktok'],
  }));
  const all = [...dump.tables.campaigns, ...copies] as typeof dump.tables.campaigns;
  await site.store.load({ ...dump, tables: { ...dump.tables, campaigns: all } });
  for (const name of ['lo', '%25%25%25', 'a+b+c+d', '__-'])
    expect((await ada.get(`${campaigns}?name=${name}`)).find('search .hint')).toBe(
      'To search more than 10,000 items, enter at least three letters or digits in a row.',
    );
  expect((await matches('glow')).length).toBeGreaterThan(0);
  expect((await ada.get(`${campaigns}?name=glow`)).find('search .hint')).toBeNull();
  // Other filters are tested on the newest names that match.
  const hint = async (query: string) => (await ada.get(`${campaigns}?${query}`)).find('search .hint');
  expect(await hint('name=copy&platform=youtube')).toBeNull();
  const [old] = all;
  const older = { ...old, id: 999, organization_id: 5, name: 'Old copy', platform_ids: ['youtube'] };
  await site.store.load({ ...dump, tables: { ...dump.tables, campaigns: [older, ...all] as typeof all } });
  expect(await hint('name=copy&platform=youtube')).toBe(
    'Of the names that match, only the newest 10,000 were tested for the other filters. The CSV file has all of them.',
  );
  expect(await hint('name=copy')).toContain('newest 500 matches');
  const { location } = await ada.get(`${campaigns}/actions?action=pause&select=all&name=copy&platform=youtube`);
  expect(location).toContain('name=copy');
});

test('a search that was stopped says so on the page of the list', async () => {
  const site = await demoSite();
  const ada = await site.signedIn('ada_write');
  const { store } = site;
  const read = store.read.bind(store);
  store.read = (work) =>
    read((reader) => work({ ...reader, scan: () => Promise.reject(new TooExpensive('Too long.')) }));
  const page = await ada.get(`${campaigns}?name=glow`);
  expect([page.status, page.find('search .hint')]).toEqual([
    200,
    'This search took too long and was stopped. Enter more of the name, or choose a status.',
  ]);
});
