import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type CacheEntry, type CacheStore, HttpError, ResponseParseError, ServerError } from '@mkt/sdk';
import { FileStore } from '@mkt/sdk/node';
import Keyv from 'keyv';
import { LRUCache } from 'lru-cache';
import { describe, expect, it, vi } from 'vitest';
import { bundle } from './support/bundle.js';
import { client, eventually, failure, token } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import {
  after,
  drop,
  empty,
  json,
  redirect,
  type ScriptedServer,
  type Step,
  scripted,
  text,
} from './support/scripted-server.js';

/** A show with an ETag (api.md, General rule 6). */
const show =
  (version = () => 1): Step =>
  (response, request) => {
    const etag = `W/"${version()}"`;
    if (request.headers['if-none-match'] === etag) return empty(304, { etag, 'x-request-id': 'r2' })(response, request);
    const body = sampleCampaign({ name: `version ${version()}` });
    return json(body, { headers: { etag, 'x-request-id': 'r1' } })(response, request);
  };

const conditions = (server: ScriptedServer) => server.seen.map(({ headers }) => headers['if-none-match']);

const withFolder = async (use: (folder: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'mkt-cache-'));
  try {
    await use(folder);
  } finally {
    // A file may still be written.
    await rm(folder, { recursive: true, maxRetries: 5 });
  }
};

/** Two reads through a store: the second costs a 304. */
async function revalidates(cache: CacheStore | undefined): Promise<void> {
  await using server = await scripted(show());
  const mkt = client(server.url, cache && { cache });
  const first = await mkt.campaigns.get(5, 1).withResponse();
  const second = await mkt.campaigns.get(5, 1).withResponse();
  expect(first.meta).toMatchObject({ status: 200, fromCache: false, etag: 'W/"1"' });
  expect(second.meta).toMatchObject({ status: 200, fromCache: true, etag: 'W/"1"', requestId: 'r2' });
  expect(second.response.status).toBe(200);
  expect(await second.response.json()).toEqual(first.data);
  expect(second.data).toEqual(first.data);
  expect(conditions(server)).toEqual([undefined, 'W/"1"']);
}

describe('a store', () => {
  it('is there by default', () => revalidates(undefined));
  it('may be a Map', () => revalidates(new Map<string, CacheEntry>()));
  it('may be Keyv', () => revalidates(new Keyv<CacheEntry>()));
  it('may be lru-cache', () => revalidates(new LRUCache<string, CacheEntry>({ max: 10 })));
  it('may be a folder', () => withFolder((folder) => revalidates(new FileStore({ folder }))));

  it('may be switched off', async () => {
    await using server = await scripted(show());
    const mkt = client(server.url, { cache: false });
    await mkt.campaigns.get(5, 1);
    await mkt.campaigns.update(5, 1, {});
    await mkt.campaigns.get(5, 1);
    expect(conditions(server)).toEqual([undefined, undefined, undefined]);
  });

  it('holds plain data, and neither the token nor an object that callers share', async () => {
    await using server = await scripted(show());
    const cache = new Map<string, CacheEntry>();
    const mkt = client(server.url, { cache });
    const first = await mkt.campaigns.get(5, 1);
    first.name = 'mine';
    first.countries.push('XX');
    const second = await mkt.campaigns.get(5, 1);
    expect(second).toMatchObject({ name: 'version 1', countries: ['US', 'CA'] });
    expect(JSON.stringify([...cache])).not.toContain(token);
    expect([...cache.keys()]).toEqual([
      expect.stringMatching(new RegExp(`^mkt:[0-9a-f]{32}:GET:${server.url}/organizations/5/campaigns/1.json$`)),
    ]);
    expect(Object.keys([...cache.values()][0] ?? {}).sort()).toEqual(['body', 'etag']);
  });

  it('that is broken is reported and otherwise ignored', async () => {
    await using server = await scripted(show());
    const warn = vi.fn();
    const broken = () => {
      throw new Error('disk full');
    };
    const cache = { get: broken, set: () => Promise.reject(new Error('disk full')), delete: broken };
    const mkt = client(server.url, { cache, logger: { debug: vi.fn(), warn } });
    expect((await mkt.campaigns.get(5, 1)).id).toBe(1);
    expect(warn.mock.calls.flat().join()).toMatch(/read.*disk full.*write.*disk full/s);
  });

  it.each([{}, 'text', { etag: 1, body: 2 }, null])('that gives %j has no entry', async (entry) => {
    await using server = await scripted(show());
    const cache = { get: () => entry, set: () => undefined, delete: () => undefined };
    expect((await client(server.url, { cache }).campaigns.get(5, 1)).id).toBe(1);
    expect(conditions(server)).toEqual([undefined]);
  });

  it('in memory stores the 500 latest responses', async () => {
    let asked: (string | undefined)[] = [];
    // Without sockets: five hundred of them take half a minute on a busy machine.
    const fetch = async (_: string | Request, { headers }: RequestInit): Promise<Response> => {
      const tag = new Headers(headers).get('if-none-match') ?? undefined;
      asked.push(tag);
      return tag ? new Response(null, { status: 304 }) : new Response('{"id":1}', { headers: { etag: '"1"' } });
    };
    const mkt = client('http://localhost:1', { fetch, validation: 'off' });
    const read = async (from: number, to: number) => {
      for (let id = from; id <= to; id += 1) await mkt.campaigns.get(5, id);
    };
    await read(1, 500);
    await read(1, 1);
    await read(501, 501);
    asked = [];
    await read(1, 3);
    // 1 was used since; 2 made room for 501, then 3 for 2.
    expect(asked).toEqual(['"1"', undefined, undefined]);
  });
});

