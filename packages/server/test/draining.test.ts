import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { serve } from '../src/node/serve.js';
import { demoSeed, demoTokens } from '../src/seed/demo.js';
import { Run } from './support/command.js';
import { freePort } from './support/free-port.js';
import { isLong } from './support/long.js';
import { hasNginx, startNginx } from './support/nginx.js';
import { urlOf } from './support/served.js';
import { openTestStore, type StoreKind, storeKinds, type TestStore } from './support/stores.js';

// The theme: a restart under load, as an orchestrator does it. Requests that the server took are answered and stored,
// later ones are refused before they are sent, and nothing else is stored.

const rounds = isLong ? 20 : 1;
vi.setConfig({ testTimeout: rounds * 60_000 });

const campaigns = '/organizations/5/campaigns.json';
const headers = {
  Host: 'localhost',
  Accept: 'application/json',
  Authorization: `Bearer ${demoTokens.ada_write}`,
  'Content-Type': 'application/json',
};
const bodyOf = (name: string) => JSON.stringify({ campaign: { name } });

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

interface Stoppable {
  readonly url: string;
  /** As SIGTERM does. Resolves when the server has ended. */
  readonly stop: () => Promise<unknown>;
}

/** A process; with the memory of this one, a server in it. */
async function start(kind: StoreKind, { store, db }: TestStore): Promise<Stoppable> {
  if (kind === 'memory') {
    const server = await serve({ store: { ...store, close: async () => undefined }, port: 0, drainDelay: 1000 });
    return { url: server.url, stop: () => server.close() };
  }
  const run = new Run(['--port', '0', '--json', '--db', db, '--drain-delay', '1']);
  ends.push(() => run.stop());
  return { url: await urlOf(run), stop: () => run.stop() };
}

/** The names of the campaigns that are not those of the seed. */
async function namesIn({ store }: TestStore): Promise<string[]> {
  const known = new Set(demoSeed().tables.campaigns.map(({ id }) => id));
  const { campaigns: rows } = (await store.dump()).tables;
  return rows
    .filter(({ id }) => !known.has(id))
    .map(({ name }) => name)
    .sort();
}

type Told = { readonly status: number } | { readonly lost: string };

/** One creation over a connection that is kept. */
const create = (agent: Agent, url: string, name: string): Promise<Told> =>
  new Promise((resolve) => {
    const sent = request(url + campaigns, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', () => resolve({ status: response.statusCode ?? 0 }));
    });
    sent.once('error', ({ code }: NodeJS.ErrnoException) => resolve({ lost: String(code) }));
    sent.end(bodyOf(name));
  });

/** Creates one campaign after the other, until the server accepts no more connections. */
async function client(url: string, label: string, created: string[]): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (let count = 0; ; count += 1) {
      const told = await create(agent, url, `${label} ${count}`);
      if ('lost' in told) return told.lost;
      if (told.status !== 201) return String(told.status);
      created.push(`${label} ${count}`);
    }
  } finally {
    agent.destroy();
  }
}

/** A creation whose last bytes come after `isDraining`. @returns the response */
async function slowly(url: string, name: string, isDraining: Promise<unknown>): Promise<string> {
  const body = bodyOf(name);
  const head = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body) }).map((each) => each.join(': '));
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`POST ${campaigns} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body.slice(0, 5)}`);
  await isDraining;
  socket.write(body.slice(5));
  let text = '';
  for await (const part of socket) text += part;
  return text;
}

describe.concurrent('stopping under load', () => {
  test.each(storeKinds)('answers what 20 clients sent and stores nothing else, on %s', async (kind) => {
    const opened = await openTestStore(kind);
    ends.push(() => opened.dispose());
    await opened.store.load(demoSeed());
    const created: string[] = [];
    const ended: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const { url, stop } = await start(kind, opened);
      const before = created.length;
      const loads = Promise.all(Array.from({ length: 20 }, (_, place) => client(url, `${round} ${place}`, created)));
      while (created.length < before + 20) await delay(10);
      // Its body is complete after the port is closed.
      const slow = slowly(url, `${round} slow`, loads);
      await delay(100);
      await stop();
      expect(await slow).toMatch(/^HTTP\/1\.1 201 [\s\S]*^Connection: close/im);
      created.push(`${round} slow`);
      ended.push(...(await loads));
    }
    // A client that a busy machine stops for longer than the server waits may connect while the port is closed.
    expect(ended.filter((code) => code !== 'ECONNREFUSED' && code !== 'ECONNRESET')).toEqual([]);
    expect(ended.filter((code) => code === 'ECONNRESET').length).toBeLessThan(ended.length / 3);
    expect(await namesIn(opened)).toEqual(created.sort());
  });
});

// Skipped where nginx is not installed.
test.skipIf(!hasNginx)('behind nginx no request is lost while its processes restart', async () => {
  const opened = await openTestStore('sqlite');
  ends.push(() => opened.dispose());
  await opened.store.load(demoSeed());
  const startAt = async (port: number) => {
    const run = new Run(['--port', String(port), '--json', '--db', opened.db, '--drain-delay', '1']);
    ends.push(() => run.stop());
    await urlOf(run);
    return { port, run };
  };
  const running = await Promise.all([await freePort(), await freePort()].map(startAt));
  const proxy = await startNginx(running.map(({ port }) => port));
  ends.push(() => proxy.stop());
  const created: string[] = [];
  const lost: Told[] = [];
  let over = false;
  const clients = Array.from({ length: 20 }, async (_, place) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let count = 0; !over; count += 1) {
      const name = `${place} ${count}`;
      const told = await create(agent, proxy.url, name);
      if ('status' in told && told.status === 201) created.push(name);
      else lost.push(told);
    }
    agent.destroy();
  });
  for (let round = 0; round < 2 * rounds; round += 1) {
    const { run, port } = running.shift() as (typeof running)[number];
    await run.stop();
    running.push(await startAt(port));
    await delay(300);
  }
  over = true;
  await Promise.all(clients);
  expect(lost).toEqual([]);
  expect(created.length).toBeGreaterThan(100);
  expect(await namesIn(opened)).toEqual(created.sort());
});
