import { gzipSync } from 'node:zlib';
import { demoTokens } from '../../src/index.js';

/** What an attack knows of the server that it is for. */
export interface Target {
  /** A page server whose pages the server may read: `page(html)` is the address of one. */
  readonly page: (html: string | Buffer, headers?: Readonly<Record<string, string>>) => string;
  /** The session cookie of a signed-in browser, and what its forms carry. */
  readonly cookie: string;
  readonly csrf: string;
  /** The same for the sign-in page without a session. */
  readonly visit: string;
  readonly visitCsrf: string;
}

export interface AttackRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Attack {
  readonly name: string;
  readonly request: (target: Target) => AttackRequest;
  readonly status: number;
  /** How many are sent at once; 1 by default. */
  readonly times?: number;
  /** Runs in `npm test` too. */
  readonly always?: true;
}

const MiB = 1024 * 1024;
/** A little less than the largest page and the largest JSON. */
const filled = (part: string, bytes = MiB - 1024): string => part.repeat(Math.floor(bytes / part.length));

const token = { Authorization: `Bearer ${demoTokens.ada_write}` };
const api = { ...token, Accept: 'application/json' };
const json = (path: string, body: string): AttackRequest => ({
  method: 'POST',
  path,
  headers: { ...api, 'Content-Type': 'application/json' },
  body,
});
const campaign = (fields: object): AttackRequest =>
  json('/organizations/5/campaigns.json', JSON.stringify({ campaign: { name: 'x', ...fields } }));
const prefilled = (target: Target, html: string | Buffer, headers = {}): AttackRequest =>
  json(`/organizations/5/collabs.json?website=${encodeURIComponent(target.page(html, headers))}`, '{"collab":{}}');

const urlencoded = 'application/x-www-form-urlencoded';
const form = (path: string, cookie: string, body: string | Buffer, type = urlencoded): AttackRequest => ({
  method: 'POST',
  path,
  headers: { 'Content-Type': type, ...(cookie !== '' && { Cookie: cookie }) },
  body,
});
const multipart = (boundary: string): string => `multipart/form-data; boundary=${boundary}`;
/** Parts without headers, without content, as many as fit. */
const emptyParts = (bytes: number): string => filled(`--${'b'.repeat(56)}\r\n\r\n\r\n`, bytes);
const emptyPartsType = multipart('b'.repeat(56));
const namedParts = (bytes: number): string =>
  `${filled('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n', bytes)}--b--\r\n`;

const pages: readonly [string, string][] = [
  ['open elements', filled('<b>')],
  ['open elements inside the head', `<head>${filled('<b>')}`],
  ['open tables', filled('<table><tr><td>')],
  ['open forms and paragraphs', filled('<form><p>')],
  ['attributes', `<meta ${filled('a=b ')}>`],
  ['different attributes', `<meta ${[...Array(100_000).keys()].map((number) => `a${number}=b`).join(' ')}>`],
  ['tags', filled('<meta name=a content=b>')],
  ['end tags', filled('</b>')],
  ['comments', filled('<!--')],
  ['entities', `<title>${filled('&amp;')}`],
  ['numbered entities', `<title>${filled('&#x110000;')}`],
  ['white space in a title', `<title>${filled(' ')}x`],
  ['foreign content', filled('<svg><math>')],
  ['CDATA', filled('<![CDATA[')],
];

const briefs: readonly [string, string][] = [
  ['attributes', `<a ${filled('x=1 ', 65_000)}>`],
  ['open elements', filled('<b>', 27_000)],
  ['end tags', filled('</b>', 65_000)],
  ['unfinished tags', filled('<a ', 30_000)],
  ['quotes', filled('<a "', 30_000)],
  ['dropped elements', filled('<script>', 65_000)],
  ['comments', filled('<!--', 65_000)],
  ['entities in an address', `<a href="${filled('&#x6a;', 60_000)}">x</a>`],
  ['styles', `<b style="${filled('text-decoration:', 60_000)}">x</b>`],
  ['properties', `<b style="${filled('text-decoration', 60_000)}">x</b>`],
  ['white space', `<p>x${filled(' ', 60_000)}x</p>`],
];

