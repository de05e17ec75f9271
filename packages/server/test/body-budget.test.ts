import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { BodyBudget } from '../src/http/body-budget.js';
import { demoSeed, demoTokens, memoryStore } from '../src/index.js';
import { type ServeOptions, type Server, serve } from '../src/node/index.js';
import { Run } from './support/command.js';
import { isLong } from './support/long.js';
import { parsed } from './support/raw-http.js';
import { readyLine } from './support/served.js';
import { noTurns } from './support/turns.js';

const KiB = 1024;
const MiB = 1024 * KiB;

describe('the memory of all bodies', () => {
  const filled = (budget: BodyBudget, caller: string, bytes: number) => {
    const lease = budget.lease({ userId: caller });
    lease.grow(bytes);
    return lease;
  };
  const status = (code: number, message: RegExp) =>
    expect.objectContaining({ status: code, message: expect.stringMatching(message), headers: { 'Retry-After': '5' } });

  test('has a limit: 503, and a third of it for each caller: 429', () => {
    const budget = new BodyBudget(3 * MiB);
    const ada = filled(budget, 'ada', 0.9 * MiB);
    expect(() => ada.grow(0.2 * MiB)).toThrow(status(429, /too much at once/));
    expect(() => filled(budget, 'ada', 0.2 * MiB)).toThrow(status(429, /too much at once/));
    for (const caller of ['ben', 'cleo']) filled(budget, caller, MiB);
    expect(() => filled(budget, 'dan', 0.2 * MiB)).toThrow(status(503, /server is receiving too much/));
    ada.end();
    ada.end();
    filled(budget, 'dan', MiB);
    expect(() => filled(budget, 'ada', 0.2 * MiB)).toThrow(status(503, /server is receiving too much/));
    // Forms and JSON have a quarter more.
    for (let count = 0; count < 4; count += 1) filled(budget, 'dan', 64 * KiB);
    expect(() => filled(budget, 'dan', 64 * KiB)).toThrow(status(429, /too much at once/));
    for (let count = 0; count < 4; count += 1) for (const caller of ['ben', 'cleo']) filled(budget, caller, 64 * KiB);
    expect(() => filled(budget, 'ada', 64 * KiB)).toThrow(status(503, /server is receiving too much/));
  });

  test('has room for 4 uploads of a caller, and for small bodies next to them', () => {
    const budget = new BodyBudget(64 * MiB);
    const uploads = [1, 2, 3, 4].map(() => filled(budget, 'ada', 65 * KiB));
    const late = filled(budget, 'ada', 64 * KiB);
    expect(() => late.grow(1)).toThrow(status(429, /more than 4 uploads at once/));
    filled(budget, 'ben', 65 * KiB);
    uploads[0]?.end();
    late.grow(1);
  });

  test('counts bodies of a caller together that begin before the first part of any has arrived', () => {
    const budget = new BodyBudget(3 * MiB);
    const [one, two, ...others] = [1, 2, 3, 4, 5].map(() => budget.lease({ userId: 'ada' }));
    one?.grow(0.6 * MiB);
    expect(() => two?.grow(0.6 * MiB)).toThrow(status(429, /too much at once/));
    for (const each of [two, ...others.slice(1)]) each?.grow(65 * KiB);
    expect(() => others[0]?.grow(65 * KiB)).toThrow(status(429, /more than 4 uploads at once/));
    for (const each of [one, two, ...others]) each?.end();
    filled(budget, 'ada', MiB);
  });

  test('waits for a part within its times', async () => {
    const wait = (lease: ReturnType<BodyBudget['lease']>, ms: number) => lease.inTime(() => delay(ms, ms));
    const idle = new BodyBudget(1, { total: 10_000, idle: 50 }).lease({ userId: 'ada' });
    expect(await wait(idle, 1)).toBe(1);
    await expect(wait(idle, 2000)).rejects.toMatchObject({ status: 408 });
    const slow = new BodyBudget(1, { total: 300, idle: 200 }).lease({ userId: 'ada' });
    await expect(Promise.all([...Array(20).keys()].map((n) => wait(slow, 20 * n)))).rejects.toMatchObject({
      status: 408,
    });
  });
});

