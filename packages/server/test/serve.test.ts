import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { jsonLog } from '../src/node/logs.js';
import { type ServeOptions, type Server, serve } from '../src/node/serve.js';
import { demoSeed, demoTokens } from '../src/seed/demo.js';
import { memoryStore } from '../src/store/memory-lists.js';
import { sqliteStore } from '../src/store/sql/sqlite.js';
import type { Store } from '../src/store/store.js';
import { StoreUnavailable } from '../src/store/store.js';
import { freePort } from './support/free-port.js';
import { parsed, rawExchange } from './support/raw-http.js';
import { turns } from './support/turns.js';

let folder: string;
const running: Server[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mkt-serve-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
  rmSync(folder, { recursive: true });
});

async function started(options: Partial<ServeOptions> = {}): Promise<Server> {
  const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0, ...options });
  running.push(server);
  return server;
}

const json = { Accept: 'application/json', Authorization: `Bearer ${demoTokens.ada_write}` };
const get = (server: Server, path: string, headers: Record<string, string> = json) =>
  fetch(`${server.url}${path}`, { headers });

const metricsOf = async ({ metricsUrl }: Server): Promise<string> => (await fetch(metricsUrl ?? '')).text();

describe('probes', () => {
  test('/livez and /readyz respond with 200 without a token', async () => {
    const server = await started();
    for (const path of ['/livez', '/readyz']) expect((await get(server, path, {})).status).toBe(200);
  });

  test('/readyz is 503 if the store fails; /livez stays 200', async () => {
    const store = await sqliteStore(join(folder, 'kept.db'));
    const server = await started({ store });
    expect((await get(server, '/readyz', {})).status).toBe(200);
    await store.close();
    const answer = await get(server, '/readyz', {});
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await get(server, '/livez', {})).status).toBe(200);
  });
});

describe('shutdown', () => {
  /** One request on a kept-alive connection. */
  const ask = (server: Server, agent: Agent, path: string) =>
    new Promise<void>((resolve, reject) => {
      httpRequest(`${server.url}${path}`, { agent }, (response) => response.resume().on('end', resolve))
        .on('error', reject)
        .end();
    });

  test('finishes running requests, closes idle connections, then closes the store', async () => {
    const store = await sqliteStore(join(folder, 'kept.db'));
    const server = await started({ store, latency: 400, metrics: { port: 0 } });
    const agent = new Agent({ keepAlive: true });
    await ask(server, agent, '/livez');
    const slow = get(server, '/organizations.json');
    while (!(await metricsOf(server)).includes('mkt_requests_in_flight 1'));
    const began = performance.now();
    const ended = server.close();
    await store.ping();
    expect((await slow).status).toBe(200);
    await ended;
    await expect(store.ping()).rejects.toThrow(StoreUnavailable);
    // An idle connection would be kept for 65 s, a busy one cut after 9.
    expect(performance.now() - began).toBeLessThan(8000);
    await expect(get(server, '/livez')).rejects.toThrow();
    agent.destroy();
  });

  test('responds to requests in flight with Connection: close; /readyz is 503', async () => {
    const server = await started();
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write('GET /readyz HTTP/1.1\r\n');
    await turns();
    const ended = server.close();
    await turns();
    socket.write('Host: localhost\r\n\r\n');
    const received: Buffer[] = [];
    for await (const chunk of socket) received.push(chunk as Buffer);
    const { status, headers, body } = parsed(Buffer.concat(received).toString());
    expect([status, headers.connection, body]).toEqual([503, 'close', '{"status":"draining"}']);
    await ended;
  });

  test('can be closed twice', async () => {
    const server = await started();
    await Promise.all([server.close(), server.close()]);
    await server.close();
  });
});