describe('an entry', () => {
  it('is renewed when the resource has changed', async () => {
    let version = 1;
    await using server = await scripted(show(() => version));
    const mkt = client(server.url);
    await mkt.campaigns.get(5, 1);
    version = 2;
    expect(await mkt.campaigns.get(5, 1)).toMatchObject({ name: 'version 2' });
    expect((await mkt.campaigns.get(5, 1).withResponse()).meta.fromCache).toBe(true);
    expect(conditions(server)).toEqual([undefined, 'W/"1"', 'W/"2"']);
  });

  it('belongs to one token', async () => {
    await using server = await scripted(show());
    const mkt = client(server.url);
    await mkt.campaigns.get(5, 1);
    await mkt.withOptions({ token: 'another' }).campaigns.get(5, 1);
    await mkt.withOptions({ timeout: 500 }).campaigns.get(5, 1);
    expect(conditions(server)).toEqual([undefined, undefined, 'W/"1"']);
  });

  it.each([
    ['update', json(sampleCampaign()), (mkt: ReturnType<typeof client>) => mkt.campaigns.update(5, 1, { name: 'x' })],
    ['delete', empty(204), (mkt: ReturnType<typeof client>) => mkt.campaigns.delete(5, 1)],
    [
      'request',
      empty(204),
      (mkt: ReturnType<typeof client>) => mkt.request('PATCH', '/organizations/5/campaigns/1.json'),
    ],
  ] as const)('is sent with a write: %s', async (_, step, write) => {
    const reads = show();
    await using server = await scripted(reads, step, reads);
    const mkt = client(server.url);
    await mkt.campaigns.get(5, 1);
    await write(mkt);
    await mkt.campaigns.get(5, 1);
    expect(conditions(server)).toEqual([undefined, undefined, undefined]);
  });

  it('is deleted by a web action on the resource', async () => {
    const etag = { headers: { etag: '"1"' } };
    await using server = await scripted(
      json(sampleCampaign(), etag),
      redirect('/'),
      json(sampleCampaign({ status: 'active' }), etag),
    );
    const mkt = client(server.url);
    await mkt.campaigns.get(5, 1);
    expect(await mkt.campaigns.publish(5, 1)).toMatchObject({ status: 'active' });
    expect(conditions(server)).toEqual([undefined, undefined, undefined]);
  });

  it('stores neither errors nor responses without an ETag', async () => {
    const cache = new Map<string, CacheEntry>();
    await using server = await scripted(json({}, { status: 500, headers: { etag: '"x"' } }), json(sampleCampaign()));
    const mkt = client(server.url, { cache, retry: 0 });
    await failure(mkt.campaigns.get(5, 1), ServerError);
    await mkt.campaigns.get(5, 1);
    expect(cache.size).toBe(0);
  });
});

it('does not store a damaged body, which a 304 would return from then on', async () => {
  const etag = 'W/"1"';
  const damaged = text(200, '{"id": 1, "na', { 'content-type': 'application/json', etag });
  await using server = await scripted(damaged, show());
  const mkt = client(server.url);
  await failure(mkt.campaigns.get(5, 1), ResponseParseError);
  expect((await mkt.campaigns.get(5, 1)).name).toBe('version 1');
  expect(conditions(server)).toEqual([undefined, undefined]);
});

it('a read by request() is cached like any other', async () => {
  await using server = await scripted(show());
  const mkt = client(server.url);
  const read = () => mkt.request('GET', '/new_things/1.json').withResponse();
  await read();
  expect((await read()).meta.fromCache).toBe(true);
  expect(conditions(server)).toEqual([undefined, 'W/"1"']);
});

