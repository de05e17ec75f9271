import { createHook } from 'node:async_hooks';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chosenEncoding, compress } from '../src/node/compression.js';
import { type Server, serve } from '../src/node/serve.js';
import { TextResponse } from '../src/node/text-response.js';
import { demoSeed, demoTokens } from '../src/seed/demo.js';
import { memoryStore } from '../src/store/memory-lists.js';
import { organizationForm, png } from './support/pictures.js';

let server: Server;
beforeAll(async () => {
  server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
});
afterAll(() => server.close());

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** A request whose response is not decompressed on the way, as `fetch` would. */
const request = (
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body: string | null = null,
): Promise<Received> =>
  new Promise((resolve, reject) => {
    httpRequest(`${server.url}${path}`, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end(body);
  });

const json = { Accept: 'application/json', Authorization: `Bearer ${demoTokens.ada_write}` };
const list = '/organizations/5/campaigns.json';
const item = '/organizations/5/campaigns/1.json';
const decode = { br: brotliDecompressSync, gzip: gunzipSync };
const text = ({ headers, bytes }: Received): string => {
  const encoding = headers['content-encoding'] as keyof typeof decode | undefined;
  return (encoding ? decode[encoding](bytes) : bytes).toString();
};

describe('the choice of an encoding', () => {
  test.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['GZIP;q=1.0, br;q=0.5', 'gzip'],
    ['gzip;q=0.5, br;q=0.5', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['*', 'br'],
    ['*;q=0, gzip;q=0.1', 'gzip'],
    ['deflate', null],
    ['identity', null],
    ['identity;q=1, gzip;q=0.5', null],
    ['identity;q=0.5, gzip', 'gzip'],
    ['gzip;q=0, br;q=0', null],
    ['*;q=0', null],
    ['', null],
    [';;,q=,"', null],
  ])('%j: %s', (header, encoding) => {
    expect(chosenEncoding(header).encoding).toBe(encoding);
  });

  test.each([
    ['gzip, identity;q=0', true],
    ['gzip, *;q=0', true],
    ['gzip, *;q=0, identity;q=0.1', false],
    ['gzip', false],
  ])('Accept-Encoding %j excludes responses without encoding: %s', (header, excludes) => {
    expect(chosenEncoding(header).rejectsIdentity).toBe(excludes);
  });
});

describe('text above 1 kB', () => {
  test.each([
    ['a list', list, json],
    ['OpenAPI', '/openapi.json', {}],
    ['a page', '/sign_in', {}],
    ['the stylesheet', '/assets/', {}],
  ] as const)('%s: compressed as the request accepts, and the same afterwards', async (_, given, headers) => {
    let path: string = given;
    if (path === '/assets/') path = /\/assets\/mkt-[^"]+\.css/.exec(text(await request('/sign_in')))?.[0] ?? '';
    const plain = await request(path, headers);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.bytes.length).toBeGreaterThan(1024);
    for (const encoding of ['br', 'gzip']) {
      const encoded = await request(path, { ...headers, 'Accept-Encoding': encoding });
      expect([encoded.status, encoded.headers['content-encoding']]).toEqual([plain.status, encoding]);
      expect(encoded.bytes.length).toBeLessThan(plain.bytes.length / 1.5);
      expect(Number(encoded.headers['content-length'])).toBe(encoded.bytes.length);
      // Pages hold an id of their own.
      if (headers === json || path.includes('assets') || path.includes('openapi'))
        expect(text(encoded)).toBe(text(plain));
      else expect(text(encoded)).toMatch(/<\/html>\s*$/);
    }
  });

  test('shorter responses are not compressed, unless the client excludes that', async () => {
    const plain = await request('/livez', { 'Accept-Encoding': 'br' });
    expect([plain.headers['content-encoding'], plain.bytes.toString()]).toEqual([undefined, '{"status":"alive"}']);
    const encoded = await request('/livez', { 'Accept-Encoding': 'br, identity;q=0' });
    expect([encoded.headers['content-encoding'], text(encoded)]).toEqual(['br', '{"status":"alive"}']);
  });

  test('every response says that it depends on Accept-Encoding', async () => {
    for (const path of [list, item, '/sign_in', '/livez', '/openapi.json', '/nothing'])
      for (const encoding of ['br', 'identity'])
        expect((await request(path, { ...json, 'Accept-Encoding': encoding })).headers.vary).toMatch(
          /\bAccept-Encoding\b/,
        );
  });

  test('the headers of a list stay: totals, request id, CORS', async () => {
    const headers = { ...json, Origin: 'http://localhost:3000', 'X-Request-Id': 'mine' };
    const plain = await request(list, headers);
    const encoded = await request(list, { ...headers, 'Accept-Encoding': 'gzip' });
    const { 'content-length': _, date: __, ...kept } = plain.headers;
    expect(encoded.headers).toMatchObject(kept);
  });
});

