import { expect, test } from 'vitest';
import type { Exchange } from '../src/http/exchange.js';
import { loggedPath, masked } from '../src/http/masked.js';

test.each([
  ['/me/mkt_secret-1.json', '/me/mkt_***.json'],
  ['/me/mkt%5fsecret', '/me/mkt_***'],
  ['/me/%6d%6B%74_secret/x', '/me/mkt_***/x'],
  ['?token=MKT_secret&a=b', '?token=mkt_***&a=b'],
  ['/me/%C3%BC%2f', '/me/%C3%BC%2f'],
  ['/me/5%zz', '/me/5%zz'],
])('%s is shown as %s', (text, shown) => {
  expect(masked(text)).toBe(shown);
});

test('logs have only the beginning of a long path, also of one that ends in a token', () => {
  const logged = (path: string) => loggedPath({ request: new Request(`http://localhost${path}`) } as Exchange);
  expect(logged(`/${'x'.repeat(15_000)}`)).toBe(`/${'x'.repeat(499)}`);
  expect(logged(`/${'x'.repeat(490)}/mkt_${'a'.repeat(43)}`)).toMatch(/^\/x{490}\/mkt_\*\*\*$/);
});
