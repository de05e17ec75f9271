import { request } from 'node:http';
import { domainToASCII } from 'node:url';
import { describe, expect, test } from 'vitest';
import { demoSeed, demoTokens, memoryStore } from '../src/index.js';
import { hostCheck, isHost, type OwnHosts } from '../src/node/host.js';
import { serve } from '../src/node/index.js';

describe('a Host header', () => {
  test.each([
    ...['localhost', 'LOCALHOST:4010', 'a_b', 'my-host.example.', '1a.example', '0.0.0.0', '127.0.0.1:65535'],
    ...['[::1]', '[::1]:80', '[::ffff:127.0.0.1]', 'x:0', `${'a'.repeat(63)}.example`, 'xn--mller-kva.example'],
  ])('%s is valid, also for the URL parser of this Node', (host) => {
    expect([isHost(host), URL.canParse(`http://${host}`)]).toEqual([true, true]);
  });

  test.each([
    ...['', '.', 'a..', '..a', 'a b', 'a/b', 'a%2fb', 'a@b', 'ä', 'x:', 'x:65536', 'x:1a', ':80', `${'a'.repeat(64)}`],
    ...['1.2.3.256', '127.1', '1', '0x7f', 'a.1', 'a.0x1', '1.2.3.4.', '::1', '[::1', '[::1]x', '[fe80::1%25lo]', '[]'],
    ...['xn--wgv71a119e\u2028', `${'a.'.repeat(127)}ab`],
  ])('%j is invalid', (host) => {
    expect(isHost(host)).toBe(false);
  });

  // Versions of Node differ in which Punycode they reject.
  test.each(['xn--', 'xn--a', 'xn--a-', 'xn--a-yoc', 'xn--99999999999', 'a.xn--a'])(
    '%s is valid if the URL parser of this Node accepts it',
    (host) => {
      expect(isHost(host)).toBe(URL.canParse(`http://${host}`));
    },
  );

  test.each([
    'müller',
    'bücher',
    '例え',
    'пример',
    'παράδειγμα',
    'ไทย',
    'हिन्दी',
    '한국',
    'עברית',
    'münchen-ost',
    '💩',
    'a1ü',
  ])('%s is valid in Punycode', (name) => {
    const ascii = domainToASCII(name);
    expect(ascii).toMatch(/^xn--/);
    expect([isHost(ascii), isHost(`www.${ascii.toUpperCase()}.example:80`)]).toEqual([true, true]);
  });
});

describe('a server responds to the host', () => {
  const local = { host: '127.0.0.1' };
  const open = { host: '0.0.0.0' };
  const named = { ...open, baseUrl: 'https://API.test/v1', allowHosts: ['shop.test', 'one.test:81'] };
  test.each<[string, string[], OwnHosts, 'known' | 'unknown' | 'invalid']>([
    ['of this machine', ['localhost', 'localhost:9', 'app.localhost', '127.1.2.3:5', '[::1]:99'], local, 'known'],
    ['of another', ['evil.example', 'localhost.evil', '127.0.0.1.evil.example', '10.0.0.1', '[::2]'], local, 'unknown'],
    ['that is an address', ['10.0.0.1:80', '[2001:db8::1]', 'localhost'], open, 'known'],
    ['that is a name', ['evil.example', '10.0.0.1.example', 'api.test'], open, 'unknown'],
    ['of its options', ['api.test', 'api.test:443', 'shop.test:5', 'SHOP.test', 'one.test:81'], named, 'known'],
    ['like one of its options', ['one.test', 'api.test.evil', 'x.shop.test'], named, 'unknown'],
    ['that is not one', ['a b'], named, 'invalid'],
  ])('%s: %j of %j is %s', (_, hosts, options, state) => {
    const check = hostCheck(options);
    for (const host of [...hosts, ...hosts]) expect([host, check(host)]).toEqual([host, state]);
  });

  test('of no other page, whatever it asks for (DNS rebinding)', async () => {
    const store = memoryStore();
    await using server = await serve({ store, seed: demoSeed(), port: 0 });
    const names = () => store.read((reader) => reader.count('campaigns', 'byOrganization', [5]));
    const before = await names();
    for (const [method, path] of [
      ['POST', '/organizations/5/campaigns.json'],
      ['GET', '/organizations'],
      ['GET', '/livez'],
      ['GET', '/docs'],
    ] as const) {
      const response = await requested(server.url + path, method);
      expect(response).toEqual({
        status: 400,
        error: expect.stringMatching(
          /^This server does not respond to the host evil\.example:80\. .*--allow-host evil\.example\.$/,
        ),
      });
    }
    expect(await names()).toBe(before);
  });
});

/** `fetch` does not send another Host. */
const requested = (url: string, method: string): Promise<{ status: number | undefined; error: string }> =>
  new Promise((resolve, reject) => {
    const headers = {
      Host: 'evil.example:80',
      Authorization: `Bearer ${demoTokens.ada_write}`,
      Accept: 'application/json',
      'Content-Type': 'application/json',
    };
    const sent = request(url, { method, headers }, async (response) => {
      let text = '';
      for await (const part of response) text += part;
      resolve({ status: response.statusCode, error: JSON.parse(text).error });
    });
    sent.on('error', reject).end(method === 'POST' ? '{"campaign":{"name":"x"}}' : undefined);
  });
