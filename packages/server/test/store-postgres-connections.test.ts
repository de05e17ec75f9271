import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { demoSeed } from '../src/seed/demo.js';
import type { Connection } from '../src/store/sql/access.js';
import { postgresStore } from '../src/store/sql/postgres.js';
import { StorageFailure, type Store, StoreConfigurationError, StoreUnavailable } from '../src/store/store.js';
import { type Answer, type Api, demoApi } from './support/api.js';
import { isLong } from './support/long.js';
import { hasPgBouncer, startPgBouncer } from './support/pgbouncer.js';
import { createDatabase, type TestDatabase } from './support/postgres.js';
import { type PostgresServer, startPostgres } from './support/postgres-server.js';
import { campaignRow } from './support/rows.js';
import { turns } from './support/turns.js';

/** On a busy machine sixty clients wait longer for their turn. A full database fails at once, however long they may wait. */
const patient = { connectTimeout: 100_000, statementTimeout: 100_000 };

/** Takes every connection of the database, as other programs may, also those that servers had open. */
async function occupy(url: string): Promise<() => Promise<void>> {
  const clients: pg.Client[] = [];
  const takeAll = async () => {
    for (;;) {
      const client = new pg.Client(url);
      client.on('error', () => undefined);
      try {
        await client.connect();
      } catch {
        return;
      }
      clients.push(client);
    }
  };
  await takeAll();
  await clients[0]?.query(
    "select pg_terminate_backend(pid, 30000) from pg_stat_activity where application_name = 'mkt-server'",
  );
  await takeAll();
  // The end of the servers' connections is in their sockets: let them read it.
  await turns();
  return async () => {
    await Promise.all(clients.map((client) => client.end()));
  };
}

const after = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const name = (number: number) => ({ body: { campaign: { name: `Campaign ${number}` } } });
const statuses = (answers: readonly Answer[]) => {
  const counted = new Map<number, number>();
  for (const { status } of answers) counted.set(status, (counted.get(status) ?? 0) + 1);
  return Object.fromEntries(counted);
};

/** `count` requests, 60 at a time, each over the next one of `apis`: three reads for every write. */
async function mixed(apis: readonly Api[], count: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  let next = 0;
  const client = async () => {
    while (next < count) {
      const number = next;
      next += 1;
      const api = apis[number % apis.length] as Api;
      const organization = [5, 7][Math.floor(number / 4) % 2];
      const path = `/organizations/${organization}/campaigns.json`;
      answers.push(
        await (number % 4 === 0
          ? api.call('ada_write', 'POST', path, name(number))
          : api.call('ada_write', 'GET', number % 4 === 1 ? path : '/organizations.json')),
      );
    }
  };
  await Promise.all(Array.from({ length: 60 }, client));
  return answers;
}

describe('a database with max_connections=14', { timeout: 120_000 }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres('max_connections=14', 'superuser_reserved_connections=0');
    const seeded = await postgresStore(server.url);
    await seeded.load(demoSeed());
    await seeded.close();
  });
  afterAll(() => server?.stop());

  test('four servers that may open 40 connections share them: every request succeeds', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => postgresStore(server.url, patient)));
    try {
      const apis = await Promise.all(stores.map((store) => demoApi({ store })));
      expect(Object.keys(statuses(await mixed(apis, isLong ? 5000 : 120)))).toEqual(['200', '201']);
    } finally {
      await Promise.all(stores.map((store) => store.close()));
    }
  });

  test('a server without a connection waits until there is one', async () => {
    const store = await postgresStore(server.url, patient);
    const release = await occupy(server.url);
    try {
      const read = store.read((reader) => reader.count('campaigns', 'byOrganization', [5]));
      await after(300);
      await release();
      expect(await read).toBeGreaterThan(0);
    } finally {
      await store.close();
    }
  });

  test('when none becomes free in time, the store is unavailable and says what to do', async () => {
    const store = await postgresStore(server.url, { connectTimeout: 1000 });
    const release = await occupy(server.url);
    try {
      const reason = /no connection left for this server.*max_connections.*--db-connections/;
      const read = store.read((reader) => reader.get('users', 'ada'));
      await expect(read).rejects.toThrow(StoreUnavailable);
      await expect(read).rejects.toThrow(reason);
      await expect(store.transact((writer) => writer.get('users', 'ada'))).rejects.toThrow(reason);
      await expect(store.dump()).rejects.toThrow(reason);
      const isEmpty = vi.spyOn(store, 'isEmpty').mockResolvedValue(false);
      const api = await demoApi({ store, onError: () => undefined });
      isEmpty.mockRestore();
      const { status, headers } = await api.call('ada_write', 'GET', '/organizations.json');
      expect([status, headers.get('retry-after')]).toEqual([503, '2']);
      await release();
      expect(await store.isEmpty()).toBe(false);
    } finally {
      await store.close();
    }
  });

  test('a start waits as well', async () => {
    const release = await occupy(server.url);
    const opening = postgresStore(server.url, patient);
    await after(300);
    await release();
    await (await opening).close();
  });

  test('--db-connections bounds what one server opens, and the connections are shared', async () => {
    const store = await postgresStore(server.url, { connections: 2, ...patient });
    const api = await demoApi({ store });
    const watcher = new pg.Client(server.url);
    await watcher.connect();
    try {
      let most = 0;
      let over = false;
      const watch = async () => {
        while (!over) {
          const { rows } = await watcher.query(
            "select count(*)::int as open from pg_stat_activity where application_name = 'mkt-server' and datname = current_database()",
          );
          most = Math.max(most, rows[0].open);
          await after(5);
        }
      };
      const watching = watch();
      const answers = await mixed([api], 200);
      over = true;
      await watching;
      expect(Object.keys(statuses(answers))).toEqual(['200', '201']);
      expect(most).toBe(2);
    } finally {
      await watcher.end();
      await store.close();
    }
  });
});

