import { EventEmitter, once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { test as base, describe, expect, vi } from 'vitest';
import { Connections } from '../src/node/connections.js';
import { demoTokens } from '../src/seed/demo.js';
import { Run } from './support/command.js';
import { isLong } from './support/long.js';
import { organizationForm, png } from './support/pictures.js';
import { readyLine } from './support/served.js';

// Most of them wait for seconds that a flag counts: so they wait at the same time.
vi.setConfig({ testTimeout: 60_000 });

interface Stage {
  /** Starts the command, which runs until the test is over. */
  readonly serving: (
    ...flags: string[]
  ) => Promise<{ readonly run: Run; readonly url: string; readonly metrics?: string }>;
  /** @param from an address of this machine */
  readonly connected: (url: string, from?: string) => Promise<Socket>;
}

const test = base.extend<Stage>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from it which other fixtures are needed.
  serving: async ({}, use) => {
    const runs: Run[] = [];
    await use(async (...flags) => {
      const run = new Run(['--port', '0', '--json', ...flags]);
      runs.push(run);
      return { run, ...(await readyLine(run)) };
    });
    await Promise.all(runs.map((run) => run.stop()));
  },
  // Later than `serving`, so that a server does not wait for its connections to end.
  connected: async ({ serving: _ }, use) => {
    const sockets: Socket[] = [];
    await use(async (url, from = '127.0.0.1') => {
      const { hostname, port } = new URL(url);
      const socket = connect({ port: Number(port), host: hostname, localAddress: from });
      socket.on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
      return socket;
    });
    for (const socket of sockets) socket.destroy();
  },
}).concurrent;

const megabyte = 1024 * 1024;
const imageBytes = 5 * megabyte;

/** Uploads a logo of 5 MiB. @returns its path */
async function uploadedImage(url: string): Promise<string> {
  const image = new Uint8Array(imageBytes).fill(7);
  image.set(png);
  const headers = { Accept: 'application/json', Authorization: `Bearer ${demoTokens.ada_write}` };
  const sent = await fetch(`${url}/organizations/5.json`, {
    method: 'PATCH',
    headers,
    body: organizationForm({}, image),
  });
  expect(sent.status).toBe(200);
  const { logo_url } = (await sent.json()) as { logo_url: string };
  return new URL(logo_url).pathname;
}

const requestText = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Reads a response to its end, with a pause after each 256 KiB. @returns how many bytes of body came */
async function readSlowly(socket: Socket, pause: number): Promise<number> {
  let received = 0;
  let sincePause = 0;
  let head = '';
  socket.setTimeout(20_000, () => socket.destroy(new Error(`The connection is open after ${received} bytes.`)));
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    if (received === 0) head = chunk.toString('latin1').split('\r\n\r\n')[0] ?? '';
    received += chunk.length;
    sincePause += chunk.length;
    if (sincePause >= 256 * 1024) {
      sincePause = 0;
      await delay(pause);
    }
  }
  return received - head.length - 4;
}

const readiness = async (url: string): Promise<number> => (await fetch(`${url}/readyz`)).status;

