// @vitest-environment happy-dom
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createMarketplaceMock, type MarketplaceMock, type MarketplaceMockOptions } from '../src/index.js';

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
  test('keeps what was written', async () => {
    await campaigns(load(), 'DELETE', '/1');
    await kept();
    expect(await count(load())).toBe('44');
  });

  test('keeps what acts and the clock did when the page goes away', async () => {
    const mock = load();
    await mock.act.fundCampaign(1, 5);
    mock.clock.freeze('2030-01-01T00:00:00Z');
    dispatchEvent(new Event('pagehide'));
    await kept();
    const again = load();
    expect(await (await campaigns(again, 'GET', '/1')).json()).toMatchObject({ total_budget_amount: 5 });
    expect(again.clock.read()).toEqual({ now: '2030-01-01T00:00:00.000Z', frozen: true });
  });

  test('keeps no secret but those of the seed, and none of a token that was made', async () => {
    const mock = load();
    const { token } = await mock.createToken({ user: 'usr_ada', permission: 'read' });
    dispatchEvent(new Event('pagehide'));
    await kept();
    expect(sessionStorage.getItem(sessionStorage.key(0) as string)).not.toContain(token);
  });

  test('what grew from another seed, or belongs to another address, is left alone', async () => {
    await campaigns(load(), 'DELETE', '/1');
    await kept();
    const seed = { users: { zoe: { tokens: [{ secret: 'mkt_zoe_secret', permission: 'write' }] } } };
    const other = createMarketplaceMock({ persist: 'session', seed });
    await other.ready;
    expect(other.tokens).toEqual({ zoe_write: 'mkt_zoe_secret' });
    expect(await count(load({ baseUrl: 'https://other.example' }))).toBe('45');
  });

  test('keeps the token of an empty marketplace, which every other mock makes anew', async () => {
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

  test('what does not fit is told once, and the mock goes on', async () => {
    const setItem = vi.fn(() => {
      throw new DOMException('Too much.', 'QuotaExceededError');
    });
    vi.stubGlobal('sessionStorage', { getItem: () => null, setItem });
    const mock = load();
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    for (const turn of [1, 2]) {
      dispatchEvent(new Event('pagehide'));
      await vi.waitFor(() => expect(setItem).toHaveBeenCalledTimes(turn), patience);
    }
    expect(await count(mock)).toBe('45');
    expect(warn.mock.calls).toEqual([[expect.stringContaining('does not fit into sessionStorage')]]);
    vi.unstubAllGlobals();
    warn.mockRestore();
  });

  test('reset() forgets it, and without the option nothing is kept', async () => {
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
  ])('%s there is told, not taken', async (_, damaged) => {
    await campaigns(load(), 'DELETE', '/1');
    await kept();
    sessionStorage.setItem(sessionStorage.key(0) as string, damaged());
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const mock = load();
    await mock.ready;
    expect(await count(mock)).toBe('45');
    expect(warn.mock.calls).toEqual([[expect.stringContaining('it begins anew')]]);
    warn.mockRestore();
  });

  test('where the browser refuses sessionStorage, nothing is kept, and nothing breaks', async () => {
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
