import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoSeed } from '../src/index.js';
import { type Server, serve } from '../src/node/index.js';
import { postgresStore } from '../src/store/sql/postgres.js';
import type { PersistentStore } from '../src/store/store.js';
import { createDatabase, type TestDatabase } from './support/postgres.js';

/** What operators see of the connections, locks and retries of a server on PostgreSQL. */
let database: TestDatabase;
let store: PersistentStore;
let server: Server;
beforeAll(async () => {
  database = await createDatabase();
  store = await postgresStore(database.url, { connections: 2 });
  server = await serve({ store, seed: demoSeed(), port: 0, metrics: { port: 0 } });
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
});

const metrics = async (): Promise<string> => (await fetch(server.metricsUrl ?? '')).text();
const value = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await metrics())?.[1]);

test('shows connections in use, and requests that wait for one', async () => {
  expect([await value('mkt_pool_in_use'), await value('mkt_pool_waiting')]).toEqual([0, 0]);
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const began = [5, 6].map(
    (id) =>
      new Promise<void>((locked, failed) => {
        const work = store.transact(async (writer) => {
          await writer.lock('organizations', id);
          locked();
          await gate;
        });
        work.catch(failed);
      }),
  );
  await Promise.all(began);
  const waiting = store.isEmpty();
  expect([await value('mkt_pool_in_use'), await value('mkt_pool_waiting')]).toEqual([2, 1]);
  release();
  expect(await waiting).toBe(false);
  // A connection is free a moment after its result is here.
  await expect.poll(async () => [await value('mkt_pool_in_use'), await value('mkt_pool_waiting')]).toEqual([0, 0]);
});

test('counts how often and how long writers wait for a lock', async () => {
  const before = await value('mkt_lock_waits_total');
  const seconds = await value('mkt_lock_wait_seconds_total');
  const write = () =>
    store.transact(async (writer) => {
      await writer.lock('organizations', 5);
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
  await Promise.all([write(), write(), write()]);
  expect(await value('mkt_lock_waits_total')).toBe(before + 3);
  // The second one waits for the first, the third for both.
  expect((await value('mkt_lock_wait_seconds_total')) - seconds).toBeGreaterThan(0.14);
});

test('counts transactions that run again', async () => {
  let runs = 0;
  await store.transact(async () => {
    runs += 1;
    if (runs < 3) throw Object.assign(new Error('serialization failure'), { code: '40001' });
  });
  expect(await value('mkt_transaction_retries_total')).toBe(2);
});

test('the alert rules only name metrics that exist', async () => {
  const rules = readFileSync(new URL('../../../deploy/prometheus/alerts.yaml', import.meta.url), 'utf8');
  await fetch(`${server.url}/organizations.json`);
  const text = await metrics();
  const names = new Set(rules.match(/\b(mkt|nodejs|process)_\w+/g));
  expect([...names].filter((name) => !text.includes(`\n${name}{`) && !text.includes(`\n${name} `))).toEqual([]);
  expect(names.size).toBeGreaterThan(5);
});
