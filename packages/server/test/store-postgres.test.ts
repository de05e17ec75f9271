import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { demoSeed } from '../src/seed/demo.js';
import { postgresStore } from '../src/store/sql/postgres.js';
import {
  CommitUnknown,
  dumpTables,
  type Store,
  StoreConfigurationError,
  StoreUnavailable,
} from '../src/store/store.js';
import { demoApi } from './support/api.js';
import { createDatabase, type TestDatabase } from './support/postgres.js';
import { accountRow, campaignRow, organizationRow, userRow } from './support/rows.js';
import { tcpProxy } from './support/tcp-proxy.js';
import { turns } from './support/turns.js';

// Other tests keep the processors busy meanwhile, and some of these wait for time limits.

let database: TestDatabase;
let store: Store;

beforeAll(async () => {
  database = await createDatabase();
  store = await postgresStore(database.url);
});
afterAll(async () => {
  await store?.close();
  await database?.drop();
});
beforeEach(async () => {
  await store.load({
    serials: {},
    tables: {
      ...dumpTables(() => []),
      users: [userRow('ada'), userRow('ben')],
      organizations: [{ id: 1, ...organizationRow() }],
    },
  });
});

const addCampaign = (name: string, on = store) =>
  on.transact((writer) => writer.insert('campaigns', campaignRow({ name })));

/** Ends every connection of the store, as an operator or a restart does. */
const cutConnections = () =>
  database.query(
    "select pg_terminate_backend(pid, 30000) from pg_stat_activity where application_name = 'mkt-server' and datname = current_database()",
  );

describe('a cut connection', () => {
  test('in the middle of a transaction: unavailable, rolled back, and the next transaction works', async () => {
    const failed = store.transact(async (writer) => {
      await writer.insert('campaigns', campaignRow({ name: 'half' }));
      await cutConnections();
      await writer.insert('campaigns', campaignRow({ name: 'the other half' }));
    });
    await expect(failed).rejects.toThrow(StoreUnavailable);
    expect((await store.dump()).tables.campaigns).toEqual([]);
    await addCampaign('whole');
    expect((await store.dump()).tables.campaigns.map(({ name }) => name)).toEqual(['whole']);
  });

  test('just before the commit: unavailable, and nothing is stored', async () => {
    const failed = store.transact(async (writer) => {
      await writer.insert('campaigns', campaignRow());
      await cutConnections();
    });
    await expect(failed).rejects.toThrow(StoreUnavailable);
    expect((await store.dump()).tables.campaigns).toEqual([]);
  });

  test('while idle: the next request succeeds', async () => {
    await Promise.all(Array.from({ length: 5 }, (_, index) => addCampaign(`${index}`)));
    await cutConnections();
    // The connections' end is in the socket before the next statement is: let the pool read it.
    await turns();
    expect(await store.read((reader) => reader.count('campaigns', 'byOrganization', [1]))).toBe(5);
  });

  test('under load: acknowledged writes are stored, failed ones are not', async () => {
    const writers = Array.from({ length: 40 }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 2));
      return addCampaign(`${index}`).then(
        () => `${index}`,
        (error) => {
          expect(error).toBeInstanceOf(StoreUnavailable);
          return null;
        },
      );
    });
    for (const pause of [10, 30, 50]) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      await cutConnections();
    }
    const acknowledged = (await Promise.all(writers)).filter((name) => name !== null);
    const kept = (await store.dump()).tables.campaigns.map(({ name }) => name);
    // A connection that is cut while it commits may have committed: then the writer hears 503 for a write that is there.
    expect(kept).toEqual(expect.arrayContaining(acknowledged));
    expect(await store.read((reader) => reader.count('campaigns', 'byOrganization', [1]))).toBe(kept.length);
  });
});