const signedInForm = (target: Target, body: string, path = '/organizations/5/campaigns'): AttackRequest =>
  form(path, target.cookie, `csrf_token=${target.csrf}&${body}`);

/** Each blocked the process, filled its memory or failed with a 5xx before there were limits, or tries to. */
export const attacks: readonly Attack[] = [
  ...pages.map(
    ([name, html], number): Attack => ({
      name: `a page of 1 MiB of ${name}`,
      request: (target) => prefilled(target, html),
      status: 201,
      ...(number === 0 && { always: true }),
    }),
  ),
  {
    name: 'a page that is 100 MiB when it is decompressed',
    request: (target) => prefilled(target, gzipSync(Buffer.alloc(100 * MiB)), { 'Content-Encoding': 'gzip' }),
    // Only its first MiB is read.
    status: 201,
  },
  {
    name: '10 MiB of empty parts at /sign_in, without a cookie',
    request: () => form('/sign_in', '', emptyParts(10 * MiB), emptyPartsType),
    status: 403,
    always: true,
  },
  {
    name: 'ten times 10 MiB of empty parts at /sign_in, with the cookie of its page',
    request: ({ visit }) => form('/sign_in', visit, emptyParts(10 * MiB), emptyPartsType),
    status: 413,
    times: 10,
    always: true,
  },
  {
    name: '10 MiB of named parts at /sign_in',
    request: ({ visit }) => form('/sign_in', visit, namedParts(10 * MiB), multipart('b')),
    status: 413,
  },
  {
    name: '16 KiB of empty parts at /sign_in',
    request: ({ visit }) => form('/sign_in', visit, emptyParts(16_000), emptyPartsType),
    status: 413,
    times: 10,
  },
  {
    name: '1 MiB of fields that are not UTF-8 at /sign_in',
    request: ({ visit }) => form('/sign_in', visit, filled('a=%ff&')),
    status: 413,
    always: true,
  },
  {
    name: '16 KiB of one field at /sign_in',
    request: ({ visit, visitCsrf }) =>
      form('/sign_in', visit, `csrf_token=${visitCsrf}&token=${filled('%ff', 16_000)}`),
    status: 400,
    times: 10,
  },
  {
    name: '10 MiB of named parts at a URL without POST, without a session',
    request: () => form('/organizations/5', '', namedParts(10 * MiB), multipart('b')),
    status: 303,
    times: 4,
  },
  {
    name: '1 MiB of fields at a URL without POST, with an invalid session cookie',
    request: ({ cookie }) =>
      form('/organizations/5', cookie.replace(/=.*/, `=1.9999999999.${'x'.repeat(43)}`), filled('a=%ff&')),
    status: 303,
  },
  {
    name: '10 MiB of named parts at an address without POST, by an unknown token',
    request: () => {
      const { headers, ...rest } = form('/organizations/5', '', namedParts(10 * MiB), multipart('b'));
      return { ...rest, headers: { ...headers, Authorization: 'Bearer nope' } };
    },
    status: 401,
  },
  {
    name: '10 MiB of named parts at an address without POST, by a token',
    request: () => {
      const { headers, ...rest } = form('/organizations/5', '', namedParts(10 * MiB), multipart('b'));
      return { ...rest, headers: { ...headers, ...token } };
    },
    status: 413,
  },
  {
    name: '1 MiB of fields by a signed-in user',
    request: (target) => signedInForm(target, filled('a=%ff&')),
    status: 413,
  },
  {
    name: '1 MiB of one field that is not UTF-8 by a signed-in user',
    request: (target) => signedInForm(target, `campaign[name]=${filled('%ff', MiB - 200)}`),
    status: 400,
  },
  {
    name: '255 KiB of commas in a list of a form',
    request: (target) => signedInForm(target, `campaign[name]=x&campaign[countries]=${filled('A,', 255 * 1024)}`),
    status: 422,
  },
  {
    name: '255 KiB of text that the form shows again',
    request: (target) => signedInForm(target, `campaign[name]=${filled('<', 255 * 1024)}`),
    status: 422,
  },
  {
    name: '64 KiB of Markdown in the brief of a form',
    request: (target) => signedInForm(target, `campaign[name]=x&campaign[brief]=${filled('_a__', 65_000)}`),
    status: 422,
    always: true,
  },
  {
    name: '10 MiB of named parts in a multipart request',
    request: () => ({
      method: 'POST',
      path: '/organizations.json',
      headers: { ...api, 'Content-Type': multipart('b') },
      body: namedParts(10 * MiB),
    }),
    status: 413,
  },
  {
    name: '10 MiB of text in a multipart request',
    request: () => ({
      method: 'POST',
      path: '/organizations.json',
      headers: { ...api, 'Content-Type': multipart('b') },
      body: `--b\r\nContent-Disposition: form-data; name="organization[name]"\r\n\r\n${'x'.repeat(10 * MiB - 200)}\r\n--b--\r\n`,
    }),
    status: 413,
  },
  {
    name: 'a file with a name of 9 MiB',
    request: (target) => {
      const { csrf, cookie } = target;
      const field = (name: string, value: string) =>
        `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
      const file = `--b\r\nContent-Disposition: form-data; name="organization[logo]"; filename="${'<'.repeat(9 * MiB)}"\r\n\r\nx\r\n--b--\r\n`;
      const fields = field('csrf_token', csrf) + field('organization[name]', '');
      return form('/organizations', cookie, fields + file, multipart('b'));
    },
    status: 413,
    always: true,
  },
  {
    name: '10 MiB of dashes divided by dashes',
    request: () => ({
      method: 'POST',
      path: '/organizations.json',
      headers: { ...api, 'Content-Type': multipart(`${'-'.repeat(69)}a`) },
      body: filled(`\r\n${'-'.repeat(70)}`, 10 * MiB),
    }),
    status: 400,
  },
  {
    name: '10 MiB of line ends',
    request: () => ({
      method: 'POST',
      path: '/organizations.json',
      headers: { ...api, 'Content-Type': multipart('b') },
      body: filled('\r\n', 10 * MiB),
    }),
    status: 400,
  },
  {
    name: '10 MiB of lines that begin like a boundary',
    request: () => ({
      method: 'POST',
      path: '/organizations.json',
      headers: { ...api, 'Content-Type': multipart('b') },
      body: filled('\r\n--bx', 10 * MiB),
    }),
    status: 400,
  },
  {
    name: '345,000 platforms that are empty',
    request: () => campaign({ platform_ids: Array(345_000).fill('') }),
    status: 422,
    always: true,
  },
  { name: '120,000 countries', request: () => campaign({ countries: Array(120_000).fill('usa') }), status: 422 },
  {
    name: 'twenty times 500,000 countries that are numbers',
    request: () => campaign({ countries: Array(500_000).fill(1) }),
    status: 422,
    times: 20,
    always: true,
  },
  {
    name: '349,000 countries of a collab that are lists',
    request: () => json('/organizations/5/collabs.json', `{"collab":{"countries":[${filled('[],', MiB - 100)}[]]}}`),
    status: 422,
  },
  {
    name: '500,000 numbers in an unknown field',
    request: () => campaign({ more: Array(500_000).fill(0) }),
    status: 201,
  },
  {
    name: '500,000 levels of JSON',
    request: () =>
      json('/organizations/5/campaigns.json', `{"campaign":${filled('[', MiB / 2)}${filled(']', MiB / 3)}}`),
    status: 400,
    always: true,
  },
  {
    name: '200,000 keys of JSON',
    request: () => json('/organizations/5/campaigns.json', `{${filled('"":0,', MiB - 20)}"":0}`),
    status: 413,
  },
  {
    name: '80,000 different keys of JSON',
    request: () => campaign(Object.fromEntries([...Array(80_000).keys()].map((number) => [`k${number}`, 0]))),
    status: 413,
  },
  { name: '1 MiB of one text', request: () => campaign({ name: 'x'.repeat(MiB - 100) }), status: 422 },
  { name: '1 MiB of emoji', request: () => campaign({ name: filled('\u{1f338}', MiB / 2 - 100) }), status: 422 },
  { name: '1 MiB of white space', request: () => campaign({ website: ' '.repeat(MiB - 100) }), status: 422 },
  { name: '1 MiB of slashes', request: () => campaign({ website: `https://${'/'.repeat(MiB - 100)}` }), status: 422 },
  { name: '1 MiB of digits', request: () => json('/organizations/5/campaigns.json', '1'.repeat(MiB)), status: 400 },
  {
    name: '1 MiB of digits as an amount',
    request: () =>
      json('/organizations/5/campaigns.json', `{"campaign":{"name":"x","cpm_amount":${'1'.repeat(MiB - 60)}}}`),
    status: 422,
  },
  {
    name: '1 MiB of digits as a latitude',
    request: () => ({
      ...json('/me/address.json', JSON.stringify({ address: { latitude: '1'.repeat(MiB - 60) } })),
      method: 'PATCH',
    }),
    status: 422,
  },
  { name: '1 MiB of a brief', request: () => campaign({ brief: filled('<b>', MiB - 100) }), status: 422 },
  ...briefs.map(
    ([name, brief], number): Attack => ({
      name: `a brief of ${name}`,
      request: () => campaign({ brief }),
      status: 201,
      ...(number === 0 && { always: true }),
    }),
  ),
  {
    name: 'a body that says it is compressed',
    request: () => {
      const { headers, ...rest } = campaign({});
      return { ...rest, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: gzipSync(Buffer.alloc(50 * MiB)) };
    },
    status: 415,
  },
  ...['1.2.3.256', 'a.1', '127.0.0.1.9', '1..2', 'x:99999'].map(
    (host, number): Attack => ({
      name: `the Host ${host}`,
      request: () => ({ path: '/organizations.json', headers: { ...api, Host: host } }),
      status: 400,
      ...(number === 0 && { always: true }),
    }),
  ),
  {
    name: '15 kB of query parameters',
    request: () => ({ path: `/organizations.json?${filled('a&', 15_000)}`, headers: api }),
    status: 200,
    times: 20,
  },
  {
    name: '15 kB of ETags',
    request: () => ({ path: '/organizations/5.json', headers: { ...api, 'If-None-Match': filled('"a",', 15_000) } }),
    status: 200,
    times: 20,
  },
  {
    name: '15 kB of types that are accepted',
    request: () => ({ path: '/organizations/5', headers: { ...token, Accept: filled('a/b;q=0.1,', 15_000) } }),
    status: 200,
    times: 20,
  },
  ...['a;b="c",', ';a=b', '"\\'].map(
    (part): Attack => ({
      name: `15 kB of encodings: ${part}`,
      request: () => ({
        path: '/organizations/5/campaigns.json',
        headers: { ...api, 'Accept-Encoding': `br${filled(part, 15_000)}` },
      }),
      status: 200,
      times: 20,
    }),
  ),
  {
    name: '15 kB of cookies',
    request: ({ cookie }) => ({ path: '/organizations', headers: { Cookie: `${filled('a=%ff; ', 15_000)}${cookie}` } }),
    status: 200,
    times: 20,
  },
  {
    name: 'a page number of 15,000 digits',
    request: () => ({ path: `/organizations/5/campaigns.json?page=${'9'.repeat(15_000)}`, headers: api }),
    status: 200,
    times: 20,
  },
  {
    name: 'an id of 15,000 digits',
    request: () => ({ path: `/organizations/5/campaigns/${'9'.repeat(15_000)}.json`, headers: api }),
    status: 404,
    times: 20,
  },
];

/** As many of the largest campaigns as a page holds. */
export const largestCampaign = campaign({
  name: '\u{1f338}'.repeat(255),
  countries: [],
  platform_ids: [...Array(50).keys()].map((number) => `${number}_${'x'.repeat(250)}`),
  brief: '&'.repeat(13_000),
});
