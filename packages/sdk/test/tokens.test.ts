import { ConfigurationError, Marketplace, NotFoundError, RateLimitError } from '@mkt/sdk';
import { describe, expect, it } from 'vitest';
import { client, eventually, failure } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { empty, hang, json, type Step, scripted, text } from './support/scripted-server.js';

const campaign = json(sampleCampaign(), { headers: { etag: '"1"' } });
const bearer = (token: string) => `Bearer ${token}`;
/** Responds to one token only, and to the others by another step. */
const only =
  (token: string, step: Step, others: Step = campaign): Step =>
  (response, request) =>
    (request.headers.authorization === bearer(token) ? step : others)(response, request);

describe('the option token of one call', () => {
  it('is sent by every kind of call', async () => {
    await using server = await scripted(json([sampleCampaign()], { headers: { 'total-pages': '1' } }), campaign);
    const mkt = client(server.url);
    const options = { token: 'tenant-eve' };
    await mkt.campaigns.list(5, options).all();
    await mkt.campaigns.get(5, 1, options);
    await mkt.campaigns.update(5, 1, { name: 'New' }, options);
    await mkt.request('GET', '/organizations/5.json', { token: async () => 'tenant-eve' });
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill(bearer('tenant-eve')));
  });

  it('separates the cache, reads in flight and pauses of its users', async () => {
    await using server = await scripted((response, { headers }) => {
      if (headers.authorization === bearer('tenant-ada') && headers['if-none-match'])
        return empty(429, { 'retry-after': '60' })(response, {} as never);
      const name = String(headers.authorization);
      return headers['if-none-match']
        ? empty(304)(response, {} as never)
        : json(sampleCampaign({ name }), { headers: { etag: '"same"' } })(response, {} as never);
    });
    const mkt = client(server.url);
    const read = (token: string) => mkt.campaigns.get(5, 1, { token });
    const both = await Promise.all([read('tenant-ada'), read('tenant-eve')]);
    expect(both.map(({ name }) => name)).toEqual([bearer('tenant-ada'), bearer('tenant-eve')]);
    await failure(mkt.campaigns.get(5, 1, { token: 'tenant-ada', totalTimeout: 500 }), RateLimitError);
    expect((await read('tenant-eve')).name).toBe(bearer('tenant-eve'));
  });

  it('shares identical reads of the same token', async () => {
    await using server = await scripted(campaign);
    const mkt = client(server.url);
    await Promise.all([1, 2, 3].map(() => mkt.campaigns.get(5, 1, { token: 'tenant-eve' })));
    expect(server.seen).toHaveLength(1);
  });

  it('is masked in errors', async () => {
    await using server = await scripted(text(404, 'no tenant-eve-5ecret'));
    const error = await failure(client(server.url).campaigns.get(5, 1, { token: 'tenant-eve-5ecret' }), NotFoundError);
    expect(JSON.stringify(error) + error.message + error.bodyText).not.toContain('5ecret');
  });

  it.each([undefined, null, ''])('%j is refused: the token of the client is another user', async (token) => {
    await using server = await scripted(campaign);
    const error = await failure(client(server.url).campaigns.get(5, 1, { token: token as string }), ConfigurationError);
    expect(error.message).toMatch(/token/);
    expect(() => client(server.url).withOptions({ token: token as string })).toThrow(/^The option token/);
    expect(server.seen).toEqual([]);
  });

  it('is renewed after a 401 if it is a function', async () => {
    await using server = await scripted(only('tenant-old', empty(401)));
    const token = ({ rejected }: { rejected: boolean }) => (rejected ? 'tenant-new' : 'tenant-old');
    expect((await client(server.url).campaigns.get(5, 1, { token })).id).toBe(1);
  });
});