test('finishes requests of disconnected clients before it closes the store', async () => {
  const db = join(folder, 'kept.db');
  let reading: () => void = () => undefined;
  let read: () => void = () => undefined;
  const isReading = new Promise<void>((resolve) => {
    reading = resolve;
  });
  const isRead = new Promise<void>((resolve) => {
    read = resolve;
  });
  const failures: unknown[] = [];
  const store = await sqliteStore(db);
  const server = await started({
    store,
    log: { requestCompleted: () => undefined, failed: (_, error) => failures.push(error), stopping: () => undefined },
    readPage: async (website) => {
      reading();
      await isRead;
      return { website, name: 'The client has disconnected', brief: null, countries: null, image: null };
    },
  });
  const patience = new AbortController();
  const lost = fetch(`${server.url}/organizations/5/collabs.json?website=https://x.example`, {
    method: 'POST',
    headers: json,
    signal: patience.signal,
  });
  await isReading;
  patience.abort();
  await expect(lost).rejects.toThrow();
  const ended = server.close();
  // As long as it would take to close the store too early.
  await expect(vi.waitFor(() => expect(store.ping()).rejects.toThrow(), { timeout: 300 })).rejects.toThrow();
  read();
  await ended;
  expect(failures).toEqual([]);
  const again = await sqliteStore(db);
  const { collabs } = (await again.dump()).tables;
  await again.close();
  expect(collabs.at(-1)?.name).toBe('The client has disconnected');
});

test('no response may be read as another type than it says', async () => {
  const server = await started();
  const image = (await (await get(server, '/organizations/5.json')).json()).logo_url as string;
  const requests: [string, RequestInit, number][] = [
    ['/organizations.json', { headers: json }, 200],
    ['/organizations/5/campaigns/1.json', { method: 'DELETE', headers: json }, 204],
    ['/organizations/5.json', { headers: { ...json, 'If-None-Match': '*' } }, 304],
    ['/organizations/5.json', { method: 'OPTIONS', headers: json }, 204],
    ['/organizations.json', { headers: { Accept: 'application/json' } }, 401],
    ['/nope', { headers: json }, 404],
    ['/organizations.json', { method: 'PUT', headers: json }, 405],
    [new URL(image).pathname, {}, 200],
    ['/sign_in', {}, 200],
    ['/organizations', { redirect: 'manual' }, 303],
    ['/assets/icon.svg', {}, 200],
    ['/livez', {}, 200],
    ['/readyz', {}, 200],
    ['/openapi.json', {}, 200],
    ['/docs', {}, 200],
  ];
  for (const [path, init, status] of requests) {
    const response = await fetch(server.url + path, init);
    expect([path, response.status, response.headers.get('x-content-type-options')]).toEqual([path, status, 'nosniff']);
  }
});

