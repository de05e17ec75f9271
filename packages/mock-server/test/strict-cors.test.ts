import { createMarketplaceMock, type MarketplaceMockOptions } from '@mkt/mock-server';
import { describe, expect, test } from 'vitest';

const page = 'http://localhost:5173';
const mocked = (options: MarketplaceMockOptions<'demo'> = {}) => {
  const mock = createMarketplaceMock({ strictCors: page, ...options });
  const headers = { Authorization: `Bearer ${mock.tokens.ada_write}`, Accept: 'application/json' };
  return {
    mock,
    ask: (path: string, init: RequestInit = {}) =>
      mock.fetch(mock.baseUrl + path, { ...init, headers: { ...headers, ...init.headers } }),
  };
};

describe('without strictCors', () => {
  test('pages of any origin can read every header, also where the client checks CORS', async () => {
    const mock = createMarketplaceMock();
    const headers = {
      Authorization: `Bearer ${mock.tokens.ada_read}`,
      Accept: 'application/json',
      Origin: 'https://shop.example',
    };
    const list = await mock.fetch('/organizations/5/campaigns.json', { headers });
    expect(list.headers.get('access-control-allow-origin')).toBe('*');
    expect(list.headers.get('access-control-expose-headers')).toContain('Total-Count');
  });
});

describe('strictCors', () => {
  test('hides headers that are not exposed (D16)', async () => {
    const list = await mocked().ask('/organizations/5/campaigns.json');
    expect(list.headers.get('total-count')).toBe('45');
    expect(list.headers.get('x-request-id')).not.toBeNull();
    expect(list.headers.get('vary')).toBeNull();
    const open = createMarketplaceMock();
    const all = await open.fetch(`${open.baseUrl}/organizations.json`, { headers: { Accept: 'application/json' } });
    expect(all.headers.get('vary')).not.toBeNull();
  });

  test('rejects with a network error if the server does not allow the origin', async () => {
    for (const cors of ['off', ['https://app.example.com']] as const) {
      await expect(mocked({ cors }).ask('/organizations.json')).rejects.toThrow(TypeError);
    }
    expect((await mocked({ cors: [page] }).ask('/organizations.json')).status).toBe(200);
    expect((await mocked({ cors: '*' }).ask('/organizations.json')).status).toBe(200);
  });

  test('does not send a request whose headers the preflight does not allow', async () => {
    const { mock, ask } = mocked();
    const method = 'DELETE';
    await expect(ask('/organizations/5/campaigns/1.json', { method, headers: { 'X-Custom': 'yes' } })).rejects.toThrow(
      TypeError,
    );
    expect(mock.requests.list()).toEqual([]);
    expect((await ask('/organizations/5/campaigns/1.json', { method })).status).toBe(204);
  });

  test('does not count headers that browsers set themselves', async () => {
    const ownHeaders = {
      Origin: page,
      Referer: `${page}/`,
      'User-Agent': 'Chromium',
      'Accept-Encoding': 'gzip',
      'Sec-Fetch-Mode': 'cors',
      DNT: '1',
    };
    const { ask } = mocked();
    expect((await ask('/organizations.json', { headers: ownHeaders })).status).toBe(200);
  });

  test('keeps the headers of errors and 304', async () => {
    const { ask } = mocked();
    const etag = (await ask('/organizations/5.json')).headers.get('etag') as string;
    const same = await ask('/organizations/5.json', { headers: { 'If-None-Match': etag } });
    expect([same.status, same.headers.get('etag')]).toEqual([304, etag]);
    const refused = await ask('/organizations.json', { headers: { Authorization: 'Bearer nonsense' } });
    expect(refused.headers.get('www-authenticate')).toBe('Token realm="Application"');
  });

  test('normalizes the calling origin and rejects an invalid one immediately', async () => {
    expect(
      (await mocked({ strictCors: 'HTTP://App.Example/', cors: ['http://app.example'] }).ask('/me/address.json'))
        .status,
    ).toBe(200);
    for (const strictCors of ['localhost:5173', 'app.example', ''])
      expect(() => mocked({ strictCors })).toThrow('The option strictCors must be a URL such as http://localhost:5173');
  });

  test('hides nothing from the same origin', async () => {
    const { ask } = mocked({ strictCors: 'https://api.example.com' });
    expect((await ask('/organizations.json')).headers.get('vary')).not.toBeNull();
  });

  test('does not apply to <img>', async () => {
    const { mock, ask } = mocked({ cors: 'off' });
    const image = `/images/${(await mock.snapshot()).tables.images?.map((row) => Object.values(row)[0])[0]}`;
    await expect(ask(image)).rejects.toThrow(TypeError);
    expect((await mock.fetch(mock.baseUrl + image, { mode: 'no-cors' })).status).toBe(200);
  });

  test('applies faults to requests, not to preflights', async () => {
    const { mock, ask } = mocked();
    mock.faults.add({ effect: { status: 503 }, times: 1 });
    expect((await ask('/organizations.json')).status).toBe(503);
    expect((await ask('/organizations.json')).status).toBe(200);
  });
});
