import { Readable } from 'node:stream';
import {
  AbortedError,
  type CampaignFields,
  ConfigurationError,
  MarketplaceError,
  ResponseValidationError,
  TransitionError,
} from '@mkt/sdk';
import { fileFromPath } from '@mkt/sdk/node';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { client, eventually, failure } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { hang, json, redirect, scripted, text } from './support/scripted-server.js';

it('ids that a number cannot hold stay exact, as strings', async () => {
  const body =
    '[{"id":9007199254740993,"name":"id: 9007199254740993"},{"id":9007199254740992,"amount":1.12345678901234567}]';
  await using server = await scripted(text(200, body, { 'content-type': 'application/json', 'total-pages': '1' }));
  const all = await client(server.url).campaigns.list(5).all();
  expect(all.map(({ id }) => id)).toEqual(['9007199254740993', '9007199254740992']);
  expect(all[0]?.name).toBe('id: 9007199254740993');
  const strict = client(server.url, { validation: 'strict' }).campaigns.list(5);
  expect((await failure(strict, ResponseValidationError)).data).toEqual(all);
});

it.each(['1', '2'])('totals that disagree (%s pages): the items count, and drift is reported', async (pages) => {
  const headers = { 'total-pages': pages, 'total-count': '45' };
  await using server = await scripted((response, request) => {
    const page = Number(new URL(request.url, 'http://x').searchParams.get('page') ?? 1);
    const rows = Array.from({ length: page === 3 ? 5 : 20 }, (_, index) => sampleCampaign({ id: page * 100 + index }));
    return json(rows, { headers })(response, request);
  });
  const onDrift = vi.fn();
  expect(await client(server.url, { onDrift }).campaigns.list(5).all()).toHaveLength(45);
  expect(onDrift.mock.calls[0]?.[0].issues[0].path).toEqual(['Total-Pages']);
});

it('an action that leads to an unknown state succeeded; a stale read is read again', async () => {
  const state = (status: string) => json(sampleCampaign({ status }));
  await using unknown = await scripted(redirect('/'), state('in_review'));
  expect((await client(unknown.url).campaigns.publish(5, 1)).status).toBe('in_review');
  await using stale = await scripted(redirect('/'), state('draft'), state('active'));
  expect((await client(stale.url).campaigns.publish(5, 1)).status).toBe('active');
  await using doubtful = await scripted(redirect('/'), state('draft'));
  expect((await failure(client(doubtful.url).campaigns.publish(5, 1), TransitionError)).mayHaveArrived).toBe(true);
});

it('methods can be taken from their object, and each takes a list', async () => {
  await using server = await scripted(
    json([sampleCampaign()], { headers: { 'total-pages': '1' } }),
    json(sampleCampaign()),
  );
  const { each, campaigns } = client(server.url);
  const { list, get } = campaigns;
  const results = await each(list(5), ({ id }) => get(5, id));
  expect(results).toMatchObject([{ status: 'fulfilled', value: { id: 1 } }]);
});

it.each([[new Map([['name', 'x']])], [new FormData()], [new Date()]])(
  'fields that are %s are refused',
  async (fields) => {
    const mkt = client('http://127.0.0.1:9');
    await failure(mkt.campaigns.create(5, fields as unknown as CampaignFields), ConfigurationError);
  },
);

it('a logger that throws, or rejects, fails no call', async () => {
  await using server = await scripted(json(sampleCampaign({ status: 7 })));
  const fail = () => {
    throw new Error('disk full');
  };
  const logger = { debug: fail, warn: async () => fail() };
  const mkt = client(server.url, { logger, onDrift: async () => fail() });
  expect((await mkt.campaigns.get(5, 1)).id).toBe(1);
});

const fail = (): never => {
  throw new TypeError('my bug');
};

