// @vitest-environment happy-dom

import { createMarketplaceMock, type MarketplaceMock, type MarketplaceMockOptions } from '@mkt/mock-server';
import { beforeEach, describe, expect, test, vi } from 'vitest';

// A page's sessionStorage; a reload is a second mock over the same one. Real browsers: e2e/browser/mock.test.ts.
const load = (options: MarketplaceMockOptions<'demo'> = {}) =>
  createMarketplaceMock({ persist: 'session', ...options });
const campaigns = async (mock: MarketplaceMock, method = 'GET', path = '') =>
  mock.fetch(`${mock.baseUrl}/organizations/5/campaigns${path}.json`, {
    method,
    headers: { Authorization: `Bearer ${mock.tokens.ada_write}`, Accept: 'application/json' },
  });
const count = async (mock: MarketplaceMock) => (await campaigns(mock)).headers.get('total-count');
const patience = 10_000;
const kept = () => vi.waitFor(() => expect(sessionStorage).toHaveLength(1), patience);

beforeEach(() => sessionStorage.clear());

describe("persist: 'session'", () => {
  test('saves what was written', async () => {
    await campaigns(load(), 'DELETE', '/1');
    await kept();
    expect(await count(load())).toBe('44');
  });

  test('saves simulated changes and the clock when the page is left', async () => {
    const mock = load();
    await mock.act.fundCampaign(1, 5);
    mock.clock.freeze('2030-01-01T00:00:00Z');
    dispatchEvent(new Event('pagehide'));
    await kept();
    const again = load();
    expect(await (await campaigns(again, 'GET', '/1')).json()).toMatchObject({ total_budget_amount: 5 });
    expect(again.clock.read()).toEqual({ now: '2030-01-01T00:00:00.000Z', frozen: true });
  });

  test('saves the delay, and has that of the option after a state without one', async () => {
    const mock = load({ latency: 1 });
    await mock.ready;
    mock.setLatency([2, 3]);
    await kept();
    const again = load({ latency: 1 });
    await again.ready;
    expect(again.getLatency()).toEqual([2, 3]);
    const key = sessionStorage.key(0) as string;
    const older = JSON.parse(sessionStorage.getItem(key) as string);
    delete older.snapshot.latency;
    sessionStorage.setItem(key, JSON.stringify(older));
    const oldest = load({ latency: 1 });
    await oldest.ready;
    expect(oldest.getLatency()).toBe(1);
  });

  test('saves a simulation that runs', async () => {
    const mock = load();
    await mock.simulate({ speed: 3600 });
    await kept();
    const again = load();
    await again.ready;
    expect(again.getSimulation()).toEqual({ speed: 3600 });
    const loaded = Date.parse(again.clock.read().now);
    await vi.waitFor(() => expect(Date.parse(again.clock.read().now) - loaded).toBeGreaterThan(60_000), patience);
    await again.simulate(false);
    await vi.waitFor(
      () => expect(sessionStorage.getItem(sessionStorage.key(0) as string)).not.toContain('"simulation"'),
      patience,
    );
    const ended = load();
    await ended.ready;
    expect(ended.getSimulation()).toBe(false);
  });

  test('saves only the secrets of the seed, not those of created tokens', async () => {
    const mock = load();
    const { token } = await mock.createToken({ user: 'usr_ada', permission: 'read' });
    dispatchEvent(new Event('pagehide'));
    await kept();
    expect(sessionStorage.getItem(sessionStorage.key(0) as string)).not.toContain(token);
  });

  test('does not use data of another seed or another URL', async () => {
    await campaigns(load(), 'DELETE', '/1');
    await kept();
    const seed = { users: { zoe: { tokens: [{ secret: 'mkt_zoe_secret', permission: 'write' }] } } };
    const other = createMarketplaceMock({ persist: 'session', seed });
    await other.ready;
    expect(other.tokens).toEqual({ zoe_write: 'mkt_zoe_secret' });
    expect(await count(load({ baseUrl: 'https://other.example' }))).toBe('45');
  });

  test('saves the token of the empty seed, which is otherwise different in each mock', async () => {
    const empty = { persist: 'session', seed: 'empty', baseUrl: 'https://empty.example' } as const;
    const mock = createMarketplaceMock(empty);
    await mock.ready;
    dispatchEvent(new Event('pagehide'));
    await vi.waitFor(() => expect(sessionStorage.getItem('mkt-mock https://empty.example')).not.toBeNull(), patience);
    const again = createMarketplaceMock(empty);
    await again.ready;
    expect(again.tokens.owner_write).toBe(mock.tokens.owner_write);
    const headers = { Authorization: `Bearer ${again.tokens.owner_write}`, Accept: 'application/json' };
    expect((await again.fetch(`${again.baseUrl}/organizations.json`, { headers })).status).toBe(200);
  });

  test('keeps what was saved if the page is left before it was restored', async () => {
    await campaigns(load(), 'DELETE', '/1');
    await kept();
    const left = load();
    dispatchEvent(new Event('pagehide'));
    await left.ready;
    expect(await count(load())).toBe('44');
  });

  test('warns once if the data does not fit, and continues', async () => {
    const setItem = vi.fn(() => {
      throw new DOMException('Too much.', 'QuotaExceededError');
    });
    vi.stubGlobal('sessionStorage', { getItem: () => null, setItem, removeItem: () => undefined });
    const mock = load();
    await mock.ready;
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    for (const turn of [1, 2]) {
      dispatchEvent(new Event('pagehide'));
      // The state, and where IndexedDB has it.
      await vi.waitFor(() => expect(setItem).toHaveBeenCalledTimes(2 * turn), patience);
    }
    expect(await count(mock)).toBe('45');
    expect(warn.mock.calls).toEqual([[expect.stringContaining("does not fit into the browser's storage")]]);
    vi.unstubAllGlobals();
    warn.mockRestore();
  });

  test('says at once that a seed does not fit', async () => {
    const setItem = () => {
      throw new DOMException('Too much.', 'QuotaExceededError');
    };
    vi.stubGlobal('sessionStorage', { getItem: () => null, setItem, removeItem: () => undefined });
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const mock = load();
    await mock.seed('empty');
    expect(warn.mock.calls).toEqual([[expect.stringContaining("does not fit into the browser's storage")]]);
    expect(await mock.survivesReload()).toBe(false);
    vi.unstubAllGlobals();
    warn.mockRestore();
    expect(await load().survivesReload()).toBe(true);
    expect(await load({ persist: 'none' }).survivesReload()).toBe(false);
  });

  test('has the tokens of the present data, also after a reload and reset()', async () => {
    const mock = load();
    const { tokens } = mock;
    const initial = { ...tokens };
    const secrets = await mock.seed('empty');
    expect(Object.keys(secrets)).toEqual(['owner_write']);
    expect(tokens).toEqual(secrets);
    await kept();
    const reloaded = load();
    await reloaded.ready;
    expect(reloaded.tokens).toEqual(secrets);
    await reloaded.reset();
    expect(reloaded.tokens).toEqual(initial);
  });

  test('deletes the data with reset(), and saves nothing without the option', async () => {
    const mock = load();
    await campaigns(mock, 'DELETE', '/1');
    await kept();
    await mock.reset();
    expect(sessionStorage).toHaveLength(0);
    await campaigns(load({ persist: 'none' }), 'DELETE', '/1');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(sessionStorage).toHaveLength(0);
  });

  const keptText = () => sessionStorage.getItem(sessionStorage.key(0) as string) as string;
  test.each([
    ['broken JSON', () => '{'],
    ['something else', () => 'null'],
    ['rows that an older version of the mock wrote', () => keptText().replaceAll('"cpm_amount"', '"cpm"')],
    ['a snapshot of another version', () => keptText().replace('"version":1', '"version":0')],
  ])('warns about %s and does not use it', async (_, damaged) => {
    await campaigns(load(), 'DELETE', '/1');
    await kept();
    sessionStorage.setItem(sessionStorage.key(0) as string, damaged());
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const mock = load();
    await mock.ready;
    expect(await count(mock)).toBe('45');
    expect(warn.mock.calls).toEqual([[expect.stringContaining('so the mock starts with its seed')]]);
    warn.mockRestore();
  });

  test('works without saving if the browser forbids sessionStorage', async () => {
    const refused = vi.spyOn(globalThis, 'sessionStorage', 'get').mockImplementation(() => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    });
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    expect(await count(load())).toBe('45');
    expect(warn.mock.calls[0]?.[0]).toContain('will not survive a reload');
    refused.mockRestore();
    warn.mockRestore();
  });
});
