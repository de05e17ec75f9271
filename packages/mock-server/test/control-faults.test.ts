import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { marketplace } from './control-marketplace.js';

let market: Awaited<ReturnType<typeof marketplace>>;
beforeAll(async () => {
  market = await marketplace();
});
afterEach(() => market.control('POST', '/reset'));
afterAll(() => market.close());

const campaigns = '/organizations/5/campaigns.json';
const fault = async (rule: object): Promise<string> => {
  const { status, body } = await market.control('POST', '/faults', rule);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.id;
};
const list = () => market.call('GET', campaigns);

describe('the effects of faults, on a real server', () => {
  test('status rejects the request with an error of the API, without any effect', async () => {
    await fault({ match: { operation: 'campaigns.create' }, effect: { status: 503, retryAfter: 7 } });
    const answer = await market.call('POST', campaigns, { body: { campaign: { name: 'Lost' } } });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7']);
    expect(await answer.json()).toEqual({ error: expect.stringContaining('503') });
    expect((await list()).headers.get('total-count')).toBe('45');
  });

  test('status 422 has messages by field, status 401 names the authentication scheme', async () => {
    await fault({ match: { method: 'post' }, effect: { status: 422, errors: { name: ['Name is taken.'] } } });
    const invalid = await market.call('POST', campaigns, { body: { campaign: {} } });
    expect([invalid.status, await invalid.json()]).toEqual([422, { errors: { name: ['Name is taken.'] } }]);
    await fault({ effect: { status: 401, message: 'Gone.' } });
    const unauthorized = await list();
    expect(unauthorized.headers.get('www-authenticate')).toBe('Token realm="Application"');
    expect(await unauthorized.json()).toEqual({ error: 'Gone.' });
  });

  test('delay delays the response', async () => {
    await fault({ effect: { delay: 120 }, times: 1 });
    const started = performance.now();
    expect((await list()).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(115);
  });

  test('delay may be longer than the maximum of a timer', async () => {
    await fault({ effect: { delay: 2 ** 31 } });
    await expect(fetch(market.url + campaigns, { signal: AbortSignal.timeout(100) })).rejects.toThrow(
      /aborted|timeout/i,
    );
  });

  test('hang sends no response until the client gives up', async () => {
    await fault({ effect: 'hang' });
    const signal = AbortSignal.timeout(80);
    await expect(fetch(market.url + campaigns, { signal })).rejects.toThrow(/aborted|timeout/i);
  });

  test('hang ends when faults are cleared', async () => {
    const id = await fault({ effect: 'hang' });
    const hanging = expect(list()).rejects.toMatchObject({ cause: { code: 'UND_ERR_SOCKET' } });
    const hits = async () => (await market.control('GET', `/faults/${id}`)).body.hits;
    await vi.waitUntil(async () => (await hits()) === 1, { timeout: 20_000 });
    await market.control('DELETE', '/faults');
    await hanging;
  });

  test('drop closes the connection before the response', async () => {
    await fault({ effect: { drop: true }, times: 1 });
    await expect(list()).rejects.toMatchObject({ cause: { code: 'UND_ERR_SOCKET' } });
    expect((await list()).status).toBe(200);
  });

  test('truncate closes the connection in the middle of the body', async () => {
    await fault({ effect: { truncate: 100 }, times: 1 });
    const answer = await list();
    expect(answer.status).toBe(200);
    let received = 0;
    await expect(
      (async () => {
        for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) received += chunk.length;
      })(),
    ).rejects.toThrow('terminated');
    expect(received).toBe(100);
  });

  test('malformed sends a complete response that is not JSON', async () => {
    await fault({ effect: 'malformed', times: 1 });
    const answer = await list();
    expect(answer.headers.get('content-type')).toContain('application/json');
    const text = await answer.text();
    expect(text.length).toBeGreaterThan(100);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  test('wrongType sends a page instead of the JSON', async () => {
    await fault({ effect: 'wrongType', times: 1 });
    const answer = await market.call('GET', '/organizations/5.json');
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, null]);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(await answer.text()).toContain('<!doctype html>');
  });

  test('slowBody sends the given number of bytes per second', async () => {
    const whole = (await (await market.call('GET', '/organizations/7.json')).text()).length;
    await fault({ effect: { slowBody: whole * 4 }, times: 1 });
    const started = performance.now();
    const answer = await market.call('GET', '/organizations/7.json');
    expect(((await answer.json()) as { id: number }).id).toBe(7);
    expect(performance.now() - started).toBeGreaterThanOrEqual(150);
  });

  test('staleEtag responds with 304 to changed resources; requests without If-None-Match are not counted', async () => {
    const address = '/organizations/5/campaigns/1.json';
    const etag = (await market.call('GET', address)).headers.get('etag') as string;
    await market.call('PATCH', address, { body: { campaign: { name: 'Changed' } } });
    const id = await fault({ effect: 'staleEtag' });
    const stale = await market.call('GET', address, { headers: { 'If-None-Match': etag } });
    expect([stale.status, stale.headers.get('etag'), await stale.text()]).toEqual([304, etag, '']);
    expect((await market.call('GET', address)).status).toBe(200);
    expect((await market.control('GET', `/faults/${id}`)).body).toMatchObject({ seen: 1, hits: 1 });
  });

  test('responses without a body (HEAD, 204, 303) do not change', async () => {
    await fault({ effect: 'malformed' });
    expect((await market.call('HEAD', campaigns)).status).toBe(200);
    const manual = {
      method: 'POST',
      redirect: 'manual',
      headers: { Authorization: 'Bearer mkt_demo_ada_write' },
    } as const;
    const moved = await fetch(`${market.url}/organizations/5/campaigns/1/publish`, manual);
    expect([moved.status, await moved.text()]).toEqual([303, '']);
    expect((await market.call('DELETE', '/organizations/5/campaigns/10.json')).status).toBe(204);
  });

  test('responses of faults have CORS headers and a request id like all others (D16, D17)', async () => {
    await fault({ effect: { status: 500 } });
    const answer = await market.call('GET', campaigns, {
      headers: { Origin: 'http://localhost:5173', 'X-Request-Id': 'mine' },
    });
    expect(answer.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(answer.headers.get('x-request-id')).toBe('mine');
  });
});

describe('faults apply by counting requests, not at random', () => {
  const statuses = async (count: number): Promise<number[]> => {
    const seen = [];
    for (let turn = 0; turn < count; turn++) seen.push((await list()).status);
    return seen;
  };

  test('times limits how many requests a fault applies to', async () => {
    const id = await fault({ effect: { status: 500 }, times: 2 });
    expect(await statuses(4)).toEqual([500, 500, 200, 200]);
    expect((await market.control('GET', `/faults/${id}`)).body).toMatchObject({ seen: 2, hits: 2, times: 2 });
  });

  test('after skips requests, every selects each n-th of the rest', async () => {
    await fault({ effect: { status: 500 }, after: 1, every: 2, times: 2 });
    expect(await statuses(7)).toEqual([200, 200, 500, 200, 500, 200, 200]);
  });

  test('the first rule that applies takes the request; the others do not count it', async () => {
    const first = await fault({ effect: { status: 500 }, every: 2 });
    const second = await fault({ effect: { status: 502 } });
    expect(await statuses(4)).toEqual([502, 500, 502, 500]);
    const { body } = await market.control('GET', '/faults');
    expect(body.map(({ id, seen, hits }: Record<string, unknown>) => [id, seen, hits])).toEqual([
      [first, 4, 2],
      [second, 2, 2],
    ]);
  });

  test('match selects requests by operation, method, path and user', async () => {
    await fault({ match: { operation: 'campaigns.get' }, effect: { status: 501 } });
    await fault({ match: { path: '/organizations/*/collabs' }, effect: { status: 502 } });
    await fault({ match: { user: 'ben@acme.example' }, effect: { status: 503 } });
    await fault({ match: { method: 'DELETE', user: 'usr_ada' }, effect: { status: 504 } });
    const status = async (method: string, path: string, token?: string) =>
      (await market.call(method, path, token === undefined ? {} : { token })).status;
    expect(await status('GET', '/organizations/5/campaigns/1.json')).toBe(501);
    expect(await status('HEAD', '/organizations/5/campaigns/1.json')).toBe(501);
    expect(await status('GET', '/organizations/5/collabs.json?page=2')).toBe(502);
    expect(await status('GET', '/organizations.json', 'mkt_demo_ben_write')).toBe(503);
    expect(await status('GET', '/organizations.json')).toBe(200);
    expect(await status('DELETE', '/organizations/5/campaigns/2.json')).toBe(504);
  });

  test('faults neither apply to preflights nor count them', async () => {
    const id = await fault({ match: { path: '/organizations/*' }, effect: { status: 503 }, times: 1 });
    expect((await market.call('OPTIONS', campaigns)).status).toBe(204);
    expect(await statuses(2)).toEqual([503, 200]);
    expect((await market.control('GET', `/faults/${id}`)).body).toMatchObject({ seen: 1, hits: 1 });
  });

  test('a removed rule no longer applies', async () => {
    const id = await fault({ effect: { status: 500 } });
    expect((await market.control('DELETE', `/faults/${id}`)).body).toBe(true);
    expect(await statuses(1)).toEqual([200]);
    expect((await market.control('DELETE', `/faults/${id}`)).body).toBe(false);
    expect((await market.control('GET', `/faults/${id}`)).status).toBe(422);
  });

  test.each([
    [{ effect: { status: 200 } }, 'status from 400 to 599'],
    [{ effect: { chance: 0.5 } }, 'must be one effect'],
    [{ match: { operation: 'campaigns.creat' }, effect: 'drop' }, 'is not an operation of the API'],
    [{ effect: 'drop', times: 0 }, '1 or more'],
    [{ effect: 'drop', probability: 1 }, 'accepts only match, effect, times, after and every'],
    [{ match: { method: 'FETCH' }, effect: 'drop' }, 'fault.match.method must be one of GET, HEAD'],
    [{ match: { path: 'organizations/5' }, effect: 'drop' }, 'fault.match.path must start with /'],
    [{ match: { path: '/organizations.json?page=2' }, effect: 'drop' }, 'without a query'],
    [undefined, 'accepts only match, effect'],
  ])('rejects the invalid rule %j with a message', async (rule, sentence) => {
    const { status, body } = await market.control('POST', '/faults', rule);
    expect([status, body.error]).toEqual([422, expect.stringContaining(sentence)]);
    expect((await market.control('GET', '/faults')).body).toEqual([]);
  });
});
