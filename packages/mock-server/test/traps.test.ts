import https from 'node:https';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createMarketplaceMock } from '../src/index.js';

// What MSW 2 does differently from a network, and what the mock makes of it. Faults have their own tests.
const mock = createMarketplaceMock();
const server = setupServer(...mock.handlers);
const headers = { Authorization: `Bearer ${mock.tokens.ada_write}`, Accept: 'application/json' };
const campaign = `${mock.baseUrl}/organizations/5/campaigns/1`;

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => mock.reset());
afterAll(() => server.close());

describe('traps of MSW', () => {
  test('default request headers are absent: a call without Accept gets the page, as it does from a server', async () => {
    const page = await fetch(`${campaign}.json`, { headers: { Authorization: headers.Authorization } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('Accept: application/json');
  });

  test('Content-Length is absent too: a body is counted, and one that is too large is refused', async () => {
    const body = JSON.stringify({ campaign: { brief: 'x'.repeat(1024 * 1024) } });
    const init = { method: 'PATCH', headers: { ...headers, 'Content-Type': 'application/json' }, body };
    const refused = await fetch(`${campaign}.json`, init);
    expect([refused.status, refused.statusText]).toEqual([413, 'Payload Too Large']);
  });

  test('a plain Response has no reason phrase: the mock gives the one that servers send', async () => {
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
  });

  test('cookies do not work in MSW on Node: the mock sets none, and asks for a bearer token', async () => {
    const answer = await fetch(`${campaign}.json`, { headers });
    expect(answer.headers.getSetCookie()).toEqual([]);
    const withCookie = await fetch(`${campaign}.json`, { headers: { Accept: 'application/json', Cookie: 'sid=1' } });
    expect(withCookie.status).toBe(401);
  });

  test('compression would cost time twice: bodies are never compressed', async () => {
    const answer = await fetch(`${campaign}.json`, { headers: { ...headers, 'Accept-Encoding': 'gzip, br' } });
    expect(answer.headers.get('content-encoding')).toBeNull();
  });

  test('a handler that never answers keeps no process alive: what hangs holds a timer', async () => {
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

  test('a 204 and a 304 have no body, HEAD has the headers of GET', async () => {
    const shown = await fetch(`${campaign}.json`, { headers });
    const head = await fetch(`${campaign}.json`, { method: 'HEAD', headers });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, shown.headers.get('etag'), '']);
    const gone = await fetch(`${campaign}.json`, { method: 'DELETE', headers });
    expect([gone.status, gone.body]).toEqual([204, null]);
  });

  test('clients over node:https are answered as well', async () => {
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

  test('an abort is seen: the request rejects with its reason', async () => {
    mock.faults.add({ effect: { delay: 5000 } });
    const signal = AbortSignal.timeout(30);
    await expect(fetch(`${campaign}.json`, { headers, signal })).rejects.toThrow(/timeout|aborted/i);
  });
});