describe('stopping', () => {
  test('sends a slow reader the whole image before the process ends', async ({ serving, connected }) => {
    const { run, url } = await serving();
    const path = await uploadedImage(url);
    const open = await Promise.all([1, 2, 3, 4].map(() => connected(url)));
    for (const socket of open) socket.write(requestText(path));
    await Promise.all(open.map((socket) => once(socket, 'readable')));
    const reading = Promise.all(open.map((socket) => readSlowly(socket, 100)));
    await delay(400);
    run.signal('SIGTERM');
    const readers = await reading;
    expect(readers).toEqual([imageBytes, imageBytes, imageBytes, imageBytes]);
    expect(await run.ended).toBe(0);
  });

  test('disconnects a client that never reads, so that the process ends within 10 s', async ({
    serving,
    connected,
  }) => {
    const { run, url } = await serving();
    const path = await uploadedImage(url);
    const socket = await connected(url);
    socket.pause();
    socket.write(requestText(path));
    await delay(300);
    const began = performance.now();
    run.signal('SIGTERM');
    expect(await run.ended).toBe(0);
    const took = performance.now() - began;
    expect(took).toBeGreaterThan(8000);
    expect(took).toBeLessThan(15_000);
  });

  test('--drain-delay: /readyz is 503 while requests are still served, then connections are closed', async ({
    serving,
    connected,
  }) => {
    const { run, url } = await serving('--drain-delay', '3');
    const responseOn = async (socket: Socket, path = '/livez'): Promise<string> => {
      socket.write(requestText(path));
      const [answer] = (await once(socket, 'data')) as [Buffer];
      return answer.toString();
    };
    const [idle, used, begun] = await Promise.all([connected(url), connected(url), connected(url)]);
    for (const socket of [idle, used]) expect(await responseOn(socket)).not.toMatch(/^Connection: close/im);
    const wholeRequest = requestText('/readyz');
    begun.write(wholeRequest.slice(0, -2));
    expect(await readiness(url)).toBe(200);
    run.signal('SIGTERM');
    await vi.waitFor(async () => expect(await readiness(url)).toBe(503), { timeout: 2500, interval: 20 });
    // A balancer that has not looked yet uses an open connection or makes a new one.
    for (const socket of [used, await connected(url)]) {
      const closed = once(socket, 'close');
      expect(await responseOn(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*^Connection: close/im);
      await closed;
    }
    const answered = once(begun, 'data');
    begun.write(wholeRequest.slice(-2));
    expect(String(await answered)).toMatch(/^HTTP\/1\.1 503 [\s\S]*^Connection: close/im);
    // A request may be on its way to a connection without one.
    expect(idle.readyState).toBe('open');
    const closed = once(idle, 'close');
    expect(await run.ended).toBe(0);
    await closed;
    await expect(fetch(`${url}/livez`)).rejects.toThrow();
  });

  test('stops immediately without --drain-delay', async ({ serving }) => {
    const { run } = await serving();
    const began = performance.now();
    run.signal('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(performance.now() - began).toBeLessThan(2500);
  });
});

describe('clients that do not read', () => {
  const metric = async (url: string, pattern: RegExp): Promise<number> =>
    Number(pattern.exec(await (await fetch(url)).text())?.[1]);
  const memory = (url: string) => metric(url, /^process_resident_memory_bytes (\S+)$/m);
  const openSockets = (url: string) => metric(url, /^nodejs_active_resources\{type="TCPSocketWrap"\} (\d+)$/m);

  const imagesOfNever = 20;
  test('are disconnected after --write-timeout; a slow reader is not', async ({ serving, connected }) => {
    const { url } = await serving('--write-timeout', '2');
    const path = await uploadedImage(url);
    const never = await connected(url);
    never.pause();
    // More than the kernel takes: the system counts what it has as read, and the connection stays open.
    never.write(requestText(path).repeat(imagesOfNever));
    const slow = await connected(url);
    slow.write(requestText(path).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    // 21 pauses: longer than the timeout.
    expect(await readSlowly(slow, 200)).toBe(imageBytes);
    // What the kernel holds still arrives; the rest was given up.
    expect(await readSlowly(never, 0)).toBeLessThan(imagesOfNever * imageBytes);
  });

  test('100 of them with one image hold its memory once, and are disconnected early when a lot waits for them', async ({
    serving,
    connected,
  }) => {
    const { url, metrics = '' } = await serving('--metrics-port', '0');
    const path = await uploadedImage(url);
    const before = await memory(metrics);
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        const socket = await connected(url);
        socket.pause();
        socket.write(requestText(path));
      }),
    );
    await delay(1000);
    expect(((await memory(metrics)) - before) / megabyte).toBeLessThan(100);
    // Well before the write timeout of 30 s; on a busy machine some are not noticed that early.
    await vi.waitFor(async () => expect(await openSockets(metrics)).toBeLessThan(50), {
      timeout: 20_000,
      interval: 500,
    });
  });

  // Not over the network, whose window for a client moves in steps of 64 KiB on one machine.
  test('and clients that read a few bytes each second are disconnected early when a lot waits for them', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    try {
      const server = new EventEmitter();
      new Connections(server as Server, 30_000, 10, () => undefined);
      const client = (bytesPerSecond: number) => {
        const socket = Object.assign(new EventEmitter(), {
          writableLength: 40 * megabyte,
          _handle: { writeQueueSize: 40 * megabyte },
          destroy: vi.fn(),
        });
        server.emit('connection', socket);
        setInterval(() => {
          socket._handle.writeQueueSize -= bytesPerSecond / 10;
        }, 100);
        return socket;
      };
      const [trickle, slow] = [client(10_000), client(50_000)];
      vi.advanceTimersByTime(5000);
      expect([trickle, slow].map(({ destroy }) => destroy.mock.calls.length > 0)).toEqual([true, false]);
    } finally {
      vi.useRealTimers();
    }
  });
});

