import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoSeed, memoryStore } from '../src/index.js';
import { type Server, serve } from '../src/node/index.js';
import { parsed, rawExchange } from './support/raw-http.js';

/** A request that is rejected before its body is read gets its response, however its client sends the body. */
let server: Server;
let limited: Server;
beforeAll(async () => {
  const options = { port: 0, seed: demoSeed() };
  server = await serve({ ...options, store: memoryStore() });
  limited = await serve({ ...options, store: memoryStore(), rateLimit: { requests: 1, seconds: 3600 } });
  await fetch(`${limited.url}/organizations.json`, { headers: api });
});
afterAll(async () => {
  await Promise.all([server.close(), limited.close()]);
});

const api = { Accept: 'application/json', Authorization: 'Bearer mkt_demo_ada_write', Host: 'localhost' };
const multipart = { 'Content-Type': 'multipart/form-data; boundary=x' };

interface Upload {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bytes: number;
  readonly parts?: number;
  /** Milliseconds before each part. */
  readonly pause?: number;
  readonly isChunked?: boolean;
}

/** Sends everything before it reads, as many clients do. Fails if it cannot send the whole body. */
async function upload({ url }: Server, sent: Upload): Promise<string> {
  const { method = 'POST', path, headers = {}, bytes, parts = 100, pause = 0, isChunked = false } = sent;
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const failed = once(socket, 'error').then(([error]) => Promise.reject(error));
  failed.catch(() => undefined);
  const write = (data: string | Buffer) =>
    Promise.race([failed, new Promise<void>((done) => socket.write(data, () => done()))]);
  const framing = isChunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': String(bytes) };
  const lines = Object.entries({ ...api, ...headers, ...framing }).map(([name, value]) => `${name}: ${value}\r\n`);
  await write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const size = Math.ceil(bytes / parts);
  for (let left = bytes; left > 0; left -= size) {
    if (pause > 0) await delay(pause);
    const part = Buffer.alloc(Math.min(size, left), 'x');
    await write(isChunked ? `${part.length.toString(16)}\r\n${part}\r\n` : part);
  }
  if (isChunked) await write('0\r\n\r\n');
  let received = '';
  socket.on('data', (part) => {
    received += part.toString('latin1');
  });
  const ended = once(socket, 'close').then(() => undefined);
  const isWhole = async (): Promise<void> => {
    while (!/\r\n\r\n./.test(received)) await delay(5);
  };
  await Promise.race([failed, ended, isWhole()]);
  socket.destroy();
  return received;
}

const statusOf = (received: string): number => Number(/HTTP\/1\.1 ([2-5]\d\d) /.exec(received)?.[1]);

interface Rejection extends Omit<Upload, 'bytes'> {
  readonly status: number;
  readonly on?: () => Server;
}
const json = { 'Content-Type': 'application/json' };
const rejections: Readonly<Record<string, Rejection>> = {
  'unknown path': { path: '/nowhere.json', headers: multipart, status: 404 },
  'path without POST': { path: '/organizations/5.json', headers: multipart, status: 405 },
  'unknown token': { path: '/organizations.json', headers: { ...json, Authorization: 'Bearer no' }, status: 401 },
  'content type': { path: '/organizations.json', headers: { 'Content-Type': 'text/plain' }, status: 415 },
  'rate limit': { path: '/organizations.json', headers: multipart, status: 429, on: () => limited },
  'GET with a body': { method: 'GET', path: '/nowhere.json', headers: multipart, status: 404 },
  'form that cannot be read': { path: '/organizations/5', headers: { ...multipart, Accept: 'text/html' }, status: 400 },
  'form without a session': {
    path: '/organizations/5/campaigns',
    headers: { ...multipart, Accept: 'text/html', Authorization: '', 'Accept-Encoding': 'gzip' },
    status: 303,
  },
  'method that no server has': { method: 'BREW', path: '/organizations.json', status: 405 },
  'path with dot segments': { path: '/a/../metrics', headers: multipart, status: 404 },
};

describe.each(Object.entries(rejections))('%s', (_, { status, on = () => server, ...sent }) => {
  test.each([
    ['Connection: close', { Connection: 'close' }],
    ['keep-alive', {}],
  ])('%s: the response arrives after a body of 0.1 and 10 MB', async (_, connection) => {
    const headers = { ...sent.headers, ...connection };
    for (const bytes of [100_000, 10_000_000])
      expect(statusOf(await upload(on(), { ...sent, headers, bytes })), String(bytes)).toBe(status);
  });
});

test('slow clients can send their whole body, and get the response', { timeout: 20_000 }, async () => {
  const sent = [
    rejections['unknown path'],
    rejections['content type'],
    rejections['form that cannot be read'],
  ] as Rejection[];
  const uploads = sent.flatMap(({ status: _, ...request }) =>
    [{}, { Connection: 'close' }].map((connection) =>
      upload(server, {
        ...request,
        headers: { ...request.headers, ...connection },
        bytes: 100_000,
        parts: 4,
        pause: 700,
      }),
    ),
  );
  const statuses = (await Promise.all(uploads)).map(statusOf);
  expect(statuses).toEqual([404, 404, 415, 415, 400, 400]);
});

