import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { testControls } from '@mkt/mock-server/node';
import { demoSeed, memoryStore } from '@mkt/server';
import { sha256 } from '@mkt/server/extend';
import { jsonLog, serve } from '@mkt/server/node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createControl } from '../src/control/control.js';
import { controlGuard } from '../src/node/guard.js';
import { withControl } from '../src/node/serve-control.js';
import { controlToken, marketplace } from './control-marketplace.js';

let market: Awaited<ReturnType<typeof marketplace>>;
beforeAll(async () => {
  market = await marketplace({ rateLimit: { requests: 5, seconds: 3600 } });
});
afterEach(() => market.control('POST', '/reset'));
afterAll(() => market.close());

const show = async (path: string): Promise<Record<string, unknown>> =>
  (await (await market.call('GET', path)).json()) as Record<string, unknown>;

describe('access to the control API', () => {
  test('rejects access tokens of users', async () => {
    for (const token of ['mkt_demo_ada_write', 'wrong', '']) {
      const answer = await market.call('GET', '/__mkt/v1/clock', { token });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toEqual({ error: expect.stringContaining('control token') });
    }
  });

  test('rejects host names of other machines, so that DNS rebinding by a page fails', async () => {
    const { port } = new URL(market.url);
    const status = await new Promise((resolve, reject) => {
      const headers = { Host: 'evil.example', Authorization: `Bearer ${controlToken}` };
      request({ host: '127.0.0.1', port, path: '/__mkt/v1/clock', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(400);
  });

  test('rejects connections from other machines, whatever the Host header says (D104)', async () => {
    const { control } = createControl({ store: memoryStore(), seed: demoSeed, pages: true, forget: () => undefined });
    const api = withControl(async () => new Response(), { control, guard: controlGuard(controlToken, sha256) });
    const from = async (remoteAddress: string) => {
      const headers = { host: 'localhost', authorization: `Bearer ${controlToken}` };
      const request = new Request('http://localhost/__mkt/v1/clock', { headers });
      return (await api(request, { incoming: { headers, socket: { remoteAddress } } })).status;
    };
    for (const address of ['127.0.0.1', '127.3.2.1', '::1', '::ffff:127.0.0.1']) expect(await from(address)).toBe(200);
    for (const address of ['10.0.0.9', '::ffff:10.0.0.9', 'fe80::1', '127.0.0.1.example', ''])
      expect([address, await from(address)]).toEqual([address, 403]);
  });

  const own = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4');
  test.skipIf(!own)('rejects requests from the network, even with a Host header of this machine (D104)', async () => {
    const server = await serve({
      store: memoryStore(),
      seed: demoSeed(),
      port: 0,
      host: '0.0.0.0',
      extend: testControls({ token: controlToken, seed: demoSeed }),
    });
    const { port } = new URL(server.url);
    const statusOf = (host: string, path: string) =>
      new Promise((resolve, reject) => {
        const headers = { Host: 'localhost', Authorization: `Bearer ${controlToken}` };
        request({ host, port, path, headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });
    for (const path of ['/__mkt/v1/clock', '/__mkt']) {
      expect([path, await statusOf('127.0.0.1', path)]).toEqual([path, 200]);
      expect([path, await statusOf(own?.address ?? '', path)]).toEqual([path, 403]);
    }
    await server.close();
  });

  test('rejects further wrong tokens for a while, but never the right one, and counts no missing ones (D104)', async () => {
    const guarded = await marketplace();
    vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] });
    try {
      const ask = (token: string) => guarded.call('GET', '/__mkt/v1/clock', { token });
      const statusOf = async (token: string) => (await ask(token)).status;
      // What any web page can send.
      for (let guess = 0; guess < 25; guess += 1) expect(await statusOf('')).toBe(401);
      for (let guess = 0; guess < 20; guess += 1) expect(await statusOf(`guess-${guess}`)).toBe(401);
      expect(await statusOf(controlToken)).toBe(200);
      const limited = await ask('one-more');
      expect(limited.status).toBe(429);
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
      expect([await statusOf(controlToken), await statusOf('')]).toEqual([200, 401]);
      vi.setSystemTime(Date.now() + 60_000);
      expect(await statusOf('one-more')).toBe(401);
    } finally {
      vi.useRealTimers();
      await guarded.close();
    }
  });

  test('logs every request, without the token (D104)', async () => {
    const lines: string[] = [];
    const server = await serve({
      store: memoryStore(),
      seed: demoSeed(),
      port: 0,
      extend: testControls({ token: controlToken, seed: demoSeed }),
      log: await jsonLog({ write: (line) => lines.push(line) }),
    });
    const ids = [];
    for (const token of [controlToken, 'wrong-control-token']) {
      const headers = { Authorization: `Bearer ${token}` };
      const response = await fetch(`${server.url}/__mkt/v1/requests?user=usr_ada`, { headers });
      ids.push(response.headers.get('x-request-id'));
    }
    await server.close();
    const logged = lines.map((line) => JSON.parse(line)).map(({ time, level, ms, ...rest }) => rest);
    const line = {
      msg: 'request completed',
      method: 'GET',
      path: '/__mkt/v1/requests',
      operation: 'control',
      user_id: null,
    };
    expect(logged).toEqual([
      { ...line, request_id: ids[0], status: 200 },
      { ...line, request_id: ids[1], status: 401 },
    ]);
    expect(lines.join()).not.toContain('control-token');
  });

  test('sends no CORS headers to any origin', async () => {
    const answer = await market.call('GET', '/__mkt/v1/clock', {
      token: controlToken,
      headers: { Origin: 'http://localhost:5173' },
    });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('responds with a message: 404 to unknown paths, 405 to other HTTP methods, 400 to invalid JSON', async () => {
    expect((await market.control('GET', '/nothing')).status).toBe(404);
    for (const root of ['', '/']) expect((await market.control('GET', root)).body).toContain('POST /reset');
    expect(await market.control('PATCH', '/clock')).toEqual({ status: 405, body: { error: '/clock supports GET.' } });
    const broken = await fetch(`${market.url}/__mkt/v1/faults`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${controlToken}` },
      body: '{',
    });
    expect([broken.status, await broken.json()]).toEqual([400, { error: expect.stringContaining('not valid JSON') }]);
  });
});

describe('reset, snapshots and seeds', () => {
  test('reset restores data, ids, clock, faults, requests and the rate limit', async () => {
    const post = () => market.call('POST', '/organizations.json', { body: { organization: { name: 'New' } } });
    expect(((await (await post()).json()) as { id: number }).id).toBe(11);
    await market.control('POST', '/clock/freeze', '2030-01-01T00:00:00Z');
    await market.control('POST', '/faults', { match: { operation: 'address.get' }, effect: 'drop' });
    for (let turn = 0; turn < 6; turn++) await market.call('GET', '/organizations.json');
    expect((await market.call('GET', '/organizations.json')).status).toBe(429);

    await market.control('POST', '/reset');
    expect((await market.control('GET', '/requests')).body).toEqual([]);
    expect((await market.control('GET', '/faults')).body).toEqual([]);
    expect((await market.control('GET', '/clock')).body.frozen).toBe(false);
    expect((await market.call('GET', '/me/address.json')).status).toBe(200);
    expect(((await (await post()).json()) as { id: number }).id).toBe(11);
  });

  test('a snapshot contains everything as JSON, including images, and can be restored', async () => {
    const logo = (await show('/organizations/5.json')).logo_url as string;
    await market.control('POST', '/clock/freeze', '2030-01-01T00:00:00Z');
    await market.control('POST', '/faults', { match: { operation: 'collabs.list' }, effect: 'drop', times: 3 });
    const snapshot = (await market.control('GET', '/snapshot')).body;
    expect(snapshot).toMatchObject({ version: 1, serials: { organizations: 11 } });
    expect(JSON.stringify(snapshot)).not.toContain('mkt_demo_ada_write');

    await market.control('POST', '/reset');
    await market.call('PATCH', '/organizations/5.json', { body: { organization: { purge_logo: '1' } } });
    expect((await fetch(logo)).status).toBe(404);
    expect((await market.control('PUT', '/snapshot', snapshot)).status).toBe(204);
    expect((await fetch(logo)).headers.get('content-type')).toBe('image/png');
    expect((await market.control('GET', '/clock')).body).toEqual({ now: '2030-01-01T00:00:00.000Z', frozen: true });
    expect((await market.control('GET', '/faults')).body).toMatchObject([{ effect: 'drop', times: 3, hits: 0 }]);
  });

  test('an id in a restored fault does not affect the ids of new faults', async () => {
    const snapshot = (await market.control('GET', '/snapshot')).body;
    await market.control('PUT', '/snapshot', {
      ...snapshot,
      faults: [{ effect: 'drop', id: 'mine', seen: 0, hits: 0 }],
    });
    expect((await market.control('POST', '/faults', { effect: 'drop' })).body.id).toMatch(/^fault_\d+$/);
  });

  test('restored faults keep their ids, and new faults get other ids', async () => {
    const { id } = (await market.control('POST', '/faults', { match: { operation: 'address.get' }, effect: 'drop' }))
      .body;
    const snapshot = (await market.control('GET', '/snapshot')).body;
    const elsewhere = await marketplace();
    await elsewhere.control('PUT', '/snapshot', snapshot);
    const added = (await elsewhere.control('POST', '/faults', { effect: 'drop' })).body;
    const ids = (await elsewhere.control('GET', '/faults')).body.map((fault: { id: string }) => fault.id);
    await elsewhere.close();
    expect(ids).toEqual([id, added.id]);
    expect(added.id).not.toBe(id);
  });

  test('rejects invalid snapshots and changes nothing', async () => {
    const { status, body } = await market.control('PUT', '/snapshot', { version: 2 });
    expect([status, body.error]).toEqual([422, expect.stringContaining('snapshot.version is not 1')]);
    expect((await market.call('GET', '/organizations/5.json')).status).toBe(200);
  });

  test.each([
    [
      'a row without a column',
      { tables: { campaigns: [{ id: 1 }] } },
      'snapshot.tables.campaigns.0.organization_id is not of the type integer',
    ],
    [
      'a column of another type',
      { tables: { users: [{ id: 'u', name: 5, email: 'u@x' }] } },
      'users.0.name is not of the type text',
    ],
    ['an invalid fault', { faults: [null] }, 'snapshot.faults.0'],
    ['a fault without its counts', { faults: [{ effect: 'drop' }] }, 'snapshot.faults.0.id'],
    ['a serial of no table', { serials: { users: 1.5 } }, 'snapshot.serials.users'],
    ['a clock out of its years', { clock: { offset: 1e300, frozenAt: null } }, 'the years 1 to 9999'],
    ['an invalid frozen clock', { clock: { offset: 0, frozenAt: -1e15 } }, 'the years 1 to 9999'],
  ])('rejects a snapshot with %s and changes nothing', async (_, change, sentence) => {
    const snapshot = (await market.control('GET', '/snapshot')).body;
    const { status, body } = await market.control('PUT', '/snapshot', { ...snapshot, ...change });
    expect([status, body.error]).toEqual([422, expect.stringContaining(sentence)]);
    expect((await market.call('GET', '/organizations/5.json')).status).toBe(200);
  });

  test.each([
    ['organizations', 'default_countries', [1], 'is not of the type strings'],
    ['campaigns', 'view_count', 1.5, 'is not of the type integer'],
    ['campaigns', 'view_count', null, 'is not of the type integer'],
    ['images', 'bytes', '#', 'is not of the type bytes'],
    ['campaigns', 'organization_id', 999, 'refers to organizations 999, which does not exist'],
  ])('rejects a snapshot whose %s have a %s of %j and changes nothing', async (table, column, value, why) => {
    const snapshot = (await market.control('GET', '/snapshot')).body;
    snapshot.tables[table][0][column] = value;
    const { status, body } = await market.control('PUT', '/snapshot', snapshot);
    expect([status, body.error]).toEqual([422, `snapshot.tables.${table}.0.${column} ${why}.`]);
    expect((await market.call('GET', '/organizations/5.json')).status).toBe(200);
  });

  test('rejects a snapshot that contains a row twice', async () => {
    const snapshot = (await market.control('GET', '/snapshot')).body;
    snapshot.tables.users.push({ ...snapshot.tables.users[0], id: 'usr_twin' });
    const { status, body } = await market.control('PUT', '/snapshot', snapshot);
    expect([status, body.error]).toEqual([
      422,
      expect.stringMatching(/^A row of users with the same (email ada@acme.example|key) already exists.$/),
    ]);
    expect((await market.call('GET', '/organizations/5.json')).status).toBe(200);
  });

  test('seed replaces the data and returns its tokens; reset restores the initial seed', async () => {
    const text = 'users:\n  zoe:\n    tokens: [{ secret: mkt_zoe_secret, permission: write }]\n';
    const { body } = await market.control('PUT', '/seed', { seed: text });
    expect(body).toEqual({ tokens: { zoe_write: 'mkt_zoe_secret' } });
    expect((await market.call('GET', '/organizations.json')).status).toBe(401);
    expect((await market.call('GET', '/organizations.json', { token: 'mkt_zoe_secret' })).status).toBe(200);
    await market.control('POST', '/reset');
    expect((await market.call('GET', '/organizations.json')).status).toBe(200);
  });

  test('rejects a seed with problems and reports all of them', async () => {
    const { status, body } = await market.control('PUT', '/seed', { seed: 'users:\n  Zoe: {}\n' });
    expect([status, body.error]).toEqual([422, expect.stringContaining('line 2')]);
    for (const seed of ['demmo', 7, undefined])
      expect((await market.control('PUT', '/seed', { seed })).status).toBe(422);
  });

  test('the export is a seed with the same data', async () => {
    await market.call('POST', '/organizations.json', { body: { organization: { name: 'Exported' } } });
    const { seed } = (await market.control('GET', '/seed')).body;
    expect(seed).toContain('Exported');
    await market.control('PUT', '/seed', { seed });
    // An export contains no tokens, because their secrets are not stored.
    expect((await market.call('GET', '/organizations.json')).status).toBe(401);
    const { token } = (await market.control('POST', '/tokens', { user: 'usr_ada', permission: 'read' })).body;
    const list = await market.call('GET', '/organizations.json', { token });
    expect(((await list.json()) as { name: string }[]).map(({ name }) => name)).toContain('Exported');
  });
});

describe('the clock', () => {
  test('set, advance, freeze and resume determine timestamps', async () => {
    await market.control('POST', '/clock/freeze', '2026-06-01T00:00:00Z');
    const created = await market.call('POST', '/organizations.json', { body: { organization: { name: 'Timed' } } });
    expect(((await created.json()) as { created_at: string }).created_at).toBe('2026-06-01T00:00:00Z');
    expect((await market.control('POST', '/clock/advance', { hours: 1, minutes: -1 })).body.now).toBe(
      '2026-06-01T00:59:00.000Z',
    );
    expect((await market.control('POST', '/clock/resume')).body.frozen).toBe(false);
    const { now } = (await market.control('POST', '/clock/set', '2027-01-01T00:00:00Z')).body;
    expect(now).toMatch(/^2027-01-01T00:00:0/);
  });

  test.each([
    'tomorrow',
    '1',
    'June 1, 2026',
    '2026-02-30',
    '2026-06-01T24:30:00Z',
    // Another moment on each machine.
    '2026-06-01T00:00:00',
  ])('rejects %j, which is not the same moment everywhere', async (moment) => {
    const { status, body } = await market.control('POST', '/clock/set', moment);
    expect([status, body.error]).toEqual([422, expect.stringContaining('moment must be an ISO 8601 time')]);
  });

  test.each([
    ['2026-06-01', '2026-06-01T00:00:00.000Z'],
    ['2026-06-01T10:00:00.5+02:00', '2026-06-01T08:00:00.500Z'],
  ])('is set to %s', async (moment, now) => {
    expect((await market.control('POST', '/clock/freeze', moment)).body.now).toBe(now);
  });

  test('rejects years that timestamps cannot represent', async () => {
    const before = (await market.control('POST', '/clock/freeze')).body;
    for (const by of [{ days: 1e300 }, { days: 3_000_000 }, { days: -800_000 }])
      expect((await market.control('POST', '/clock/advance', by)).body.error).toContain('the years 1 to 9999');
    expect((await market.control('POST', '/clock/freeze', '0000-12-31')).body.error).toContain('the years 1 to 9999');
    expect((await market.control('POST', '/clock/freeze', '+012026-01-01T00:00:00Z')).status).toBe(422);
    expect((await market.control('GET', '/clock')).body).toEqual(before);
  });

  test('determines the rate limit', async () => {
    for (let turn = 0; turn < 5; turn++) await market.call('GET', '/organizations.json');
    expect((await market.call('GET', '/organizations.json')).status).toBe(429);
    await market.control('POST', '/clock/advance', { hours: 1 });
    expect((await market.call('GET', '/organizations.json')).status).toBe(200);
  });
});

describe('the request log', () => {
  test('contains request, user, body and status, but no secrets', async () => {
    await market.call('GET', '/organizations.json?page=1');
    await market.call('POST', '/organizations/5/campaigns.json', {
      token: 'mkt_demo_ben_write',
      body: { campaign: { name: 'Logged' } },
    });
    const { body } = await market.control('GET', '/requests');
    expect(body).toMatchObject([
      {
        method: 'GET',
        path: '/organizations.json?page=1',
        operation: 'organizations.list',
        user: 'usr_ada',
        status: 200,
      },
      {
        operation: 'campaigns.create',
        user: 'usr_ben',
        status: 201,
        body: { campaign: { name: 'Logged' } },
        fault: null,
      },
    ]);
    expect(JSON.stringify(body)).not.toContain('mkt_demo');
    expect((await market.control('GET', '/requests?status=201&method=post')).body).toHaveLength(1);
    expect((await market.control('GET', '/requests?user=usr_ada&path=/organizations.json')).body).toHaveLength(1);
    await market.control('DELETE', '/requests');
    expect((await market.control('GET', '/requests')).body).toEqual([]);
  });

  test('lists requests whose body is nested too deeply for JSON', async () => {
    const deep = `{"campaign":{"name":"Deep","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    const headers = { Authorization: 'Bearer mkt_demo_ada_write', Accept: 'application/json' };
    const sent = { method: 'POST', body: deep, headers: { ...headers, 'Content-Type': 'application/json' } };
    expect((await fetch(`${market.url}/organizations/5/campaigns.json`, sent)).status).toBe(400);
    const { status, body } = await market.control('GET', '/requests');
    expect([status, body]).toEqual([
      200,
      [expect.objectContaining({ status: 400, path: '/organizations/5/campaigns.json' })],
    ]);
  });

  test('a path may contain *, and matches with and without .json, as in faults', async () => {
    await market.call('GET', '/organizations/5.json?x=1');
    await market.call('GET', '/organizations/7');
    const count = async (path: string) => (await market.control('GET', `/requests?path=${path}`)).body.length;
    expect([
      await count('/organizations/*'),
      await count('/organizations/5'),
      await count('/organizations/7.json'),
    ]).toEqual([2, 1, 1]);
  });

  test.each([
    ['operation=campaign.list', 'filter.operation is not an operation of the API'],
    ['operations=campaigns.list', 'filter accepts only operation, method, path, user, status and unexpected'],
    ['method=FETCH', 'filter.method must be one of GET'],
    ['path=organizations', 'filter.path must start with /'],
    ['status=abc', 'filter.status must be a number'],
    ['status=', 'filter.status must be a status from 100 to 599'],
    ['unexpected=maybe', 'filter.unexpected must be true or false'],
  ])('rejects the filter %s, which can never match', async (query, sentence) => {
    const { status, body } = await market.control('GET', `/requests?${query}`);
    expect([status, body.error]).toEqual([422, expect.stringContaining(sentence)]);
  });

  test('names the injected fault, and has a status of null for closed connections', async () => {
    const { id } = (await market.control('POST', '/faults', { effect: 'drop', times: 1 })).body;
    await expect(market.call('GET', '/organizations/5.json')).rejects.toThrow();
    expect((await market.control('GET', '/requests')).body).toMatchObject([
      { operation: 'organizations.get', status: null, fault: id, unexpected: null },
    ]);
  });

  test('marks requests that clients should not send as unexpected', async () => {
    await market.call('GET', '/organizations/6.json');
    expect((await market.control('GET', '/unexpected')).status).toBe(204);
    await market.call('GET', '/organisations.json');
    await market.call('PUT', '/organizations/5.json');
    const { status, body } = await market.control('GET', '/unexpected');
    expect(status).toBe(422);
    expect(body.error).toContain('2 unexpected');
    expect(body.error).toContain('GET /organisations.json -> 404');
    expect((await market.control('GET', '/requests?unexpected=true')).body).toHaveLength(2);
  });
});
