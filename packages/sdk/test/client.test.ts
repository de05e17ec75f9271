import { gzipSync } from 'node:zlib';
import {
  AbortedError,
  ApiPromise,
  AuthenticationError,
  ConfigurationError,
  type Fetch,
  ListPromise,
  Marketplace,
  type Middleware,
  NotFoundError,
  ServerError,
} from '@mkt/sdk';
import { Agent, fetch as undiciFetch } from 'undici';
import { describe, expect, it, vi } from 'vitest';
import { client, eventually, failure, token } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { empty, json, scripted, text } from './support/scripted-server.js';

const campaign = json(sampleCampaign(), { headers: { etag: '"1"', 'x-request-id': 'req-1' } });

describe('an ApiPromise', () => {
  it('sends its request at once, awaited or not', async () => {
    await using server = await scripted(campaign);
    void client(server.url).campaigns.create(5, { name: 'x' });
    await eventually(() => expect(server.seen).toHaveLength(1));
  });

  it('sends two requests that were made before either is awaited at the same time', async () => {
    let waiting = 0;
    await using server = await scripted(async (response, request) => {
      waiting += 1;
      await eventually(() => expect(waiting).toBe(2));
      await campaign(response, request);
    });
    const mkt = client(server.url, { timeout: 5000, retry: false });
    const [first, second] = [mkt.campaigns.get(5, 1), mkt.campaigns.get(5, 2)];
    await first;
    await second;
    expect(server.seen).toHaveLength(2);
  });

  it('that fails is an unhandled rejection only if nothing handles it', async () => {
    await using server = await scripted(empty(404));
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    const unhandled: unknown[] = [];
    process.on('unhandledRejection', (reason) => unhandled.push(reason));
    try {
      const mkt = client(server.url);
      mkt.campaigns.get(5, 1).catch(() => undefined);
      await mkt.campaigns
        .list(5)
        .all()
        .catch(() => undefined);
      void mkt.campaigns.get(5, 2);
      await eventually(() => expect(unhandled).toEqual([expect.any(NotFoundError)]));
      expect(server.seen).toHaveLength(3);
    } finally {
      process.removeAllListeners('unhandledRejection');
      for (const listener of listeners) process.on('unhandledRejection', listener);
    }
  });

  it('sends one request, however often it is awaited', async () => {
    await using server = await scripted(campaign);
    const call = client(server.url).campaigns.create(5, { name: 'x' });
    const [one, two, { data }] = await Promise.all([call, call, call.withResponse()]);
    expect(one).toBe(two);
    expect(one).toBe(data);
    expect(server.seen).toHaveLength(1);
  });

  it('is a promise in every way', async () => {
    await using server = await scripted(campaign, campaign, empty(404));
    const mkt = client(server.url);
    const call = mkt.campaigns.get(5, 1);
    expect(call).toBeInstanceOf(Promise);
    expect(call).toBeInstanceOf(ApiPromise);
    const list = mkt.campaigns.list(5);
    expect(list).toBeInstanceOf(ListPromise);
    await list.pages().return();
    const order: string[] = [];
    const name = await call.finally(() => order.push('finally')).then(({ name }) => name);
    expect(name).toBe('Summer UGC Campaign');
    expect(await Promise.race([mkt.campaigns.get(5, 2)])).toMatchObject({ id: 1 });
    expect(await mkt.campaigns.get(5, 3).catch((error: Error) => error.name)).toBe('NotFoundError');
    expect(order).toEqual(['finally']);
  });

  it('gives the response metadata', async () => {
    await using server = await scripted(empty(503), campaign);
    const mkt = client(server.url);
    const { data, response, meta } = await mkt.campaigns.get(5, 1).withResponse();
    expect(data.id).toBe(1);
    expect(response).toBeInstanceOf(Response);
    expect(response.headers.get('x-request-id')).toBe('req-1');
    expect(await response.json()).toEqual(data);
    expect(meta).toEqual({ status: 200, etag: '"1"', fromCache: false, attempts: 2, requestId: 'req-1', issues: [] });
    expect(await (await mkt.campaigns.get(5, 1).asResponse()).json()).toEqual(data);
  });

  it('gives a response that can be forwarded: its headers describe its body', async () => {
    const body = gzipSync(JSON.stringify(sampleCampaign()));
    await using server = await scripted((response) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'content-length': body.byteLength,
      });
      response.end(body);
    });
    const { response } = await client(server.url).campaigns.get(5, 1).withResponse();
    expect(await response.json()).toMatchObject({ id: 1 });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.has('content-encoding')).toBe(false);
    expect(response.headers.has('content-length')).toBe(false);
  });

  it('of a deletion has no data', async () => {
    await using server = await scripted(empty(204));
    const { data, response, meta } = await client(server.url).campaigns.delete(5, 1).withResponse();
    expect(data).toBeUndefined();
    expect([response.status, meta.status]).toEqual([204, 204]);
  });
});

