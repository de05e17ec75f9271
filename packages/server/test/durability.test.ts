import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { demoSeed } from '../src/index.js';
import { postgresStore } from '../src/store/sql/postgres.js';
import { sqliteStore } from '../src/store/sql/sqlite.js';
import { sqliteDriver } from '../src/store/sql/sqlite-driver.js';
import type { Store } from '../src/store/store.js';
import { Run } from './support/command.js';
import { isLong } from './support/long.js';
import { createDatabase, type TestDatabase } from './support/postgres.js';
import { type Reply, send, urlOf } from './support/served.js';
import { temporaryFile } from './support/stores.js';

const rounds = isLong ? 20 : 1;
const patience = isLong ? 1_800_000 : 60_000;

const runs: Run[] = [];

afterEach(async () => {
  await Promise.all(runs.splice(0).map((run) => run.stop()));
});

const start = async (db: string): Promise<{ run: Run; url: string }> => {
  const run = new Run(['--port', '0', '--json', '--db', db]);
  runs.push(run);
  return { run, url: await urlOf(run) };
};
const after = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What the clients of a write load were told. */
interface Told {
  readonly created: { readonly id: number; readonly name: string }[];
  readonly renamed: Map<number, string>;
  readonly deleted: Set<number>;
  /** A rename or a deletion of it was sent: until its answer is there, it may have happened or not. */
  readonly uncertain: Set<number>;
  readonly statuses: Map<number, number>;
}

/** Clients that create, rename and delete campaigns until `stop()`; a request without an answer ends its client. */
function writeLoad(url: string, label: string) {
  let over = false;
  let allEnded: AggregateError | undefined;
  const told: Told = { created: [], renamed: new Map(), deleted: new Set(), uncertain: new Set(), statuses: new Map() };
  const campaigns = '/organizations/5/campaigns';
  const client = async (number: number): Promise<void> => {
    for (let count = 0; !over; count += 1) {
      const name = `${label} ${number} ${count}`;
      const request = (method: string, path: string, body?: unknown): Promise<Reply> =>
        send(url, 'ada_write', method, path, body).then((reply) => {
          told.statuses.set(reply.status, (told.statuses.get(reply.status) ?? 0) + 1);
          return reply;
        });
      const created = await request('POST', `${campaigns}.json`, { campaign: { name } });
      if (created.status !== 201) continue;
      const { id } = created.body;
      told.created.push({ id, name });
      if (count % 3 === 1) {
        const renamed = `${name}, renamed`;
        told.uncertain.add(id);
        const { status } = await request('PATCH', `${campaigns}/${id}.json`, { campaign: { name: renamed } });
        if (status === 200) told.renamed.set(id, renamed);
      }
      if (count % 3 === 2) {
        told.uncertain.add(id);
        const { status } = await request('DELETE', `${campaigns}/${id}.json`);
        if (status === 204) told.deleted.add(id);
      }
    }
  };
  const clients = Array.from({ length: 4 }, (_, number) => client(number));
  const ended = Promise.allSettled(clients).then((results) => {
    if (!over)
      allEnded = new AggregateError(results.flatMap((each) => (each.status === 'rejected' ? each.reason : [])));
  });
  return {
    /** Waits for that many acknowledged creations. */
    async reached(creations: number): Promise<void> {
      for (; told.created.length < creations; await after(2)) if (allEnded) throw allEnded;
    },
    async stop(): Promise<Told> {
      over = true;
      await ended;
      return told;
    },
  };
}

/** Kills the server on `db` in the middle of a write load. */
async function killedUnderLoad(db: string, label: string, creations: number): Promise<Told> {
  const { run, url } = await start(db);
  const load = writeLoad(url, label);
  await load.reached(creations);
  run.signal('SIGKILL');
  const told = await load.stop();
  await run.ended;
  return told;
}

/** Every acknowledged write is there; what was not acknowledged may be there or not, but not by half. */
async function expectKept(store: Store, told: Told): Promise<void> {
  const { campaigns } = (await store.dump()).tables;
  const kept = new Map(campaigns.map((campaign) => [campaign.id, campaign]));
  for (const { id, name } of told.created) {
    const renamed = told.renamed.get(id);
    if (told.deleted.has(id)) expect([name, kept.has(id)]).toEqual([name, false]);
    else if (renamed !== undefined || !told.uncertain.has(id)) expect(kept.get(id)?.name).toBe(renamed ?? name);
  }
  const total = campaigns.filter(({ organization_id }) => organization_id === 5).length;
  expect(await store.read((reader) => reader.count('campaigns', 'byOrganization', [5]))).toBe(total);
}
describe('SQLite', () => {
  test(
    `kill -9 during a write load, ${rounds} times: after each restart every acknowledged write is there`,
    async () => {
      const { db, remove } = await temporaryFile();
      const seeded = await sqliteStore(db);
      await seeded.load(demoSeed());
      await seeded.close();
      try {
        for (let round = 0; round < rounds; round += 1) {
          const told = await killedUnderLoad(db, `round ${round}`, 10 + 7 * (round % 10));
          // As the kill left it: the next process reads the log.
          const database = (await sqliteDriver()).open(db);
          expect(database.prepare('pragma integrity_check').all()).toMatchObject([{ integrity_check: 'ok' }]);
          expect(database.prepare('pragma foreign_key_check').all()).toEqual([]);
          database.close();
          const store = await sqliteStore(db);
          await expectKept(store, told);
          await store.close();
        }
        // Next, two servers start at once on a file that no process has opened since.
        const told = await killedUnderLoad(db, 'last', 20);
        const servers = await Promise.all([start(db), start(db)]);
        for (const { url } of servers)
          expect((await send(url, 'ada_write', 'GET', '/organizations/5/campaigns.json')).status).toBe(200);
        const store = await sqliteStore(db);
        await expectKept(store, told);
        await store.close();
      } finally {
        await Promise.all(runs.splice(0).map((run) => run.stop()));
        await remove();
      }
    },
    patience,
  );

  test('kill -9 while the rows of a deleted organization are removed: the next server removes the others', async () => {
    const { db, remove } = await temporaryFile();
    await killedAfterDeletion(
      db,
      () => sqliteStore(db),
      async () => {
        const database = (await sqliteDriver()).open(db, { readOnly: true });
        const left = database.prepare('select count(*) as count from campaigns').all()[0]?.count;
        database.close();
        return left;
      },
    );
    await Promise.all(runs.splice(0).map((run) => run.stop()));
    await remove();
  });
});