describe('a database that does not respond', () => {
  test('makes the store unavailable in time, and available again without a restart', async () => {
    const target = new URL(database.url);
    const proxy = await tcpProxy(Number(target.port));
    target.port = String(proxy.port);
    const behind = await postgresStore(target.href, { statementTimeout: 2000, connectTimeout: 3000 });
    try {
      await addCampaign('before', behind);
      proxy.stall();
      const started = performance.now();
      await Promise.all([
        // On the connection that is there already; the others wait for new ones.
        expect(addCampaign('lost', behind)).rejects.toThrow(StoreUnavailable),
        expect(behind.ping()).rejects.toThrow(StoreUnavailable),
        expect(behind.read((reader) => reader.get('users', 'ada'))).rejects.toThrow(StoreUnavailable),
      ]);
      // The time limit applies once (3 s), and not again to a rollback without a response.
      expect(performance.now() - started).toBeLessThan(5900);
      proxy.resume();
      await vi.waitFor(() => addCampaign('after', behind), { timeout: 10_000 });
      expect((await behind.dump()).tables.campaigns.map(({ name }) => name)).toEqual(['before', 'after']);
    } finally {
      await behind.close();
      await proxy.close();
    }
  });

  test('a commit without a response: 503 that says the change may have been made', async () => {
    const target = new URL(database.url);
    const proxy = await tcpProxy(Number(target.port));
    target.port = String(proxy.port);
    const behind = await postgresStore(target.href, { statementTimeout: 1500, connectTimeout: 3000 });
    const errors: unknown[] = [];
    try {
      await behind.load(demoSeed());
      const api = await demoApi({ store: behind, onError: (error) => errors.push(error) });
      const post = (name: string) =>
        api.call('ada_write', 'POST', '/organizations/5/campaigns.json', { body: { campaign: { name } } });
      // At the end of a message, not in `read committed`.
      proxy.stallAfter('commit\0');
      const unknown = await post('lost or not');
      const lost = await post('not even begun');
      expect([unknown.status, unknown.headers.get('retry-after'), unknown.body.error]).toEqual([
        503,
        '2',
        'The connection to the data store was lost while saving. The change may have been made. Check before retrying.',
      ]);
      expect([lost.status, lost.body.error]).toEqual([503, expect.stringContaining('Try again')]);
      expect(errors.map((error) => error instanceof CommitUnknown)).toEqual([true, false]);
      proxy.resume();
      const made = await vi.waitFor(async () => (await behind.dump()).tables.campaigns.slice(47), { timeout: 10_000 });
      expect(made.map(({ name }) => name)).toEqual(['lost or not']);
    } finally {
      await behind.close();
      await proxy.close();
    }
  });

  test('a lock that another client keeps makes the write unavailable, and frees the connection', async () => {
    const impatient = await postgresStore(database.url, { statementTimeout: 1000, connections: 1 });
    try {
      await store.transact(async (writer) => {
        await writer.lock('organizations', 1);
        await expect(impatient.transact((other) => other.lock('organizations', 1))).rejects.toThrow(StoreUnavailable);
      });
      await impatient.transact((writer) => writer.lock('organizations', 1));
    } finally {
      await impatient.close();
    }
  });
});

