import {
  AbortedError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  HttpError,
  MarketplaceError,
  NotFoundError,
  ResponseParseError,
  ResponseValidationError,
  TimeoutError,
  type TokenContext,
  TransitionError,
} from '@mkt/sdk';
import { describe, expect, it, vi } from 'vitest';
import { client, eventually, failure } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { after, drop, empty, hang, json, redirect, type Step, scripted, text } from './support/scripted-server.js';

const campaign = json(sampleCampaign());
const onePath = '/organizations/:organization_id/campaigns/:id.json';
const manyPath = '/organizations/:organization_id/campaigns.json';
const get = { operation: 'campaigns.get', method: 'GET', path: onePath };
const create = { operation: 'campaigns.create', method: 'POST', path: manyPath };

const refused = (): never => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) });
};

describe('an error names its call', () => {
  it('a timeout of an attempt', async () => {
    await using server = await scripted(hang);
    const error = await failure(client(server.url, { timeout: 300, retry: 0 }).campaigns.get(5, 1), TimeoutError);
    expect(error).toMatchObject({ ...get, attempts: 1, mayHaveArrived: true });
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ ...get, attempts: 1, mayHaveArrived: true });
  });

  it('a broken connection, after its attempts', async () => {
    await using server = await scripted(drop);
    const error = await failure(client(server.url).campaigns.get(5, 1), ConnectionError);
    expect(error).toMatchObject({ ...get, attempts: 3, mayHaveArrived: true });
  });

  it('a rejected connection: nothing arrived', async () => {
    const mkt = client('http://localhost:1', { fetch: refused });
    const error = await failure(mkt.campaigns.create(5, { name: 'x' }), ConnectionError);
    expect(error).toMatchObject({ ...create, attempts: 3, mayHaveArrived: false });
  });

  it('a rejected connection after an attempt that may have arrived', async () => {
    await using server = await scripted(drop);
    let calls = 0;
    const fetch = (url: string, init: RequestInit) => (++calls === 1 ? globalThis.fetch(url, init) : refused());
    const error = await failure(client(server.url, { fetch }).campaigns.update(5, 1, {}), ConnectionError);
    expect(error).toMatchObject({ operation: 'campaigns.update', attempts: 3, mayHaveArrived: true });
  });

  it('a total time that is over after 429: the server rejected what arrived', async () => {
    await using server = await scripted(empty(429, { 'retry-after': '0' }));
    // When the time is over, the third attempt still waits for its token: no request is under way.
    const token = ({ attempt }: TokenContext) => (attempt < 3 ? 'a-token' : new Promise<string>(() => undefined));
    const mkt = client(server.url, { token, totalTimeout: 1500 });
    const error = await failure(mkt.campaigns.create(5, { name: 'x' }), TimeoutError);
    expect(error).toMatchObject({ ...create, phase: 'total', attempts: 2, mayHaveArrived: false });
    expect(server.seen).toHaveLength(2);
  });

  it('a total time that is over while the event loop is blocked: no further attempt is begun', async () => {
    await using server = await scripted(empty(429, { 'retry-after': '0' }));
    const token = ({ attempt }: TokenContext) => {
      if (attempt === 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
      return 'a-token';
    };
    const mkt = client(server.url, { token, totalTimeout: 1500 });
    const error = await failure(mkt.campaigns.create(5, { name: 'x' }), TimeoutError);
    expect(error).toMatchObject({ ...create, phase: 'total', attempts: 1, mayHaveArrived: false });
    expect(server.seen).toHaveLength(1);
  });

  it('a total time that is over when an attempt begins: whether that one was begun', async () => {
    // The pause ends a few milliseconds before or after the total time, or the error is that of the status.
    const tryWith = async (extra: number) => {
      await using server = await scripted(empty(429, { 'retry-after': '1' }));
      let begun = 0;
      const fetch = (url: string, init: RequestInit) => {
        begun += 1;
        return globalThis.fetch(url, init);
      };
      const mkt = client(server.url, { fetch, totalTimeout: 1000 + extra, retry: 1000 });
      const error = await failure(mkt.campaigns.create(5, { name: 'x' }), MarketplaceError);
      expect(error).toMatchObject({ ...create, attempts: begun });
      // The last one may be under way, or be stopped before the server reads it.
      const unseen = begun - server.seen.length;
      expect([0, error.mayHaveArrived ? 1 : 0]).toContain(unseen);
    };
    await Promise.all([0, 10, 20, 30, 40, 60, 80, 100, 150, 200].map(tryWith));
  });

  it('an error status, a damaged body, a wrong state and a wrong argument', async () => {
    const page = text(200, '<html>', { 'content-type': 'text/html' });
    await using server = await scripted(empty(404), page, redirect('/'), json(sampleCampaign({ status: 'finished' })));
    const mkt = client(server.url);
    expect(await failure(mkt.campaigns.get(5, 1), NotFoundError)).toMatchObject({ ...get, attempts: 1, status: 404 });
    expect(await failure(mkt.campaigns.get(5, 1), ResponseParseError)).toMatchObject({ ...get, attempts: 1 });
    expect(await failure(mkt.campaigns.publish(5, 1), TransitionError)).toMatchObject({
      operation: 'campaigns.publish',
      method: 'POST',
      path: '/organizations/:organization_id/campaigns/:id/publish',
      attempts: 2,
      mayHaveArrived: false,
    });
    expect(await failure(mkt.campaigns.get(5, ''), ConfigurationError)).toMatchObject({ ...get, attempts: 0 });
    expect(await failure(mkt.campaigns.list(5, { page: 0 }), ConfigurationError)).toMatchObject({ attempts: 0 });
  });

  it.each([
    ['an unreadable creation', text(201, '{"id"', { 'content-type': 'application/json' }), true],
    ['a creation with 500', empty(500), true],
    ['a creation with 502', empty(502), true],
    ['an invalid creation', json({ errors: {} }, { status: 422 }), false],
    ['a creation that is not permitted', empty(403), false],
    ['a creation that is sent on to the sign-in page', empty(302, { location: '/sign_in' }), false],
  ] as const)('whether it may have happened: %s', async (_, step, mayHaveArrived) => {
    await using server = await scripted(step);
    const error = await failure(client(server.url).campaigns.create(5, { name: 'x' }), MarketplaceError);
    expect(error).toMatchObject({ ...create, attempts: 1, mayHaveArrived });
  });

  it('a creation whose response differs from the contract: it happened', async () => {
    await using server = await scripted(json({ id: 'x' }, { status: 201 }));
    const mkt = client(server.url, { validation: 'strict' });
    const error = await failure(mkt.campaigns.create(5, { name: 'x' }), ResponseValidationError);
    expect(error).toMatchObject({ operation: 'campaigns.create', mayHaveArrived: true });
  });

  it.each([drop, empty(500), empty(404)])(
    'an action whose result cannot be read: it may have been done',
    async (step) => {
      await using server = await scripted(redirect('/'), step);
      const error = await failure(client(server.url, { retry: 0 }).campaigns.publish(5, 1), MarketplaceError);
      expect(error).toMatchObject({ operation: 'campaigns.publish', mayHaveArrived: true });
      expect(error.message).toMatch(/^It was sent, but reading its result failed: /);
      const mkt = client(server.url, { fetch: refused, retry: 0 });
      expect(await failure(mkt.campaigns.publish(5, 1), ConnectionError)).toMatchObject({ mayHaveArrived: false });
    },
  );

  it("a request of one's own, without its query, and a walk", async () => {
    await using server = await scripted(empty(404));
    const mkt = client(server.url);
    const error = await failure(mkt.request('GET', '/new/1.json?q=2'), HttpError);
    expect(error).toMatchObject({ operation: 'request', method: 'GET', path: '/new/1.json', attempts: 1 });
    expect(await failure(mkt.campaigns.list(5).all(), HttpError)).toMatchObject({ operation: 'campaigns.list' });
    const aborted = mkt.campaigns.list(5, { signal: AbortSignal.abort() });
    expect(await failure(aborted.all(), AbortedError)).toMatchObject({ operation: 'campaigns.list', attempts: 0 });
  });

  it('all callers of a shared read', async () => {
    await using server = await scripted(hang);
    const mkt = client(server.url, { timeout: 300, retry: 0 });
    const calls = [mkt.campaigns.get(5, 1), mkt.campaigns.get(5, 1, { signal: new AbortController().signal })];
    for (const call of await Promise.allSettled(calls))
      expect(call).toMatchObject({ reason: { ...get, attempts: 1, mayHaveArrived: true } });
    expect(server.seen.length).toBeLessThanOrEqual(1);
  });
});