test('--idle-timeout: a connection without requests is closed', async ({ serving, connected }) => {
  const { url } = await serving('--idle-timeout', '1');
  const socket = await connected(url);
  socket.write(requestText('/livez'));
  await once(socket, 'data');
  const began = performance.now();
  await once(socket, 'close');
  expect(performance.now() - began).toBeLessThan(15_000);
});

const longTest = isLong ? test : test.skip;
longTest(
  'headers that do not arrive within 20 s, and a connection without any, are 408',
  async ({ serving, connected }) => {
    const { url } = await serving();
    const open = await Promise.all([connected(url), connected(url)]);
    open[0]?.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n');
    const began = performance.now();
    const answers = open.map((socket) => once(socket, 'data'));
    await Promise.all(open.map((socket) => once(socket, 'close')));
    const took = performance.now() - began;
    expect([took > 19_000, took < 50_000]).toEqual([true, true]);
    for (const [answer] of await Promise.all(answers)) expect(String(answer)).toMatch(/^HTTP\/1\.1 408 /);
  },
);

describe.skipIf(process.platform !== 'linux')('--max-connections', () => {
  const isOpen = async (socket: Socket): Promise<boolean> => {
    const answer = once(socket, 'data').then(() => true);
    const closed = once(socket, 'close').then(() => false);
    socket.write(requestText('/livez'));
    return Promise.race([answer, closed]);
  };

  test('a new one closes the longest idle one of the address with the most', async ({ serving, connected }) => {
    const { run, url } = await serving('--max-connections', '4');
    const own = await connected(url);
    const others = [
      await connected(url, '127.0.0.2'),
      await connected(url, '127.0.0.2'),
      await connected(url, '127.0.0.2'),
    ];
    const [first, second, third] = others as [Socket, Socket, Socket];
    // The one that was used last is the last one to be closed.
    expect(await isOpen(first)).toBe(true);
    const closed = once(second, 'close');
    const next = await connected(url);
    await closed;
    await run.printed('There are 4 connections, so idle ones of 127.0.0.2, which has the most, are closed.');
    expect(await Promise.all([own, first, third, next].map(isOpen))).toEqual([true, true, true, true]);
  });

  test('closes none with a request in progress, except the new one if all have one', async ({ serving, connected }) => {
    const { url } = await serving('--max-connections', '2');
    const busy = await connected(url, '127.0.0.2');
    const idle = await connected(url, '127.0.0.2');
    busy.write(
      'PATCH /organizations/5.json HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nContent-Length: 2\r\n\r\n',
    );
    const answer = once(busy, 'data');
    await delay(300);
    const closed = once(idle, 'close');
    const next = await connected(url);
    await closed;
    expect(await isOpen(next)).toBe(true);
    next.destroy();
    busy.write('{}');
    expect(String(await answer)).toMatch(/^HTTP\/1\.1 401 /);
  });

  test('an address with all connections shuts no other address out', async ({ serving, connected }) => {
    const { url } = await serving('--max-connections', '50');
    for (let count = 0; count < 70; count += 1) await connected(url, '127.0.0.2');
    for (let turn = 0; turn < 10; turn += 1) expect(await isOpen(await connected(url))).toBe(true);
    expect(await readiness(url)).toBe(200);
  });
});

test.each([
  [['--drain-delay', '-1'], /Use a whole number from 0 to 3600/],
  [['--write-timeout', '0'], /Use a whole number from 1 to 3600/],
  [['--max-connections', 'many'], /Use a whole number from 1 to 1000000/],
])('rejects %j', async (flags, words) => {
  const run = new Run(flags);
  expect(await run.ended).toBe(2);
  expect(run.stderr).toMatch(words);
});
