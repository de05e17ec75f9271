import { endpoints, exampleIdsOf } from '@mkt/sdk/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Api, demoApi } from './support/api.js';

let api: Api;
beforeEach(async () => {
  api = await demoApi();
});

const campaigns = '/organizations/5/campaigns.json';
const campaign = '/organizations/5/campaigns/1.json';

describe('paging (D1-D4)', () => {
  const page = (query: string, who = 'ada_write', path = campaigns) => api.call(who, 'GET', path + query);

  test('returns 20 items per page, and totals in headers', async () => {
    const { body, headers } = await page('?page=3');
    expect(body.map(({ id }: { id: number }) => id)).toEqual([41, 42, 43, 44, 45]);
    const names = ['total-count', 'total-pages', 'current-page', 'page-items'];
    expect(names.map((name) => headers.get(name))).toEqual(['45', '3', '3', '20']);
  });

  test('a page past the last one is an empty list with the true totals', async () => {
    for (const number of ['4', '999999999999', '9'.repeat(40)]) {
      const { status, body, headers } = await page(`?page=${number}`);
      expect([status, body, headers.get('total-count'), headers.get('current-page')]).toEqual([200, [], '45', number]);
    }
  });

  test('rejects everything except positive whole numbers with 400', async () => {
    for (const query of [
      '?page=',
      '?page',
      '?page=01',
      '?page=0',
      '?page=-1',
      '?page=1.5',
      '?page=x',
      '?page=1&page=2',
      '?page=+1',
      '?page=%201',
      '?page=1e3',
      '?page=１',
    ]) {
      const { status, body } = await page(query);
      expect([query, status, Object.keys(body)]).toEqual([query, 400, ['error']]);
    }
  });

  test('ignores per_page and other parameters', async () => {
    expect((await page('?per_page=5&page=1&x=y&page[size]=5')).body).toHaveLength(20);
  });

  test('every list is paginated; an empty list has one page', async () => {
    const lists = endpoints.filter(({ paginated }) => paginated);
    expect(lists.length).toBeGreaterThanOrEqual(6);
    for (const { path } of lists) {
      const { status, headers } = await page(
        '?page=1',
        'ada_write',
        path.replace(':organization_id', '5').replace(/:[a-z_]+/, '3'),
      );
      expect([path, status, headers.get('current-page')]).toEqual([path, 200, '1']);
    }
    const empty = await page('', 'eve_write', '/organizations.json');
    expect([empty.headers.get('total-count'), empty.headers.get('total-pages')]).toEqual(['0', '1']);
  });

  test('the operator of the server sets the page size (D1)', async () => {
    api = await demoApi({ pageSize: 7 });
    const { body, headers } = await page('');
    expect([body.length, headers.get('total-pages'), headers.get('page-items')]).toEqual([7, '7', '7']);
  });
});

describe('the format of responses (D5)', () => {
  test.each([
    ['application/json', true],
    ['application/json, text/plain, */*', true],
    ['text/html, application/json;q=0.5', true],
    ['APPLICATION/JSON', true],
    ['application/json;charset=utf-8', true],
    ['*/*', false],
    ['text/html', false],
    ['application/*', false],
    ['application/json;q=0', false],
    ['application/vnd.api+json', false],
    ['', false],
    [null, false],
  ])('Accept: %s', async (accept, json) => {
    for (const path of [campaign, campaign.replace('.json', '')]) {
      const { status, headers } = await api.call('ada_write', 'GET', path, { accept });
      expect([status, headers.get('content-type')?.split(';')[0]]).toEqual([
        200,
        json ? 'application/json' : 'text/html',
      ]);
    }
  });

  test('responses vary by Accept and Authorization, and are private', async () => {
    const { headers } = await api.call('ada_write', 'GET', campaign);
    expect(headers.get('vary')).toBe('Accept, Accept-Encoding, Authorization, Origin');
    expect(headers.get('cache-control')).toBe('max-age=0, private, must-revalidate');
    for (const banner of ['server', 'x-powered-by']) expect(headers.get(banner)).toBeNull();
  });
});