it('60 creates, two at a time, in a bounded time: each error says whether its request was sent', async () => {
  await using server = await scripted(after(50, json(sampleCampaign(), { status: 201 })));
  const mkt = client(server.url, { maxConcurrency: 2, totalTimeout: 700 });
  // All start at one moment, so that none has time left when the time of the first is over.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  const calls = Array.from({ length: 60 }, (_, index) => mkt.campaigns.create(5, { name: `n${index}` }));
  setImmediate(() => clock.mockRestore());
  const failed = (await Promise.allSettled(calls)).flatMap((one) =>
    one.status === 'rejected' ? [one.reason as TimeoutError] : [],
  );
  const sent = failed.filter(({ attempts }) => attempts === 1);
  expect(failed.length).toBeGreaterThan(10);
  for (const error of failed)
    expect(error).toMatchObject({ ...create, phase: 'total', mayHaveArrived: error.attempts === 1 });
  expect(sent.length).toBeLessThanOrEqual(2);
  expect(failed.find(({ attempts }) => attempts === 0)?.message).toBe(
    'The call was not sent within 700 ms. Raise the option totalTimeout.',
  );
  // Nothing is sent after the end.
  await eventually(() => expect(server.seen).toHaveLength(60 - failed.length + sent.length));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(server.seen).toHaveLength(60 - failed.length + sent.length);
});

