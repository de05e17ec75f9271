import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type * as Sdk from '@mkt/sdk';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { type Server, serve } from '@mkt/server/node';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectToChromium, describeInChromium } from './chromium.js';

declare global {
  /** Put there by the page; the functions given to `evaluate` run in it. */
  var sdk: typeof Sdk;
}

/** A page on another origin than the API, whose policy forbids eval, inline code and everything else. */
async function servePage(api: string): Promise<{ url: string; close: () => Promise<void> }> {
  const { outputFiles } = await build({
    stdin: {
      contents: "import * as sdk from '@mkt/sdk'; globalThis.sdk = sdk;",
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['mkt-source'],
  });
  const server = createServer((request, response) => {
    const script = request.url === '/sdk.js';
    response.writeHead(200, {
      'Content-Type': script ? 'text/javascript' : 'text/html',
      'Content-Security-Policy': `default-src 'none'; script-src 'self'; connect-src ${api}`,
    });
    response.end(script ? outputFiles[0]?.text : '<!doctype html><script type="module" src="/sdk.js"></script>');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise<void>((done) => server.close(() => done()));
  return { url: `http://127.0.0.1:${port}/`, close };
}

describeInChromium('SDK in a page on another origin, under a strict policy', () => {
  let server: Server;
  let pages: Awaited<ReturnType<typeof servePage>>;
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];
  const token = demoTokens.ada_write;
  let given: { token: string; baseUrl: string };

  beforeAll(async () => {
    server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
    given = { token, baseUrl: server.url };
    pages = await servePage(server.url);
    browser = await connectToChromium();
    page = await browser.newPage();
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) problems.push(message.text());
    });
    await page.goto(pages.url);
    await page.waitForFunction(() => typeof sdk === 'object');
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
    await server?.close();
  });

  test('reads a list whole, with the totals that CORS exposes', async () => {
    const seen = await page.evaluate(async (options) => {
      const list = new sdk.Marketplace(options).campaigns.list(5);
      return { totals: (await list).totalCount, items: (await list.all()).length };
    }, given);
    expect(seen).toEqual({ totals: 45, items: 45 });
  });

  test('a response that the browser withholds: the error names CORS', async () => {
    const message = await page.evaluate(async (options) => {
      const mkt = new sdk.Marketplace({ ...options, retry: false, headers: { 'X-Own': '1' } });
      return mkt.organizations.get(5).catch((error: Error) => error.message);
    }, given);
    expect(message).toMatch(/^No response from .* \(CORS\)\.$/);
  });

  test('a web action works although the browser hides the redirect', async () => {
    const seen = await page.evaluate(async (options) => {
      const mkt = new sdk.Marketplace(options);
      const published = await mkt.campaigns.publish(5, 10);
      const refused = await mkt.campaigns.pause(5, 5).catch((error: unknown) => error);
      return [published.status, refused instanceof sdk.TransitionError && refused.from];
    }, given);
    expect(seen).toEqual(['active', 'finished']);
  });

  test('a file from the page is uploaded, and its progress does not break the request', async () => {
    const seen = await page.evaluate(async (options) => {
      const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
      const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
      const logo = new File([bytes], 'logo.png', { type: 'image/png' });
      const mkt = new sdk.Marketplace(options);
      const brand = await mkt.organizations.create(
        { name: 'From a page', privacy_setting: 'private', logo },
        { onUploadProgress: () => undefined },
      );
      return brand.logo_url !== undefined;
    }, given);
    expect(seen).toBe(true);
  });

  test('errors are the same classes, with what the server says', async () => {
    const seen = await page.evaluate(async (options) => {
      const mkt = new sdk.Marketplace(options);
      const invalid = await mkt.campaigns.create(5, { name: '' }).catch((error: unknown) => error);
      const rejected = await mkt
        .withOptions({ token: 'wrong' })
        .address.get()
        .catch((error: unknown) => error);
      const away = await new sdk.Marketplace({ ...options, baseUrl: 'http://127.0.0.1:9', retry: false }).address
        .get()
        .catch((error: unknown) => error);
      return [
        invalid instanceof sdk.ValidationError && Object.keys(invalid.fieldErrors),
        rejected instanceof sdk.AuthenticationError,
        away instanceof sdk.ConnectionError,
      ];
    }, given);
    expect(seen).toEqual([['name'], true, true]);
    // The last address is outside the page's policy: that one refusal is what was asked for.
    expect(problems.splice(0).every((problem) => problem.includes('127.0.0.1:9'))).toBe(true);
  });

  test('caches no responses unless a store is given', async () => {
    const seen = await page.evaluate(async (options) => {
      const cache = new Map<string, Sdk.CacheEntry>();
      const statuses = [];
      for (const mkt of [new sdk.Marketplace(options), new sdk.Marketplace({ ...options, cache })]) {
        await mkt.campaigns.get(5, 1);
        statuses.push((await mkt.campaigns.get(5, 1).withResponse()).meta.fromCache);
      }
      const reloaded = await new sdk.Marketplace(options).campaigns.get(5, 1, { cache: 'reload' });
      return [...statuses, cache.size, reloaded.id];
    }, given);
    expect(seen).toEqual([false, true, 1, 1]);
  });

  test('limit: Chromium itself repeats a POST if a connection that it used before is cut without a response', async () => {
    let posts = 0;
    const cutting = createServer((request, response) => {
      request.resume();
      if (request.method !== 'POST') {
        const names = ['Origin', 'Headers', 'Methods'].map((name) => [`Access-Control-Allow-${name}`, '*']);
        response.writeHead(200, Object.fromEntries(names)).end('{}');
        return;
      }
      posts += 1;
      request.socket.destroy();
    });
    await new Promise<void>((done) => cutting.listen(0, '127.0.0.1', done));
    const baseUrl = `http://127.0.0.1:${(cutting.address() as AddressInfo).port}`;
    const other = await servePage(baseUrl);
    const tab = await browser.newPage();
    await tab.goto(other.url);
    await tab.waitForFunction(() => typeof sdk === 'object');
    const seen = await tab.evaluate(
      async (options) => {
        const mkt = new sdk.Marketplace(options);
        await mkt.campaigns.get(5, 1);
        const error = await mkt.campaigns.create(5, { name: 'x' }).catch((thrown: Sdk.MarketplaceError) => thrown);
        return error instanceof sdk.ConnectionError && [error.attempts, error.mayHaveArrived];
      },
      { token, baseUrl },
    );
    expect(seen).toEqual([1, true]);
    // Once for each connection that it has.
    expect(posts).toBeGreaterThan(1);
    await tab.close();
    await other.close();
    cutting.close();
  });

  test('nothing broke the policy', () => {
    expect(problems).toEqual([]);
  });
});