test.each([
  ['of more than 20,000 chunks', 30_000, 30_000],
  ['of 20 MB in large chunks', 20_000_000, 100],
])('a chunked body %s gets 413', async (_, bytes, parts) => {
  const headers = { ...json, Connection: 'close' };
  const sent = { path: '/organizations.json', headers, bytes, parts, isChunked: true };
  expect(statusOf(await upload(server, sent))).toBe(413);
});

test('the response does not wait for the body, and the connection can be used again afterwards', async () => {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  const lines = Object.entries({ ...api, ...json, 'Content-Length': '1000' }).map((pair) => `${pair.join(': ')}\r\n`);
  socket.write(`POST /nowhere.json HTTP/1.1\r\n${lines.join('')}\r\n`);
  const [early] = await once(socket, 'data');
  expect(statusOf(early)).toBe(404);
  socket.write(`${'x'.repeat(1000)}GET /countries.json HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const [next] = await once(socket, 'data');
  expect(parsed(next).status).toBeGreaterThanOrEqual(200);
  socket.destroy();
});

test('a body far too large ends the connection', { timeout: 20_000 }, async () => {
  const bytes = 200_000_000;
  await expect(upload(server, { path: '/nowhere.json', headers: multipart, bytes })).rejects.toThrow(
    /EPIPE|ECONNRESET/,
  );
});

test('a body of many small chunks that nothing reads ends the connection, after the response', {
  timeout: 20_000,
}, async () => {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  let received = '';
  let receivedAt = 0;
  socket.on('data', (part) => {
    received += part;
    receivedAt = performance.now();
  });
  const closed = once(socket, 'close').catch(() => undefined);
  socket.write('POST /nowhere.json HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
  const chunks = '1\r\nx\r\n'.repeat(10_000);
  const send = (): void => {
    while (!socket.destroyed && socket.write(chunks));
  };
  socket.on('drain', send);
  send();
  await closed;
  expect(parsed(received).status).toBe(404);
  // Its client cannot go on with a new connection immediately.
  expect(performance.now() - receivedAt).toBeGreaterThan(3000);
  // As much as the buffers of both sides hold: it read a few thousand chunks.
  expect(socket.bytesWritten).toBeLessThan(16 * 1024 * 1024);
});

describe('Expect: 100-continue', () => {
  const post = (path: string, headers: object, body: string) =>
    new Promise<{ status: number | undefined; isAsked: boolean; connection: string | undefined }>((resolve, reject) => {
      let isAsked = false;
      const expecting = { ...api, ...json, ...headers, Expect: '100-continue', 'Content-Length': body.length };
      const sent = request(`${server.url}${path}`, { method: 'POST', headers: expecting }, (response) => {
        response.resume();
        resolve({ status: response.statusCode, isAsked, connection: response.headers.connection });
      });
      sent.on('continue', () => {
        isAsked = true;
        sent.end(body);
      });
      sent.on('error', reject);
      sent.flushHeaders();
    });
  const organization = '{"organization":{"name":"Expected"}}';

  test('asks for a body that is read', async () => {
    expect(await post('/organizations.json', {}, organization)).toEqual({
      status: 201,
      isAsked: true,
      connection: 'keep-alive',
    });
  });

  test.each([
    ['/nowhere.json', {}, 404],
    ['/organizations/5.json', {}, 405],
    ['/organizations.json', { Authorization: 'Bearer no' }, 401],
  ])('does not ask for a body that is rejected: POST %s', async (path, headers, status) => {
    expect(await post(path, headers, organization)).toEqual({ status, isAsked: false, connection: 'close' });
  });
});

test.each([
  'GARBAGE\r\n\r\n',
  'BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'CONNECT x:1 HTTP/1.1\r\nHost: localhost\r\n\r\n',
])('the connection of %j is closed even if its client keeps it half open', async (sent) => {
  const own = await serve({ store: memoryStore(), port: 0, writeTimeout: 300 });
  const { hostname, port } = new URL(own.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }).resume();
  socket.write(sent);
  await once(socket, 'end');
  socket.on('error', () => undefined);
  const writing = setInterval(() => socket.write('x'.repeat(10)), 20);
  await new Promise((resolve) => socket.on('close', resolve));
  clearInterval(writing);
  await own.close();
});

test('a server with a rejected connection that its client keeps closes at once', async () => {
  const own = await serve({ store: memoryStore(), port: 0 });
  const { hostname, port } = new URL(own.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }).resume();
  socket.on('error', () => undefined);
  socket.write('CONNECT x:1 HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'end');
  await own.close();
  socket.destroy();
});

test('a pipelined request after a rejected body gets its own response', async () => {
  const head = (method: string, path: string, length: number) =>
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  const sent = `${head('POST', '/nowhere.json', 50_000)}${'x'.repeat(50_000)}${head('GET', '/livez', 0)}`;
  const received = await rawExchange(server.url, sent, 500);
  expect([...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))).toEqual([404, 200]);
});