describe('the token function', () => {
  it('runs for every attempt, and learns which it is', async () => {
    await using server = await scripted(empty(503), drop, campaign);
    const asked: TokenContext[] = [];
    const token = async (context: TokenContext) => `t${asked.push(context)}`;
    await client(server.url, { token }).campaigns.get(5, 1);
    expect(asked).toEqual([1, 2, 3].map((attempt) => ({ operation: 'campaigns.get', attempt, rejected: false })));
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t3']);
  });

  it.each([['GET'], ['PATCH'], ['POST'], ['list']])(
    'is asked once more after a 401 of a %s, without a retry',
    async (kind) => {
      const byToken: Step = (response, request) =>
        request.headers.authorization === 'Bearer new-token'
          ? json(kind === 'list' ? [] : sampleCampaign())(response, request)
          : json({ error: 'expired' }, { status: 401 })(response, request);
      await using server = await scripted(byToken);
      const asked: TokenContext[] = [];
      const token = (context: TokenContext) => {
        asked.push(context);
        return context.rejected ? 'new-token' : 'old-token';
      };
      const mkt = client(server.url, { token, retry: 0 });
      const { meta } = await {
        GET: () => mkt.campaigns.get(5, 1).withResponse(),
        PATCH: () => mkt.campaigns.update(5, 1, { name: 'x' }).withResponse(),
        POST: () => mkt.campaigns.create(5, { name: 'x' }).withResponse(),
        list: () => mkt.campaigns.list(5).withResponse(),
      }[kind as 'GET']();
      expect(meta).toMatchObject({ status: 200, attempts: 2 });
      expect(asked.map(({ attempt, rejected }) => [attempt, rejected])).toEqual([
        [1, false],
        [2, true],
      ]);
      expect(server.seen.map(({ body }) => String(body))).toEqual(Array(2).fill(String(server.seen[0]?.body)));
    },
  );

  it('that has no other token after a 401 fails the call, and is not asked again', async () => {
    await using server = await scripted(empty(401));
    const token = vi.fn(() => 'same-token');
    const error = await failure(client(server.url, { token }).campaigns.get(5, 1), AuthenticationError);
    expect([server.seen.length, token.mock.calls.length, error.attempts]).toEqual([1, 2, 1]);
    let turn = 0;
    const other = client(server.url, { token: () => `t${++turn}` });
    await failure(other.campaigns.get(5, 1), AuthenticationError);
    expect([server.seen.length, turn]).toEqual([3, 2]);
  });

  it('renews once for reads that share a request', async () => {
    const byToken: Step = (response, request) =>
      (request.headers.authorization === 'Bearer new' ? campaign : empty(401))(response, request);
    await using server = await scripted(byToken);
    const token = vi.fn(({ rejected }: TokenContext) => (rejected ? 'new' : 'old'));
    const mkt = client(server.url, { token });
    await Promise.all([mkt.campaigns.get(5, 1), mkt.campaigns.get(5, 1)]);
    expect(server.seen).toHaveLength(2);
    expect(token.mock.calls.filter(([{ rejected }]) => rejected)).toHaveLength(1);
  });

  it('never shows the old token or the new one', async () => {
    await using server = await scripted((response, request) =>
      json({ error: `Not with ${request.headers.authorization}` }, { status: 401 })(response, request),
    );
    const token = ({ rejected }: TokenContext) => (rejected ? 'second_5ecret' : 'first_5ecret');
    const error = await failure(client(server.url, { token }).campaigns.get(5, 1), AuthenticationError);
    expect(error.message + error.bodyText).not.toContain('5ecret');
  });
});