describe('request()', () => {
  it('sends what the SDK does not cover, and reads JSON', async () => {
    await using server = await scripted(json({ anything: 1 }));
    const mkt = client(server.url);
    const data = await mkt.request<{ anything: number }>('post', '/me/new_items.json', {
      body: { item: { a: 1 } },
      query: { dry: true, n: 2, none: undefined },
      headers: { 'X-Extra': 'yes' },
    });
    expect(data.anything).toBe(1);
    expect(server.seen[0]).toMatchObject({ method: 'POST', url: '/me/new_items.json?dry=true&n=2' });
    expect(server.seen[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-extra': 'yes',
      authorization: `Bearer ${token}`,
    });
    expect(String(server.seen[0]?.body)).toBe('{"item":{"a":1}}');
  });

  it.each([
    ['text', 'a=1', 'a=1'],
    ['bytes', new TextEncoder().encode('bytes'), 'bytes'],
    ['a Blob', new Blob(['blob']), 'blob'],
    ['a form', new URLSearchParams({ a: '1' }), 'a=1'],
    ['a stream', new Blob(['stream']).stream(), 'stream'],
    ['null', null, 'null'],
  ])('sends %s as it is', async (_, body, sent) => {
    await using server = await scripted(empty(204));
    expect(await client(server.url).request('PUT', '/x', { body })).toBeUndefined();
    expect(String(server.seen[0]?.body)).toBe(sent);
  });

  it('returns text if the response is not JSON, and undefined for HEAD', async () => {
    await using server = await scripted(text(200, 'plain'), empty(200, { 'total-count': '7' }));
    const mkt = client(server.url);
    expect(await mkt.request('GET', '/livez')).toBe('plain');
    const { data, response } = await mkt.request('HEAD', '/organizations.json').withResponse();
    expect(data).toBeUndefined();
    expect(response.headers.get('total-count')).toBe('7');
  });

  it('takes the address of a resource, and a base address with a path', async () => {
    await using server = await scripted(json({}));
    const mkt = client(`${server.url}/api/v1`);
    await mkt.request('GET', `${server.url}/organizations/5.json`);
    await mkt.request('GET', '/organizations/5.json');
    await mkt.organizations.get(5);
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/organizations/5.json',
      '/api/v1/organizations/5.json',
      '/api/v1/organizations/5.json',
    ]);
  });

  it('throws the same errors, and rejects methods that fetch cannot send', async () => {
    await using server = await scripted(empty(401));
    const mkt = client(server.url);
    await failure(mkt.request('GET', '/x'), AuthenticationError);
    await failure(mkt.request('TRACE', '/x'), ConfigurationError);
    await failure(mkt.request('GET', 'https://elsewhere.example/x'), ConfigurationError);
    await failure(mkt.request('GET', 'https://[elsewhere/x'), ConfigurationError);
    await failure(mkt.request('GET', '/x', { body: { a: 1 } }), ConfigurationError);
    expect(server.seen).toHaveLength(1);
  });
});

