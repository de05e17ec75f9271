import { join } from 'node:path';
import { createContext, Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { bundle } from './support/bundle.js';
import { token } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { after, empty, json, redirect, scripted } from './support/scripted-server.js';

/** What an edge runtime offers; no `process`, `Buffer`, `require` or `window`. */
const webGlobals = {
  AbortController,
  AbortSignal,
  Blob,
  DOMException,
  File,
  FormData,
  Headers,
  ReadableStream,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  clearTimeout,
  console,
  crypto,
  fetch,
  performance,
  queueMicrotask,
  setTimeout,
};

describe('an edge runtime without Node built-ins and without eval', async () => {
  const code = await bundle(join(import.meta.dirname, '../src/index.ts'), {
    format: 'iife',
    globalName: 'sdk',
    platform: 'browser',
    minify: true,
  });

  /** Runs a program there, with `sdk`, `baseUrl` and `token`. */
  const run = (program: string, baseUrl: string, globals: Record<string, unknown> = {}): Promise<unknown> => {
    const context = createContext(
      { ...webGlobals, ...globals, baseUrl, token },
      { codeGeneration: { strings: false, wasm: false } },
    );
    new Script(code).runInContext(context);
    return new Script(`(async () => { ${program} })()`).runInContext(context);
  };

  it('really has no eval', async () => {
    await expect(run('return eval("1")', '')).rejects.toThrow(/Code generation from strings/);
    await expect(run('return new Function("return 1")()', '')).rejects.toThrow(/Code generation from strings/);
  });

  it('reads, lists, writes, acts, uploads and fails as everywhere', async () => {
    const headers = { etag: '"1"', 'total-count': '2', 'total-pages': '2' };
    await using server = await scripted(
      json(sampleCampaign(), { headers }),
      empty(304),
      json([sampleCampaign({ id: 1 })], { headers }),
      json([sampleCampaign({ id: 2 })], { headers }),
      redirect('/'),
      json(sampleCampaign({ status: 'active' })),
      json({ id: 9 }, { status: 201 }),
      json({ errors: { name: ['Give one.'] } }, { status: 422 }),
    );
    const result = await run(
      `const mkt = new sdk.Marketplace({ token, baseUrl });
       const one = await mkt.campaigns.get(5, 1);
       const kept = await mkt.campaigns.get(5, 1).withResponse();
       const all = await mkt.campaigns.list(5).all();
       const published = await mkt.campaigns.publish(5, 1);
       const created = await mkt.organizations.create({ name: 'x', logo: new Uint8Array([1, 2]) });
       const error = await mkt.campaigns.create(5, { name: '' }).catch((error) => error);
       return JSON.stringify([one.id, kept.meta.fromCache, all.length, published.status, created.id,
         error instanceof sdk.ValidationError, error.fieldErrors.name[0]]);`,
      server.url,
    );
    expect(JSON.parse(String(result))).toEqual([1, true, 2, 'active', 9, true, 'Give one.']);
  });

  it('aborts and times out', async () => {
    await using server = await scripted(after(2000, json({})));
    const result = await run(
      `const mkt = new sdk.Marketplace({ token, baseUrl, retry: false, timeout: 50 });
       const controller = new AbortController();
       setTimeout(() => controller.abort(), 20);
       const aborted = await mkt.campaigns.get(5, 1, { signal: controller.signal }).catch((error) => error.name);
       const late = await mkt.campaigns.get(5, 2).catch((error) => error.name);
       return aborted + ' ' + late;`,
      server.url,
    );
    expect(result).toBe('AbortError TimeoutError');
  });

  it('leaves revalidation and the user agent to a browser, in its workers too', async () => {
    await using server = await scripted(json(sampleCampaign(), { headers: { etag: '"1"' } }));
    const result = await run(
      `const modes = [];
       const fetch = (url, { cache, ...init }) => (modes.push(cache), globalThis.fetch(url, init));
       const mkt = new sdk.Marketplace({ token, baseUrl, fetch, userAgent: 'mine' });
       await mkt.campaigns.get(5, 1);
       await mkt.campaigns.get(5, 1, { cache: 'default' });
       await mkt.campaigns.get(5, 1, { cache: 'reload' });
       await mkt.campaigns.get(5, 1, { cache: 'no-store' });
       return modes.join();`,
      server.url,
      { importScripts: () => undefined },
    );
    expect(result).toBe(',,reload,no-store');
    expect(server.seen.map(({ headers }) => headers['if-none-match'])).toEqual(Array(4).fill(undefined));
    for (const { headers } of server.seen) expect(headers['user-agent']).not.toBe('mine');
  });

  it('separates entries by token if tokens cannot be hashed', async () => {
    await using server = await scripted(json(sampleCampaign(), { headers: { etag: '"1"' } }));
    await run(
      `const mkt = new sdk.Marketplace({ token, baseUrl, cache: new Map() });
       await mkt.campaigns.get(5, 1);
       await mkt.campaigns.get(5, 1);
       await mkt.withOptions({ token: 'another' }).campaigns.get(5, 1);`,
      server.url,
      { crypto: undefined },
    );
    expect(server.seen.map((seen) => seen.headers['if-none-match'])).toEqual([undefined, '"1"', undefined]);
  });
});
