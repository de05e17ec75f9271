import { createMarketplaceMock } from '@mkt/mock-server';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

const mock = createMarketplaceMock();
const server = setupServer(...mock.handlers);
const headers = { Authorization: `Bearer ${mock.tokens.ada_write}`, Accept: 'application/json' };
const png = Uint8Array.from([
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0, 0, 0, 0, 1, 2, 3,
]);

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(async () => {
  server.resetHandlers();
  await mock.reset();
});
afterAll(() => server.close());

describe('mock.handlers in MSW on Node', () => {
  test('handles lists, and 304 without a body', async () => {
    const list = await fetch(`${mock.baseUrl}/organizations/5/campaigns.json`, { headers });
    expect([list.status, list.headers.get('total-count')]).toEqual([200, '45']);
    expect(((await list.json()) as object[]).length).toBe(20);
    const one = await fetch(`${mock.baseUrl}/organizations/5.json`, { headers });
    const etag = one.headers.get('etag') as string;
    const again = await fetch(`${mock.baseUrl}/organizations/5.json`, {
      headers: { ...headers, 'If-None-Match': etag },
    });
    expect([again.status, again.statusText, await again.text()]).toEqual([304, 'Not Modified', '']);
  });

  test('responds with 412 to a conditional write after another write (D101)', async () => {
    const url = `${mock.baseUrl}/organizations/5.json`;
    const etag = (await fetch(url, { headers })).headers.get('etag') as string;
    const rename = async (name: string) =>
      (
        await fetch(url, {
          method: 'PATCH',
          headers: { ...headers, 'Content-Type': 'application/json', 'If-Match': etag },
          body: JSON.stringify({ organization: { name } }),
        })
      ).status;
    expect([await rename('First'), await rename('Second')]).toEqual([200, 412]);
    expect(((await (await fetch(url, { headers })).json()) as { name: string }).name).toBe('First');
  });

  test('follows the 303 of a web action, the only redirect after a body that MSW follows', async () => {
    const followed = await fetch(`${mock.baseUrl}/organizations/5/campaigns/1/publish`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect([followed.redirected, followed.url]).toEqual([true, `${mock.baseUrl}/organizations/5/campaigns/1`]);
    expect(await followed.json()).toMatchObject({ id: 1, status: 'active' });
  });

  test('keeps the Authorization header of a logo upload', async () => {
    const form = new FormData();
    form.append('organization[name]', 'Acme mit Logo');
    form.append('organization[logo]', new File([png], 'ü.png', { type: 'image/png' }));
    const answer = await fetch(`${mock.baseUrl}/organizations/7.json`, { method: 'PATCH', headers, body: form });
    expect(answer.status).toBe(200);
    const { logo_url } = (await answer.json()) as { logo_url: string };
    const logo = await fetch(logo_url);
    expect([logo.headers.get('content-type'), new Uint8Array(await logo.arrayBuffer())]).toEqual(['image/png', png]);
  });

  test('prefers your handlers before its own', async () => {
    server.use(http.get(`${mock.baseUrl}/organizations.json`, () => HttpResponse.json(['mine']), { once: true }));
    expect(await (await fetch(`${mock.baseUrl}/organizations.json`, { headers })).json()).toEqual(['mine']);
    expect(await (await fetch(`${mock.baseUrl}/organizations.json`, { headers })).json()).toHaveLength(2);
  });

  test('passes other requests to the next handler', async () => {
    server.use(http.get('https://api.example.com.evil.example/', () => new HttpResponse('not ours')));
    expect(await (await fetch('https://api.example.com.evil.example/')).text()).toBe('not ours');
  });

  test('does not share state between concurrent boundaries with separate mocks', async () => {
    const remove = (count: number) =>
      server.boundary(async () => {
        server.use(...createMarketplaceMock().handlers);
        for (let id = 1; id <= count; id++)
          await fetch(`${mock.baseUrl}/organizations/5/campaigns/${id}.json`, { method: 'DELETE', headers });
        const list = await fetch(`${mock.baseUrl}/organizations/5/campaigns.json`, { headers });
        return list.headers.get('total-count');
      })();
    expect(await Promise.all([remove(1), remove(0)])).toEqual(['44', '45']);
    const outside = await fetch(`${mock.baseUrl}/organizations/5/campaigns.json`, { headers });
    expect(outside.headers.get('total-count')).toBe('45');
  });
});
