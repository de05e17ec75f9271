import { once } from 'node:events';
import { IncomingMessage, request } from 'node:http';
import { connect, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { demoSeed, memoryStore } from '../src/index.js';
import { joinChunks } from '../src/node/incoming.js';
import { type Server, serve } from '../src/node/index.js';
import { Turns } from '../src/node/turns.js';
import { parsed, rawExchange } from './support/raw-http.js';

/** What only a socket shows: Host headers, bodies that are larger than anybody waits for, lengths on the wire. */
let server: Server;
beforeAll(async () => {
  const allowHosts = ['API.test', 'api.test:81', 'münchen.test'];
  server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0, allowHosts });
});
afterAll(() => server.close());

const headers = { accept: 'application/json', authorization: 'Bearer mkt_demo_ada_write' };

const withHost = (host: string): Promise<string> =>
  new Promise((resolve, reject) => {
    request(`${server.url}/organizations/5.json`, { headers: { ...headers, host } }, (response) => {
      response.setEncoding('utf8');
      let text = '';
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve(new URL(JSON.parse(text).url).origin));
    })
      .on('error', reject)
      .end();
  });

describe('url fields (D12)', () => {
  test.each(['localhost:81', '127.0.0.1', '127.1.2.3:5', '[::1]:99', 'api.test', 'api.test:81', 'xn--mnchen-3ya.test'])(
    'repeat the Host %s',
    async (host) => {
      expect(await withHost(host)).toBe(`http://${host}`);
    },
  );
});

test('a body that is far too large gets 413, not a closed connection', { timeout: 30_000 }, async () => {
  const body = new Uint8Array(20 * 1024 * 1024).fill(0x20);
  for (let round = 0; round < 5; round += 1) {
    const response = await fetch(`${server.url}/organizations.json`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ error: expect.stringContaining('1 MiB') });
  }
});

test('a chunked body is counted as it comes', async () => {
  const chunks = (count: number) =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        if (count-- === 0) controller.close();
        else controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
    });
  const post = (count: number) =>
    fetch(`${server.url}/organizations.json`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: chunks(count),
      duplex: 'half',
    } as RequestInit);
  expect((await post(17)).status).toBe(413);
  expect((await post(16)).status).toBe(400);
});

test('a body has at most 20,000 chunks (D90)', async () => {
  const post = async (chunks: number) => {
    const head = Object.entries({ ...headers, host: 'localhost', 'content-type': 'application/json' });
    const lines = [...head, ['transfer-encoding', 'chunked'], ['connection', 'close']]
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    const body = `${'1\r\n \r\n'.repeat(chunks - 1)}2\r\n{}\r\n0\r\n\r\n`;
    const { status, body: text } = parsed(
      await rawExchange(server.url, `POST /organizations.json HTTP/1.1\r\n${lines}\r\n${body}`, 10_000),
    );
    return { status, ...JSON.parse(text) };
  };
  const error = 'The body is sent in more than 20000 chunks. Send larger ones.';
  expect(await Promise.all([20_000, 20_001, 300_000].map(post))).toEqual([
    { status: 400, error: expect.stringContaining('organization') },
    { status: 413, error },
    { status: 413, error },
  ]);
});

test('the connection of a body in small chunks is not read on before others had their turn', () => {
  const incoming = new IncomingMessage(new Socket());
  incoming.headers['transfer-encoding'] = 'chunked';
  joinChunks(incoming);
  const reads = Array.from({ length: 300 }, () => incoming.push(Buffer.from('x')));
  expect(reads.indexOf(false)).toBe(255);
});

