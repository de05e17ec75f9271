import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rateLimiter } from '../src/http/rate-limit.js';
import { demoSeed, demoTokens, memoryStore } from '../src/index.js';
import { type Server, serve } from '../src/node/index.js';
import { demoSite } from './support/visitor.js';

const rateLimit = { requests: 2, seconds: 3600 };
const path = '/organizations.json';

describe('the rate limit counts per caller (D105)', () => {
  let server: Server;
  beforeEach(async () => {
    server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0, host: '0.0.0.0', rateLimit });
  });
  afterEach(() => server.close());

  const send = (headers: Record<string, string | string[]>, localAddress = '127.0.0.1'): Promise<number> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(server.url);
      const options = {
        host: '127.0.0.1',
        port,
        path,
        localAddress,
        headers: { accept: 'application/json', ...headers },
      };
      request(options, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      })
        .on('error', reject)
        .end();
    });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  test('by IP address if the token is missing or invalid', async () => {
    expect(await send({})).toBe(401);
    expect(await send(bearer('made-up-1'))).toBe(401);
    for (const headers of [{}, bearer('made-up-2'), bearer('mkt_demo_ada_revoked'), { 'x-forwarded-for': '10.0.0.9' }])
      expect(await send(headers as Record<string, string>)).toBe(429);
    expect(await send({}, '127.0.0.2')).toBe(401);
    expect(await send(bearer(demoTokens.ada_write))).toBe(200);
  });

  test('by the address in the header of the proxy, if it is named and has one', async () => {
    await server.close();
    const options = { store: memoryStore(), seed: demoSeed(), port: 0, addressHeader: 'X-Real-IP', rateLimit };
    server = await serve(options);
    const from = (address: string | string[]) => send({ 'x-real-ip': address });
    // What the client sends itself is before what the proxy adds.
    expect([await from('10.0.0.1'), await from('10.0.0.9, 10.0.0.1'), await from('10.0.0.1')]).toEqual([401, 401, 429]);
    expect(await from(['10.0.0.9', '10.0.0.1'])).toBe(429);
    expect(await from('10.0.0.9')).toBe(401);
    // A client with IPv6 has all addresses of a network of 64 bits.
    const own = [await from('2001:db8::1'), await from('2001:db8:0:0:a:b:c:d'), await from('2001:DB8::2%eth0')];
    expect([...own, await from('2001:db8:0:1::1')]).toEqual([401, 401, 429, 401]);
    const mapped = [await from('::FFFF:10.0.1.1'), await from('::ffff:a00:101%x'), await from('10.0.1.1')];
    expect(mapped).toEqual([401, 401, 429]);
    // All of them have the address of the connection.
    expect([await from('unknown'), await from('x'.repeat(4000)), await send({})]).toEqual([401, 401, 429]);
  });

  test('by token, also of one user, from everywhere', async () => {
    expect(await send(bearer(demoTokens.ada_write))).toBe(200);
    expect(await send(bearer(demoTokens.ada_write), '127.0.0.2')).toBe(200);
    expect(await send({ authorization: `bearer  ${demoTokens.ada_write}` }, '127.0.0.3')).toBe(429);
    expect(await send(bearer(demoTokens.ada_read))).toBe(200);
    expect(await send({})).toBe(401);
  });
});

test('the rate limit counts sessions by their user, and cookies that are not sessions by address (D105)', async () => {
  const site = await demoSite({}, { rateLimit });
  const [ada, adaElsewhere, eve] = await Promise.all(['ada_write', 'ada_read', 'eve_write'].map(site.signedIn));
  const status = async (visitor = site.visitor()) => (await visitor.get('/organizations')).status;
  expect([await status(ada), await status(adaElsewhere), await status(ada)]).toEqual([200, 200, 429]);
  expect(await status(eve)).toBe(200);
  for (const expected of [303, 303, 429, 429]) {
    const visitor = site.visitor();
    visitor.cookies.set('mkt_session_4010', `made-up-${Math.random()}`);
    expect(await status(visitor)).toBe(expected);
  }
});

test('the rate limit counts the pages of endpoints, but not signing in and what needs no session', async () => {
  const site = await demoSite({}, { rateLimit });
  for (const path of [
    '/organizations/5/search?name=a',
    '/organizations/5/campaigns.csv',
    '/organizations/5/campaigns/new?form=abcdefghijkl',
    '/organizations/5/campaigns/3/edit',
    '/organizations/5/campaigns/3/pause/confirm',
    '/organizations/5/campaigns/actions?action=pause&id=3',
  ]) {
    site.app.forget();
    const ada = await site.signedIn('ada_write');
    const statuses = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await ada.fetch(path)).status);
    expect([path, ...statuses]).toEqual([path, 200, 200, 429]);
  }
  for (const path of ['/sign_in', '/docs'])
    for (let count = 0; count < 4; count += 1) expect((await site.visitor().fetch(path)).status).toBe(200);
});

test('counts a bounded number of callers', () => {
  const limit = rateLimiter({ requests: 1, seconds: 60 }, () => 0);
  expect([limit.count('first'), limit.count('first')]).toEqual([0, 60]);
  for (let other = 0; other < 9999; other += 1) limit.count(`other ${other}`);
  expect(limit.count('first', 0)).toBe(60);
  limit.count('one more');
  expect(limit.count('first', 0)).toBe(0);
});