it('a cached response has its original content type', async () => {
  await using server = await scripted(json(sampleCampaign(), { headers: { etag: '"1"' } }), empty(304));
  const mkt = client(server.url);
  await mkt.campaigns.get(5, 1);
  const { response } = await mkt.campaigns.get(5, 1).withResponse();
  expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
  expect(await response.json()).toMatchObject({ id: 1 });
});

describe('the option cache of one call', () => {
  it('reload ignores the cached response and stores the new one; no-store does neither', async () => {
    await using server = await scripted(show());
    const mkt = client(server.url);
    await mkt.campaigns.get(5, 1, { cache: 'no-store' });
    await mkt.campaigns.get(5, 1);
    await mkt.campaigns.get(5, 1, { cache: 'reload' });
    await mkt.campaigns.get(5, 1, { cache: 'no-store' });
    await mkt.campaigns.get(5, 1, { cache: 'default' });
    expect(conditions(server)).toEqual([undefined, undefined, undefined, undefined, 'W/"1"']);
  });
});

it('an unrequested 304 is an error that says so', async () => {
  await using server = await scripted(empty(304));
  const error = await failure(client(server.url).campaigns.get(5, 1), HttpError);
  expect(error.status).toBe(304);
  expect(error.message).toMatch(/returned 304\. .*If-None-Match/);
});

describe('identical reads at the same time', () => {
  it('share one request and no object', async () => {
    await using server = await scripted(after(30, show()));
    // Without a store no token is hashed, on another thread, before the reads meet.
    const mkt = client(server.url, { cache: false });
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => mkt.campaigns.get(5, 1)));
    expect(server.seen).toHaveLength(1);
    expect(two).toEqual(one);
    expect(two).not.toBe(one);
    expect(three?.countries).not.toBe(one?.countries);
  });

  it.each<[string, Step]>([
    ['an error', empty(404)],
    ['a connection that breaks', drop],
  ])('share a failure too, and the next read sends a request: %s', async (_, failing) => {
    await using server = await scripted(after(30, failing), show());
    const mkt = client(server.url, { cache: false, retry: false });
    const results = await Promise.allSettled([mkt.campaigns.get(5, 1), mkt.campaigns.get(5, 1)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await mkt.campaigns.get(5, 1)).id).toBe(1);
    expect(server.seen).toHaveLength(2);
  });

  it('do not share across tokens, nor with options of their own', async () => {
    await using server = await scripted(after(30, show()));
    const mkt = client(server.url);
    await Promise.all([
      mkt.campaigns.get(5, 1),
      mkt.withOptions({ token: 'another' }).campaigns.get(5, 1),
      mkt.campaigns.get(5, 1, { cache: 'no-store' }),
      mkt.campaigns.get(5, 1, { headers: { 'x-one': '1' } }),
      mkt.campaigns.get(5, 1, { timeout: 900 }),
    ]);
    expect(server.seen).toHaveLength(5);
  });

  it('a read after a write never gets a response from before it', async () => {
    let version = 1;
    await using server = await scripted((response, request) => {
      if (request.method === 'PATCH') {
        version = 2;
        return json(sampleCampaign())(response, request);
      }
      const now = version;
      return after(
        now === 1 ? 120 : 0,
        show(() => now),
      )(response, request);
    });
    const mkt = client(server.url);
    const slow = mkt.campaigns.get(5, 1).withResponse();
    await eventually(() => expect(server.seen).toHaveLength(1));
    await mkt.campaigns.update(5, 1, { name: 'x' });
    expect(await mkt.campaigns.get(5, 1)).toMatchObject({ name: 'version 2' });
    expect((await slow).data.name).toBe('version 1');
  });
});