describe('transactions that meet', () => {
  test('in a deadlock are run again, and both happen', async () => {
    let runs = 0;
    let locks = 0;
    let haveOne: () => void = () => undefined;
    const bothHaveOne = new Promise<void>((resolve) => {
      haveOne = resolve;
    });
    const lockBoth = (first: string, second: string) =>
      store.transact(async (writer) => {
        runs += 1;
        await writer.lock('users', first);
        locks += 1;
        if (locks === 2) haveOne();
        await bothHaveOne;
        await writer.lock('users', second);
        await writer.update('users', first, { name: `locked ${first} first` });
      });
    await Promise.all([lockBoth('ada', 'ben'), lockBoth('ben', 'ada')]);
    expect(runs).toBeGreaterThan(2);
    expect((await store.dump()).tables.users.map(({ name }) => name)).toEqual(['locked ada first', 'locked ben first']);
  });

  test('conflicts of distributed databases: the work runs again for up to two seconds', async () => {
    // A sequence keeps its value when a transaction is rolled back.
    await database.query('create sequence conflicts');
    const conflictUntil = (count: number) =>
      database.query(
        `create or replace function conflict() returns trigger language plpgsql as $$ begin
          if nextval('conflicts') < ${count} then raise exception 'restart transaction' using errcode = '40001'; end if;
          return new;
        end $$`,
      );
    await conflictUntil(8);
    await database.query('create trigger conflict before insert on campaigns for each row execute function conflict()');
    try {
      expect((await addCampaign('kept')).name).toBe('kept');
      await conflictUntil(1_000_000);
      const started = performance.now();
      await expect(addCampaign('lost')).rejects.toThrow('Too many writers changed the same rows at once.');
      expect(performance.now() - started).toBeGreaterThan(1000);
      expect((await store.dump()).tables.campaigns.map(({ name }) => name)).toEqual(['kept']);
    } finally {
      await database.query('drop trigger conflict on campaigns; drop function conflict; drop sequence conflicts');
    }
  });

  test('a row that was deleted in between: the work runs again and sees that it is gone', async () => {
    const { id } = await addCampaign('short-lived');
    const runs: (object | null)[] = [];
    await store.transact(async (writer) => {
      const seen = await writer.get('campaigns', id);
      runs.push(seen);
      if (!seen) return;
      await store.transact((other) => other.delete('campaigns', id));
      await writer.update('campaigns', id, { name: 'changed' });
    });
    expect(runs).toEqual([expect.anything(), null]);
  });

  test('a parent that was deleted in between: the work runs again and sees that it is gone', async () => {
    const runs: (object | null)[] = [];
    await store.transact(async (writer) => {
      const seen = await writer.get('organizations', 1);
      runs.push(seen);
      if (!seen) return;
      await store.transact((other) => other.delete('organizations', 1));
      await writer.insert('campaigns', campaignRow());
    });
    expect(runs).toEqual([expect.anything(), null]);
  });

  test('work that swallows the error of a statement is rolled back', async () => {
    const failed = store.transact(async (writer) => {
      await writer.insert('campaigns', campaignRow());
      await writer.insert('campaigns', campaignRow({ organization_id: 99 })).catch(() => undefined);
    });
    await expect(failed).rejects.toThrow('The transaction continued after an error');
    expect((await store.dump()).tables.campaigns).toEqual([]);
  });

  test('of two processes do not get the same serial number', async () => {
    const other = await postgresStore(database.url);
    try {
      const rows = await Promise.all(
        Array.from({ length: 40 }, (_, index) => addCampaign(`${index}`, index % 2 ? store : other)),
      );
      expect(new Set(rows.map(({ id }) => id)).size).toBe(40);
    } finally {
      await other.close();
    }
  });
});

describe('values', () => {
  test.each(['Asia/Kolkata', 'Asia/Tokyo'])(
    'times do not depend on the time zone of the database: %s',
    async (zone) => {
      const name = new URL(database.url).pathname.slice(1);
      await database.query(`alter database ${name} set timezone to '${zone}'`);
      const abroad = await postgresStore(database.url);
      try {
        const changes = { published_at: '2026-12-31T23:59:59Z', paused_at: '1999-01-01T00:00:00Z' };
        await abroad.transact((writer) => writer.insert('campaigns', campaignRow(changes)));
        expect(await abroad.read((reader) => reader.get('campaigns', 1))).toMatchObject(changes);
      } finally {
        await abroad.close();
        await database.query(`alter database ${name} reset timezone`);
      }
    },
  );

  test('totals are right when another program changes the rows', async () => {
    await addCampaign('one');
    await database.query("update campaigns set status = 'active'");
    const [columns] = await database.query(
      `select string_agg(column_name, ', ') as names from information_schema.columns
      where table_name = 'campaigns' and column_name <> 'id' and is_generated = 'NEVER'`,
    );
    await database.query(`insert into campaigns (${columns?.names}) select ${columns?.names} from campaigns`);
    const counts = await store.read(async (reader) => [
      await reader.count('campaigns', 'byOrganization', [1]),
      await reader.count('campaigns', 'byOrganizationWithoutDrafts', [1]),
    ]);
    expect(counts).toEqual([2, 2]);
  });

  test('a unique key that is taken does not end the transaction of an account', async () => {
    await store.transact(async (writer) => {
      await writer.insert('social_accounts', accountRow('url'));
      await writer.insert('social_accounts', accountRow('url')).catch(() => undefined);
      await writer.update('users', 'ada', { name: 'kept' });
    });
    expect((await store.read((reader) => reader.get('users', 'ada')))?.name).toBe('kept');
  });
});