/** Kills a server right after it has deleted an organization of thousands of campaigns, and starts another one. */
async function killedAfterDeletion(
  db: string,
  open: () => Promise<Store>,
  rowsLeft: () => Promise<unknown>,
): Promise<void> {
  const seeded = await open();
  const seed = demoSeed();
  const [campaign] = seed.tables.campaigns;
  const campaigns = Array.from({ length: 30_000 }, (_, index) => ({
    ...campaign,
    id: 1000 + index,
    organization_id: 5,
  }));
  await seeded.load({ tables: { ...seed.tables, campaigns: campaigns as typeof seed.tables.campaigns }, serials: {} });
  await seeded.close();
  const { run, url } = await start(db);
  expect((await send(url, 'ada_write', 'DELETE', '/organizations/5.json')).status).toBe(204);
  run.signal('SIGKILL');
  await run.ended;
  expect(await rowsLeft()).toBeGreaterThan(0);
  const { url: next } = await start(db);
  // Not half deleted: the remaining rows belong to an organization that is not visible.
  expect((await send(next, 'ada_write', 'GET', '/organizations/5.json')).status).toBe(404);
  const store = await open();
  try {
    const left = () => store.read((reader) => reader.count('campaigns', 'byOrganization', [5]));
    const { tables } = await store.dump();
    expect([tables.campaigns, tables.organizations.filter(({ id }) => id === 5)]).toEqual([[], []]);
    while ((await left()) > 0) await after(20);
  } finally {
    await store.close();
  }
}

describe('PostgreSQL', () => {
  let database: TestDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await createDatabase();
    store = await postgresStore(database.url);
    await store.load(demoSeed());
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  test('kill -9 while the rows of a deleted organization are removed: the next server removes the others', async () => {
    const own = await createDatabase();
    await killedAfterDeletion(
      own.url,
      () => postgresStore(own.url),
      async () => (await own.query('select count(*)::int as left from campaigns'))[0]?.left,
    );
    await Promise.all(runs.splice(0).map((run) => run.stop()));
    await own.drop();
  });

  const cutConnections = () =>
    database.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'mkt-server' and datname = current_database()",
    );

  test(
    `connections cut during a write load, ${rounds} times: 503 at worst, nothing by half, and it goes on without a restart`,
    async () => {
      const { run, url } = await start(database.url);
      for (let round = 0; round < rounds; round += 1) {
        const load = writeLoad(url, `round ${round}`);
        for (let cut = 1; cut <= 5; cut += 1) {
          await load.reached(cut * 5);
          await cutConnections();
        }
        await load.reached(30);
        const told = await load.stop();
        for (const status of told.statuses.keys()) expect([200, 201, 204, 503]).toContain(status);
        await expectKept(store, told);
        // The load's clients ended with an answer, so the server lives; and it answers as before.
        expect((await send(url, 'ada_write', 'GET', '/organizations/5/campaigns.json')).status).toBe(200);
      }
      expect(await run.stop()).toBe(0);
    },
    patience,
  );

  test('a request whose connection is cut in the middle gets 503 with Retry-After, and changes nothing', async () => {
    const { url } = await start(database.url);
    const before = (await store.dump()).tables;
    // The request waits for this lock, in its transaction, when its connection is cut.
    const answer = await store.transact(async (writer) => {
      await writer.lock('organizations', 5);
      const waiting = fetch(`${url}/organizations/5/campaigns.json`, {
        method: 'POST',
        headers: {
          accept: 'application/json',
          authorization: 'Bearer mkt_demo_ada_write',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ campaign: { name: 'never' } }),
      });
      const waiter =
        "select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
      while ((await database.query(waiter)).length === 0) await after(10);
      return waiting;
    });
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await answer.json()).toEqual({ error: expect.stringMatching(/Try again/) });
    expect((await store.dump()).tables).toEqual(before);
    const again = await send(url, 'ada_write', 'POST', '/organizations/5/campaigns.json', {
      campaign: { name: 'now' },
    });
    expect(again.status).toBe(201);
  });
});
