import { STATUS_CODES } from 'node:http';
import https from 'node:https';
import { createMarketplaceMock } from '@mkt/mock-server';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

// What MSW 2 does differently from a network, and what the mock makes of it. Faults have their own tests.
const mock = createMarketplaceMock();
const server = setupServer(...mock.handlers);
const headers = { Authorization: `Bearer ${mock.tokens.ada_write}`, Accept: 'application/json' };
const campaign = `${mock.baseUrl}/organizations/5/campaigns/1`;

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => mock.reset());
afterAll(() => server.close());

describe('the mock in MSW', () => {
  test('responds with a page to requests without Accept, whose default headers MSW omits', async () => {
    const page = await fetch(`${campaign}.json`, { headers: { Authorization: headers.Authorization } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('Accept: application/json');
  });

  test('rejects bodies that are too large, although MSW omits Content-Length', async () => {
    const body = JSON.stringify({ campaign: { brief: 'x'.repeat(1024 * 1024) } });
    const init = { method: 'PATCH', headers: { ...headers, 'Content-Type': 'application/json' }, body };
    const refused = await fetch(`${campaign}.json`, init);
    expect([refused.status, refused.statusText]).toEqual([413, 'Payload Too Large']);
  });

  test('sets the reason phrase that servers send', async () => {
    const phrases = [];
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '9'],
      ['PUT', ''],
      ['DELETE', ''],
    ]) {
      const answer = await fetch(`${campaign}${path}.json`, { method: method as string, headers });
      phrases.push(answer.statusText);
    }
    expect(phrases).toEqual(['OK', 'OK', 'Method Not Allowed', 'No Content']);
    const match = { ...headers, 'If-Match': '"another"' };
    expect((await fetch(`${mock.baseUrl}/organizations/5.json`, { headers: match })).statusText).toBe(
      STATUS_CODES[412],
    );
    for (const status of [400, 403, 404, 412, 422, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505, 511]) {
      mock.faults.add({ effect: { status }, times: 1 });
      expect((await mock.fetch(`${campaign}.json`, { headers })).statusText).toBe(STATUS_CODES[status]);
    }
  });

  test('sets no cookies, which MSW does not support on Node, and requires a bearer token', async () => {
    const answer = await fetch(`${campaign}.json`, { headers });
    expect(answer.headers.getSetCookie()).toEqual([]);
    const withCookie = await fetch(`${campaign}.json`, { headers: { Accept: 'application/json', Cookie: 'sid=1' } });
    expect(withCookie.status).toBe(401);
  });

  test('never compresses bodies', async () => {
    const answer = await fetch(`${campaign}.json`, { headers: { ...headers, 'Accept-Encoding': 'gzip, br' } });
    expect(answer.headers.get('content-encoding')).toBeNull();
  });

  test('keeps the process alive while a request hangs', async () => {
    const started = vi.spyOn(globalThis, 'setTimeout');
    mock.faults.add({ effect: 'hang' });
    const hanging = mock.fetch(`${campaign}.json`, { headers });
    await vi.waitFor(() => expect(started.mock.calls.at(-1)?.[1]).toBeGreaterThan(1e9), 10_000);
    const timer = started.mock.results.at(-1)?.value as NodeJS.Timeout;
    started.mockRestore();
    expect(timer.hasRef()).toBe(true);
    mock.faults.clear();
    await expect(hanging).rejects.toThrow(TypeError);
  });

  test('sends no body with 204 and 304, and the headers of GET with HEAD', async () => {
    const shown = await fetch(`${campaign}.json`, { headers });
    const head = await fetch(`${campaign}.json`, { method: 'HEAD', headers });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, shown.headers.get('etag'), '']);
    const gone = await fetch(`${campaign}.json`, { method: 'DELETE', headers });
    expect([gone.status, gone.body]).toEqual([204, null]);
  });

  test('responds to clients of node:https', async () => {
    const status = await new Promise((resolve, reject) => {
      https
        .get(`${campaign}.json`, { headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
        .on('error', reject);
    });
    expect(status).toBe(200);
  });

  test('rejects an aborted request with its reason', async () => {
    mock.faults.add({ effect: { delay: 5000 } });
    const signal = AbortSignal.timeout(30);
    await expect(fetch(`${campaign}.json`, { headers, signal })).rejects.toThrow(/timeout|aborted/i);
  });
});
