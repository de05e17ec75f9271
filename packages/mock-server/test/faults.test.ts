import { createMarketplaceMock } from '@mkt/mock-server';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

const mock = createMarketplaceMock();
const server = setupServer(...mock.handlers);
const address = `${mock.baseUrl}/organizations/5.json`;
const headers = { Authorization: `Bearer ${mock.tokens.ada_write}`, Accept: 'application/json' };

beforeAll(() => server.listen(mock.guard));
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

  test('a delay can be a range, spread evenly', async () => {
    mock.faults.add({ effect: { delay: [20, 60] } });
    const delays = [];
    for (let n = 0; n < 4; n++) {
      await show();
      delays.push(mock.requests.list().at(-1)?.duration ?? 0);
    }
    // The multiples of the golden ratio: 0.62, 0.24, 0.85, 0.47 of the range.
    for (const [n, least] of [45, 29, 54, 39].entries()) expect(delays[n]).toBeGreaterThanOrEqual(least - 2);
  });

  test('a delay can precede any other effect', async () => {
    mock.faults.add({ effect: { delay: 60, status: 503 } });
    const started = performance.now();
    expect((await show()).status).toBe(503);
    expect(performance.now() - started).toBeGreaterThanOrEqual(58);
  });

  test('patch replaces fields, in lists those of every item, and removes the ETag', async () => {
    mock.faults.add({ effect: { patch: { name: 'Patched', logo: null } } });
    const patched = await show();
    expect([patched.status, patched.headers.get('etag')]).toEqual([200, null]);
    expect(await patched.json()).toMatchObject({ id: 5, name: 'Patched', logo: null });
    const list = (await (await ask(`${mock.baseUrl}/organizations.json`, { headers })).json()) as { name: string }[];
    expect(new Set(list.map(({ name }) => name))).toEqual(new Set(['Patched']));
    const missing = await ask(`${mock.baseUrl}/organizations/99.json`, { headers });
    expect([missing.status, await missing.json()]).toEqual([404, { error: expect.any(String) }]);
  });

  test('a patch that adds or removes items sets the totals', async () => {
    const campaigns = () => ask(`${mock.baseUrl}/organizations/5/campaigns.json`, { headers });
    const totals = ({ headers }: Response) => [headers.get('total-count'), headers.get('total-pages')];
    mock.faults.add({ effect: { patch: () => [] }, times: 1 });
    mock.faults.add({ effect: { patch: (list: object[]) => list.slice(0, 2) }, times: 1 });
    mock.faults.add({ effect: { patch: (list: object[]) => list.toReversed() }, times: 1 });
    expect(totals(await campaigns())).toEqual(['0', '1']);
    expect(totals(await campaigns())).toEqual(['2', '1']);
    expect(totals(await campaigns())).toEqual(['45', '3']);
  });

  test('patch can be a function', async () => {
    mock.faults.add({
      match: { operation: 'campaigns.list' },
      effect: { patch: (campaigns: { name: string }[]) => campaigns.slice(0, 2).map(({ name }) => ({ title: name })) },
    });
    const list = await ask(`${mock.baseUrl}/organizations/5/campaigns.json`, { headers });
    expect(await list.json()).toEqual([{ title: 'Summer UGC Campaign' }, { title: expect.any(String) }]);
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
    // As Node's fetch does.
    await expect(answer.json()).rejects.toThrow(new TypeError('terminated'));
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

test('a fault for a user that cannot exist is rejected', async () => {
  const user = String('ann');
  const add = () => mock.faults.add({ match: { user }, effect: 'drop' });
  expect(add).toThrow('fault.match.user must be an id such as usr_ada or an e-mail address. It is ann.');
  expect(mock.faults.list()).toEqual([]);
  // Users of a seed can have other ids.
  await mock.seed({ users: { mia: { id: 'ann' } } });
  expect(add().match?.user).toBe('ann');
  await mock.reset();
  expect(add).toThrow();
});
