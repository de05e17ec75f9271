// @vitest-environment happy-dom

import { createMarketplaceMock } from '@mkt/mock-server';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

const mock = createMarketplaceMock({ strict: true });
const server = setupServer(...mock.handlers);
const headers = { Authorization: `Bearer ${mock.tokens.ada_write}`, Accept: 'application/json' };
const png = Uint8Array.from([
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0, 0, 0, 0, 1, 2, 3,
]);

beforeAll(() => server.listen(mock.guard));
afterEach(() => mock.reset());
afterAll(() => server.close());

describe('component tests in happy-dom', () => {
  test.each([
    ['MSW', (...given: Parameters<typeof fetch>) => fetch(...given)],
    ['mock.fetch', mock.fetch],
  ])('list, see errors and upload files through %s', async (_, ask) => {
    const list = await ask(`${mock.baseUrl}/organizations/5/campaigns.json`, { headers });
    expect([list.status, list.headers.get('total-count')]).toEqual([200, '45']);
    expect(((await list.json()) as object[]).length).toBe(20);

    const form = new FormData();
    form.append('organization[name]', 'Happy');
    form.append('organization[logo]', new File([png], 'logo.png', { type: 'image/png' }));
    const created = await ask(`${mock.baseUrl}/organizations.json`, { method: 'POST', headers, body: form });
    expect(created.status).toBe(201);
    expect(((await created.json()) as { logo_url: string }).logo_url).toContain('/images/');
  });

  /** The events that end an XMLHttpRequest, and its status. */
  const viaXhr = (): Promise<readonly unknown[]> =>
    new Promise((resolve) => {
      const request = new XMLHttpRequest();
      const seen: unknown[] = [];
      for (const name of ['load', 'error', 'loadend'] as const)
        request.addEventListener(name, () => {
          seen.push(name);
          if (name === 'loadend') resolve([...seen, request.status]);
        });
      request.open('GET', `${mock.baseUrl}/organizations/5.json`);
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.send();
    });

  test('end an XMLHttpRequest with an error event when the connection breaks, also in the middle of the body', async () => {
    expect(await viaXhr()).toEqual(['load', 'loadend', 200]);
    expect(mock.requests.list()[0]?.call).toMatch(/^\S+happy-dom\.test\.ts:\d+:15 < /);
    for (const effect of ['drop', { truncate: 20 }] as const) {
      mock.faults.add({ effect, times: 1 });
      expect(await viaXhr()).toEqual(['error', 'loadend', 0]);
    }
  });
});