describe('variants of a client', () => {
  it('read what another has written, although a read was in flight', async () => {
    let name = 'old';
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reads = 0;
    await using server = await scripted(async (response, request) => {
      if (request.method === 'PATCH') name = 'new';
      const read = sampleCampaign({ name });
      if (request.method === 'GET' && ++reads === 1) await held;
      await json(read)(response, request);
    });
    const mkt = client(server.url);
    const slow = mkt.campaigns.get(5, 1).withResponse();
    await eventually(() => expect(server.seen).toHaveLength(1));
    await mkt.withOptions({ headers: { 'x-a': '1' } }).campaigns.update(5, 1, { name: 'new' });
    expect((await mkt.campaigns.get(5, 1)).name).toBe('new');
    release();
    expect((await slow).data.name).toBe('old');
  });

  it('share reads in flight, unless their requests differ', async () => {
    await using server = await scripted(after(100, campaign));
    const mkt = client(server.url);
    await Promise.all([mkt.campaigns.get(5, 1), mkt.withOptions({ timeout: 5000 }).campaigns.get(5, 1)]);
    expect(server.seen).toHaveLength(1);
    const others = [
      { headers: { 'x-a': '1' } },
      { fetch },
      { middleware: [] },
      { init: {} },
      { token: 'another-token' },
    ].map((options) => mkt.withOptions(options).campaigns.get(5, 1));
    await Promise.all([mkt.campaigns.get(5, 1), ...others]);
    expect(server.seen).toHaveLength(1 + 1 + others.length);
  });
});

