import { createMarketplaceMock, type DemoTokens, type SeedTokens, withMock } from '@mkt/mock-server';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, describe, expect, expectTypeOf, type TestContext, test } from 'vitest';

const server = setupServer();
const baseUrl = 'https://api.example.com';

beforeAll(() => server.listen(createMarketplaceMock().guard));
afterAll(() => server.close());

const send = (path: string, token: string, method = 'GET') =>
  fetch(baseUrl + path, { method, headers: { Accept: 'application/json', Authorization: `Bearer ${token}` } });
const campaigns = async (token: string) =>
  Number((await send('/organizations/5/campaigns.json', token)).headers.get('total-count'));

/** Waits until `count` tests have arrived, so that they overlap. */
function meeting(count: number): () => Promise<void> {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return () => {
    if (--count === 0) resolve();
    return promise;
  };
}

describe('withMock', () => {
  const allChanged = meeting(3);

  for (const count of [1, 2, 3]) {
    test.concurrent(
      `isolates a test that creates ${count} campaigns from tests that run at the same time`,
      withMock(server, { seed: 'demo' }, async ({ mock }, { expect }: TestContext) => {
        expectTypeOf(mock.tokens).toEqualTypeOf<DemoTokens>();
        await mock.create.campaign({ organization: 5, count });
        mock.faults.add({ match: { operation: 'campaigns.get' }, effect: { status: 500 + count } });
        const { status } = await send('/organizations/5/campaigns/9.json', mock.tokens.ada_read);
        await allChanged();
        expect(await campaigns(mock.tokens.ada_read)).toBe(45 + count);
        expect(status).toBe(500 + count);
        expect(mock.requests.list().map((request) => request.operation)).toEqual(['campaigns.get', 'campaigns.list']);
      }),
    );
  }

  test('accepts every option, and waits until the seed is loaded', async () => {
    const seed = 'users: { mia: { tokens: [{ permission: write }] } }';
    await withMock(server, { baseUrl: 'http://mock.test/v1', seed }, async ({ mock }) => {
      expectTypeOf(mock.tokens).toEqualTypeOf<SeedTokens>();
      const headers = { Accept: 'application/json', Authorization: `Bearer ${mock.tokens.mia_write}` };
      expect(await (await fetch('http://mock.test/v1/organizations.json', { headers })).json()).toEqual([]);
    })();
  });

  test('throws if there was an unexpected request, which does not affect the next test', async () => {
    const wrong = withMock(server, {}, async ({ mock }) => {
      await send('/organisations.json', mock.tokens.ada_read);
    });
    await expect(wrong()).rejects.toThrow('GET /organisations.json -> 404');
    await withMock(server, {}, async ({ mock }) => expect(await campaigns(mock.tokens.ada_read)).toBe(45))();
    await expect(wrong()).rejects.toThrow('1 unexpected request(s)');
  });

  test("throws the test's own error, and ends requests that hang", async () => {
    let hanging: Promise<Response> | undefined;
    const failing = withMock(server, {}, async ({ mock }) => {
      const { id } = mock.faults.add({ effect: 'hang' });
      hanging = send('/organizations.json', mock.tokens.ada_read);
      hanging.catch(() => undefined);
      await expect.poll(() => mock.faults.get(id).hits, { timeout: 10_000 }).toBe(1);
      throw new Error('a failed assertion');
    });
    await expect(failing()).rejects.toThrow('a failed assertion');
    await expect(hanging).rejects.toThrow(TypeError);
  });

  test('returns a function without parameters, because Jest would wait for its callback', () => {
    expect(withMock(server, {}, () => undefined)).toHaveLength(0);
  });

  test('leaves no handlers behind', async () => {
    await withMock(server, {}, () => undefined)();
    expect(server.listHandlers()).toEqual([]);
    await expect(send('/organizations.json', 'mkt_demo_ada_read')).rejects.toThrow(TypeError);
  });
});
