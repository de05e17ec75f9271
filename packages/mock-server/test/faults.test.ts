import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createMarketplaceMock } from '../src/index.js';

const mock = createMarketplaceMock();
const server = setupServer(...mock.handlers);
const address = `${mock.baseUrl}/organizations/5.json`;
const headers = { Authorization: `Bearer ${mock.tokens.ada_write}`, Accept: 'application/json' };

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => mock.reset());
afterAll(() => server.close());

describe.each([
  ['MSW on Node', (...given: Parameters<typeof fetch>) => fetch(...given)],
  ['mock.fetch', mock.fetch],
])('faults through %s', (_, ask) => {
  const show = (init: RequestInit = {}) => ask(address, { headers, ...init });

  test('status responds with an error like the API', async () => {
    const { id } = mock.faults.add({
      match: { operation: 'organizations.get' },
      effect: { status: 503, retryAfter: 1 },
      times: 2,
    });
    const answer = await show();
    expect([answer.status, answer.statusText, answer.headers.get('retry-after')]).toEqual([
      503,
      'Service Unavailable',
      '1',
    ]);
    expect(await answer.json()).toEqual({ error: expect.any(String) });
    expect((await show()).status).toBe(503);
    expect((await show()).status).toBe(200);
    expect(mock.faults.get(id)).toMatchObject({ seen: 2, hits: 2 });
  });

  test('delay delays the response', async () => {
    mock.faults.add({ effect: { delay: 60 } });
    const started = performance.now();
    await show();
    expect(performance.now() - started).toBeGreaterThanOrEqual(58);
  });

  test('hang lasts until the client aborts', async () => {
    mock.faults.add({ effect: 'hang' });
    await expect(show({ signal: AbortSignal.timeout(60) })).rejects.toThrow(/timeout|aborted/i);
  });

  test('hang ends with a network error when faults are cleared', async () => {
    const { id } = mock.faults.add({ effect: 'hang' });
    const broken = expect(show()).rejects.toThrow(TypeError);
    await vi.waitFor(() => expect(mock.faults.get(id).hits).toBe(1), 10_000);
    mock.faults.clear();
    await broken;
  });

  test('drop is a network error', async () => {
    mock.faults.add({ effect: { drop: true } });
    await expect(show()).rejects.toThrow(TypeError);
    await expect(show({ method: 'HEAD' })).rejects.toThrow(TypeError);
    expect(mock.requests.list()).toMatchObject([{ status: null }, { status: null, method: 'HEAD' }]);
  });

  test('truncate ends the body early', async () => {
    mock.faults.add({ effect: { truncate: 20 } });
    const answer = await show();
    expect(answer.status).toBe(200);
    await expect(answer.json()).rejects.toThrow();
  });

  test('malformed and wrongType change the body', async () => {
    mock.faults.add({ effect: 'malformed', times: 1 });
    mock.faults.add({ effect: 'wrongType', times: 1 });
    await expect((await show()).json()).rejects.toThrow(SyntaxError);
    const page = await show();
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await show()).headers.get('content-type')).toContain('application/json');
  });

  test('slowBody limits the speed of the body', async () => {
    const { length } = await (await show()).text();
    mock.faults.add({ effect: { slowBody: length * 5 } });
    const started = performance.now();
    expect(((await (await show()).json()) as { id: number }).id).toBe(5);
    expect(performance.now() - started).toBeGreaterThanOrEqual(100);
  });

  test('slowBody ends when the client aborts', async () => {
    mock.faults.add({ effect: { slowBody: 10 } });
    const giveUp = new AbortController();
    const answer = await show({ signal: giveUp.signal });
    const text = expect(answer.text()).rejects.toThrow(/aborted/i);
    giveUp.abort();
    await text;
  });

  test('staleEtag responds with 304', async () => {
    mock.faults.add({ effect: 'staleEtag' });
    const stale = await show({ headers: { ...headers, 'If-None-Match': 'W/"old"' } });
    expect([stale.status, stale.headers.get('etag')]).toEqual([304, 'W/"old"']);
  });
});