describe('invalid HTTP gets a JSON error without a stack', () => {
  const host = 'Host: 127.0.0.1\r\n';
  test.each<[string, string, number]>([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['a header without a colon', `GET / HTTP/1.1\r\n${host}broken\r\n\r\n`, 400],
    ['a NUL in a header', `GET / HTTP/1.1\r\n${host}X: a\0b\r\n\r\n`, 400],
    ['two lengths', `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400],
    [
      'a length and chunks',
      `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['an unknown method', `BREW /organizations.json HTTP/1.1\r\n${host}\r\n`, 405],
    ['CONNECT', `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`, 405],
    ['a very long address', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`, 431],
    ['a very long header', `GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['very many headers', `GET / HTTP/1.1\r\n${host}${'X-A: b\r\n'.repeat(5000)}\r\n`, 431],
    ['no Host', 'GET /organizations.json HTTP/1.1\r\n\r\n', 400],
    ['an invalid Host', 'GET /organizations.json HTTP/1.1\r\nHost: a b\r\n\r\n', 400],
    ...['1.2.3.256', 'a.1', '127.0.0.1.9', '1..2', 'x:', 'x:99999', '%00', '[::', 'a%2fb'].map(
      (name): [string, string, number] => [
        `the Host ${name}`,
        `GET /organizations.json HTTP/1.1\r\nHost: ${name}\r\n\r\n`,
        400,
      ],
    ),
    ['a Host with a path', 'GET /organizations.json HTTP/1.1\r\nHost: localhost/x\r\n\r\n', 400],
    ['two Hosts', `GET /organizations.json HTTP/1.1\r\n${host}hOST: other.example\r\n\r\n`, 400],
    ['a target that is not a path', 'GET organizations HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    ['a target of another scheme', `GET ftp://localhost/livez HTTP/1.1\r\n${host}\r\n`, 400],
    ['the target *', `OPTIONS * HTTP/1.1\r\n${host}\r\n`, 400],
  ])('%s', async (_, sent, status) => {
    const server = await started();
    const answer = parsed(await rawExchange(server.url, sent));
    expect(answer.status).toBe(status);
    expect(Object.keys(JSON.parse(answer.body))).toEqual(['error']);
    expect(answer.headers['x-request-id']).toMatch(/^[\w-]+$/);
    expect(answer.headers.connection).toBe('close');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.body).not.toMatch(/node:|at .*\(|\.ts|\.js/);
    if (status === 405) expect(answer.headers.allow).toContain('GET');
    expect((await get(server, '/livez', {})).status).toBe(200);
  });

  test('is logged with a request id and counted', async () => {
    const lines: string[] = [];
    const server = await started({ metrics: { port: 0 }, log: await jsonLog({ write: (line) => lines.push(line) }) });
    const answers = [];
    for (const sent of [
      'GET /livez HTTP/1.1\r\nHost: 1.2.3.256\r\n\r\n',
      'GET /livez HTTP/1.1\r\nHost: a b\r\n\r\n',
      'hello\r\n\r\n',
      `CONNECT x:443 HTTP/1.1\r\n${host}\r\n`,
    ])
      answers.push(parsed(await rawExchange(server.url, sent)));
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      answers.map(({ status, headers }) =>
        expect.objectContaining({ msg: 'rejected', status, request_id: headers['x-request-id'] }),
      ),
    );
    const counts = await metricsOf(server);
    expect(counts).toContain('mkt_request_duration_seconds_count{operation="other",status="400"} 3');
    expect(counts).toContain('mkt_request_duration_seconds_count{operation="other",status="405"} 1');
  });

  test('a failure outside the app gets a response, is logged with its reason and counted', async () => {
    const lines: string[] = [];
    const log = {
      ...(await jsonLog({ write: (line) => lines.push(line) })),
      requestCompleted: () => {
        throw new Error('no room for a log');
      },
    };
    const server = await started({ metrics: { port: 0 }, log });
    const response = await get(server, '/livez');
    expect([response.status, Object.keys(await response.json())]).toEqual([500, ['error']]);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: 50,
        status: 500,
        request_id: response.headers.get('x-request-id'),
        err: expect.objectContaining({ message: 'no room for a log' }),
      }),
    ]);
    expect(await metricsOf(server)).toContain('mkt_request_duration_seconds_count{operation="other",status="500"} 1');
  });

  test('HTTP/1.0 works without Host: URLs have the listening address (D12)', async () => {
    const server = await started();
    const asked = `GET /organizations/5.json HTTP/1.0\r\nAccept: application/json\r\nAuthorization: ${json.Authorization}\r\n\r\n`;
    const { status, body } = parsed(await rawExchange(server.url, asked));
    expect([status, JSON.parse(body).url]).toEqual([200, `${server.url}/organizations/5.json`]);
  });

  test('ignores unknown expectations', async () => {
    const server = await started();
    const asked = `GET /livez HTTP/1.1\r\n${host}Expect: a-miracle\r\nConnection: close\r\n\r\n`;
    expect(parsed(await rawExchange(server.url, asked)).status).toBe(200);
  });

  test.each(['TRACE', 'PUT', 'PROPFIND', 'QUERY'])('%s on a known address: 405 with Allow', async (method) => {
    const server = await started();
    const { status, headers } = parsed(
      await rawExchange(server.url, `${method} /organizations.json HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
    );
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  });

  test('responds with 400 to an incomplete chunked body and continues', async () => {
    const server = await started();
    const head = `POST /organizations.json HTTP/1.1\r\n${host}Accept: application/json\r\nAuthorization: ${json.Authorization}\r\n`;
    const answer = await rawExchange(
      server.url,
      `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nxx`,
    );
    expect(parsed(answer).status).toBe(400);
    expect((await get(server, '/livez', {})).status).toBe(200);
  });
});

describe('simulations', () => {
  test('--rate-limit: 429 with Retry-After, for each token (D15)', async () => {
    const server = await started({ rateLimit: { requests: 2, seconds: 3600 } });
    const statuses = [];
    for (let turn = 0; turn < 3; turn += 1) statuses.push((await get(server, '/organizations.json')).status);
    expect(statuses).toEqual([200, 200, 429]);
    const rejected = await get(server, '/organizations.json');
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = await get(server, '/organizations.json', {
      ...json,
      Authorization: `Bearer ${demoTokens.ben_write}`,
    });
    expect(other.status).toBe(200);
    expect((await get(server, '/readyz', {})).status).toBe(200);
  });

  test('--latency delays every response except health checks', async () => {
    const server = await started({ latency: 300 });
    const timed = async (path: string) => {
      const began = performance.now();
      await get(server, path);
      return performance.now() - began;
    };
    expect(await timed('/organizations.json')).toBeGreaterThan(290);
    expect(await timed('/livez')).toBeLessThan(250);
  });
});

test.each(['/livez', '/readyz', '/openapi.json', '/docs'])(
  '%s accepts GET and HEAD, and responds to other methods with 405 (D7, D13)',
  async (path) => {
    const server = await started();
    const method = (name: string) => fetch(server.url + path, { method: name });
    const statuses = await Promise.all(
      ['GET', 'HEAD', 'POST', 'DELETE'].map(async (name) => (await method(name)).status),
    );
    expect(statuses).toEqual([200, 200, 405, 405]);
    expect((await method('PATCH')).headers.get('allow')).toBe('GET, HEAD');
  },
);

describe('metrics', () => {
  test('have durations by operation and status, requests in flight, event-loop lag and the version', async () => {
    const server = await started({ metrics: { port: 0 } });
    await get(server, '/organizations.json');
    await get(server, '/organizations/404.json');
    const text = await metricsOf(server);
    expect(text).toContain('mkt_request_duration_seconds_count{operation="organizations.list",status="200"} 1');
    expect(text).toContain('mkt_request_duration_seconds_count{operation="organizations.get",status="404"} 1');
    expect(text).toContain('mkt_requests_in_flight 0');
    expect(text).toMatch(/nodejs_eventloop_lag_p99_seconds \d/);
    expect(text).toMatch(/^mkt_build_info\{version="\d+\.\d+\.\d+[^"]*"\} 1$/m);
  });

  test.each(['/metrics', '/./metrics', '/%2e/metrics', '/a/../metrics', '/metrics/', '//metrics', '/metrics?x'])(
    'are not at %s of the main port',
    async (target) => {
      const server = await started({ metrics: { port: 0 } });
      const received = await rawExchange(
        server.url,
        `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      expect([parsed(received).status, received.includes('mkt_')]).toEqual([404, false]);
    },
  );

  test('are everything at their address, which ends with the server', async () => {
    const server = await started({ metrics: { port: 0 } });
    const url = server.metricsUrl ?? '';
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    const statuses = await Promise.all(
      [url, `${url}?a=b`, new URL('/livez', url), new URL('/organizations.json', url)].map(
        async (at) => (await fetch(at, { headers: json })).status,
      ),
    );
    expect(statuses).toEqual([200, 200, 404, 404]);
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, expect.stringContaining('version=0.0.4')]);
    expect((await fetch(url, { method: 'POST', body: 'x' })).status).toBe(405);
    await server.close();
    await expect(fetch(url)).rejects.toThrow();
  });

  test('are off by default, and need a port of their own', async () => {
    const server = await started();
    expect([server.metricsUrl, (await get(server, '/metrics')).status]).toEqual([null, 404]);
    const port = Number(new URL(server.url).port);
    await expect(started({ metrics: { port } })).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is in use. Choose another with --metrics-port, or --metrics-port 0 for a free one.`,
    );
    await expect(started({ metrics: { port: 0, host: '192.0.2.1' } })).rejects.toThrow('Use --metrics-host 127.0.0.1');
  });
});

test('does not change globals of the embedding program', async () => {
  const before = [globalThis.Request, globalThis.Response];
  const server = await started();
  expect([globalThis.Request, globalThis.Response]).toEqual(before);
  expect(await get(server, '/livez', {})).toBeInstanceOf(Response);
});

test('holds requests until the store is open', async () => {
  let open: (store: Store) => void = () => undefined;
  const opening = new Promise<Store>((resolve) => {
    open = resolve;
  });
  const port = await freePort();
  let listening: () => void = () => undefined;
  const isListening = new Promise<void>((resolve) => {
    listening = resolve;
  });
  const store = (): Promise<Store> => {
    listening();
    return opening;
  };
  const starting = serve({ store, seed: demoSeed(), port });
  await Promise.race([isListening, starting]);
  const early = fetch(`http://127.0.0.1:${port}/organizations.json`, { headers: json });
  await new Promise((resolve) => setTimeout(resolve, 100));
  open(memoryStore());
  running.push(await starting);
  expect((await early).status).toBe(200);
});
