import {
  ConfigurationError,
  ConnectionError,
  type FailedAttempt,
  HttpError,
  NotFoundError,
  RateLimitError,
  type Retry,
  ServerError,
  ValidationError,
} from '@mkt/sdk';
import { describe, expect, it, vi } from 'vitest';
import { client, failure } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { drop, empty, json, redirect, type Step, scripted, text, truncate } from './support/scripted-server.js';

const campaign = json(sampleCampaign());
const unavailable = json({ error: 'Try again.' }, { status: 503 });

describe('idempotent methods (D48)', () => {
  const failures: [string, Step][] = [
    ['429', empty(429)],
    ['502', text(502, '<html><title>Bad gateway</title></html>')],
    ['503', unavailable],
    ['504', empty(504)],
    ['a dropped connection', drop],
    ['an answer that breaks off', truncate],
  ];

  it.each(failures)('GET is retried after %s', async (_, step) => {
    await using server = await scripted(step, step, campaign);
    const { data, meta } = await client(server.url).campaigns.get(5, 1).withResponse();
    expect(data.name).toBe('Summer UGC Campaign');
    expect(meta.attempts).toBe(3);
    expect(server.seen).toHaveLength(3);
  });

  it('PATCH and DELETE are retried with the same body', async () => {
    await using server = await scripted(drop, campaign, unavailable, empty(204));
    const mkt = client(server.url);
    await mkt.campaigns.update(5, 1, { name: 'New' });
    await mkt.campaigns.delete(5, 1);
    expect(server.seen.map(({ method }) => method)).toEqual(['PATCH', 'PATCH', 'DELETE', 'DELETE']);
    expect(server.seen.slice(0, 2).map(({ body }) => String(body))).toEqual(
      Array(2).fill('{"campaign":{"name":"New"}}'),
    );
  });

  it.each([408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524])('retries a read on %i', async (status) => {
    await using server = await scripted(empty(status), campaign);
    expect((await client(server.url).campaigns.get(5, 1)).id).toBe(1);
    await using failing = await scripted(empty(status));
    await failure(client(failing.url).campaigns.update(5, 1, { name: 'New' }), HttpError);
    expect(failing.seen).toHaveLength([429, 502, 503, 504].includes(status) ? 3 : 1);
  });

  it.each([400, 401, 403, 404, 409, 422, 501])('does not retry on %i', async (status) => {
    await using server = await scripted(json({ error: 'No.' }, { status }));
    const error = await failure(client(server.url).campaigns.get(5, 1), HttpError);
    expect(error).toMatchObject({ status, attempts: 1 });
    expect(server.seen).toHaveLength(1);
  });

  it('fails with the last response after the last attempt', async () => {
    await using server = await scripted(unavailable);
    const error = await failure(client(server.url).campaigns.get(5, 1), ServerError);
    expect(error).toMatchObject({ status: 503, attempts: 3 });
    expect(error.message).toContain('All 3 attempts failed.');
  });

  it('gives up after the last attempt with the last failure of the connection', async () => {
    await using server = await scripted(drop);
    const error = await failure(client(server.url).campaigns.get(5, 1), ConnectionError);
    expect(error.message).toContain(server.url);
    expect(server.seen).toHaveLength(3);
  });
});

