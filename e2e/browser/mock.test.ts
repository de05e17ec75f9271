import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { connectToChromium, describeInChromium } from './chromium.js';
import type { Lab } from './page/main.js';
import { servePage } from './page-server.js';

// A page is loaded in most tests, and machines that run them are busy.
vi.setConfig({ testTimeout: 60_000 });

declare global {
  /** What page/main.ts puts there; the functions given to `evaluate` run in the page. */
  var lab: Lab;
  /** What a test does when a page is left, before the mock does anything. */
  var leave: ((event: Event) => void) | undefined;
}

describeInChromium('SDK and mock in a page, through setupWorker', () => {
  let pages: Awaited<ReturnType<typeof servePage>>;
  let browser: Browser;
  let page: Page;

  const open = async (query = ''): Promise<void> => {
    await page.goto(`${pages.url}?${query}`);
    await page.waitForFunction(() => document.title === 'ready');
  };

  beforeAll(async () => {
    pages = await servePage();
    browser = await connectToChromium();
    page = await browser.newPage();
    await page.context().addInitScript(() => addEventListener('pagehide', (event) => globalThis.leave?.(event)));
    await open();
  }, 60_000);
  afterEach(async () => {
    await page.evaluate(() => lab.mock.reset());
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
  });

  test('lists, page by page and whole, with their totals', async () => {
    const seen = await page.evaluate(async () => {
      const campaigns = lab.mkt.organization(5).campaigns;
      const first = await campaigns.list();
      const names = [];
      for await (const campaign of campaigns.list()) names.push(campaign.name);
      return { items: first.items.length, pages: first.totalPages, count: first.totalCount, walked: names.length };
    });
    expect(seen).toEqual({ items: 20, pages: 3, count: 45, walked: 45 });
  });

  test('a conditional request of the page gets a 304 with a readable tag and no body', async () => {
    const seen = await page.evaluate(async () => {
      const headers = { Authorization: `Bearer ${lab.mock.tokens.ada_write}`, Accept: 'application/json' };
      const address = `${lab.mock.baseUrl}/organizations/5.json`;
      const etag = (await fetch(address, { headers })).headers.get('etag') ?? '';
      const again = await fetch(address, { headers: { ...headers, 'If-None-Match': etag } });
      return { status: again.status, same: again.headers.get('etag') === etag, body: await again.text() };
    });
    expect(seen).toEqual({ status: 304, same: true, body: '' });
  });

  test('limit: without If-None-Match the browser never revalidates by itself, every response is a 200', async () => {
    const statuses = await page.evaluate(async () => {
      const headers = { Authorization: `Bearer ${lab.mock.tokens.ada_write}`, Accept: 'application/json' };
      for (let turn = 0; turn < 2; turn++) await fetch(`${lab.mock.baseUrl}/organizations/5.json`, { headers });
      return lab.mock.requests.list({ operation: 'organizations.get' }).map(({ status }) => status);
    });
    expect(statuses).toEqual([200, 200]);
  });

  test('uploads a logo and shows it in an <img> without a token', async () => {
    const width = await page.evaluate(async () => {
      const canvas = new OffscreenCanvas(12, 8);
      canvas.getContext('2d');
      const logo = new File([await canvas.convertToBlob()], 'ü.png', { type: 'image/png' });
      const { logo_url } = await lab.mkt.organizations.create({
        name: 'With a logo',
        privacy_setting: 'private',
        logo,
      });
      const image = new Image();
      image.src = logo_url ?? '';
      await image.decode();
      return image.naturalWidth;
    });
    expect(width).toBe(12);
  });

  test('a web action is an opaque redirect to the page; the SDK reads the campaign again (D40)', async () => {
    const seen = await page.evaluate(async () => {
      const headers = { Authorization: `Bearer ${lab.mock.tokens.ada_write}`, Accept: 'application/json' };
      const address = `${lab.mock.baseUrl}/organizations/5/campaigns/20/publish`;
      const { type, status } = await fetch(address, { method: 'POST', headers, redirect: 'manual' });
      const published = await lab.mkt.campaigns.publish(5, 1);
      const refused = await lab.mkt.campaigns.resume(5, 5).catch((error: unknown) => (error as Error).name);
      return { type, status, published: published.status, refused };
    });
    expect(seen).toEqual({ type: 'opaqueredirect', status: 0, published: 'active', refused: 'TransitionError' });
  });

  test('strict names each mistake of a front end, with the line of its call', async () => {
    const other = await browser.newPage();
    await other.goto(`${pages.url}?strict&guard`);
    await other.waitForFunction(() => document.title === 'ready');
    const printed: string[] = [];
    other.on('console', (message) => printed.push(message.text()));
    await other.evaluate(async () => {
      for (const send of Object.values(lab.mistakes)) await send();
    });
    // The line of a request that the guard stops is looked up after it.
    await other.waitForFunction(() => lab.mock.requests.list().every(({ call }) => /mistakes\.ts:/.test(call ?? '')));
    const seen = await other.evaluate(() =>
      Object.keys(lab.mistakes).map((kind, index) => {
        const { mistakes = [], call, unexpected } = lab.mock.requests.list()[index] ?? {};
        return [kind, mistakes.map((one) => one.kind), call, unexpected] as const;
      }),
    );
    const verified = await other.evaluate(async () => {
      lab.mock.requests.clear();
      await lab.mistakes['wrong-host']?.();
      return lab.mock.verifyAndReset().catch((error: Error) => error.message);
    });
    await other.close();
    expect(verified).toMatch(/It was not sent to .+\n {4}at \S*e2e\/browser\/page\/mistakes\.ts:/);
    // One of each kind: the type of `mistakes` asks for it.
    expect(seen).toHaveLength(12);
    const source = readFileSync(new URL('page/mistakes.ts', import.meta.url), 'utf8').split('\n');
    for (const [kind, kinds, call, text] of seen) {
      expect([kind, kinds]).toEqual([kind, [kind]]);
      const line = Number(/^\S*e2e\/browser\/page\/mistakes\.ts:(\d+):\d+/.exec(call ?? '')?.[1]);
      expect(source.slice(line - 4, line).join('\n')).toContain(`'${kind}': () =>`);
      expect(printed).toContainEqual(`[mkt mock] ${text}\n    at ${call}`);
    }
    expect(Object.fromEntries(seen.map(([kind, , , text]) => [kind, text]))).toMatchObject({
      'unknown-field': expect.stringContaining('Did you mean cpm_amount?'),
      'wrong-host': expect.stringContaining('the mock is at https://api.example.com'),
    });
  });

  test('faults: refusals are retried, broken connections and bodies are errors', async () => {
    const seen = await page.evaluate(async () => {
      // What never comes is not waited for; what comes has time on a busy machine.
      const failure = (effect: Parameters<typeof lab.mock.faults.add>[0]['effect'], timeout = 30_000) => {
        lab.mock.faults.add({ match: { operation: 'organizations.get' }, effect, times: 1 });
        const client = lab.mkt.withOptions({ retry: false, timeout });
        return client.organizations.get(5).then(
          () => 'answered',
          (error: unknown) => (error as Error).name,
        );
      };
      lab.mock.faults.add({
        match: { operation: 'organizations.list' },
        effect: { status: 503, retryAfter: 0 },
        times: 2,
      });
      const list = await lab.mkt.organizations.list().withResponse();
      return {
        attempts: list.meta.attempts,
        drop: await failure('drop'),
        hang: await failure('hang', 300),
        truncate: await failure({ truncate: 10 }),
        malformed: await failure('malformed'),
        wrongType: await failure('wrongType'),
        slowBody: await failure({ slowBody: 20 }, 1000),
        delay: await failure({ delay: 20 }),
      };
    });
    expect(seen).toEqual({
      attempts: 3,
      drop: 'ConnectionError',
      hang: 'TimeoutError',
      truncate: expect.stringMatching(/^(ConnectionError|ResponseParseError)$/),
      malformed: 'ResponseParseError',
      wrongType: 'ResponseParseError',
      slowBody: 'TimeoutError',
      delay: 'answered',
    });
  });

  test("a body that breaks off is an error of the call only, not of MSW's log", async () => {
    await open('guard');
    const errors: string[] = [];
    const listener = (error: Error) => errors.push(error.message);
    page.on('pageerror', listener);
    const logged = page.waitForEvent('console', (message) => message.text().includes('/organizations/7'));
    const seen = await page.evaluate(async () => {
      const client = lab.mkt.withOptions({ retry: false });
      const failure = async (effect: Parameters<typeof lab.mock.faults.add>[0]['effect']) => {
        lab.mock.faults.add({ match: { operation: 'organizations.get' }, effect, times: 1 });
        return client.organizations.get(5).catch((error: Error) => error.name);
      };
      const names = [await failure({ truncate: 10 }), await failure({ truncate: 100 })];
      await client.organizations.get(7).catch(() => undefined);
      return names;
    });
    await logged;
    page.off('pageerror', listener);
    expect(seen).not.toContain('answered');
    expect(errors).toEqual([]);
  });

  test('reports validation errors by field', async () => {
    const seen = await page.evaluate(() =>
      lab.mkt.campaigns.create(5, { name: '', currency: 'XX' }).catch((error) => error.fieldErrors),
    );
    expect(Object.keys(seen as object).sort()).toEqual(['currency', 'name']);
  });

  test('a reload without persistence starts with the seed again', async () => {
    await page.evaluate(() => lab.mkt.campaigns.delete(5, 1));
    await open();
    expect(await page.evaluate(() => lab.mkt.campaigns.list(5).count())).toBe(45);
  });

  test('with persist: session a reload keeps data, images, clock, faults and delay; reset forgets them', async () => {
    await open('persist=session');
    await page.evaluate(async () => {
      await lab.mkt.campaigns.delete(5, 1);
      lab.mock.clock.freeze('2030-01-01T00:00:00Z');
      lab.mock.faults.add({ match: { operation: 'address.get' }, effect: { status: 500 }, times: 3 });
      lab.mock.setLatency(5);
    });
    await page.reload();
    await page.waitForFunction(() => document.title === 'ready');
    const kept = await page.evaluate(async () => ({
      count: await lab.mkt.campaigns.list(5).count(),
      frozen: lab.mock.clock.read().frozen,
      faults: lab.mock.faults.list().length,
      latency: lab.mock.getLatency(),
      logo: (await fetch((await lab.mkt.organizations.get(5)).logo_url ?? '')).headers.get('content-type'),
    }));
    expect(kept).toEqual({ count: 44, frozen: true, faults: 1, latency: 5, logo: 'image/png' });

    await page.evaluate(() => lab.mock.reset());
    await page.reload();
    await page.waitForFunction(() => document.title === 'ready');
    expect(await page.evaluate(() => lab.mkt.campaigns.list(5).count())).toBe(45);
  });

  /** Changes a mock whose data are too large for sessionStorage, twice, and waits until both were saved. */
  const saveLarge = () =>
    page.evaluate(async () => {
      let tries = 0;
      const { setItem } = Storage.prototype;
      Storage.prototype.setItem = function (...given) {
        tries += 1;
        return setItem.apply(this, given);
      };
      const tried = async (times: number): Promise<void> => {
        while (tries < times) await new Promise((resolve) => setTimeout(resolve, 20));
      };
      const start = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0, 0, 0, 0];
      const logo = new Uint8Array(5 * 1024 * 1024 - 100);
      logo.set(start);
      const { id } = await lab.mkt.organizations.create({ name: 'Large', logo });
      await tried(2);
      await lab.mkt.organizations.update(id, { name: 'Larger' });
      await tried(4);
      return Number(id);
    });
  const reload = async () => {
    await page.reload();
    await page.waitForFunction(() => document.title === 'ready');
  };

  test('a reload keeps data that are too large for sessionStorage, and the clock; reset deletes them', async () => {
    await open('persist=session');
    const id = await saveLarge();
    await page.evaluate(() => {
      lab.mock.clock.freeze('2030-01-01T00:00:00Z');
      return lab.mock.survivesReload();
    });
    await reload();
    expect(await page.evaluate(async (id) => (await lab.mkt.organizations.get(id)).name, id)).toBe('Larger');
    expect(await page.evaluate(() => lab.mock.clock.read().frozen)).toBe(true);
    const texts = await page.evaluate(async () => {
      await lab.mock.reset();
      const opened = indexedDB.open('mkt-mock');
      await new Promise((resolve) => opened.addEventListener('success', resolve));
      const count = opened.result.transaction('texts').objectStore('texts').count();
      await new Promise((resolve) => count.addEventListener('success', resolve));
      return count.result;
    });
    expect(texts).toBe(0);
    await reload();
    expect(await page.evaluate(() => lab.mkt.organizations.list().count())).toBe(2);
  });

  test('what changes while large data are being written survives a reload, too', { tags: ['long'] }, async () => {
    await open('persist=session');
    await saveLarge();
    await page.evaluate(() => {
      globalThis.leave = () => {
        void lab.mock.survivesReload();
        lab.mock.clock.freeze('2030-01-01T00:00:00Z');
      };
    });
    await reload();
    const frozen = await page.evaluate(async () => {
      await lab.mock.ready;
      return lab.mock.clock.read().frozen;
    });
    expect(frozen).toBe(true);
  });

  test('a duplicated tab has its own copy of large data', { tags: ['long'] }, async () => {
    await open('persist=session');
    const id = await saveLarge();
    // With the session of its opener, as browsers duplicate a tab.
    const [copy] = await Promise.all([page.waitForEvent('popup'), page.evaluate(() => void open(location.href))]);
    await copy.waitForFunction(() => document.title === 'ready');
    const tabs = { page, copy };
    for (const [name, tab] of Object.entries(tabs))
      await tab.evaluate(
        async ({ id, name }) => {
          await lab.mkt.organizations.update(id, { name });
          await lab.mock.survivesReload();
          // As if the browser ended: what was saved until then is all there is.
          globalThis.leave = (event) => event.stopImmediatePropagation();
        },
        { id, name },
      );
    for (const [name, tab] of Object.entries(tabs)) {
      await tab.reload();
      await tab.waitForFunction(() => document.title === 'ready');
      expect(await tab.evaluate(async (id) => (await lab.mkt.organizations.get(id)).name, id)).toBe(name);
    }
    await copy.evaluate(() => lab.mock.reset());
    await copy.close();
  });

  test('warns once about what fits into no storage, and continues', { tags: ['long'] }, async () => {
    const warnings: string[] = [];
    page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()));
    await open('persist=session');
    await page.evaluate(() => Object.defineProperty(globalThis, 'indexedDB', { value: undefined }));
    const id = await saveLarge();
    expect(await page.evaluate(async (id) => (await lab.mkt.organizations.get(id)).name, id)).toBe('Larger');
    expect(warnings.filter((text) => text.includes('will not survive a reload'))).toHaveLength(1);
    await reload();
    expect(await page.evaluate(() => lab.mkt.organizations.list().count())).toBe(2);
  });

  test('on the origin of the page it handles only the API: scripts and pages pass through', async () => {
    await open(`baseUrl=${encodeURIComponent(new URL(pages.url).origin)}`);
    const seen = await page.evaluate(async () => ({
      count: await lab.mkt.campaigns.list(5).count(),
      script: (await fetch('/main.js')).headers.get('content-type'),
      page: await (await fetch('/organizations', { headers: { Accept: 'text/html' } })).text(),
    }));
    expect(seen).toMatchObject({ count: 45, script: 'text/javascript' });
    expect(seen.page).toContain('main.js');
  });

  test('strictCors: a page sees what a real server would let it see', async () => {
    const vary = () =>
      page.evaluate(async () => {
        const headers = { Authorization: `Bearer ${lab.mock.tokens.ada_write}`, Accept: 'application/json' };
        const list = await fetch(`${lab.mock.baseUrl}/organizations.json`, { headers });
        return [list.headers.has('vary'), list.headers.get('total-count')];
      });
    await open();
    expect(await vary()).toEqual([true, '2']);
    await open('strictCors');
    expect(await vary()).toEqual([false, '2']);
    await open('strictCors&cors=off');
    const failure = await page.evaluate(() =>
      lab.mkt
        .withOptions({ retry: false })
        .organizations.list()
        .then(
          () => 'answered',
          (error: unknown) => (error as Error).name,
        ),
    );
    expect(failure).toBe('ConnectionError');
    await open();
  });
});
