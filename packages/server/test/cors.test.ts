import { beforeEach, describe, expect, test } from 'vitest';
import { type Api, demoApi } from './support/api.js';

let api: Api;
beforeEach(async () => {
  api = await demoApi();
});

const campaign = '/organizations/5/campaigns/1.json';

describe('CORS (D16)', () => {
  const from = (origin: string, method = 'GET', path = campaign, headers = {}) =>
    api.call('ada_write', method, path, { headers: { origin, ...headers } });
  const allowed = async (origin: string) => (await from(origin)).headers.get('access-control-allow-origin');

  test('allows only pages on this machine, with any port', async () => {
    for (const origin of [
      'http://localhost:5173',
      'http://127.0.0.1:3000',
      'https://localhost',
      'http://[::1]:80',
      'http://app.localhost:1',
    ]) {
      expect(await allowed(origin)).toBe(origin);
    }
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost.evil.example',
      'http://127.0.0.1.evil.example',
      'nonsense',
    ]) {
      expect(await allowed(origin)).toBeNull();
    }
  });

  test('allows a list, all origins, or none', async () => {
    api = await demoApi({ cors: ['https://app.example'] });
    expect(await allowed('https://app.example')).toBe('https://app.example');
    expect(await allowed('http://localhost:1')).toBeNull();
    api = await demoApi({ cors: '*' });
    expect(await allowed('https://evil.example')).toBe('*');
    api = await demoApi({ cors: 'off' });
    expect(await allowed('http://localhost:1')).toBeNull();
  });

  test('on every response, errors and 304 included, with the headers that scripts may read', async () => {
    const etag = (await from('http://localhost:1')).headers.get('etag') as string;
    const answers = [
      await from('http://localhost:1', 'GET', campaign, { 'if-none-match': etag }),
      await from('http://localhost:1', 'GET', '/nope'),
      await from('http://localhost:1', 'PUT', campaign),
      await from('http://localhost:1', 'DELETE', campaign),
      await from('http://localhost:1', 'POST', '/organizations/5/campaigns/3/pause'),
      await api.call('nope', 'GET', campaign, { headers: { origin: 'http://localhost:1' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([304, 404, 405, 204, 303, 401]);
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe('http://localhost:1');
      const exposed = headers.get('access-control-expose-headers')?.split(', ');
      expect(exposed).toEqual(
        expect.arrayContaining([
          'Total-Count',
          'Total-Pages',
          'Current-Page',
          'Page-Items',
          'ETag',
          'Location',
          'Retry-After',
          'WWW-Authenticate',
          'X-Request-Id',
        ]),
      );
    }
  });

  test('preflights need no token', async () => {
    const { status, headers } = await api.call(null, 'OPTIONS', campaign, {
      accept: null,
      headers: {
        origin: 'http://localhost:1',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization',
      },
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('http://localhost:1');
    expect(headers.get('access-control-allow-methods')).toContain('PATCH');
    expect(headers.get('access-control-allow-headers')).toMatch(/Authorization.*Content-Type.*If-None-Match/);
    expect((await api.call(null, 'OPTIONS', '/nope', { headers: { origin: 'http://localhost:1' } })).status).toBe(404);
  });

  test.each([{ origin: 'https://evil.example' }, { origin: 'null' }, {}])(
    'a preflight of %j learns which methods there are, and gets no CORS headers',
    async (headers) => {
      const asked = { ...headers, 'access-control-request-method': 'PATCH' };
      const answer = await api.call(null, 'OPTIONS', campaign, { headers: asked });
      expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, HEAD, PATCH, DELETE']);
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    },
  );
});

test('request ids: a well-formed one is echoed, else a new one is given (D17)', async () => {
  const id = async (given?: string) =>
    (await api.call('ada_write', 'GET', campaign, given ? { headers: { 'x-request-id': given } } : {})).headers.get(
      'x-request-id',
    );
  expect(await id('abc-1.2_3:4')).toBe('abc-1.2_3:4');
  for (const odd of ['a b', '<x>', 'x'.repeat(129), 'ü']) expect(await id(odd)).not.toBe(odd);
  expect(await id()).not.toBe(await id());
  for (const secret of ['mkt_demo_ada_write', 'a:MKT_demo', 'a-mkt_x']) expect(await id(secret)).not.toMatch(/mkt/i);
  expect((await api.call(null, 'GET', '/nope')).headers.get('x-request-id')).toMatch(/^[\w.:-]+$/);
});

test('an unexpected failure is a plain 500 and is reported, without its reason', async () => {
  const errors: unknown[] = [];
  api = await demoApi({
    onError: (error) => errors.push(error),
    rules: {
      ...(await import('../src/index.js')).rules,
      'campaigns.get': async () => {
        throw new Error('secret detail');
      },
    },
  });
  const { status, text } = await api.call('ada_write', 'GET', campaign);
  expect(status).toBe(500);
  expect(text).not.toContain('secret detail');
  expect(errors).toHaveLength(1);
});