it.each<[string, (url: string) => PromiseLike<unknown>, mayHaveArrived: boolean]>([
  ['a middleware', (url) => client(url, { middleware: [fail] }).campaigns.get(5, 1), false],
  ['a token function', (url) => client(url, { token: fail }).campaigns.create(5, { name: 'x' }), false],
  ['the token function of a call', (url) => client(url).campaigns.get(5, 1, { token: fail }), false],
  ['shouldRetry', (url) => client(url, { retry: { shouldRetry: fail } }).campaigns.create(5, { name: 'x' }), true],
  ['fetch', (url) => client(url, { fetch: fail, retry: 0 }).campaigns.create(5, { name: 'x' }), true],
  ['fields', (url) => client(url).campaigns.create(5, { name: 'x', toJSON: fail } as CampaignFields), false],
  [
    'a stream of a file',
    (url) => client(url).organizations.update(5, { logo: new ReadableStream({ pull: fail }) }),
    false,
  ],
  [
    'a file that is missing',
    async (url) => client(url).organizations.update(5, { logo: await fileFromPath('no.png') }),
    false,
  ],
  ['a schema', (url) => client(url).request('POST', '/made', { schema: { '~standard': { validate: fail } } }), true],
  [
    'a response that a schema rejects',
    (url) =>
      client(url).request('POST', '/made', {
        schema: { '~standard': { validate: () => ({ issues: [{ message: 'not mine' }] }) } },
      }),
    true,
  ],
  ['the items of each', (url) => client(url).each({ [Symbol.iterator]: fail }, async () => 1), false],
  [
    'the page of a loop',
    (url) =>
      client(url, { middleware: [fail] })
        .campaigns.list(5)
        .all(),
    false,
  ],
  ['a limit', (url) => client(url).campaigns.list(5).all({ limit: -1 }), false],
  [
    'null instead of options',
    (url) =>
      client(url)
        .campaigns.list(5)
        .all(null as unknown as object),
    false,
  ],
  [
    'null instead of options of a loop',
    async (url) => {
      for await (const _ of client(url)
        .campaigns.list(5)
        .pages(null as unknown as object))
        fail();
    },
    false,
  ],
  ['null instead of options of each', (url) => client(url).each([1], async () => 1, null as unknown as object), false],
  [
    'an unknown option',
    (url) =>
      client(url)
        .campaigns.list(5)
        .all({ limt: 5 } as object),
    false,
  ],
  [
    'a signal of all(), which is an option of the list',
    (url) =>
      client(url)
        .campaigns.list(5)
        .all({ signal: AbortSignal.abort() } as object),
    false,
  ],
  ['a range of each', (url) => client(url).each([1], async () => 1, { from: 2 } as object), false],
  ['a body that is a function', (url) => client(url).request('POST', '/x', { body: fail }), false],
  ['a body that is a Map', (url) => client(url).request('POST', '/x', { body: new Map([['name', 'x']]) }), false],
  [
    'a body that is a stream of Node',
    (url) => client(url).request('POST', '/x', { body: Readable.from(['x']) }),
    false,
  ],
  [
    'a signal between two items',
    async (url) => {
      const controller = new AbortController();
      const mkt = client(url, { fetch: async () => Response.json([{ id: 1 }, { id: 2 }]) });
      for await (const _ of mkt.campaigns.list(5, { signal: controller.signal })) controller.abort();
    },
    false,
  ],
  ['an id', (url) => client(url).campaigns.get({ toString: fail } as unknown as number, 1), false],
  [
    'a query',
    (url) => client(url).request('GET', '/x', { query: { x: { toString: fail } as unknown as string } }),
    false,
  ],
  [
    'a header',
    (url) => client(url).campaigns.get(5, 1, { headers: { x: { toString: fail } as unknown as string } }),
    false,
  ],
  ['a status', (url) => client(url).campaigns.create(5, { name: 'x' }), true],
  ['a status that does not exist', (url) => client(url).request('POST', '/999'), true],
  ['408', (url) => client(url).request('POST', '/408'), true],
])(
  'every kind of failure is a MarketplaceError, and says whether it may have arrived: %s',
  async (_, call, arrived) => {
    await using server = await scripted((response, request) =>
      json({ error: 'no' }, { status: Number(request.url.slice(1)) || 500 })(response, request),
    );
    const error = await failure(call(server.url), MarketplaceError);
    expect(error.mayHaveArrived).toBe(arrived);
    if (arrived) expect(error.attempts).toBeGreaterThan(0);
    else expect(error.attempts).toBe(0);
  },
);

describe('in jsdom', () => {
  const canParse = Object.getOwnPropertyDescriptor(URL, 'canParse') as PropertyDescriptor;
  /** A signal that is not the runtime's own. */
  class ForeignSignal extends EventTarget {
    aborted = false;
    reason: unknown;
    static any(signals: readonly ForeignSignal[]): ForeignSignal {
      const controller = new ForeignController();
      for (const each of signals) each.addEventListener('abort', () => controller.abort(each.reason));
      return controller.signal;
    }
    throwIfAborted(): void {
      if (this.aborted) throw this.reason;
    }
  }
  class ForeignController {
    readonly signal = new ForeignSignal();
    abort(reason: unknown): void {
      Object.assign(this.signal, { aborted: true, reason });
      this.signal.dispatchEvent(new Event('abort'));
    }
  }
  const requestTakes = (signal: ForeignSignal): boolean => {
    try {
      return Boolean(new Request('http://127.0.0.1', { signal: signal as unknown as AbortSignal }));
    } catch {
      return false;
    }
  };
  beforeEach(() => {
    vi.stubGlobal('AbortController', ForeignController);
    vi.stubGlobal('AbortSignal', ForeignSignal);
    Reflect.deleteProperty(URL, 'canParse');
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    Object.defineProperty(URL, 'canParse', canParse);
  });

  it('its own AbortSignal, and a URL without canParse, will do where Request takes them', async () => {
    await using server = await scripted(json(sampleCampaign()), hang);
    const mkt = client(server.url, { retry: 0, cache: false });
    // That of Node 24 takes only signals of Node.
    if (!requestTakes(new ForeignSignal())) {
      const error = await failure(mkt.campaigns.get(5, 1), ConfigurationError);
      expect(error.message).toMatch(/Request, AbortSignal and fetch do not fit together.*In jsdom, use/);
      expect(server.seen).toEqual([]);
      return;
    }
    expect((await mkt.campaigns.get(5, 1)).id).toBe(1);
    const controller = new ForeignController();
    const call = mkt.campaigns.get(5, 1, { signal: controller.signal as unknown as AbortSignal });
    await eventually(() => expect(server.seen).toHaveLength(2));
    controller.abort(new Error('left'));
    await failure(call, AbortedError);
  });

  it('a Request that does not take its AbortSignal causes an error that says so', async () => {
    vi.stubGlobal(
      'Request',
      class extends Request {
        constructor(input: string, init?: RequestInit) {
          super(input, { ...init, signal: null });
          if (init?.signal) throw new TypeError('Expected signal to be an instance of AbortSignal.');
        }
      },
    );
    const error = await failure(client('http://127.0.0.1:9').campaigns.get(5, 1), ConfigurationError);
    expect(error.message).toMatch(/Expected signal .* In jsdom, use the environment of Node, or happy-dom\.$/);
    expect(error).toMatchObject({ attempts: 0, mayHaveArrived: false });
  });
});
