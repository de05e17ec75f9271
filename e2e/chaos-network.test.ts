import {
  ConnectionError,
  type Marketplace,
  RateLimitError,
  ResponseParseError,
  ServerError,
  TimeoutError,
} from '@mkt/sdk';
import { describe, expect, test, vi } from 'vitest';
import { chaosEnvironment } from './support/chaos-environment.js';
import {
  cutResponse,
  delayResponse,
  dripResponse,
  dropResponse,
  gatewayError,
  type NetworkFault,
  neverRespond,
  passThrough,
  resetOnConnect,
  respondWith,
} from './support/network-faults.js';
import { outcomeOf } from './support/outcome.js';

// What must end in time is asserted call by call; the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

/** For calls that a clock must end, but not before a busy machine has made their connection. */
const impatient = { timeout: 500, totalTimeout: 6000, retry: { limit: 2, minDelay: 10 } };
/** For calls that must not be ended by a clock, on however busy a machine. */
const patient = { timeout: 20_000, totalTimeout: 40_000 };

const shows = (mkt: Marketplace) => mkt.campaigns.get(5, 3);
const lists = (mkt: Marketplace) => mkt.campaigns.list(5);
const creates = (mkt: Marketplace) => mkt.campaigns.create(5, { name: 'Chaos' });
const changes = (mkt: Marketplace) => mkt.campaigns.update(5, 3, { name: 'Changed' });
const calls: Readonly<Record<string, (mkt: Marketplace) => PromiseLike<unknown>>> = { shows, lists, changes, creates };
const idempotent: readonly ((mkt: Marketplace) => PromiseLike<unknown>)[] = [shows, lists, changes];

/** What came of a call whose every connection has this fault. */
async function under(fault: NetworkFault, call: (mkt: Marketplace) => PromiseLike<unknown>, options: object) {
  const environment = await chaosEnvironment();
  const proxy = await environment.proxy();
  proxy.plan(() => fault);
  const { totalTimeout } = { ...patient, ...options };
  const outcome = await outcomeOf(call(environment.client(proxy, { ...patient, ...options })), totalTimeout);
  const made = (await environment.dump()).tables.campaigns.filter(({ name }) => name === 'Chaos').length;
  return { ...outcome, connections: proxy.connections, made };
}

describe('no response', () => {
  const faults: Readonly<Record<string, NetworkFault>> = {
    'half-open: accepted, never answered': neverRespond,
    'carried out, never answered': dropResponse,
    'an answer later than the timeout': delayResponse(30_000),
    'an answer of one byte a second': dripResponse(1000),
  };

  test.each(Object.entries(faults))('%s: a TimeoutError within the total time', async (_what, fault) => {
    const [post, ...others] = await Promise.all([creates, ...idempotent].map((call) => under(fault, call, impatient)));
    expect(post).toMatchObject({ error: expect.any(TimeoutError), connections: 1 });
    expect(post?.made).toBeLessThanOrEqual(fault === neverRespond ? 0 : 1);
    for (const { error, connections } of others) {
      expect(error).toBeInstanceOf(TimeoutError);
      expect(connections).toBe(3);
    }
  });

  test('the total time ends a call in the middle of an attempt', async () => {
    const { error } = await under(neverRespond, shows, { timeout: 20_000, totalTimeout: 200 });
    expect(error).toMatchObject({ name: 'TimeoutError', phase: 'total', timeoutMs: 200 });
  });

  test('the second page of a walk stalls: items of the first are yielded, then the walk fails', async () => {
    const environment = await chaosEnvironment();
    const proxy = await environment.proxy();
    // A page has about 13,000 bytes; the second may come over the first connection or over one of its own.
    proxy.plan((connection) => cutResponse(connection === 0 ? 15_000 : 100, 'stall'));
    const totalTimeout = 4000;
    // Compressed, both pages would fit.
    const headers = { 'accept-encoding': 'identity' };
    const mkt = environment.client(proxy, { timeout: 20_000, totalTimeout, headers });
    const seen: unknown[] = [];
    const walk = async () => {
      for await (const { id } of mkt.campaigns.list(5)) seen.push(id);
    };
    const { error } = await outcomeOf(walk(), 2 * totalTimeout);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });
});

describe('a slow response within the timeout', () => {
  test.each(Object.entries({ 'a late answer': delayResponse(300), 'a body byte by byte': dripResponse(1) }))(
    '%s is accepted',
    async (_what, fault) => {
      const { value, connections } = await under(fault, shows, { retry: 2 });
      expect(value).toMatchObject({ id: 3 });
      expect(connections).toBe(1);
    },
  );
});