describe('Retry-After', () => {
  it('of one tenant does not delay the others: a waiting call gives its slot back', async () => {
    const byToken: Step = (response, request) =>
      (request.headers.authorization === 'Bearer tenant-one' ? empty(429, { 'retry-after': '30' }) : campaign)(
        response,
        request,
      );
    await using server = await scripted(byToken);
    const mkt = client(server.url, { maxConcurrency: 1 });
    const controller = new AbortController();
    const one = mkt.withOptions({ token: 'tenant-one' });
    const waiting = failure(one.campaigns.get(5, 1, { signal: controller.signal }), AbortedError);
    await eventually(() => expect(server.seen).toHaveLength(1));
    const two = mkt.withOptions({ token: 'tenant-two' });
    expect((await two.campaigns.get(5, 1, { totalTimeout: 5000 })).id).toBe(1);
    controller.abort();
    await waiting;
  });

  it('pauses the other calls of the same token', async () => {
    const times: number[] = [];
    await using server = await scripted(
      (response, request) => {
        times.push(performance.now());
        return empty(429, { 'retry-after': '1' })(response, request);
      },
      (response, request) => {
        times.push(performance.now());
        return campaign(response, request);
      },
    );
    const mkt = client(server.url);
    const first = mkt.campaigns.get(5, 1).withResponse();
    await eventually(() => expect(server.seen).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await Promise.all([first, mkt.campaigns.get(5, 2), mkt.withOptions({ timeout: 9000 }).campaigns.get(5, 3)]);
    for (const time of times.slice(1)) expect(time - (times[0] ?? 0)).toBeGreaterThan(950);
  });

  it("as a date is read against the server's clock", async () => {
    const serverTime = Date.UTC(2020, 0, 1);
    const headers = {
      date: new Date(serverTime).toUTCString(),
      'retry-after': new Date(serverTime + 1000).toUTCString(),
    };
    await using server = await scripted(empty(429, headers), campaign);
    const start = performance.now();
    await client(server.url).campaigns.get(5, 1);
    expect(performance.now() - start).toBeGreaterThan(990);
  });
});

it('the second argument of then and catch are typed as those of a promise', async () => {
  await using server = await scripted(empty(404));
  const call = client(server.url).campaigns.get(5, 1);
  expect(
    await call.then(
      () => '',
      (error: Error) => error.name,
    ),
  ).toBe('NotFoundError');
  expect(await call.catch((error: HttpError) => error.status)).toBe(404);
});

it('a middleware that reads the response causes an error that names clone()', async () => {
  await using server = await scripted(campaign);
  const mkt = client(server.url, {
    middleware: [
      async (request, next) => {
        const response = await next(request);
        await response.text();
        return response;
      },
    ],
  });
  const error = await failure(mkt.campaigns.get(5, 1), ConfigurationError);
  expect(error.message).toContain('response.clone()');
});

it('masks a short token as a word of its own, and not inside words', async () => {
  await using server = await scripted((response, request) =>
    json({ error: 'The example x failed: x-ray of exits.' }, { status: 400 })(response, request),
  );
  const error = await failure(client(server.url, { token: 'x' }).campaigns.get(5, 1), HttpError);
  expect(error.message).toContain('The example [token] failed: [token]-ray of exits.');
  expect(error.url).toBe(`${server.url}/organizations/5/campaigns/1.json`);
});

it("Rails' words for a rejected token leave the advice, those of our server do not", async () => {
  const rails = text(401, 'HTTP Token: Access denied.\n');
  const ours = json({ error: 'This token is read-only, so it can only be used for GET and HEAD.' }, { status: 401 });
  await using server = await scripted(rails, ours);
  const mkt = client(server.url);
  const first = await failure(mkt.campaigns.create(5, { name: 'x' }), AuthenticationError);
  expect(first.message).toMatch(/HTTP Token: Access denied\. Check the token: .*read-only/);
  const second = await failure(mkt.campaigns.create(5, { name: 'x' }), AuthenticationError);
  expect(second.message).toMatch(/for GET and HEAD\.$/);
});

describe('mkt.each', () => {
  it('settles all calls in the order of the items, a few at a time', async () => {
    const now = { running: 0, most: 0 };
    const fetch = async (url: string): Promise<Response> => {
      now.running += 1;
      now.most = Math.max(now.most, now.running);
      const id = Number(/(\d+)\.json/.exec(url)?.[1]);
      await new Promise((resolve) => setTimeout(resolve, 30 - id));
      now.running -= 1;
      return new Response(JSON.stringify(id === 3 ? {} : sampleCampaign({ id })), { status: id === 3 ? 404 : 200 });
    };
    const mkt = client('http://localhost:1', { fetch });
    const ids = Array.from({ length: 20 }, (_, index) => index + 1);
    const results = await mkt.each(ids, (id) => mkt.campaigns.get(5, id), { concurrency: 3 });
    expect(results.map((one) => (one.status === 'fulfilled' ? one.value.id : one.reason.name))).toEqual(
      ids.map((id) => (id === 3 ? 'NotFoundError' : id)),
    );
    expect(now.most).toBe(3);
    await mkt.each(ids, (id) => mkt.campaigns.get(5, id));
    expect(now.most).toBe(8);
    expect(await mkt.each(new Set<number>(), (id) => mkt.campaigns.get(5, id))).toEqual([]);
    const thrown = await mkt.each([1], () => {
      throw new Error('mine');
    });
    expect(thrown).toMatchObject([{ status: 'rejected', reason: { message: 'mine' } }]);
    await failure(
      mkt.each([1], () => mkt.address.get(), { concurrency: 0 }),
      ConfigurationError,
    );
  });

  it('begins the time of a call when it is made, and pauses on 429', async () => {
    let requests = 0;
    await using server = await scripted(async (response, request) => {
      requests += 1;
      if (requests === 1) return empty(429, { 'retry-after': '1' })(response, request);
      await after(60, json(sampleCampaign(), { status: 201 }))(response, request);
    });
    const mkt = client(server.url, { totalTimeout: 2500 });
    // Without the pause the calls would wait within their total time; one after the other they take longer than it.
    const items = Array.from({ length: 60 }, (_, index) => index);
    const start = performance.now();
    const results = await mkt.each(items, (item) => mkt.campaigns.create(5, { name: `n${item}` }), { concurrency: 1 });
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(performance.now() - start).toBeGreaterThan(2500);
    expect(requests).toBe(61);
  });

  it('returns the results of calls that were made if a list then fails', async () => {
    const pages = Array.from({ length: 20 }, (_, index) => sampleCampaign({ id: index + 1 }));
    await using server = await scripted((response, request) => {
      if (request.method === 'POST') return json(sampleCampaign(), { status: 201 })(response, request);
      if (/page=|collabs/.test(request.url)) return empty(404)(response, request);
      return json(pages, { headers: { 'total-count': '40', 'total-pages': '2' } })(response, request);
    });
    const mkt = client(server.url);
    const results = await mkt.each(mkt.campaigns.list(5), ({ name }) => mkt.campaigns.create(5, { name }));
    expect(results.map(({ status }) => status)).toEqual([...pages.map(() => 'fulfilled'), 'rejected']);
    expect(results.at(-1)).toMatchObject({ reason: { name: 'NotFoundError', operation: 'campaigns.list' } });
    await failure(
      mkt.each(mkt.collabs.list(5), async () => 1),
      NotFoundError,
    );
  });

  it('ends when its signal aborts, although the iterable is waiting', async () => {
    const controller = new AbortController();
    const queue = (async function* () {
      yield 1;
      controller.abort();
      await new Promise(() => undefined);
    })();
    const results = await client('http://localhost:1').each(queue, async (id) => id, { signal: controller.signal });
    expect(results).toEqual([{ status: 'fulfilled', value: 1 }]);
  });

  it('makes no call after its signal has aborted, and rejects the other items of an array', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const call = vi.fn(async (id: number) => {
      controller.abort();
      return id;
    });
    const results = await client('http://localhost:1').each([1, 2, 3], call, { signal, concurrency: 1 });
    const aborted = { status: 'rejected', reason: { name: 'AbortError', attempts: 0, mayHaveArrived: false } };
    expect(results).toMatchObject([{ status: 'fulfilled', value: 1 }, aborted, aborted]);
    expect(call).toHaveBeenCalledTimes(1);
  });

  it('makes no call while the server wants none', async () => {
    await using server = await scripted(empty(429, { 'retry-after': '1' }), campaign);
    const mkt = client(server.url, { retry: 0 });
    const start = performance.now();
    const made: number[] = [];
    const results = await mkt.each(
      [1, 2, 3],
      (id) => {
        made.push(performance.now() - start);
        return mkt.campaigns.get(5, id);
      },
      { concurrency: 1 },
    );
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(made[1]).toBeGreaterThan(990);
  });
});