describe('a server', () => {
  const running: Server[] = [];
  const sockets: Socket[] = [];
  const started = async (options: Partial<ServeOptions> = {}) => {
    const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0, ...options });
    running.push(server);
    return server.url;
  };
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(running.splice(0).map((server) => server.close()));
  });

  /** Sends the head of an upload and `sent` bytes of its body. @returns its response */
  async function upload(url: string, who: keyof typeof demoTokens, length: number, sent: number) {
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
    await once(socket, 'connect');
    socket.write(
      `POST /organizations.json HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nAuthorization: Bearer ${demoTokens[who]}\r\n` +
        `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: ${length}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(sent, 'x'));
    return {
      socket,
      async answer() {
        const deadline = Date.now() + 20_000;
        while (!received.includes('}') && Date.now() < deadline) await delay(20);
        return parsed(received);
      },
    };
  }
  const small = async (url: string, who: keyof typeof demoTokens) => {
    const response = await fetch(`${url}/organizations.json`, {
      method: 'POST',
      headers: {
        Accept: 'application/json',
        Authorization: `Bearer ${demoTokens[who]}`,
        'Content-Type': 'application/json',
      },
      body: '{"organization":{"name":"x"}}',
    });
    return response.status;
  };

  test('rejects one of five stalled uploads of a caller, serves everyone else, and ends the others after a while', async () => {
    const url = await started({ bodyBudget: new BodyBudget(64 * MiB, { total: 60_000, idle: 3000 }) });
    const stalled = await Promise.all([1, 2, 3, 4, 5].map(() => upload(url, 'ada_write', 9 * MiB, 100 * KiB)));
    const answers = stalled.map((one) => one.answer());
    // Whichever of them arrives last.
    const rejected = await Promise.race(answers);
    expect([rejected.status, rejected.headers['retry-after'], rejected.body]).toEqual([
      429,
      '5',
      expect.stringContaining('more than 4 uploads at once'),
    ]);
    expect([await small(url, 'ada_write'), await small(url, 'ben_write')]).toEqual([201, 201]);
    const late = (await Promise.all(answers)).filter((answer) => answer !== rejected);
    expect(late.map(({ status, headers }) => [status, headers.connection])).toEqual(Array(4).fill([408, 'close']));
    const isClosed = () => stalled.filter(({ socket }) => socket.closed).length >= 4;
    await vi.waitUntil(isClosed, { timeout: 10_000 });
    // What they used is free.
    await upload(url, 'ada_write', 9 * MiB, 100 * KiB);
    expect(await small(url, 'ada_write')).toBe(201);
  });

  test('does not keep a body that is rejected until the turn of its caller', async () => {
    const never = new Promise<void>(() => undefined);
    const turns = { ...noTurns, start: () => never, resume: () => never };
    const url = await started({ bodyBudget: new BodyBudget(2 * MiB, undefined, turns) });
    expect((await (await upload(url, 'ada_write', 2 * MiB, 1.1 * MiB)).answer()).status).toBe(429);
  });

  test('rejects what exceeds its memory, and releases it after each request', async () => {
    const url = await started({ maxBodyMemory: 3 * MiB });
    const { status, headers } = await (await upload(url, 'ada_write', 2 * MiB, 1.5 * MiB)).answer();
    expect([status, headers['retry-after']]).toEqual([429, '5']);
    for (let count = 0; count < 5; count += 1) {
      const whole = await (await upload(url, 'ben_write', 0.9 * MiB, 0.9 * MiB)).answer();
      expect(whole.status).toBe(400);
    }
  });
});

test.skipIf(!isLong)('300 stalled uploads stay below 256 MiB', { timeout: 120_000 }, async () => {
  const run = new Run(['--port', '0', '--json', '--metrics-port', '0']);
  const { url, metrics = '' } = await readyLine(run);
  const sockets: Socket[] = [];
  const sent = Buffer.alloc(9.5 * MiB, 'x');
  try {
    for (let count = 0; count < 300; count += 1) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      const token = count % 2 ? demoTokens.ada_write : demoTokens.ben_write;
      socket.write(
        `POST /organizations.json HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nAuthorization: Bearer ${token}\r\n` +
          `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: ${9.6 * MiB}\r\n\r\n`,
      );
      socket.write(sent);
    }
    let most = 0;
    for (let seconds = 0; seconds < 8; seconds += 1) {
      await delay(1000);
      const text = await (await fetch(metrics)).text();
      most = Math.max(most, Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]));
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    }
    process.stdout.write(`at most ${Math.round(most / MiB)} MiB\n`);
    expect(most).toBeLessThan(256 * MiB);
  } finally {
    for (const socket of sockets) socket.destroy();
    await run.stop();
  }
});