describe('POST (D48)', () => {
  it.each([
    ['503', unavailable],
    ['a dropped connection', drop],
    ['an answer that breaks off', truncate],
  ])('is sent once after %s', async (_, step) => {
    await using server = await scripted(step, campaign);
    const sent = client(server.url).campaigns.create(5, { name: 'One' });
    await expect(sent).rejects.toThrow();
    expect(server.seen).toHaveLength(1);
  });

  it('is retried on 429, since it was not processed', async () => {
    await using server = await scripted(empty(429), json(sampleCampaign(), { status: 201 }));
    await client(server.url).campaigns.create(5, { name: 'One' });
    expect(server.seen).toHaveLength(2);
  });

  it('is retried if no connection was made', async () => {
    await using server = await scripted(json(sampleCampaign(), { status: 201 }));
    let calls = 0;
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const fetch = async (input: string | Request, init: RequestInit) => {
      calls += 1;
      if (calls < 3) throw new TypeError('fetch failed', { cause: refused });
      return globalThis.fetch(input, init);
    };
    await client(server.url, { fetch }).campaigns.create(5, { name: 'One' });
    expect(calls).toBe(3);
    expect(String(server.seen[0]?.body)).toBe('{"campaign":{"name":"One"}}');
  });

  it('is retried against a closed port', async () => {
    const server = await scripted(campaign);
    await server.close();
    const debug = vi.fn();
    const mkt = client(server.url, { logger: { debug, warn: vi.fn() } });
    const error = await failure(mkt.campaigns.create(5, { name: 'One' }), ConnectionError);
    expect(error.message).toContain('ECONNREFUSED');
    expect(debug).toHaveBeenCalledTimes(2);
  });

  it('is not retried after a timeout', async () => {
    await using server = await scripted(() => undefined);
    const debug = vi.fn();
    const mkt = client(server.url, { timeout: 40, logger: { debug, warn: vi.fn() } });
    await expect(mkt.campaigns.create(5, { name: 'One' })).rejects.toMatchObject({
      name: 'TimeoutError',
      phase: 'attempt',
    });
    expect(debug, 'no further attempt is announced').not.toHaveBeenCalled();
    expect(server.seen.length).toBeLessThanOrEqual(1);
  });

  it('of a web action is retried only on 429', async () => {
    await using server = await scripted(empty(429), redirect('/'), json(sampleCampaign({ status: 'active' })));
    await client(server.url).campaigns.publish(5, 1);
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET']);
    await using broken = await scripted(drop);
    await failure(client(broken.url).campaigns.publish(5, 1), ConnectionError);
    expect(broken.seen).toHaveLength(1);
  });
});

describe('a retried DELETE (D48)', () => {
  it('counts 404 as success: the first attempt did it', async () => {
    await using server = await scripted(drop, json({ error: 'Not found.' }, { status: 404 }));
    const { data, meta } = await client(server.url).campaigns.delete(5, 1).withResponse();
    expect(data).toBeUndefined();
    expect(meta).toMatchObject({ status: 204, attempts: 2 });
  });

  it('does not when it was sent once', async () => {
    await using server = await scripted(empty(404));
    await failure(client(server.url).campaigns.delete(5, 1), NotFoundError);
  });

  it('of a token counts 401 as success: it was the token in use', async () => {
    await using server = await scripted(drop, empty(401));
    await client(server.url).accessTokens.delete(1);
    expect(server.seen).toHaveLength(2);
  });

  it('of other kinds is not', async () => {
    await using server = await scripted(drop, empty(401));
    await expect(client(server.url).socialAccounts.delete(1)).rejects.toMatchObject({ status: 401 });
  });

  it('still fails with a guard', async () => {
    await using server = await scripted(drop, json({ errors: { base: ['It is funded.'] } }, { status: 422 }));
    await failure(client(server.url).campaigns.delete(5, 1), ValidationError);
  });
});