describe('headers that have an option of their own are refused', () => {
  it.each([
    ['Authorization', 'the option token'],
    ['If-None-Match', 'ifNoneMatch'],
  ])('%s', async (name, instead) => {
    await using server = await scripted(campaign);
    const headers = { [name]: 'Bearer other' };
    const error = await failure(client(server.url).campaigns.get(5, 1, { headers }), ConfigurationError);
    expect(error.message).toContain(instead);
    expect(server.seen).toEqual([]);
    expect(() => client(server.url, { headers })).toThrow(ConfigurationError);
    expect(() => client(server.url).withOptions({ headers: new Headers(headers) })).toThrow(instead);
  });

  it('ifNoneMatch sends it, and a 304 is reported with its status', async () => {
    await using server = await scripted(campaign, empty(304));
    const mkt = client(server.url);
    await mkt.campaigns.get(5, 1);
    const error = await mkt.campaigns.get(5, 1, { ifNoneMatch: '"mine"' }).catch((reason) => reason);
    expect(error.status).toBe(304);
    expect(server.seen[1]?.headers['if-none-match']).toBe('"mine"');
  });
});

describe('a 429', () => {
  it('pauses all calls of its token: those that cannot wait fail at once, unsent', async () => {
    await using server = await scripted(
      only(bearer('x'), campaign, text(429, '{"error":"Slow down."}', { 'retry-after': '120' })),
    );
    const mkt = client(server.url);
    await failure(mkt.campaigns.get(5, 1), RateLimitError);
    const started = performance.now();
    const errors = await Promise.all(
      Array.from({ length: 50 }, (_, id) => failure(mkt.campaigns.update(5, id, { name: 'New' }), RateLimitError)),
    );
    expect(performance.now() - started).toBeLessThan(2000);
    expect(server.seen).toHaveLength(1);
    for (const error of errors) {
      expect(error).toMatchObject({ status: 429, attempts: 0, mayHaveArrived: false, messages: ['Slow down.'] });
      expect(error.message).toMatch(
        /^PATCH http:\S+\/campaigns\/\d+\.json was not sent because an earlier request returned 429: Slow down\. Wait/,
      );
      expect(error.retryAfterMs).toBeGreaterThan(100_000);
      expect(error.retryAfterMs).toBeLessThanOrEqual(120_000);
    }
  });

  it('makes calls wait that can, and fails the retries of calls that cannot', async () => {
    await using server = await scripted(empty(429, { 'retry-after': '1' }), campaign);
    let mkt = client(server.url);
    const paused = new Promise((resolve) => {
      mkt = client(server.url, { onRetry: resolve });
    });
    const waiting = mkt.campaigns.get(5, 1).withResponse();
    await paused;
    const failed = await failure(mkt.campaigns.get(5, 2, { totalTimeout: 100 }), RateLimitError);
    expect((await waiting).data.id).toBe(1);
    expect(failed.attempts).toBe(0);
    expect(server.seen).toHaveLength(2);
  });
});

it('maxConcurrency counts per token: hanging calls of one user delay no other', async () => {
  await using server = await scripted(only('tenant-ada', hang));
  const mkt = client(server.url, { maxConcurrency: 20 });
  const controller = new AbortController();
  const { signal } = controller;
  const stuck = Array.from({ length: 25 }, (_, id) => mkt.campaigns.get(5, id, { token: 'tenant-ada', signal }));
  const ended = Promise.allSettled(stuck);
  await eventually(() => expect(server.seen).toHaveLength(20));
  const started = performance.now();
  for (const token of ['tenant-eve', 'tenant-joe']) await mkt.campaigns.get(5, 1, { token });
  expect(performance.now() - started).toBeLessThan(1000);
  expect(server.seen).toHaveLength(22);
  controller.abort();
  await ended;
});

it('each: the time of a call begins with its turn, also if maxConcurrency is smaller than its concurrency', async () => {
  await using server = await scripted(hang);
  const mkt = new Marketplace({ token: 'tenant-ada', baseUrl: server.url, maxConcurrency: 2, totalTimeout: 300 });
  const results = await mkt.each([1, 2, 3, 4], (id) => mkt.campaigns.get(5, id), { concurrency: 4 });
  // Each call has its whole time from its turn on: none times out unsent.
  expect(server.seen).toHaveLength(4);
  expect(results.map((result) => (result as PromiseRejectedResult).reason.attempts)).toEqual([1, 1, 1, 1]);
});
