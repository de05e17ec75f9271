import { createMarketplaceMock } from '@mkt/mock-server';
import { connectControl } from '@mkt/mock-server/control';
import { describe, expect, test } from 'vitest';

const json = (token: string) => ({ Authorization: `Bearer ${token}`, Accept: 'application/json' });

describe('mock.fetch, without MSW', () => {
  test('responds like the API to lists, single items and invalid requests', async () => {
    const mock = createMarketplaceMock();
    const headers = json(mock.tokens.ada_write);
    const list = await mock.fetch(`${mock.baseUrl}/organizations/5/campaigns.json?page=3`, { headers });
    expect(list.status).toBe(200);
    expect(list.statusText).toBe('OK');
    expect(list.url).toBe('https://api.example.com/organizations/5/campaigns.json?page=3');
    expect([list.headers.get('total-count'), list.headers.get('total-pages')]).toEqual(['45', '3']);
    expect(((await list.json()) as object[]).length).toBe(5);
    const refused = await mock.fetch(`${mock.baseUrl}/organizations/6.json`, { headers });
    expect(refused.status).toBe(404);
    const unknown = await mock.fetch(`${mock.baseUrl}/organizations.json`, { headers: json('nonsense') });
    expect([unknown.status, unknown.statusText]).toEqual([401, 'Unauthorized']);
  });

  test('responds with an explanation and does nothing without Accept: application/json (api.md, General rule 1)', async () => {
    const mock = createMarketplaceMock();
    const Authorization = `Bearer ${mock.tokens.ada_write}`;
    const forgotten = await mock.fetch(`${mock.baseUrl}/organizations/5/campaigns/1.json`, {
      method: 'DELETE',
      headers: { Authorization },
    });
    expect(forgotten.status).toBe(200);
    expect(forgotten.headers.get('content-type')).toContain('text/html');
    expect(await forgotten.text()).toContain('Accept: application/json');
    const still = await mock.fetch(`${mock.baseUrl}/organizations/5/campaigns/1.json`, {
      headers: json(mock.tokens.ada_write),
    });
    expect(still.status).toBe(200);
  });

  test('redirects a web action to the resource (D39)', async () => {
    const mock = createMarketplaceMock();
    const headers = { ...json(mock.tokens.ada_write), 'Content-Type': 'application/json' };
    const address = `${mock.baseUrl}/organizations/5/campaigns/1/publish`;
    const manual = await mock.fetch(address, { method: 'POST', headers, body: '{}', redirect: 'manual' });
    expect([manual.status, manual.headers.get('location')]).toEqual([
      303,
      'https://api.example.com/organizations/5/campaigns/1',
    ]);
    const followed = await mock.fetch(address, { method: 'POST', headers, body: '{}' });
    expect([followed.status, followed.redirected]).toEqual([200, true]);
    expect(await followed.json()).toMatchObject({ id: 1, status: 'active' });
  });

  test('resolves relative URLs against baseUrl, also with a URL in the query', async () => {
    const mock = createMarketplaceMock({ pages: { 'https://shop.example/serum': { name: 'Night serum' } } });
    const init = { method: 'POST', headers: json(mock.tokens.ada_write) };
    const made = await mock.fetch('/organizations/5/collabs.json?website=https://shop.example/serum', init);
    expect(await made.json()).toMatchObject({ name: 'Night serum' });
    const under = createMarketplaceMock({ baseUrl: 'https://example.com/v2' });
    expect((await under.fetch('organizations.json', { headers: json(under.tokens.ada_write) })).status).toBe(200);
  });

  test('keeps the URL in clones of a response', async () => {
    const mock = createMarketplaceMock();
    const answer = await mock.fetch(`${mock.baseUrl}/organizations.json`, { headers: json(mock.tokens.ada_write) });
    for (const copy of [answer.clone(), answer.clone().clone()]) {
      expect([copy.url, copy.redirected]).toEqual([`${mock.baseUrl}/organizations.json`, false]);
      expect(await copy.json()).toHaveLength(2);
    }
  });

  test('rejects other URLs with an explanation', async () => {
    const mock = createMarketplaceMock();
    await expect(mock.fetch('https://elsewhere.example/x')).rejects.toThrow('is not a URL of the mock');
  });

  test('rejects with the reason of an aborted signal and sends nothing', async () => {
    const mock = createMarketplaceMock();
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(mock.fetch(`${mock.baseUrl}/organizations.json`, { signal })).rejects.toThrow('enough');
    expect(mock.requests.list()).toEqual([]);
  });

  test("respects the signal of a Request and redirect: 'error'", async () => {
    const mock = createMarketplaceMock();
    const headers = json(mock.tokens.ada_write);
    mock.faults.add({ match: { operation: 'organizations.list' }, effect: 'hang' });
    const giveUp = new AbortController();
    const hanging = mock.fetch(new Request(`${mock.baseUrl}/organizations.json`, { headers, signal: giveUp.signal }));
    giveUp.abort(new Error('enough'));
    await expect(hanging).rejects.toThrow('enough');
    const publish = `${mock.baseUrl}/organizations/5/campaigns/1/publish`;
    await expect(mock.fetch(publish, { method: 'POST', headers, redirect: 'error' })).rejects.toThrow('redirect');
  });

  test('responds in a route handler: a request of the framework in, a redirect below its path out', async () => {
    const mock = createMarketplaceMock({ baseUrl: 'http://localhost:3000/mock' });
    const handle = (request: Request) => mock.fetch(request, { redirect: 'manual' });
    const campaign = 'http://localhost:3000/mock/organizations/5/campaigns/1';
    const headers = json(mock.tokens.ada_write);
    const published = await handle(new Request(`${campaign}/publish`, { method: 'POST', headers }));
    expect([published.status, published.headers.get('location')]).toEqual([303, campaign]);
    const shown = await handle(new Request(`${campaign}.json`, { headers }));
    expect(await shown.json()).toMatchObject({ status: 'active', url: `${campaign}.json` });
    const body = JSON.stringify({ campaign: { name: 'Route' } });
    const posted = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body };
    expect(
      (await handle(new Request('http://localhost:3000/mock/organizations/5/campaigns.json', posted))).status,
    ).toBe(201);
  });

  test('serves the control API to callers with the token, for a panel in another process', async () => {
    const baseUrl = 'http://localhost:3000/mock';
    const mock = createMarketplaceMock({ baseUrl, controlToken: 'of this route' });
    const fetch = (...given: Parameters<typeof mock.fetch>) =>
      mock.fetch(new Request(...given), { redirect: 'manual' });
    const url = `${baseUrl}/__mkt/v1`;
    const control = connectControl({ url, token: 'of this route', fetch });
    await control.faults.add({ effect: { status: 503 }, times: 1 });
    const list = () => mock.fetch('organizations.json', { headers: json(mock.tokens.ada_write) });
    expect([(await list()).status, (await list()).status]).toEqual([503, 200]);
    expect(await control.requests.list()).toMatchObject([{ status: 503 }, { status: 200 }]);
    await expect(connectControl({ url, token: 'another', fetch }).reset()).rejects.toThrow('Send the control token');
    const without = createMarketplaceMock({ baseUrl });
    await expect(connectControl({ url, token: '', fetch: without.fetch }).reset()).rejects.toThrow(
      'not the control API',
    );
  });

  test('restores everything with reset()', async () => {
    const mock = createMarketplaceMock();
    const headers = json(mock.tokens.ada_write);
    const address = `${mock.baseUrl}/organizations/5/campaigns/1.json`;
    expect((await mock.fetch(address, { method: 'DELETE', headers })).status).toBe(204);
    expect((await mock.fetch(address, { headers })).status).toBe(404);
    await mock.reset();
    expect((await mock.fetch(address, { headers })).status).toBe(200);
  });
});
