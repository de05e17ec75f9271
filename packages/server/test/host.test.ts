import { domainToASCII } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isHost } from '../src/node/host.js';

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