describe('conditional requests and HEAD', () => {
  const big = async (): Promise<string> => {
    const brief = `<p>${'A long brief. '.repeat(200)}</p>`;
    const headers = { ...json, 'Content-Type': 'application/json' };
    const { status } = await request(item, headers, 'PATCH', JSON.stringify({ campaign: { brief } }));
    expect(status).toBe(200);
    return item;
  };

  test('the ETag is the same in every encoding, and If-None-Match gives 304 in each', async () => {
    const path = await big();
    const tags = await Promise.all(
      ['br', 'gzip', 'identity'].map(async (encoding) => {
        const { headers } = await request(path, { ...json, 'Accept-Encoding': encoding });
        expect(headers['content-encoding']).toBe(encoding === 'identity' ? undefined : encoding);
        return headers.etag ?? '';
      }),
    );
    expect(new Set(tags).size).toBe(1);
    expect(tags[0]).toMatch(/^W\//);
    for (const encoding of ['br', 'identity']) {
      const again = await request(path, { ...json, 'Accept-Encoding': encoding, 'If-None-Match': tags[0] ?? '' });
      expect([again.status, again.bytes.length, again.headers['content-encoding'], again.headers.etag]).toEqual([
        304,
        0,
        undefined,
        tags[0],
      ]);
    }
  });

  test('HEAD has the encoding of GET and not the length of another one', async () => {
    const path = await big();
    const get = await request(path, { ...json, 'Accept-Encoding': 'gzip' });
    const head = await request(path, { ...json, 'Accept-Encoding': 'gzip' }, 'HEAD');
    const { 'content-length': _, date: __, 'x-request-id': ___, ...expected } = get.headers;
    expect(head.headers).toMatchObject(expected);
    expect(head.headers['content-length']).toBeUndefined();
    expect(head.bytes).toHaveLength(0);
    const plain = await request(path, json, 'HEAD');
    expect(Number(plain.headers['content-length'])).toBeGreaterThan(1024);
  });
});

test('long texts of one caller are compressed one after the other, so that others do not wait', async () => {
  const long = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => `${n} ${Math.sin(n)}`));
  const sent = { authorization: 'Bearer x', 'accept-encoding': 'br' };
  const ended: string[] = [];
  const one = async (userId: string) => {
    const response = new TextResponse(long, { headers: { 'Content-Type': 'application/json' } });
    const { headers } = await compress(response, { method: 'GET', headers: sent }, { userId });
    ended.push(userId);
    return headers.get('Content-Encoding');
  };
  expect(await Promise.all([...Array<string>(6).fill('ben'), 'dan'].map(one))).toEqual(Array(7).fill('br'));
  expect(ended.indexOf('dan')).toBeLessThan(3);
});

describe('never compressed', () => {
  test('images', async () => {
    const image = new Uint8Array(4096).fill(7);
    image.set(png);
    const sent = await fetch(`${server.url}/organizations/5.json`, {
      method: 'PATCH',
      headers: json,
      body: organizationForm({}, image),
    });
    const { logo_url } = (await sent.json()) as { logo_url: string };
    const received = await request(new URL(logo_url).pathname, { 'Accept-Encoding': 'br, identity;q=0' });
    expect([received.headers['content-encoding'], received.bytes.length]).toEqual([undefined, 4096]);
  });

  test('the response with the secret of a new token', async () => {
    const headers = { ...json, 'Content-Type': 'application/json', 'Accept-Encoding': 'br, identity;q=0' };
    const body = JSON.stringify({ access_token: { description: 'x'.repeat(200), permission: 'read' } });
    const made = await request('/me/access_tokens.json', headers, 'POST', body);
    expect([made.status, made.headers['content-encoding']]).toEqual([201, undefined]);
    expect(JSON.parse(made.bytes.toString()).token).toMatch(/^mkt_/);
  });

  test('pages of a signed-in visitor that another site has the browser load', async () => {
    const page = (site: string | null) =>
      request('/sign_in', {
        Accept: 'text/html',
        Cookie: 'mkt_session=1',
        'Accept-Encoding': 'br',
        ...(site !== null && { 'Sec-Fetch-Site': site }),
      });
    for (const site of ['cross-site', 'same-site', null])
      expect([site, (await page(site)).headers['content-encoding']]).toEqual([site, undefined]);
    for (const site of ['same-origin', 'none'])
      expect([site, (await page(site)).headers['content-encoding']]).toEqual([site, 'br']);
  });
});

test('a hundred at once are all right', async () => {
  const plain = text(await request(list, json));
  const all = await Promise.all(
    Array.from({ length: 100 }, (_, place) =>
      request(list, { ...json, 'Accept-Encoding': place % 2 === 0 ? 'br' : 'gzip' }),
    ),
  );
  expect(new Set(all.map(text))).toEqual(new Set([plain]));
});

test.each(['br', 'gzip'])('the reference is compressed once for all who are not signed in, by %s', async (encoding) => {
  const expected = text(await request('/openapi.json', { 'Accept-Encoding': encoding }));
  let count = 0;
  const init = (_: number, type: string) => {
    if (type === 'ZLIB') count += 1;
  };
  const hook = createHook({ init }).enable();
  try {
    for (const path of ['/openapi.json', '/docs']) await request(path, { 'Accept-Encoding': encoding });
    const first = count;
    for (const path of ['/openapi.json', '/docs'])
      for (const unknown of [{}, { Cookie: 'a=b' }, { Authorization: 'Bearer unknown' }])
        await request(path, { 'Accept-Encoding': encoding, ...unknown });
    expect(count).toBe(first);
    expect(text(await request('/openapi.json', { 'Accept-Encoding': encoding }))).toBe(expected);
    await request('/openapi.json', { 'Accept-Encoding': encoding, ...json });
    expect(count).toBeGreaterThan(first);
  } finally {
    hook.disable();
  }
});