describe('startup', () => {
  const at = (parts: Partial<URL>): string => Object.assign(new URL(database.url), parts).href;

  test.each([
    ['a port where nothing listens', { port: '1', password: 's3cret' }, 'nothing listens there'],
    ['a wrong password', { password: 's3cret' }, 'the user name or the password is wrong'],
    ['a database that is not there', { pathname: '/nowhere' }, 'there is no database of that name'],
    ['an unknown host', { hostname: 'nowhere.invalid', password: 's3cret' }, 'that host is not known'],
  ])('%s is rejected in one sentence without the password', async (_, parts, reason) => {
    const { host, pathname, href } = new URL(at(parts));
    const rejection = postgresStore(href);
    await expect(rejection).rejects.toThrow(StoreConfigurationError);
    await expect(rejection).rejects.toThrow(`The database at ${host}${pathname} cannot be used: ${reason}.`);
  });

  test('an unexpected error at startup is reported with the message of the driver or the database', async () => {
    const rejection = postgresStore(at({ search: '?sslmode=verify-full' }));
    await expect(rejection).rejects.toThrow(StoreConfigurationError);
    await expect(rejection).rejects.toThrow(/cannot be used\. It says: The server does not support SSL connections/);
  });

  test('an address that is not a URL is rejected, and not repeated in the message', async () => {
    await expect(postgresStore('postgres://user:secret@:port:/x')).rejects.toThrow(
      /^The address of the database is not a URL/,
    );
  });

  test('a database that is not in UTF-8 is rejected', async () => {
    await database.query("create database mkt_latin encoding 'LATIN1' locale 'C' template template0");
    try {
      await expect(postgresStore(at({ pathname: '/mkt_latin' }))).rejects.toThrow(
        /stores text as LATIN1; create it with the encoding UTF8/,
      );
    } finally {
      await database.query('drop database mkt_latin with (force)');
    }
  });

  test('four servers may start on an empty database at the same moment', async () => {
    const fresh = await createDatabase();
    try {
      const stores = await Promise.all(Array.from({ length: 4 }, () => postgresStore(fresh.url)));
      await Promise.all(
        stores.map((each, index) => each.transact((writer) => writer.insert('users', userRow(`user ${index}`)))),
      );
      for (const each of stores) {
        expect((await each.dump()).tables.users).toHaveLength(4);
        await each.close();
      }
    } finally {
      await fresh.drop();
    }
  });

  test("another program's tables are rejected and not changed; in another schema they do not matter", async () => {
    const fresh = await createDatabase();
    try {
      await fresh.query('create table users (login text)');
      const rejection = postgresStore(fresh.url);
      await expect(rejection).rejects.toThrow(StoreConfigurationError);
      await expect(rejection).rejects.toThrow('contains tables that are not in a record of this program (users)');
      const tables = "select tablename from pg_tables where schemaname = 'public'";
      expect(await fresh.query(tables)).toEqual([{ tablename: 'users' }]);
      await fresh.query('create schema theirs');
      await fresh.query('alter table users set schema theirs');
      await (await postgresStore(fresh.url)).close();
    } finally {
      await fresh.drop();
    }
  });
});

test('a closed store is unavailable', async () => {
  const closed = await postgresStore(database.url);
  await closed.close();
  await expect(closed.ping()).rejects.toThrow(StoreUnavailable);
  await expect(addCampaign('x', closed)).rejects.toThrow(StoreUnavailable);
});