describe('options of the client', () => {
  it('a token function is called before each call, and may be asynchronous', async () => {
    await using server = await scripted(campaign);
    let turn = 0;
    const mkt = client(server.url, { token: async () => `t${++turn}` });
    await mkt.campaigns.get(5, 1);
    await mkt.campaigns.get(5, 2);
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2']);
  });

  it('a token function that fails, fails the call', async () => {
    await using server = await scripted(campaign);
    const locked = new Error('The vault is locked.');
    const failing = () => Promise.reject(locked);
    const error = await failure(client(server.url, { token: failing }).campaigns.get(5, 1), ConfigurationError);
    expect(error).toMatchObject({ cause: locked, operation: 'campaigns.get', attempts: 0 });
    expect(error.message).toBe('The token function failed: The vault is locked.');
    await failure(client(server.url, { token: () => '' }).campaigns.get(5, 1), ConfigurationError);
    expect(server.seen).toHaveLength(0);
  });

  it('headers are merged whatever their case, and null takes one away', async () => {
    await using server = await scripted(campaign);
    const mkt = client(server.url, { headers: { 'X-One': '1', 'X-Two': '2', ACCEPT: 'application/json, */*' } });
    await mkt.campaigns.get(5, 1, { headers: { 'x-one': 'one', 'x-two': null } });
    expect(server.seen[0]?.headers).toMatchObject({ 'x-one': 'one', accept: 'application/json, */*' });
    expect(server.seen[0]?.headers).not.toHaveProperty('x-two');
  });

  it.each([{ 'x one': '1' }, { 'x-one': 'a\r\nx-two: b' }, { 'x-one': '夏' }])(
    'headers that no request can carry are refused: %j',
    async (headers) => {
      await using server = await scripted(campaign);
      const error = await failure(client(server.url).campaigns.get(5, 1, { headers }), ConfigurationError);
      expect(error.message).toContain('headers');
      expect(server.seen).toHaveLength(0);
    },
  );

  it('calls a custom fetch with a URL and a plain object, behind middleware too', async () => {
    await using server = await scripted(campaign);
    const custom = vi.fn<Fetch>((url, init) => fetch(url, init));
    const mkt = client(server.url, { fetch: custom });
    await mkt.campaigns.update(5, 1, { name: 'x' });
    const middleware: Middleware[] = [
      (request, next) => {
        const changed = new Request(request);
        changed.headers.set('x-trace', 'abc');
        return next(changed);
      },
    ];
    await mkt.withOptions({ middleware }).campaigns.update(5, 2, { name: 'x' });
    await mkt.withOptions({ middleware }).campaigns.delete(5, 2);
    const [[plain, init] = [], [behind, behindInit] = [], [, withoutBody] = []] = custom.mock.calls;
    expect(plain).toBe(`${server.url}/organizations/5/campaigns/1.json`);
    expect(init).toMatchObject({ method: 'PATCH', headers: { authorization: `Bearer ${token}` } });
    expect(behind).toBe(`${server.url}/organizations/5/campaigns/2.json`);
    expect(behindInit).toMatchObject({ method: 'PATCH', headers: { 'x-trace': 'abc' } });
    expect(withoutBody).not.toHaveProperty('body');
    expect(server.seen.map(({ body }) => String(body))).toEqual([
      '{"campaign":{"name":"x"}}',
      '{"campaign":{"name":"x"}}',
      '',
    ]);
    expect(server.seen[1]?.headers['x-trace']).toBe('abc');
  });

  it.each([
    ['without middleware', []],
    ['with middleware', [(request, next) => next(request)]],
  ] satisfies [string, Middleware[]][])("works with the fetch of npm's undici, %s", async (_, middleware) => {
    await using server = await scripted(campaign, campaign, json({ id: 5 }), json({ id: 5 }), campaign, empty(404));
    const dispatcher = new Agent();
    const mkt = client(server.url, { fetch: undiciFetch, init: { dispatcher }, middleware });
    const { data, meta, response } = await mkt.campaigns.get(5, 1).withResponse();
    expect([data.id, meta.etag, await response.json()]).toEqual([1, '"1"', data]);
    await mkt.campaigns.update(5, 1, { name: 'x' });
    const sent: number[] = [];
    const logo = new Blob(['x'.repeat(1000)], { type: 'image/png' });
    await mkt.organizations.update(5, { logo }, { onUploadProgress: ({ sentBytes }) => sent.push(sentBytes) });
    await mkt.organizations.update(5, { logo });
    await mkt.campaigns.create(5, { name: 'x' });
    await failure(mkt.campaigns.get(5, 9), NotFoundError);
    expect(String(server.seen[1]?.body)).toBe('{"campaign":{"name":"x"}}');
    expect(String(server.seen[2]?.body)).toContain('x'.repeat(1000));
    expect(String(server.seen[3]?.body)).toContain('x'.repeat(1000));
    expect(sent).toEqual([server.seen[2]?.body.length]);
    await dispatcher.close();
  });

  it('takes a fetch of a URL only, and one that adds a dispatcher', async () => {
    await using server = await scripted(campaign);
    const dispatcher = new Agent();
    const byUrl = (url: string): Promise<Response> => fetch(url);
    await client(server.url, { fetch: byUrl }).campaigns.get(5, 1);
    await client(server.url, { fetch: (url, init) => undiciFetch(url, { ...init, dispatcher }) }).campaigns.get(5, 1);
    expect(server.seen.map(({ headers }) => 'authorization' in headers)).toEqual([false, true]);
    await dispatcher.close();
  });

  it('passes more fields on to fetch, those of the call after those of the client', async () => {
    await using server = await scripted(campaign);
    const custom = vi.fn<Fetch>((url, init) => fetch(url, init));
    const mkt = client(server.url, { fetch: custom, init: { keepalive: true, next: { revalidate: 60 } } });
    await mkt.campaigns.get(5, 1, { init: { next: { tags: ['campaigns'] }, method: 'DELETE' } });
    const middleware: Middleware[] = [(request, next) => next(request)];
    await mkt.withOptions({ middleware }).campaigns.get(5, 2);
    const [[, first] = [], [, second] = []] = custom.mock.calls;
    expect(first).toMatchObject({ method: 'GET', keepalive: true, next: { tags: ['campaigns'] } });
    expect(second).toMatchObject({ method: 'GET', keepalive: true, next: { revalidate: 60 } });
    const runtime = vi.spyOn(globalThis, 'fetch');
    try {
      await client(server.url, { middleware, init: { cf: { cacheTtl: 5 } } }).campaigns.get(5, 3);
      expect(runtime).toHaveBeenCalledWith(expect.any(Request), expect.objectContaining({ cf: { cacheTtl: 5 } }));
    } finally {
      runtime.mockRestore();
    }
    await failure(mkt.campaigns.get(5, 1, { init: 1 as never }), ConfigurationError);
  });

  it.each([undefined, null, {}, 'x'])('a fetch that returns %j instead of a response is reported', async (value) => {
    const call = client('http://localhost:1', { fetch: async () => value as never }).campaigns.get(5, 1);
    expect((await failure(call, ConfigurationError)).message).toMatch(/fetch returned no response\.$/);
  });

  it('headers may be a Headers or pairs', async () => {
    await using server = await scripted(campaign);
    const mkt = client(server.url, { headers: new Headers({ 'x-team': 'acme' }) });
    await mkt.campaigns.get(5, 1, { headers: [['X-Call', 'one']] });
    expect(server.seen[0]?.headers).toMatchObject({ 'x-team': 'acme', 'x-call': 'one' });
  });

  it('a user agent is sent when it is given', async () => {
    await using server = await scripted(campaign);
    await client(server.url, { userAgent: 'my-tool/1.0' }).campaigns.get(5, 1);
    expect(server.seen[0]?.headers['user-agent']).toBe('my-tool/1.0');
  });

  it('the global fetch is looked up for each call: tools that replace it later are seen', async () => {
    await using server = await scripted(campaign);
    const mkt = client(server.url);
    const replaced = vi.spyOn(globalThis, 'fetch');
    await mkt.campaigns.get(5, 1);
    expect(replaced).toHaveBeenCalledTimes(1);
    replaced.mockRestore();
  });

  it('a logger hears of calls and retries', async () => {
    await using server = await scripted(empty(503), campaign);
    const debug = vi.fn();
    await client(server.url, { logger: { debug, warn: vi.fn() } }).campaigns.get(5, 1);
    expect(debug.mock.calls.map(([message]) => message)).toEqual([
      expect.stringMatching(/^campaigns\.get: attempt 1 failed \(status 503\); the next in \d+ ms$/),
      `campaigns.get: GET ${server.url}/organizations/5/campaigns/1.json returned 200`,
    ]);
  });

  it('a logger gets levels and fields', async () => {
    await using server = await scripted(empty(503), campaign);
    const url = `${server.url}/organizations/5/campaigns/1.json`;
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn() };
    const mkt = client(server.url, { logger });
    await mkt.campaigns.get(5, 1);
    expect(logger.info.mock.calls).toEqual([
      [
        expect.stringMatching(/attempt 1 failed/),
        {
          operation: 'campaigns.get',
          method: 'GET',
          attempt: 1,
          status: 503,
          error: undefined,
          delayMs: expect.any(Number),
        },
      ],
    ]);
    expect(logger.debug.mock.calls).toEqual([
      [
        expect.stringMatching(/returned 200$/),
        {
          operation: 'campaigns.get',
          method: 'GET',
          url,
          status: 200,
          attempts: 2,
          durationMs: expect.any(Number),
          requestId: 'req-1',
        },
      ],
    ]);
    await mkt.withOptions({ logLevel: 'info' }).campaigns.get(5, 1);
    expect(logger.debug).toHaveBeenCalledTimes(1);
  });

  it('at most maxConcurrency requests run at the same time, for all variants of a client', async () => {
    let running = 0;
    let most = 0;
    let expected = 3;
    await using server = await scripted(async (response, request) => {
      running += 1;
      most = Math.max(most, running);
      // Held until all that may run have come; one more would come in the pause.
      await eventually(() => expect(most).toBeGreaterThanOrEqual(expected));
      await new Promise((resolve) => setTimeout(resolve, 15));
      running -= 1;
      await (request.url.includes('/7.json') ? empty(500) : campaign)(response, request);
    });
    const mkt = client(server.url, { maxConcurrency: 3, retry: false });
    const variant = mkt.withOptions({ timeout: 20_000 });
    const calls = Array.from({ length: 12 }, (_, id) => (id % 2 ? mkt : variant).campaigns.get(5, id));
    const results = await Promise.allSettled(calls);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect([most, server.seen.length]).toEqual([3, 12]);
    expected = 6;
    const bursts = mkt.withOptions({ maxConcurrency: 6 });
    await Promise.all(Array.from({ length: 12 }, (_, id) => bursts.campaigns.get(5, 100 + id)));
    expect(most).toBe(6);
  });

  it('50 requests run at the same time by default, in order, and a waiting one can be aborted', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const custom = vi.fn(async (_url: string) => {
      await held;
      return new Response(JSON.stringify(sampleCampaign()));
    });
    const mkt = client('http://localhost', { fetch: custom });
    const calls = Array.from({ length: 60 }, (_, id) => mkt.campaigns.get(5, id));
    const controller = new AbortController();
    const waiting = mkt.campaigns.get(5, 100, { signal: controller.signal });
    await eventually(() => expect(custom).toHaveBeenCalledTimes(50));
    controller.abort();
    await failure(waiting, AbortedError);
    release();
    await Promise.all(calls);
    const ids = custom.mock.calls.map(([url]) => Number(/(\d+)\.json/.exec(url)?.[1]));
    expect(ids).toEqual(Array.from({ length: 60 }, (_, id) => id));
  });

  it('a base address may end in a slash', async () => {
    await using server = await scripted(campaign);
    await client(`${server.url}/`).campaigns.get(5, 1);
    expect(server.seen[0]?.url).toBe('/organizations/5/campaigns/1.json');
  });
});