test('does not wait if the user may not use the database', async () => {
  const database = await createDatabase();
  try {
    const url = new URL(database.url);
    url.password = 'wrong';
    const started = performance.now();
    await expect(postgresStore(url.href)).rejects.toThrow(StoreConfigurationError);
    expect(performance.now() - started).toBeLessThan(5000);
  } finally {
    await database.drop();
  }
});

test.each(['SQL, DMY', 'Postgres, MDY', 'German'])(
  'a database that writes dates as %s does not open, and an open store reads no wrong date from it',
  async (style) => {
    const database = await createDatabase();
    const open = await postgresStore(database.url);
    try {
      await open.load(demoSeed());
      await database.query(`alter database ${new URL(database.url).pathname.slice(1)} set datestyle to '${style}'`);
      await expect(postgresStore(database.url)).rejects.toThrow(`writes dates as ${style.split(',')[0]}`);
      await database.query(
        "select pg_terminate_backend(pid, 30000) from pg_stat_activity where application_name = 'mkt-server' and datname = current_database()",
      );
      await vi.waitFor(() => expect(open.read((reader) => reader.get('campaigns', 1))).rejects.toThrow(StorageFailure));
      await expect(open.ping()).rejects.toThrow(StorageFailure);
    } finally {
      await open.close();
      await database.drop();
    }
  },
);

test('a column whose type was changed, and changed back, fails the open connections once', async () => {
  const database = await createDatabase();
  const store = await postgresStore(database.url, { connections: 1 });
  try {
    await store.load(demoSeed());
    const rename = (name: string) =>
      store.transact(async (writer) => {
        await writer.get('campaigns', 1);
        await writer.update('campaigns', 1, { name });
      });
    const alter = (type: string) => database.query(`alter table campaigns alter brief type ${type}`);
    await rename('Before');
    await alter('varchar');
    await expect(rename('Changed')).rejects.toThrow('was changed by hand');
    await alter('text');
    await rename('After');
    expect(await store.read((reader) => reader.get('campaigns', 1))).toMatchObject({ name: 'After' });
  } finally {
    await store.close();
    await database.drop();
  }
});

test.each(['infinity', '10000-01-01 00:00:00+00', '0044-03-15 00:00:00+00 BC'])(
  'the time %s is named',
  async (time) => {
    const database = await createDatabase();
    const store = await postgresStore(database.url);
    try {
      await store.load(demoSeed());
      await database.query('update campaigns set published_at = $1 where id = 1', [time]);
      await expect(store.read((reader) => reader.get('campaigns', 1))).rejects.toThrow(
        `The database has a time that this server cannot read: ${time}. Correct it.`,
      );
    } finally {
      await store.close();
      await database.drop();
    }
  },
);