describe('errors (D6, D7)', () => {
  test('responds to unknown routes with 404, to other methods on known paths with 405 and Allow', async () => {
    for (const who of ['ada_write', null]) {
      for (const path of [
        '/',
        '/nope',
        '/organizations/',
        '/organizations/5/campaigns/1/explode',
        '/me',
        '//organizations.json',
        '/organizations.xml',
      ]) {
        const { status, body } = await api.call(who, 'GET', path);
        expect([path, status, Object.keys(body)]).toEqual([path, 404, ['error']]);
      }
      const { status, headers } = await api.call(who, 'PUT', campaign);
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, PATCH, DELETE']);
      expect((await api.call(who, 'DELETE', campaigns)).headers.get('allow')).toBe('GET, HEAD, POST');
    }
  });

  test('every endpoint with a body rejects malformed bodies in the same way', async () => {
    const taking = endpoints.filter(({ request }) => request !== null);
    expect(taking).not.toEqual([]);
    for (const endpoint of taking) {
      const { method, path, request, operation } = endpoint;
      const ids = exampleIdsOf(endpoint);
      const address = path.replace(/:([a-z_]+)/g, (_, name) => String(ids[name]));
      const send = (body: unknown, type = 'application/json') =>
        api.call('ada_write', method, address, { body, headers: { 'content-type': type } });
      for (const body of [
        '{',
        'null',
        '[]',
        '"x"',
        '5',
        '{"a":',
        '\ufeff{',
        new Uint8Array([0x7b, 0xff, 0x7d]),
        `{"${request?.wrapper}":[]}`,
        `{"${request?.wrapper}":"x"}`,
        `{"${request?.wrapper}":null}`,
      ]) {
        const answer = await send(body);
        expect([operation, body, answer.status]).toEqual([operation, body, 400]);
        expect(answer.body.error).toMatch(/[.}]$/);
      }
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/xml',
        'application/json5',
        '',
      ]) {
        expect([operation, type, (await send('{}', type)).status]).toEqual([operation, type, 415]);
      }
      const missing = await send('{}');
      expect([operation, missing.status]).toEqual([operation, request?.optional === true ? 201 : 400]);
    }
  });

  test('accepts forms only for organizations, and rejects malformed forms with 400', async () => {
    const multipart = { 'content-type': 'multipart/form-data; boundary=b' };
    expect((await api.call('ada_write', 'POST', campaigns, { body: '--b--', headers: multipart })).status).toBe(415);
    for (const body of ['--b', 'nonsense', '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--']) {
      expect((await api.call('ada_write', 'POST', '/organizations.json', { body, headers: multipart })).status).toBe(
        400,
      );
    }
    const unbound = { 'content-type': 'multipart/form-data' };
    expect(
      (await api.call('ada_write', 'POST', '/organizations.json', { body: '--b--', headers: unbound })).status,
    ).toBe(400);
    const flat = new FormData();
    flat.set('name', 'x');
    for (const form of [new FormData(), flat]) {
      const { status, body } = await api.call('ada_write', 'POST', '/organizations.json', { body: form });
      expect([status, body.error]).toEqual([
        400,
        'The body must contain "organization": name the fields of the form organization[...].',
      ]);
    }
  });

  test('rejects form text that is not UTF-8 with 400, as in JSON, so that text is never stored changed (D19)', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const post = (name: readonly number[]) => {
      const [before, after] = [
        '--b\r\nContent-Disposition: form-data; name="organization[name]"\r\n\r\n',
        '\r\n--b--\r\n',
      ];
      const encoder = new TextEncoder();
      const body = new Uint8Array([...encoder.encode(before), ...name, ...encoder.encode(after)]);
      return api.call('eve_write', 'POST', '/organizations.json', { body, headers });
    };
    expect((await post([0x61, 0xff, 0xc3])).status).toBe(400);
    expect((await post([0x61, 0xef, 0xbf, 0xbd])).body.name).toBe('a\ufffd');
    expect((await post([0xc3, 0xa9])).body.name).toBe('é');
  });

  test('reads an endless body up to a limit, then responds with 413', async () => {
    const chunk = new Uint8Array(1024 * 1024);
    let pulled = 0;
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(chunk);
      },
      cancel() {
        isCancelled = true;
      },
    });
    const headers = { 'content-type': 'application/json' };
    const { status } = await api.call('ada_write', 'POST', '/organizations.json', { body, headers });
    expect([status, isCancelled]).toEqual([413, true]);
    expect(pulled).toBeLessThan(70);
  });

  test('rejects JSON over 1 MiB and forms over 10 MiB with 413', async () => {
    const json = (bytes: number) => `{"organization":{"name":"${'x'.repeat(bytes)}"}}`;
    const headers = { 'content-type': 'application/json' };
    const post = (body: BodyInit) =>
      api.call('eve_write', 'POST', '/organizations.json', { body, ...(typeof body === 'string' ? { headers } : {}) });
    expect((await post(json(1024 * 1024))).status).toBe(413);
    expect((await post(json(1024 * 1024 - 100))).status).toBe(422);
    const form = new FormData();
    form.set('organization[name]', 'x'.repeat(10 * 1024 * 1024));
    expect((await post(form)).status).toBe(413);
  });

  test('rejects other content types with 415 at any size, because the body is not read', async () => {
    const headers = { 'content-type': 'text/plain' };
    const body = 'x'.repeat(2 * 1024 * 1024);
    expect((await api.call('eve_write', 'POST', '/organizations.json', { body, headers })).status).toBe(415);
  });

  test.each(['gzip', 'br', 'GZIP', 'identity, gzip'])(
    'a body in %s is 415, which says how to send it',
    async (encoding) => {
      for (const [type, body] of [
        ['application/json', '\x1f\x8b'],
        ['application/json', '{"organization":{"name":"x"}}'],
        ['multipart/form-data; boundary=b', '\x1f\x8b'],
      ] as const) {
        const headers = { 'content-type': type, 'content-encoding': encoding };
        const answer = await api.call('eve_write', 'POST', '/organizations.json', { body, headers });
        expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'identity']);
        expect(answer.body.error).toContain('Content-Encoding');
      }
      const page = { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': encoding };
      const answer = await api.call('eve_write', 'POST', '/organizations', { body: 'x', headers: page, accept: null });
      expect(answer.status).toBe(415);
    },
  );

  test('accepts the encoding identity, and ignores the encoding without a body', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'identity' };
    const body = '{"organization":{"name":"x"}}';
    expect((await api.call('eve_write', 'POST', '/organizations.json', { body, headers })).status).toBe(201);
    const none = { headers: { 'content-encoding': 'gzip' } };
    expect((await api.call('ada_write', 'POST', '/organizations/5/collabs.json', none)).status).toBe(201);
  });

  test('ignores keys of the prototype', async () => {
    const before = await api.store.dump();
    const body = `{"campaign":{"__proto__":{"name":"x"},"constructor":{"prototype":{"polluted":1}}}}`;
    expect(
      (await api.call('ada_write', 'POST', campaigns, { body, headers: { 'content-type': 'application/json' } }))
        .status,
    ).toBe(422);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(await api.store.dump()).toEqual(before);
  });

  test('ignores the body of endpoints that take none', async () => {
    const nonsense = { body: '{', headers: { 'content-type': 'text/plain' } };
    expect((await api.call('ada_write', 'DELETE', campaign, nonsense)).status).toBe(204);
    expect((await api.call('ada_write', 'POST', '/organizations/5/campaigns/3/pause', nonsense)).status).toBe(303);
  });
});