it('fields that JSON cannot hold are rejected before anything is sent', async () => {
  await using server = await scripted(json({}));
  const mkt = client(server.url);
  const fields = { name: 'x', cpm_amount: 5n as unknown as number };
  const error = await failure(mkt.campaigns.create(5, fields), ConfigurationError);
  expect(error.message).toMatch(/^campaigns\.create: .* JSON/);
  expect(error.cause).toBeInstanceOf(TypeError);
  await failure(mkt.request('PATCH', '/x', { body: fields }), ConfigurationError);
  expect(server.seen).toHaveLength(0);
});

describe('withOptions()', () => {
  it('changes some options and leaves the client as it was', async () => {
    await using server = await scripted(empty(503));
    const mkt = client(server.url, { headers: { 'x-one': '1' } });
    const patient = mkt.withOptions({ retry: { limit: 4, minDelay: 1 } });
    expect(patient).toBeInstanceOf(Marketplace);
    await Promise.allSettled([patient.campaigns.get(5, 1)]);
    expect(server.seen).toHaveLength(5);
    expect(server.seen[0]?.headers['x-one']).toBe('1');
    await Promise.allSettled([mkt.campaigns.get(5, 1)]);
    expect(server.seen).toHaveLength(8);
  });

  it('merges headers, retries and fields for fetch as a call does', async () => {
    await using server = await scripted(empty(503));
    const custom = vi.fn<Fetch>((url, init) => fetch(url, init));
    const mkt = client(server.url, {
      headers: { 'X-One': '1', 'x-two': '2' },
      init: { next: 1 },
      retry: { limit: 1, minDelay: 1 },
      fetch: custom,
    });
    const changed = mkt
      .withOptions({ headers: new Headers({ 'x-one': 'one', 'x-three': '3' }), init: { cf: 1 } })
      .withOptions({ headers: { 'x-two': null, accept: null }, retry: { limit: 3 } })
      .withOptions({ headers: undefined, retry: undefined, fetch: undefined, cache: undefined });
    await failure(changed.campaigns.get(5, 1), ServerError);
    expect(server.seen).toHaveLength(4);
    expect(server.seen[0]?.headers).toMatchObject({ 'x-one': 'one', 'x-three': '3' });
    expect(server.seen[0]?.headers).not.toHaveProperty('x-two');
    // Node's fetch adds one of its own.
    expect(server.seen[0]?.headers.accept).toBe('*/*');
    expect(custom.mock.calls[0]?.[1]).toMatchObject({ next: 1, cf: 1 });
    await failure(mkt.withOptions({ retry: false }).campaigns.get(5, 2), ServerError);
    expect(server.seen).toHaveLength(5);
    expect(server.seen[4]?.headers).toMatchObject({ 'x-one': '1', 'x-two': '2', accept: 'application/json' });
  });

  it('checks what it is given', () => {
    expect(() => client('http://localhost').withOptions({ token: '' })).toThrow(ConfigurationError);
    expect(() => client('http://localhost').withOptions({ timeout: -1 })).toThrow(ConfigurationError);
    expect(() => client('http://localhost').withOptions({ retry: 'x' as never })).toThrow(ConfigurationError);
    expect(() => client('http://localhost').withOptions({ headers: 'x' as never })).toThrow(ConfigurationError);
    expect(() => new Marketplace('mkt_secret' as never)).toThrow(/^The options are an object(?!.*mkt_secret)/);
    expect(() => new Marketplace()).toThrow(ConfigurationError);
  });
});