it('each: a call that cannot wait within its total time is made again after the wait, unless there are no retries', async () => {
  const steps = [empty(429, { 'retry-after': '1' }), campaign] as const;
  for (const [retry, status] of [
    [2, 'fulfilled'],
    [0, 'rejected'],
  ] as const) {
    await using server = await scripted(...steps);
    const mkt = client(server.url, { totalTimeout: 400, retry });
    const results = await mkt.each([1, 2], (id) => mkt.campaigns.get(5, id), { concurrency: 1 });
    expect(results.map((result) => result.status)).toEqual([status, 'fulfilled']);
  }
});

it('each: a call that must wait each time ends with that error after ten more', async () => {
  vi.useFakeTimers();
  try {
    const limited = vi.fn(async () => new Response('{}', { status: 429, headers: { 'retry-after': '30' } }));
    const mkt = client('https://api.example', { fetch: limited, totalTimeout: 400 });
    const results = mkt.each([1], (id) => mkt.campaigns.get(5, id));
    await vi.advanceTimersByTimeAsync(11 * 30_000);
    expect(await results).toMatchObject([{ status: 'rejected', reason: { name: 'RateLimitError' } }]);
    expect(limited).toHaveBeenCalledTimes(11);
  } finally {
    vi.useRealTimers();
  }
});