describe('the file store', () => {
  it('survives the program that wrote it', () =>
    withFolder(async (folder) => {
      await using server = await scripted(show());
      await client(server.url, { cache: new FileStore({ folder }) }).campaigns.get(5, 1);
      await vi.waitFor(async () => expect(await readdir(folder)).toContainEqual(expect.stringMatching(/json$/)));
      await client(server.url, { cache: new FileStore({ folder }) }).campaigns.get(5, 1);
      expect(conditions(server)).toEqual([undefined, 'W/"1"']);
    }));

  it('keeps the most recently used entries', () =>
    withFolder(async (folder) => {
      const store = new FileStore({ folder, size: 10 });
      for (let index = 0; index < 100; index += 1) await store.set(`key ${index}`, { etag: 'e', body: String(index) });
      expect(await readdir(folder)).toHaveLength(10);
      expect(await store.get('key 99')).toEqual({ etag: 'e', body: '99' });
      await store.delete('key 99');
      expect(await store.get('key 99')).toBeUndefined();
    }));

  it('sweeps away what was not read lately, and what a killed process has left', () =>
    withFolder(async (folder) => {
      const store = new FileStore({ folder, size: 49 });
      const hoursAgo = new Date(Date.now() - 7_200_000);
      for (const key of ['read', 'unread']) await store.set(key, { etag: 'e', body: key });
      for (const name of ['old.tmp', 'new.tmp', 'other.txt']) await writeFile(join(folder, name), '');
      for (const name of await readdir(folder))
        if (name !== 'new.tmp') await utimes(join(folder, name), hoursAgo, hoursAgo);
      expect(await store.get('read')).toEqual({ etag: 'e', body: 'read' });
      // The sweep comes with the 50th write.
      for (let index = 3; index <= 50; index += 1) await store.set(`key ${index}`, { etag: 'e', body: '' });
      const left = await readdir(folder);
      expect(left.filter((name) => !name.endsWith('.json')).sort()).toEqual(['new.tmp', 'other.txt']);
      expect(left).toHaveLength(49 + 2);
      expect(await store.get('read')).toBeDefined();
      expect(await store.get('unread')).toBeUndefined();
    }));

  it('throws a damaged file away', () =>
    withFolder(async (folder) => {
      const store = new FileStore({ folder });
      await store.set('key', { etag: 'e', body: 'whole' });
      const [name = ''] = await readdir(folder);
      await writeFile(join(folder, name), '{"key":"key","etag":"e","bo');
      expect(await store.get('key')).toBeUndefined();
      expect(await readdir(folder)).toEqual([]);
    }));

  it('is shared by processes without a torn entry', { timeout: 30_000 }, () =>
    withFolder(async (folder) => {
      const program = join(folder, 'writer.mjs');
      await writeFile(
        program,
        await bundle(join(import.meta.dirname, 'support/store-writer.ts'), { platform: 'node' }),
      );
      const run = promisify(execFile);
      const shared = join(folder, 'cache');
      await Promise.all(['a', 'b', 'c'].map((name) => run(process.execPath, [program, shared, name, '150'])));
      const left = await readdir(shared);
      expect(left.filter((name) => !name.endsWith('.json'))).toEqual([]);
      expect(left.length).toBeGreaterThan(0);
    }),
  );
});

describe('a response', () => {
  it('whose stored entry is damaged is read again, and the entry is replaced', async () => {
    await using server = await scripted(show());
    const cache = new Map<string, CacheEntry>();
    const mkt = client(server.url, { cache });
    await mkt.campaigns.get(5, 1);
    for (const body of ['{"id": 1, "na', '[]', '']) {
      for (const [key, entry] of cache) cache.set(key, { ...entry, body });
      const { data, meta } = await mkt.campaigns.get(5, 1).withResponse();
      expect([data.name, meta.fromCache]).toEqual(['version 1', false]);
      expect((await mkt.campaigns.get(5, 1).withResponse()).meta.fromCache).toBe(true);
    }
  });

  it.each([
    ['Accept, Accept-Encoding', true],
    ['authorization,origin', true],
    ['Accept-Language', false],
    ['Accept, Cookie', false],
    ['*', false],
  ])('that varies by %s is stored: %s', async (vary, isStored) => {
    const cache = new Map<string, CacheEntry>();
    await using server = await scripted(json(sampleCampaign(), { headers: { etag: '"1"', vary } }));
    await client(server.url, { cache }).campaigns.get(5, 1);
    expect(cache.size).toBe(isStored ? 1 : 0);
  });

  it.each([
    ['e', 3],
    ['ж', 1],
  ])('is stored in as many bytes as cacheBytes allows: text of %s', async (letter, stored) => {
    const asked: (string | undefined)[] = [];
    const body = JSON.stringify({ id: 1, name: letter.repeat(1000) });
    const fetch = async (_: string, { headers }: { headers: Record<string, string> }): Promise<Response> => {
      asked.push(headers['if-none-match']);
      return asked.at(-1) ? new Response(null, { status: 304 }) : new Response(body, { headers: { etag: '"1"' } });
    };
    const mkt = client('http://localhost:1', { fetch, cacheBytes: 3500 });
    for (const id of [1, 2, 3, 4]) await mkt.campaigns.get(5, id);
    asked.length = 0;
    // The latest first, so that rows that are read again do not push out the rows that are needed next.
    for (const id of [4, 3, 2]) await mkt.campaigns.get(5, id);
    expect(asked.filter((etag) => etag)).toHaveLength(stored);
    const small = mkt.withOptions({ cacheBytes: 500 });
    asked.length = 0;
    for (const id of [1, 1]) await small.campaigns.get(5, id);
    expect(asked).toEqual([undefined, undefined]);
  });
});