describe('wrong arguments from JavaScript are reported, and nothing is sent', () => {
  const cases: Record<string, [call: (mkt: Marketplace) => PromiseLike<unknown>, says: RegExp]> = {
    'a page number in the place of options': [(mkt) => mkt.campaigns.list(5, 2 as never), /options .* an object/],
    'a page number in the place of options of a walk': [
      (mkt) => mkt.campaigns.list(5, 2 as never).all(),
      /options .* an object/,
    ],
    'null in the place of options': [(mkt) => mkt.campaigns.get(5, 1, null as never), /options .* an object/],
    'null in the place of options of a request': [(mkt) => mkt.request('GET', '/x', null as never), /an object/],
    'a number in the place of options of a request': [(mkt) => mkt.request('GET', '/x', 5 as never), /an object/],
    'no function for each item': [(mkt) => mkt.each([1], undefined as never), /takes an array.* and a function/],
    'null in the place of options of a collab': [(mkt) => mkt.collabs.create(5, {}, null as never), /an object/],
    'a bigint in the place of an id': [
      (mkt) => mkt.campaigns.get(5, 10n as never),
      /^campaigns\.get: 10n is not a valid id/,
    ],
    'a request without a path': [(mkt) => mkt.request('GET', undefined as never), /takes a path/],
    'a password in a URL': [
      (mkt) => mkt.request('GET', 'http://ada:secret@127.0.0.1/x'),
      /^((?!secret).)*without user/,
    ],
    'a URL in the place of a method': [(mkt) => mkt.request('http://ada:secret@a.example', '/x'), /^((?!secret).)*$/],
    'a request as one object': [(mkt) => mkt.request({ url: '/x' } as never, '/x'), /takes GET, HEAD/],
  };
  it.each(Object.entries(cases))('%s', async (_, [call, says]) => {
    await using server = await scripted(campaign);
    const error = await failure((async () => call(client(server.url)))(), ConfigurationError);
    expect(error.message).toMatch(says);
    expect(server.seen).toHaveLength(0);
  });
});

it('a collab is created from defaults only, or from a page', async () => {
  await using server = await scripted(json({ id: 1 }, { status: 201 }));
  const mkt = client(server.url);
  await mkt.collabs.create(5);
  await mkt.collabs.create(5, { name: 'x' }, { website: 'https://shop.example/a?b=c' });
  await mkt.organization(5).collabs.create(undefined, { website: 'https://shop.example' });
  expect(server.seen.map(({ url, body }) => [url, String(body)])).toEqual([
    ['/organizations/5/collabs.json', ''],
    ['/organizations/5/collabs.json?website=https%3A%2F%2Fshop.example%2Fa%3Fb%3Dc', '{"collab":{"name":"x"}}'],
    ['/organizations/5/collabs.json?website=https%3A%2F%2Fshop.example', ''],
  ]);
});
