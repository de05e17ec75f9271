import { describe, expect, test } from 'vitest';
import { shownDb } from '../src/node/ready-message.js';
import { parseAddress, protectionOf } from '../src/store/sql/postgres-address.js';
import { StoreConfigurationError } from '../src/store/store.js';

const names = (url: string) => parseAddress(url).hosts.map(([endpoint]) => endpoint?.name);
/** What the driver gets for each host: host, port and mode, in the order in which they are tried. */
const tried = (url: string) =>
  parseAddress(url).hosts.map((endpoints) =>
    endpoints.map(({ url: text, encryption }) => {
      const { hostname, port, searchParams } = new URL(text);
      return `${searchParams.get('host') ?? hostname}:${port || searchParams.get('port')} ${searchParams.get('sslmode')} ${encryption}`;
    }),
  );

describe('the hosts of a database URL', () => {
  test.each([
    ['postgres://u:p@h1:5432,h2:5433/db', ['h1:5432', 'h2:5433'], 'h1:5432,h2:5433/db'],
    ['postgresql://h1,h2:5433,h3/db?target_session_attrs=primary', ['h1', 'h2:5433', 'h3'], 'h1,h2:5433,h3/db'],
    ['postgres://u:p@/db?host=h1,h2&port=5432,5433', ['h1:5432', 'h2:5433'], 'h1:5432,h2:5433/db'],
    ['postgres:///db?host=h1,h2&port=6432', ['h1:6432', 'h2:6432'], 'h1:6432,h2:6432/db'],
    ['postgres://u:p%40@[::1]:5433,127.0.0.1/db', ['[::1]:5433', '127.0.0.1'], '[::1]:5433,127.0.0.1/db'],
    ['postgres:///db?host=/var/run/postgresql', ['/var/run/postgresql'], '/var/run/postgresql/db'],
    ['postgres://%2Fvar%2Frun/db', ['/var/run'], '/var/run/db'],
    ['postgres://u@h/db', ['h'], 'h/db'],
  ])('%s', (url, expected, name) => {
    expect(names(url)).toEqual(expected);
    expect(parseAddress(url).name).toBe(name);
  });

  test('several hosts: the one that accepts writes, unless another role is named', () => {
    const needsWrites = (query: string) => parseAddress(`postgres://h1,h2/db${query}`).needsWrites;
    expect(needsWrites('')).toBe(true);
    expect(needsWrites('?target_session_attrs=read-write')).toBe(true);
    expect(needsWrites('?target_session_attrs=any')).toBe(false);
    expect(parseAddress('postgres://h1/db').needsWrites).toBe(false);
    expect(parseAddress('postgres://h1/db?target_session_attrs=read-write').needsWrites).toBe(true);
  });

  test.each([
    ['postgres://u:s3cret@h1,h2/db?target_session_attrs=standby', /target_session_attrs=standby is of no use/],
    ['postgres://u:s3cret@h1,h2/db?host=a,b,c&port=1,2', /has 3 hosts, but 2 ports/],
    ['postgres://u:s3cret@h1:x/db', /is not a URL/],
    ['postgres://u:s3cret@h1:99999/db', /is not a URL/],
    ['postgres://u:s3cret@h1,h2/db?connect_timeout=soon', /connect_timeout .* is not a number/],
    ['postgres://u:s3cret@h1/db?sslmode=sometimes', /sslmode=sometimes is not a mode of libpq\. Use disable, allow/],
    ['postgres://u:s3cret@h1/db?sslmode=verify-ca', /add sslrootcert=FILE/],
  ])('%s is rejected, without the password', (url, message) => {
    expect(() => parseAddress(url)).toThrow(StoreConfigurationError);
    expect(() => parseAddress(url)).toThrow(message);
    expect(() => parseAddress(url)).not.toThrow(/s3cret/);
  });

  test('no password is shown, with any number of hosts', () => {
    expect(shownDb('postgres://u:s3cret@h1:5432,h2:5432/db?sslpassword=s3cret&x=1')).toBe(
      'postgres://u:***@h1:5432,h2:5432/db?sslpassword=***&x=1',
    );
    expect(shownDb('postgres://u:s3:c@ret@h1/db?password=s3cret')).toBe('postgres://u:***@h1/db?password=***');
    expect(shownDb('kept.db')).toBe('kept.db');
  });
});

describe('TLS, as libpq has it', () => {
  test.each([
    ['', ['db:5432 prefer unchecked', 'db:5432 disable none']],
    ['?sslmode=disable', ['db:5432 disable none']],
    ['?sslmode=allow', ['db:5432 disable none', 'db:5432 prefer unchecked']],
    ['?sslmode=prefer', ['db:5432 prefer unchecked', 'db:5432 disable none']],
    ['?sslmode=require', ['db:5432 require unchecked']],
    ['?sslmode=require&sslrootcert=ca.pem', ['db:5432 require checked']],
    ['?sslmode=verify-ca&sslrootcert=ca.pem', ['db:5432 verify-ca checked']],
    ['?sslmode=verify-full', ['db:5432 verify-full checked']],
    ['?sslmode=require&sslrootcert=system', ['db:5432 verify-full checked']],
  ])('"%s"', (query, expected) => {
    expect(tried(`postgres://u@db/mkt${query}`)).toEqual([expected]);
  });

  test('by default nothing is encrypted on this machine', () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      expect(tried(`postgres://u@${host}/mkt`)).toEqual([[`${host}:5432 disable none`]]);
    expect(tried('postgres:///mkt?host=/run')).toEqual([['/run:5432 disable none']]);
  });

  test('the operator hears what is not protected', () => {
    const said = (query: string, host = 'db') => {
      const [endpoints = []] = parseAddress(`postgres://u:s3cret@${host}/mkt${query}`).hosts;
      return endpoints[0] ? protectionOf(endpoints[0]) : null;
    };
    expect(said('?sslmode=disable')).toMatchObject({
      isWeak: true,
      text: expect.stringMatching(/^The connection to db is not encrypted/),
    });
    expect(said('?sslmode=require')).toMatchObject({
      isWeak: true,
      text: expect.stringMatching(/its certificate is not checked/),
    });
    expect(said('?sslmode=verify-full')).toMatchObject({
      isWeak: false,
      text: expect.stringMatching(/its certificate is checked/),
    });
    expect(said('', '127.0.0.1')).toBeNull();
  });
});