describe('Retry-After', () => {
  const waited = async (value: string | (() => string)): Promise<number> => {
    const refusing: Step = (response, request) =>
      empty(429, { 'retry-after': typeof value === 'string' ? value : value() })(response, request);
    await using server = await scripted(refusing, campaign);
    const start = performance.now();
    await client(server.url).campaigns.get(5, 1);
    return performance.now() - start;
  };

  it('is waited for, in seconds', async () => {
    const ms = await waited('1');
    expect(ms).toBeGreaterThanOrEqual(999);
    expect(ms).toBeLessThan(3000);
  });

  it('is waited for, as a date', async () => {
    const ms = await waited(() => new Date(Date.now() + 1500).toUTCString());
    expect(ms).toBeGreaterThan(400);
    expect(ms).toBeLessThan(5000);
  });

  it.each(['abc', '-5', '+1', '9.5', '0x10', '1e400', 'Sun, 99 Foo 2026', new Date(0).toUTCString()])(
    'that is invalid or in the past does not delay: %s',
    async (value) => {
      // Taken for a number of days, `abc` has made clients wait for 24.8 of them.
      expect(await waited(value)).toBeLessThan(3000);
    },
  );

  it('above the maximum fails immediately and reports how long to wait', async () => {
    await using server = await scripted(empty(429, { 'retry-after': '3600' }));
    const start = performance.now();
    const mkt = client(server.url, { totalTimeout: 7_200_000 });
    const error = await failure(mkt.campaigns.get(5, 1), RateLimitError);
    expect(error.retryAfterMs).toBe(3_600_000);
    expect(error.message).toContain('Wait 3600 s');
    expect(server.seen).toHaveLength(1);
    expect(performance.now() - start).toBeLessThan(3000);
  });

  it.each(['soon', 'in 5', 'May 7', 'Monday 7'])('that cannot be read is not reported: %s', async (value) => {
    await using server = await scripted(empty(429, { 'retry-after': value }));
    const error = await failure(client(server.url, { retry: false }).campaigns.get(5, 1), RateLimitError);
    expect(error.retryAfterMs).toBeNull();
    expect(error.message).toMatch(/Wait before the next call\.$/);
  });

  it('beyond the total timeout also fails immediately', async () => {
    await using server = await scripted(empty(503, { 'retry-after': '9' }));
    const start = performance.now();
    await failure(client(server.url, { totalTimeout: 6000 }).campaigns.get(5, 1), ServerError);
    expect(performance.now() - start).toBeLessThan(4000);
  });
});

