import { inspect } from 'node:util';
import { ConfigurationError, TimeoutError } from '@mkt/sdk';
import { describe, expect, it, vi } from 'vitest';
import { client, failure, token } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { after, empty, hang, json, scripted, stall } from './support/scripted-server.js';

const campaign = json(sampleCampaign());

describe('the timeout of one attempt', () => {
  it.each([
    ['headers that do not arrive', hang],
    // A timeout that ends at the headers would wait here forever.
    ['a body that stalls', stall],
  ])('covers %s', async (_, step) => {
    await using server = await scripted(step);
    const error = await failure(client(server.url, { timeout: 60, retry: false }).campaigns.get(5, 1), TimeoutError);
    expect(error).toMatchObject({ phase: 'attempt', timeoutMs: 60 });
    expect(error.message).toBe('No complete response within 60 ms. Raise the option timeout.');
  });

  it('counts as a connection failure: a read is retried (D48)', async () => {
    await using server = await scripted(hang, stall, campaign);
    // On a busy machine the time may be over before an attempt has reached the server.
    const mkt = client(server.url, { timeout: 200, retry: { limit: 50, minDelay: 1, maxDelay: 1 } });
    const { meta } = await mkt.campaigns.get(5, 1).withResponse();
    expect(meta.attempts).toBeGreaterThanOrEqual(3);
    expect(server.seen.length).toBeGreaterThanOrEqual(3);
  });

  it('starts again with each attempt', async () => {
    await using server = await scripted(after(700, empty(503)), after(700, empty(503)), after(700, campaign));
    await client(server.url, { timeout: 1900 }).campaigns.get(5, 1);
    expect(server.seen).toHaveLength(3);
  });

  it('of one call overrides that of the client', async () => {
    await using server = await scripted(after(100, campaign));
    await client(server.url, { timeout: 30 }).campaigns.get(5, 1, { timeout: 2000 });
    await failure(client(server.url).campaigns.get(5, 1, { timeout: 30, retry: 0 }), TimeoutError);
  });

  it('holds although the fetch in use does not know signals', async () => {
    await using server = await scripted(campaign);
    const fetch = () => new Promise<Response>(() => undefined);
    await failure(client(server.url, { fetch, timeout: 30, retry: 0 }).campaigns.get(5, 1), TimeoutError);
  });
});

it("a timeout error does not contain ky's error, which quotes the URL and holds the request", async () => {
  await using server = await scripted(hang);
  const call = client(server.url).request('GET', `/x?key=${token}`, { timeout: 60, retry: false });
  const error = await failure(call, TimeoutError);
  expect(error.cause).toBeUndefined();
  const everything = inspect(error, { depth: 10, showHidden: true }) + error.stack + JSON.stringify(error);
  expect(everything).not.toContain(token);
  expect(everything).not.toContain(server.url);
});

describe('the timeout of the whole call', () => {
  it('covers attempts and waits', async () => {
    await using server = await scripted(hang);
    const start = performance.now();
    const mkt = client(server.url, {
      timeout: 250,
      totalTimeout: 1500,
      retry: { limit: 60, minDelay: 1, maxDelay: 1 },
    });
    const error = await failure(mkt.campaigns.get(5, 1), TimeoutError);
    expect(error).toMatchObject({ phase: 'total', timeoutMs: 1500 });
    expect(error.message).toBe('The call took longer than 1500 ms, retries included. Raise the option totalTimeout.');
    // All attempts would take 15 s and more.
    expect(performance.now() - start).toBeLessThan(8000);
    expect(server.seen.length).toBeGreaterThan(1);
  });

  it('covers a token function that hangs, and sends nothing afterwards', async () => {
    await using server = await scripted(campaign);
    const token = () => new Promise<string>(() => undefined);
    await failure(client(server.url, { token, totalTimeout: 40 }).campaigns.get(5, 1), TimeoutError);
    expect(server.seen).toHaveLength(0);
  });

  it('sends nothing when a late token arrives after the end', async () => {
    await using server = await scripted(campaign);
    const token = () => new Promise<string>((resolve) => setTimeout(resolve, 80, 'late'));
    await failure(client(server.url, { token, totalTimeout: 20 }).campaigns.get(5, 1), TimeoutError);
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(server.seen).toHaveLength(0);
  });

  it('is of one call, never of a walk', async () => {
    const page = after(500, json([sampleCampaign()], { headers: { 'total-pages': '4', 'total-count': '4' } }));
    await using server = await scripted((response, request) => page(response, request));
    let id = 0;
    const mkt = client(server.url, {
      totalTimeout: 1900,
      fetch: async (address, init) => {
        const response = await fetch(address, init);
        id += 1;
        return new Response(JSON.stringify([sampleCampaign({ id })]), response);
      },
    });
    const items: unknown[] = [];
    for await (const item of mkt.campaigns.list(5)) items.push(item);
    expect(items).toHaveLength(4);
  });
});

describe('times', () => {
  it('are 10 s of an attempt, 60 s where a file is sent, and 60 s of a call', async () => {
    const mkt = client('http://localhost:1', { fetch: async () => new Response('{"id":1}') });
    const bounds = async (call: () => PromiseLike<unknown>) => {
      const timers = vi.spyOn(globalThis, 'setTimeout');
      await call();
      // What earlier tests left behind may set timers too, shorter ones.
      const delays = timers.mock.calls.map(([, delay = 0]) => delay).filter((delay) => delay >= 10_000);
      timers.mockRestore();
      return delays;
    };
    expect(await bounds(() => mkt.campaigns.get(5, 1))).toEqual([60_000, 10_000]);
    const logo = new Blob(['x']);
    expect(await bounds(() => mkt.organizations.update(5, { logo }))).toEqual([60_000, 60_000]);
  });

  it.each([0, -1, Number.NaN, '10' as unknown as number])(
    'of %s are rejected before anything is sent',
    async (timeout) => {
      await using server = await scripted(campaign);
      expect(() => client(server.url, { timeout })).toThrow(ConfigurationError);
      expect(() => client(server.url, { totalTimeout: timeout })).toThrow(ConfigurationError);
      await failure(client(server.url).campaigns.get(5, 1, { timeout }), ConfigurationError);
      expect(server.seen).toHaveLength(0);
    },
  );

  it('beyond what a timer can hold mean no bound, not none at all', async () => {
    await using server = await scripted(after(30, campaign));
    const mkt = client(server.url, { timeout: Number.POSITIVE_INFINITY, totalTimeout: 2 ** 40 });
    expect((await mkt.campaigns.get(5, 1)).id).toBe(1);
  });
});