describe('authentication (D8; api.md, Authentication)', () => {
  test.each([
    ['nothing', null],
    ['an unknown token', 'Bearer nope'],
    ['a revoked token', 'Bearer mkt_demo_ada_revoked'],
    ['no token', 'Bearer '],
    ['another scheme', 'Basic bWt0X2RlbW9fYWRhX3dyaXRl'],
    ['only the token', 'mkt_demo_ada_write'],
    ['two tokens', 'Bearer mkt_demo_ada_write mkt_demo_ada_write'],
    ['another case of the secret', 'Bearer MKT_DEMO_ADA_WRITE'],
  ])('%s: every endpoint responds with 401 and WWW-Authenticate', async (_name, authorization) => {
    const headers: Record<string, string> = authorization === null ? {} : { authorization };
    for (const { method, path } of endpoints) {
      const { status, headers: got, body } = await api.call(null, method, path.replace(/:\w+/g, '5'), { headers });
      expect([path, status, got.get('www-authenticate')]).toEqual([path, 401, 'Token realm="Application"']);
      expect(Object.keys(body)).toEqual(['error']);
    }
  });

  test('accepts the authentication scheme in any letter case', async () => {
    expect(
      (await api.call(null, 'GET', campaign, { headers: { authorization: 'bearer  mkt_demo_ada_read' } })).status,
    ).toBe(200);
  });

  test('a read token can GET and HEAD, and gets 401 for everything else before other checks (D9)', async () => {
    for (const { method, path, scope } of endpoints) {
      const { status } = await api.call('ada_read', method, path.replace(/:\w+/g, '99'), {
        body: method === 'GET' ? undefined : '{',
      });
      if (scope === 'write') expect([path, status]).toEqual([path, 401]);
      else expect(status).not.toBe(401);
    }
  });
});