describe('the option retry', () => {
  it.each([
    [false, 1],
    [0, 1],
    [1, 2],
    [{ limit: 3, minDelay: 1 }, 4],
    [{ minDelay: 1 }, 3],
  ] as const)('%j makes %i attempts', async (retry, attempts) => {
    await using server = await scripted(unavailable);
    await failure(client(server.url, { retry }).campaigns.get(5, 1), ServerError);
    expect(server.seen).toHaveLength(attempts);
  });

  it('of one call overrides that of the client, and keeps its delays', async () => {
    await using server = await scripted(unavailable);
    const debug = vi.fn();
    const mkt = client(server.url, { retry: { limit: 4, minDelay: 2 }, logger: { debug, warn: vi.fn() } });
    await failure(mkt.campaigns.get(5, 1, { retry: 1 }), ServerError);
    expect(server.seen).toHaveLength(2);
    expect(debug.mock.calls[0]?.[0]).toMatch(/; the next in [12] ms$/);
  });

  it.each([-1, 1.5, Number.NaN, { limit: -2 }])('%j is rejected', async (retry) => {
    await using server = await scripted(campaign);
    expect(() => client(server.url, { retry })).toThrow(ConfigurationError);
    await failure(client(server.url).campaigns.get(5, 1, { retry }), ConfigurationError);
    expect(server.seen).toHaveLength(0);
  });

  it('of other statuses can be chosen, but a POST is retried only on 429', async () => {
    await using server = await scripted(empty(500), campaign, unavailable, empty(500), empty(429), campaign);
    const mkt = client(server.url, { retry: { minDelay: 1, statusCodes: [429, 500] } });
    expect((await mkt.campaigns.get(5, 1)).id).toBe(1);
    await failure(mkt.campaigns.get(5, 1), ServerError);
    await failure(mkt.campaigns.create(5, { name: 'x' }), ServerError);
    await mkt.campaigns.create(5, { name: 'x' });
    expect(server.seen).toHaveLength(6);
  });

  it('is decided by shouldRetry, and by the rules if that returns nothing', async () => {
    await using server = await scripted(empty(409), drop, unavailable, empty(404));
    const asked: FailedAttempt[] = [];
    const shouldRetry = async (failed: FailedAttempt) => {
      asked.push(failed);
      return failed.status === 409 ? true : failed.status === 404 ? false : undefined;
    };
    await failure(
      client(server.url, { retry: { limit: 5, minDelay: 1, shouldRetry } }).campaigns.get(5, 1),
      NotFoundError,
    );
    const common = { operation: 'campaigns.get', method: 'GET' };
    expect(asked).toEqual([
      { ...common, attempt: 1, status: 409, error: undefined },
      { ...common, attempt: 2, status: undefined, error: expect.any(ConnectionError) },
      { ...common, attempt: 3, status: 503, error: undefined },
      { ...common, attempt: 4, status: 404, error: undefined },
    ]);
  });

  it('can be allowed for a POST, and forbidden for one call', async () => {
    await using server = await scripted(unavailable, campaign, unavailable);
    const mkt = client(server.url, { retry: { minDelay: 1, shouldRetry: () => true } });
    await mkt.campaigns.create(5, { name: 'x' });
    await failure(mkt.campaigns.create(5, { name: 'x' }, { retry: { shouldRetry: () => false } }), ServerError);
    expect(server.seen).toHaveLength(3);
  });

  it('fails with what shouldRetry throws', async () => {
    await using server = await scripted(unavailable);
    const mine = new Error('my bug');
    const shouldRetry = () => {
      throw mine;
    };
    const error = await failure(
      client(server.url, { retry: { shouldRetry } }).campaigns.create(5, { name: 'New' }),
      ConfigurationError,
    );
    expect(error).toMatchObject({ cause: mine, attempts: 1, mayHaveArrived: true });
  });

  it('is announced to onRetry, whose errors are logged', async () => {
    await using server = await scripted(unavailable, drop, campaign);
    const warn = vi.fn();
    const retries: Retry[] = [];
    const onRetry = (retry: Retry) => {
      retries.push(retry);
      throw new Error('my bug');
    };
    await client(server.url, { onRetry, logger: { debug: vi.fn(), warn } }).campaigns.get(5, 1);
    const common = { operation: 'campaigns.get', method: 'GET', delayMs: expect.any(Number) };
    expect(retries).toEqual([
      { ...common, attempt: 1, status: 503, error: undefined },
      { ...common, attempt: 2, status: undefined, error: expect.any(ConnectionError) },
    ]);
    expect(warn).toHaveBeenCalledWith('onRetry threw: my bug', { error: 'my bug' });
  });

  it('waits longer before each attempt, up to its bound', async () => {
    await using server = await scripted(unavailable);
    const announced: number[] = [];
    const logger = {
      debug: (message: string) => announced.push(Number(/the next in (\d+) ms$/.exec(message)?.[1])),
      warn: vi.fn(),
    };
    const mkt = client(server.url, { retry: { limit: 4, minDelay: 40, maxDelay: 100 }, logger });
    const start = performance.now();
    await failure(mkt.campaigns.get(5, 1), ServerError);
    const taken = performance.now() - start;
    const waits = announced.slice(0, 4);
    for (const [index, bound] of [40, 80, 100, 100].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(bound / 2);
      expect(waits[index]).toBeLessThanOrEqual(bound);
    }
    // Each was rounded, and a timer may fire a little early.
    expect(taken).toBeGreaterThanOrEqual(waits.reduce((sum, wait) => sum + wait, 0) - 8);
  });

  it('waits for a time that is partly random', async () => {
    await using server = await scripted(unavailable);
    const delays: number[] = [];
    const onRetry = ({ delayMs }: Retry) => delays.push(delayMs);
    const mkt = client(server.url, { retry: { limit: 4, minDelay: 2, maxDelay: 2 }, onRetry });
    await failure(mkt.campaigns.get(5, 1), ServerError);
    expect(new Set(delays).size).toBeGreaterThan(1);
  });
});

it("a test's fake clock drives retries and time limits", async () => {
  vi.useFakeTimers();
  try {
    const fetch = vi.fn(async () => new Response(null, { status: 503, headers: { 'retry-after': '20' } }));
    const call = client('http://localhost:1', { fetch }).campaigns.get(5, 1).withResponse();
    const failed = expect(call).rejects.toMatchObject({ status: 503, attempts: 3 });
    await vi.advanceTimersByTimeAsync(19_000);
    expect(fetch).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(21_100);
    expect(fetch).toHaveBeenCalledTimes(3);
    await failed;
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it('a body that is a stream is never sent twice', async () => {
  await using server = await scripted(unavailable);
  const body = new Blob(['{"campaign":{}}']).stream();
  await failure(client(server.url).request('PATCH', '/organizations/5/campaigns/1.json', { body }), ServerError);
  expect(server.seen.map((seen) => String(seen.body))).toEqual(['{"campaign":{}}']);
});