describe('connections that break', () => {
  test.each(Object.entries(calls))('reset at the first byte (%s): a ConnectionError', async (name, call) => {
    const { error, connections, made } = await under(resetOnConnect, call, { retry: { limit: 2, minDelay: 1 } });
    expect(error).toBeInstanceOf(ConnectionError);
    expect([connections, made]).toEqual([name === 'creates' ? 1 : 3, 0]);
  });

  test('nothing listens: a ConnectionError for all calls, POST included', async () => {
    const environment = await chaosEnvironment();
    const proxy = await environment.proxy();
    await proxy.close();
    for (const call of Object.values(calls)) {
      const mkt = environment.client(proxy, { ...patient, retry: { limit: 1, minDelay: 1 } });
      const { error } = await outcomeOf(call(mkt), patient.totalTimeout);
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error?.message).toContain('ECONNREFUSED');
    }
  });

  const garbage = {
    'a response that is not HTTP': '\0\u0001\u0002 SSH-2.0-OpenSSH_9.2\r\n\r\n',
    'an invalid status line': 'HTTP/1.1 abc\r\n\r\n',
    'headers without an end': `HTTP/1.1 200 OK\r\n${'X-Long: y\r\n'.repeat(20_000)}`,
    'an invalid length': 'HTTP/1.1 200 OK\r\nContent-Length: twelve\r\n\r\n{}',
    'fewer bytes than promised': 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id":3}',
    'a chunked body without its end': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{"id":3}\r\n',
    'an invalid chunk': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{"id":3}\r\n0\r\n\r\n',
    'a gzip body that is not gzip': 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 8\r\n\r\n{"id":3}',
  };
  test.each(Object.entries(garbage))('%s: a ConnectionError', async (_what, text) => {
    for (const call of [shows, lists])
      expect((await under(respondWith(text), call, {})).error).toBeInstanceOf(ConnectionError);
  });

  const unreadable = {
    'a captive portal': ['text/html', '<!doctype html><title>Sign in to this network</title>'],
    'half a JSON text, its length stripped on the way': ['application/json', '[{"id":3,"name":"Autumn'],
    nothing: ['application/json', ''],
    'JSON of another kind': ['application/json', '<?xml version="1.0"?>'],
  };
  test.each(Object.entries(unreadable))('%s with status 200: a ResponseParseError', async (_what, [type, body]) => {
    const fault = respondWith(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nConnection: close\r\n\r\n${body}`);
    for (const call of [shows, lists, creates]) {
      const { error, connections } = await under(fault, call, { retry: 2 });
      expect(error).toBeInstanceOf(ResponseParseError);
      expect(connections).toBe(1);
    }
  });
});

describe('a gateway responds instead of the server', () => {
  test.each([500, 501, 502, 503, 504, 520, 599])('%i every time: a ServerError', async (status) => {
    const page = `<h1>${status}</h1>${'padding '.repeat(5000)}`;
    for (const call of Object.values(calls)) {
      const { error, connections } = await under(gatewayError(status, {}, page), call, {
        retry: { limit: 2, minDelay: 1 },
      });
      expect(error).toBeInstanceOf(ServerError);
      expect(error).toMatchObject({ status });
      const isRead = call === shows || call === lists;
      const again = call !== creates && ([502, 503, 504].includes(status) || (isRead && [500, 520].includes(status)));
      expect(connections).toBe(again ? 3 : 1);
    }
  });

  test.each(['86400', 'Fri, 01 Jan 2100 00:00:00 GMT'])('does not wait for Retry-After: %s', async (value) => {
    const { error } = await under(gatewayError(503, { 'Retry-After': value }), shows, { ...patient, retry: 3 });
    expect(error).toBeInstanceOf(ServerError);
  });

  test('429 every time, also for a POST: a RateLimitError, nothing happens', async () => {
    const fault = gatewayError(429, { 'Retry-After': '0' });
    const { error, connections, made } = await under(fault, creates, { retry: 2 });
    expect(error).toBeInstanceOf(RateLimitError);
    expect([connections, made]).toEqual([3, 0]);
  });
});

describe('faults that end', () => {
  const passes: Readonly<Record<string, readonly NetworkFault[]>> = {
    'a burst of 503, 502 and 504': [gatewayError(503), gatewayError(502), gatewayError(504)],
    'resets before, in and after the head': [resetOnConnect, cutResponse(10, 'reset'), cutResponse(500, 'reset')],
    'orderly ends in the wrong place': [cutResponse(0, 'end'), cutResponse(50, 'end'), cutResponse(400, 'end')],
    'hosts that hang, then a late answer': [neverRespond, dropResponse, delayResponse(50)],
    'a bit of everything': [gatewayError(503, { 'Retry-After': '0' }), neverRespond, resetOnConnect],
  };
  test.each(Object.entries(passes))(
    '%s: idempotent calls succeed',
    async (_what, faults) => {
      const outcomes = await Promise.all(
        idempotent.map(async (call) => {
          const environment = await chaosEnvironment();
          const proxy = await environment.proxy();
          proxy.plan((connection) => faults[connection] ?? passThrough);
          // The timeout ends the attempts that hang. The others must be done by then, so it is not smaller.
          const mkt = environment.client(proxy, {
            timeout: 1500,
            totalTimeout: 60_000,
            retry: { limit: 8, minDelay: 1 },
          });
          return outcomeOf(call(mkt), 60_000);
        }),
      );
      for (const { value, error } of outcomes) {
        expect(error).toBeUndefined();
        expect(value).toBeDefined();
      }
    },
    60_000,
  );

  test('a POST after 429 happens once', async () => {
    const environment = await chaosEnvironment();
    const proxy = await environment.proxy();
    proxy.plan((connection) => (connection === 0 ? gatewayError(429, { 'Retry-After': '0' }) : passThrough));
    const { value } = await outcomeOf(
      creates(environment.client(proxy, { ...patient, retry: 2 })),
      patient.totalTimeout,
    );
    expect(value).toMatchObject({ name: 'Chaos' });
    expect((await environment.dump()).tables.campaigns.filter(({ name }) => name === 'Chaos')).toHaveLength(1);
  });

  test('a walk over all pages survives resets', async () => {
    const environment = await chaosEnvironment();
    const proxy = await environment.proxy();
    proxy.plan((connection) => (connection % 2 === 0 ? cutResponse(3000, 'reset') : passThrough));
    const mkt = environment.client(proxy, { ...patient, retry: { limit: 5, minDelay: 1 } });
    const { value } = await outcomeOf(mkt.campaigns.list(5).all(), patient.totalTimeout);
    expect(value?.map(({ id }) => id)).toEqual(Array.from({ length: 45 }, (_, index) => index + 1));
  });
});