describe('pipelined requests', () => {
  const head = (method: string, path: string) =>
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nAuthorization: ${headers.authorization}\r\n`;
  const get = `${head('GET', '/organizations/5/campaigns.json')}\r\n`;
  const broken = `${head('POST', '/organizations.json')}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n`;
  const closing = `${head('GET', '/organizations.json')}Connection: close\r\n\r\n`;

  test.each<[string, string, readonly number[]]>([
    ['no HTTP', `${get}${get}GARBAGE\r\n\r\n`, [200, 200, 400]],
    ['an unknown method', `${get}BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n`, [200, 405]],
    ['no Host', `${get}GET / HTTP/1.1\r\n\r\n`, [200, 400]],
    ['a header far too large', `${get}GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, [200, 431]],
    ['a body whose chunks break off', `${get}${broken}`, [200, 400]],
    ['more than the client asked for', `${get}${closing}${get}`, [200, 200]],
  ])('%s: earlier requests get their responses first', async (_, sent, statuses) => {
    const received = await rawExchange(server.url, sent);
    expect([...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))).toEqual(statuses);
    expect(received.match(/"url":/g)?.length).toBe(sent.includes(closing) ? 22 : 20 * (statuses.length - 1));
  });

  const addCampaign = (name: string) => {
    const body = JSON.stringify({ campaign: { name } });
    const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    return `${head('POST', '/organizations/5/campaigns.json')}${type}${body}`;
  };
  const opened = async (): Promise<Socket> => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return socket;
  };

  test('of one client do not delay another, and end with their client', async () => {
    const [greedy, other] = [await opened(), await opened()];
    const names = Array.from({ length: 400 }, (_, index) => `Pipelined ${index}`);
    let responses = 0;
    greedy.on('data', (data) => {
      responses += String(data).split('HTTP/1.1 201').length - 1;
    });
    greedy.write(names.map(addCampaign).join(''));
    await once(greedy, 'data');
    other.write(`${head('GET', '/livez')}\r\n`);
    await once(other, 'data');
    greedy.destroy();
    other.destroy();
    expect(responses).toBeLessThan(100);
    // A response may be on its way.
    const listed = await fetch(`${server.url}/organizations/5/campaigns.json`, { headers });
    expect(Number(listed.headers.get('total-count'))).toBeLessThanOrEqual(45 + responses + 100);
  });

  test('of all clients are 10,000 at most that wait: then the connections that send more are closed', async () => {
    const clients = await Promise.all(Array.from({ length: 20 }, opened));
    const received = await Promise.all(
      clients.map(async (client) => {
        let count = 0;
        client
          .on('error', () => undefined)
          .on('data', (data) => {
            count += String(data).split('HTTP/1.1 200').length - 1;
            if (count === 1400) client.destroy();
          });
        client.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(1400));
        await once(client, 'close');
        return count;
      }),
    );
    const served = received.filter((count) => count === 1400).length;
    expect(served).toBeGreaterThan(0);
    expect(served).toBeLessThan(20);
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  });

  test('all get their responses in order, also if their number or bodies are large', async () => {
    const received = await rawExchange(
      server.url,
      Array.from({ length: 1500 }, (_, index) =>
        index % 100 ? `${head('GET', '/livez')}\r\n` : addCampaign('x'.repeat(200)),
      ).join(''),
    );
    const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    expect(statuses).toEqual(Array.from({ length: 1500 }, (_, index) => (index % 100 ? 200 : 201)));
  });
});

