import { type CacheStore, Marketplace } from '@mkt/sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { client, token } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { empty, json, type Step, scripted } from './support/scripted-server.js';

const never = () => new Promise(() => undefined);
const show: Step = (response, request) =>
  (request.headers['if-none-match'] ? empty(304) : json(sampleCampaign(), { headers: { etag: '"1"' } }))(
    response,
    request,
  );
const store = (changes: Partial<CacheStore>): CacheStore => ({
  ...new Map(),
  get: () => undefined,
  set: () => undefined,
  delete: () => undefined,
  ...changes,
});
const fail = () => {
  throw new Error('down');
};

describe('a cache store', () => {
  const garbage = (value: unknown) => ({ get: () => value });
  it.each<[string, Partial<CacheStore>]>([
    ['hangs', { get: never, set: never, delete: never }],
    ['throws', { get: fail, set: fail, delete: fail }],
    ['rejects', { get: async () => fail(), set: async () => fail(), delete: async () => fail() }],
    ['returns an ETag with a line break', garbage({ etag: '"1"\r\nX: y', body: '{}' })],
    ['returns an ETag that no header can hold', garbage({ etag: '"☃"', body: '{}' })],
    ['returns half a body', garbage({ etag: '"1"', body: '{"id":' })],
    ['returns another type', garbage(42)],
    [
      'returns an object that throws',
      garbage({
        get etag() {
          return fail();
        },
      }),
    ],
  ])('that %s fails no call, and delays none by more than 100 ms', async (_, changes) => {
    await using server = await scripted(show);
    const mkt = client(server.url, { cache: store(changes), totalTimeout: 2000, retry: 0 });
    await mkt.address.get();
    for (let call = 0; call < 4; call += 1) {
      const started = performance.now();
      expect((await mkt.campaigns.get(5, 1)).id).toBe(1);
      await mkt.campaigns.update(5, 1, { name: 'New' });
      // Two calls of 100 ms at most, and what a busy machine adds.
      expect(performance.now() - started).toBeLessThan(1500);
    }
  });

  describe('that hangs, by a clock of the test', () => {
    const isCalled = async ({ mock }: ReturnType<typeof vi.fn>) => {
      while (mock.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    };
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
    afterEach(() => void vi.useRealTimers());

    it('delays a call by 100 ms at most, its write included', async () => {
      await using server = await scripted(show);
      const [get, set] = [vi.fn(never), vi.fn(never)];
      const call = client(server.url, { cache: store({ get, set }) }).campaigns.get(5, 1);
      await isCalled(get);
      vi.advanceTimersByTime(70);
      await isCalled(set);
      vi.advanceTimersByTime(30);
      expect((await call).id).toBe(1);
    });

    it('fails no call whose time is short', async () => {
      await using server = await scripted(show);
      const get = vi.fn(never);
      const mkt = client(server.url, { cache: store({ get }), retry: 0 });
      const call = mkt.campaigns.get(5, 1, { totalTimeout: 90 });
      await isCalled(get);
      vi.advanceTimersByTime(45);
      expect((await call).id).toBe(1);
    });
  });

  it('that writes slowly is not waited for: the entry is found at once', async () => {
    await using server = await scripted(show);
    const get = vi.fn();
    const mkt = client(server.url, { cache: store({ get, set: never }) });
    await mkt.campaigns.get(5, 1);
    expect((await mkt.campaigns.get(5, 1).withResponse()).meta.fromCache).toBe(true);
    expect(get).toHaveBeenCalledTimes(1);
  });

  it('whose response waits in a blocked event loop is not late', async () => {
    await using server = await scripted(show);
    const get = () =>
      new Promise((resolve) => {
        setTimeout(() => {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
          // As what the system reports: after all timers that are due.
          setImmediate(() => setImmediate(() => resolve({ etag: '"1"', body: '{"id":7}' })));
        });
      });
    const { data } = await client(server.url, { cache: store({ get }) })
      .campaigns.get(5, 1)
      .withResponse();
    expect(data.id).toBe(7);
  });

  it('is left out for 30 s after 3 failures, said once', async () => {
    await using server = await scripted(show);
    const get = vi.fn(fail);
    const warn = vi.fn();
    const cache = store({ get });
    const mkt = new Marketplace({
      token,
      baseUrl: server.url,
      cache,
      logger: { debug: () => undefined, warn },
      logLevel: 'warn',
    });
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      for (let call = 0; call < 10; call += 1) await mkt.campaigns.get(5, 1);
      expect(get).toHaveBeenCalledTimes(3);
      expect(warn.mock.calls.map(([message]) => message).filter((one) => one.includes('30 s'))).toHaveLength(1);
      vi.advanceTimersByTime(31_000);
      await mkt.campaigns.get(5, 1);
      expect(get).toHaveBeenCalledTimes(4);
    } finally {
      vi.useRealTimers();
    }
  });

  it('gets no response that is marked no-store, and loses an older one', async () => {
    const entries = new Map<string, unknown>();
    await using server = await scripted(
      show,
      json(sampleCampaign(), { headers: { etag: '"2"', 'cache-control': 'private, No-Store' } }),
    );
    const mkt = client(server.url, { cache: entries });
    await mkt.campaigns.get(5, 1);
    expect(entries.size).toBe(1);
    await mkt.campaigns.get(5, 1);
    await vi.waitFor(() => expect(entries.size).toBe(0));
  });

  it('keeps responses marked private: its keys hold the token', async () => {
    const entries = new Map<string, unknown>();
    await using server = await scripted(
      json(sampleCampaign(), { headers: { etag: '"1"', 'cache-control': 'private' } }),
    );
    await client(server.url, { cache: entries }).campaigns.get(5, 1);
    expect(entries.size).toBe(1);
  });
});

describe('meta.etag', () => {
  it.each<[string, Step]>([
    ['a 304 without one', empty(304)],
    ['a 304 with another', empty(304, { etag: 'W/"1"' })],
  ])('is that of the returned data after %s', async (_, revalidated) => {
    await using server = await scripted(json(sampleCampaign(), { headers: { etag: '"1"' } }), revalidated);
    const mkt = client(server.url);
    await mkt.campaigns.get(5, 1);
    const { meta, response } = await mkt.campaigns.get(5, 1).withResponse();
    expect([meta.fromCache, meta.etag, response.headers.get('etag')]).toEqual([true, '"1"', '"1"']);
  });
});