describe('a typing error of a program in JavaScript', () => {
  it.each([
    [{ retries: 3 }, 'There is no option retries. Did you mean retry?'],
    [{ timeOut: 5 }, 'There is no option timeOut. Did you mean timeout?'],
    [{ maxRetries: 3 }, 'There is no option maxRetries. Did you mean retry?'],
    [{ apiKey: 'x' }, 'There is no option apiKey. Did you mean token?'],
    [{ redirects: true }, 'There is no option redirects. Did you mean allowRedirects?'],
    [{ log: console }, 'There is no option log. Did you mean logger?'],
    [{ query: {} }, 'There is no option query. Known are timeout,'],
    [{ retry: { retries: 3 } }, 'There is no option retries. Known are limit,'],
  ])('in the options of a client: %j', (given, message) => {
    const options = given as object;
    const expected = expect.objectContaining({ name: 'ConfigurationError', message: expect.stringContaining(message) });
    const url = 'https://api.example.com';
    expect(() => client(url, options)).toThrow(expected);
    expect(() => client(url).withOptions(options)).toThrow(expected);
  });

  it('in the options of a call', async () => {
    await using server = await scripted(campaign);
    const mkt = client(server.url);
    const options = { per_page: 50 } as object;
    const error = await failure(mkt.campaigns.list(5, options), ConfigurationError);
    expect(error.message).toBe('There is no option per_page. Did you mean page?');
    expect(error).toMatchObject({ operation: 'campaigns.list', attempts: 0 });
    await failure(mkt.campaigns.get(5, 1, { timeOut: 4 } as object), ConfigurationError);
    expect(server.seen).toHaveLength(0);
    // A field that is undefined is not there.
    await mkt.campaigns.get(5, 1, { timeOut: undefined } as object);
  });

  it.each([null, 'Autumn', 7, ['x'], undefined])('gives %j instead of fields', async (fields) => {
    await using server = await scripted(campaign);
    const mkt = client(server.url);
    const error = await failure(mkt.campaigns.create(5, fields as never), ConfigurationError);
    expect(error.message).toBe("campaigns.create: the fields are an object, such as { name: 'Autumn' }.");
    expect(server.seen).toHaveLength(0);
    if (fields === undefined) await mkt.collabs.create(5, fields);
    else await failure(mkt.collabs.create(5, fields as never), ConfigurationError);
  });
});