test.each([
  ...[
    '/./livez',
    '/livez/.',
    '/a/../livez',
    '/a/..',
    '/%2e/livez',
    '/a/%2E%2e/livez',
    '/.%2e/livez',
    '/livez%2f',
    '/%5clivez',
  ],
  ...['//x/../livez', '/livez/../livez?a=b', 'http://localhost/./livez', '/organizations/5/../5.json'],
])('%s is 404, although URLs would resolve it (D244)', async (target) => {
  const received = await rawExchange(
    server.url,
    `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
  );
  const { status, headers: own, body } = parsed(received);
  expect([status, own['content-type'], own['x-request-id']]).toEqual([
    404,
    'application/json; charset=utf-8',
    expect.any(String),
  ]);
  expect(JSON.parse(body).error).toContain('encoded dots or slashes');
});

test.each(['/livez?a=/../b', '/livez?%2e%2f', '/livez?..', 'http://localhost/livez', '/livez#/../'])(
  '%s is an ordinary path',
  async (target) => {
    const received = await rawExchange(
      server.url,
      `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect(parsed(received).status).toBe(200);
  },
);

test.each([
  ['another host', 'GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n', 400],
  ['a path with dots', 'GET /a/../me HTTP/1.1\r\nHost: localhost\r\n\r\n', 404],
])('the connection of a request for %s can be used again, as a proxy does', async (_, rejected, status) => {
  const last = 'GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
  const received = await rawExchange(server.url, rejected + last);
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`, 'HTTP/1.1 200']);
});

test('requests that are rejected before the app take turns too', async () => {
  const start = vi.spyOn(Turns.prototype, 'start');
  const received = await rawExchange(
    server.url,
    'GET /livez HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
  );
  expect(parsed(received).status).toBe(400);
  expect(start.mock.calls.map(([{ userId }]) => userId)).toEqual([null]);
  start.mockRestore();
});

describe('what Node accepts and a proxy may read differently is 400 (D246)', () => {
  const organization = '{"organization":{"name":"x"}}';
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const post = (more: string, body: string, version = '1.1') =>
    `POST /organizations.json HTTP/${version}\r\n${lines.join('')}${more}\r\n${body}`;
  const chunked = `${organization.length.toString(16)}\r\n${organization}\r\n0\r\n\r\n`;
  const type = 'Content-Type: application/json\r\n';
  const length = `Content-Length: ${organization.length}\r\n`;

  test.each<[string, string, number]>([
    ['one Content-Type', post(type + length, organization), 201],
    ['chunks', post(`${type}Transfer-Encoding: Chunked\r\n`, chunked), 201],
    ['two tokens', post(`authorization: Bearer other\r\n${type}${length}`, organization), 400],
    ['two equal tokens', post(`AUTHORIZATION: ${headers.authorization}\r\n${type}${length}`, organization), 400],
    ['two content types', post(`${type}Content-Type: text/plain\r\n${length}`, organization), 400],
    ['two lengths', post(`${type}${length}${length}`, organization), 400],
    ['a length and chunks', post(`${type}${length}Transfer-Encoding: chunked\r\n`, chunked), 400],
    ['chunks that are compressed', post(`${type}Transfer-Encoding: gzip, chunked\r\n`, chunked), 400],
    ['HTTP/2.0', post(type + length, organization, '2.0'), 400],
  ])('%s', async (_, sent, status) => {
    const answer = parsed(await rawExchange(server.url, sent, 400));
    expect([answer.status, Object.keys(JSON.parse(answer.body))]).toEqual([
      status,
      status === 400 ? ['error'] : expect.arrayContaining(['id', 'name']),
    ]);
  });
});

test('HEAD carries the length of GET on the wire (D13)', async () => {
  const get = await fetch(`${server.url}/organizations/5.json`, { headers });
  const head = await fetch(`${server.url}/organizations/5.json`, { method: 'HEAD', headers });
  expect(head.headers.get('content-length')).toBe(String((await get.arrayBuffer()).byteLength));
});

test('204 and 304 have no body and no type', async () => {
  const show = await fetch(`${server.url}/organizations/5.json`, { headers });
  const etag = show.headers.get('etag') as string;
  await show.arrayBuffer();
  const notModified = await fetch(`${server.url}/organizations/5.json`, {
    headers: { ...headers, 'if-none-match': etag },
  });
  const deleted = await fetch(`${server.url}/organizations/5/campaigns/1.json`, { method: 'DELETE', headers });
  expect([notModified.status, deleted.status]).toEqual([304, 204]);
  for (const response of [notModified, deleted]) {
    expect(await response.text()).toBe('');
    expect(response.headers.get('content-type')).toBeNull();
  }
});