describe('the order of checks (D9)', () => {
  const nonsense = { body: '{', headers: { 'content-type': 'text/plain' } };

  test('checks organization, resource, role, body, fields and guards in this order', async () => {
    const path = '/organizations/5/campaigns/3.json';
    const patch = (who: string, address: string, options: object) => api.call(who, 'PATCH', address, options);
    expect((await patch('dan_write', path, nonsense)).status).toBe(404);
    expect((await patch('cleo_write', '/organizations/5/campaigns/1.json', nonsense)).status).toBe(404);
    expect((await patch('cleo_write', path, nonsense)).status).toBe(403);
    expect((await patch('ada_write', path, nonsense)).status).toBe(415);
    const wrong = await patch('ada_write', path, { body: { campaign: { name: '', cpm_amount: 1 } } });
    expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ['name']]);
  });

  test('checks the page after visibility', async () => {
    expect((await api.call('dan_write', 'GET', `${campaigns}?page=0`)).status).toBe(404);
    expect((await api.call(null, 'GET', `${campaigns}?page=0`)).status).toBe(401);
  });

  test('checks the rate limit after the route and before the token (D15)', async () => {
    let now = Date.parse('2026-06-01T12:00:13Z');
    api = await demoApi({ rateLimit: { requests: 2, seconds: 60 }, clock: () => now });
    expect((await api.call('nope', 'GET', campaign)).status).toBe(401);
    expect((await api.call('nope', 'GET', campaign)).status).toBe(401);
    const limited = await api.call('nope', 'GET', campaign);
    expect([limited.status, limited.body]).toEqual([429, { error: 'Too many requests. Try again in 47 s.' }]);
    expect(limited.headers.get('retry-after')).toBe('47');
    expect(limited.headers.get('date')).toBe('Mon, 01 Jun 2026 12:00:13 GMT');
    expect((await api.call('nope', 'GET', '/nope')).status).toBe(404);
    expect((await api.call('ada_write', 'GET', campaign)).status).toBe(200);
    now += 46_999;
    expect((await api.call('nope', 'GET', campaign)).status).toBe(429);
    now += 1;
    for (const status of [401, 401, 429]) expect((await api.call('nope', 'GET', campaign)).status).toBe(status);
  });
});