describe('one busy organization', () => {
  let database: TestDatabase;
  let store: Store;
  let api: Api;
  beforeAll(async () => {
    database = await createDatabase();
    store = await postgresStore(database.url, { connectTimeout: 10_000, statementTimeout: 100_000 });
    api = await demoApi({ store });
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  /** A transaction of another process that holds a lock on organization 5 until it is ended. */
  async function slowTransaction(): Promise<() => Promise<void>> {
    const client = new pg.Client(database.url);
    await client.connect();
    await client.query('begin');
    await client.query('select from organizations where id = 5 for update');
    return async () => {
      await client.query('commit');
      await client.end();
    };
  }
  const waitingForLocks = async () =>
    (
      await database.query(
        "select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      )
    )[0]?.waiting as number;

  test('does not hold up the others, and its writers succeed when it is their turn', async () => {
    const end = await slowTransaction();
    const writers = Array.from({ length: 20 }, (_, number) =>
      api.call('ada_write', 'POST', '/organizations/5/campaigns.json', name(number)),
    );
    try {
      while ((await waitingForLocks()) === 0) await after(5);
      // Twice the pool: if the writers held its connections, these would fail before the slow transaction ends.
      const others = await Promise.all(
        Array.from({ length: 20 }, (_, number) =>
          number % 2 === 0
            ? api.call('ada_write', 'POST', '/organizations/7/campaigns.json', name(number))
            : api.call('ada_write', 'GET', '/organizations/5/campaigns.json'),
        ),
      );
      expect(statuses(others)).toEqual({ 200: 10, 201: 10 });
      expect(await waitingForLocks()).toBeLessThanOrEqual(2);
    } finally {
      await end();
    }
    expect(statuses(await Promise.all(writers))).toEqual({ 201: 20 });
  });

  test('several busy organizations occupy half of the connections at most', async () => {
    const client = new pg.Client(database.url);
    await client.connect();
    await client.query('begin');
    await client.query('select from organizations for update');
    const ids = (await store.dump()).tables.organizations.map(({ id }) => id);
    const writers = ids.flatMap((id) =>
      Array.from({ length: 4 }, () => store.transact((writer) => writer.lock('organizations', id))),
    );
    try {
      while ((await waitingForLocks()) < 5) await after(5);
      await after(100);
      expect(await waitingForLocks()).toBe(5);
      const reads = Array.from({ length: 40 }, () => api.call('ada_write', 'GET', '/organizations.json'));
      expect(statuses(await Promise.all(reads))).toEqual({ 200: 40 });
    } finally {
      await client.query('commit');
      await client.end();
    }
    await Promise.all(writers);
  });

  test('a lock that is held for too long: 503 for its writers, who then leave the queue', async () => {
    const impatient = await postgresStore(database.url, { statementTimeout: 1500 });
    const end = await slowTransaction();
    const addTo = (organization: number) =>
      impatient.transact(async (writer) => {
        await writer.lock('organizations', organization);
        return writer.insert('campaigns', campaignRow({ organization_id: organization }));
      });
    try {
      const results = await Promise.allSettled(Array.from({ length: 10 }, () => addTo(5)));
      for (const result of results)
        expect(result).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
      const reasons = results.map((result) => String((result as PromiseRejectedResult).reason));
      expect(reasons.join()).toContain('holds a lock on the same rows for too long (55P03)');
      expect(reasons.join()).toContain('Too many writers wait');
    } finally {
      await end();
    }
    for (let count = 0; count < 3; count += 1) await addTo(5);
    await impatient.close();
  });
});

// Skipped where PgBouncer is not installed (Debian package `pgbouncer`).
describe.skipIf(!hasPgBouncer)('behind PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database?.drop());

  test('servers create the schema, start together, and every request succeeds', async () => {
    const bouncer = await startPgBouncer(database.url);
    const stores: Store[] = [];
    try {
      stores.push(...(await Promise.all(Array.from({ length: 3 }, () => postgresStore(bouncer.url, patient)))));
      const apis = [];
      for (const store of stores) apis.push(await demoApi({ store }));
      expect(Object.keys(statuses(await mixed(apis, isLong ? 5000 : 120)))).toEqual(['200', '201']);
      // 60 clients and 30 connections, but PostgreSQL has the five of the pooler.
      const [row] = await database.query(
        "select count(*)::int as open from pg_stat_activity where application_name = 'mkt-server' and datname = current_database()",
      );
      expect(row?.open).toBeLessThanOrEqual(5);
    } finally {
      await Promise.all(stores.map((store) => store.close()));
      await bouncer.stop();
    }
  });

  test('time limits apply in every transaction and do not stay in the session', async () => {
    const bouncer = await startPgBouncer(database.url, 'default_pool_size = 1');
    const store = await postgresStore(bouncer.url, { statementTimeout: 1500 });
    try {
      const holder = await postgresStore(database.url);
      await holder.transact(async (writer) => {
        await writer.lock('organizations', 5);
        await expect(store.transact((other) => other.lock('organizations', 5))).rejects.toThrow(/\(55P03\)/);
      });
      await holder.close();
      const client = new pg.Client(bouncer.url);
      await client.connect();
      for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
        expect((await client.query(`show ${limit}`)).rows).toEqual([{ [limit]: '0' }]);
      expect((await client.query('select from pg_prepared_statements')).rowCount).toBe(0);
      await client.end();
    } finally {
      await store.close();
      await bouncer.stop();
    }
  });
});

test('a direct connection prepares its statements once, ?pgbouncer=true never', async () => {
  const database = await createDatabase();
  const preparedWith = async (search: string): Promise<unknown> => {
    const url = new URL(database.url);
    url.search = search;
    const store = await postgresStore(url.href, { connections: 1 });
    await store.read((reader) => reader.get('users', 'ada'));
    // Its own connection's view: what it has prepared.
    const [row] = await store.read((reader) =>
      (reader as unknown as { connection: Connection }).connection.run({
        text: "select count(*)::int as count from pg_prepared_statements where name = 'users.get'",
      }),
    );
    await store.close();
    return row?.count;
  };
  expect(await preparedWith('')).toBe(1);
  expect(await preparedWith('?pgbouncer=true')).toBe(0);
  await database.drop();
});
