import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMarketplaceMock } from '@mkt/mock-server';
import { connectControl } from '@mkt/mock-server/control';
import { testControls } from '@mkt/mock-server/node';
import { demoSeed, type IdFormat } from '@mkt/server';
import { openStore, serve } from '@mkt/server/node';
import { setupServer } from 'msw/node';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { connectToChromium, describeInChromium } from './browser/chromium.js';
import { servePage } from './browser/page-server.js';
import { numbered } from './parity/numbered.js';
import { type Outcome, play } from './parity/play.js';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** The same everywhere: `url` fields, and so ETags, follow from it (D12). */
const baseUrl = 'https://api.example.com';

async function ofServer(db: string, ids: IdFormat = 'integer'): Promise<Outcome[]> {
  const token = 'parity-control-token';
  await using server = await serve({
    store: () => openStore(db, { ids }),
    seed: demoSeed(ids),
    port: 0,
    baseUrl,
    extend: testControls({ token, seed: () => demoSeed(ids) }),
  });
  const control = connectControl({ url: `${server.url}/__mkt/v1`, token });
  const called = ids === 'opaque' ? numbered(fetch, control.snapshot) : fetch;
  return await play({ url: server.url, fetch: called, control });
}

/** The allowed differences, all of them. */
const differences: Readonly<Record<string, readonly string[]>> = {
  // Cut in the middle, which is at another place where ids are longer.
  'opaque ids': ['fault: malformed'],
  chromium: [
    // A page may not see where a redirect leads (Fetch standard); the SDK reads the resource again (D40).
    ...['publish', 'publish what is not a draft', 'pause without a body', 'submit a collab'],
  ],
};

const outside = (target: string) => (outcome: Outcome) => !differences[target]?.includes(outcome.name);

function same(target: string, given: readonly Outcome[], reference: readonly Outcome[]): void {
  expect(given.map(({ name }) => name)).toEqual(reference.map(({ name }) => name));
  expect(given.filter(outside(target))).toEqual(reference.filter(outside(target)));
}

describe('one suite of calls, the same responses everywhere', () => {
  let reference: Outcome[];
  beforeAll(async () => {
    reference = await ofServer('memory:');
  });

  test('the reference says what the contract says', () => {
    const statuses = Object.fromEntries(reference.map(({ name, status }) => [name, status]));
    expect(statuses).toMatchObject({
      'no token': 401,
      'first page': 200,
      'show, not modified': 304,
      publish: 303,
      'upload a logo': 201,
      'too large': 413,
      'fault: 503': 503,
      'HEAD, rejected': 404,
      ready: 200,
      'fault: hang': 'gave up',
      'fault: drop': 'network error',
      'fault: staleEtag': 304,
    });
    expect(reference.find(({ name }) => name === 'fault: truncate')?.body).toBe('broke off');
    expect(new Set(reference.map(({ name }) => name)).size).toBe(reference.length);
    expect(reference.length).toBeGreaterThan(350);
  });

  test('server on SQLite', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mkt-parity-'));
    try {
      same('sqlite', await ofServer(join(folder, 'parity.db')), reference);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('the mock in process', async () => {
    const mock = createMarketplaceMock({ baseUrl });
    same('in process', await play({ url: baseUrl, fetch: mock.fetch, control: mock }), reference);
  });

  test('the mock in MSW on Node', async () => {
    const mock = createMarketplaceMock({ baseUrl });
    const server = setupServer(...mock.handlers);
    server.listen({ onUnhandledRequest: 'error' });
    try {
      same('msw', await play({ url: baseUrl, fetch: (...given) => fetch(...given), control: mock }), reference);
    } finally {
      server.close();
    }
  });

  describe('with opaque ids (D140), apart from what the ids say', () => {
    /** A digest of the representation, which contains ids. */
    const withoutTags = (outcomes: readonly Outcome[]): Outcome[] =>
      outcomes.map(({ headers, ...outcome }) => {
        if (!headers) return outcome;
        return { ...outcome, headers: { ...headers, ...(headers.etag !== undefined && { etag: 'ETAG' }) } };
      });

    test('server on SQLite', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'mkt-parity-'));
      try {
        const outcomes = await ofServer(join(folder, 'parity.db'), 'opaque');
        same('opaque ids', withoutTags(outcomes), withoutTags(reference));
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    test('the mock in process', async () => {
      const mock = createMarketplaceMock({ baseUrl, ids: 'opaque' });
      const outcomes = await play({ url: baseUrl, fetch: numbered(mock.fetch, mock.snapshot), control: mock });
      same('opaque ids', withoutTags(outcomes), withoutTags(reference));
    });
  });

  describeInChromium('the mock in MSW in Chromium', () => {
    test('gives the same responses', async () => {
      const pages = await servePage();
      const browser = await connectToChromium();
      try {
        const page = await browser.newPage();
        await page.goto(pages.url);
        await page.waitForFunction(() => document.title === 'ready');
        const given = await page.evaluate(() =>
          (globalThis as unknown as { lab: import('./browser/page/main.js').Lab }).lab.play(),
        );
        same('chromium', given, reference);
        for (const name of differences.chromium ?? [])
          expect(given.find((outcome) => outcome.name === name)?.status).toBe('opaque redirect');
      } finally {
        await browser.close();
        await pages.close();
      }
    });
  });
});
