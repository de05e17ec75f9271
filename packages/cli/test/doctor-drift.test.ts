import { join } from 'node:path';
import { endpoints } from '@mkt/sdk/contract';
import { demoSeed } from '@mkt/server';
import { openStore, type ServeOptions } from '@mkt/server/node';
import { describe, expect, it, vi } from 'vitest';
import type { Finding } from '../src/actions/doctor/drift/findings.js';
import { runCli, type Terminal, temporaryFolder } from './support/run-cli.js';
import { type Scripted, scriptedServer } from './support/scripted-server.js';
import { startService, tokens } from './support/service.js';

vi.setConfig({ testTimeout: 30_000 });

const reading = endpoints.filter(({ method }) => method === 'GET').map(({ operation }) => operation);
const SECRET = 'some_secret_token';
const NONE = ['ok', 'not visible', 'not checked'];

/** The report as data. Whatever the service says, no token and no stack is in it. */
async function drift(env: Readonly<Record<string, string>>, flags: readonly string[] = [], terminal: Terminal = {}) {
  const screen = await runCli(['doctor', '--drift', '--json', ...flags], { ...terminal, env });
  for (const text of [screen.stdout, screen.stderr]) {
    expect(text).not.toMatch(/ {4}at /);
    expect(text).not.toContain('\u001b');
    for (const token of [SECRET, ...Object.values(tokens)]) expect(text).not.toContain(token);
  }
  const rows = screen.stdout === '' ? [] : (JSON.parse(screen.stdout) as Finding[]);
  return { ...screen, rows, departures: rows.filter(({ kind }) => !NONE.includes(kind)) };
}

describe('the reference server', () => {
  /** What the server was asked for, method by method. */
  async function watched(options: Partial<ServeOptions> = {}) {
    const methods: string[] = [];
    const log: ServeOptions['log'] = {
      answered: ({ method }) => methods.push(method),
      failed: (_exchange, error) => expect.unreachable(String(error)),
      stopping: () => undefined,
    };
    const service = await startService({ log, ...options });
    return { service, methods };
  }

  it.each([
    ['memory', () => ({})],
    ['SQLite', () => ({ store: () => openStore(join(temporaryFolder(), 'demo.db')), seed: demoSeed() })],
  ])('on %s departs nowhere, whoever asks, and is only read', async (_store, options) => {
    const { service, methods } = await watched(options());
    await using _ = service;
    for (const token of [
      tokens.ada_write,
      tokens.ada_read,
      tokens.ben_write,
      tokens.cleo_write,
      tokens.dan_write,
      tokens.eve_write,
    ]) {
      const { code, rows, departures } = await drift({ MKT_TOKEN: token, MKT_BASE_URL: service.url });
      expect({ code, departures }).toEqual({ code: 0, departures: [] });
      expect([...new Set(rows.map(({ endpoint }) => endpoint))]).toEqual(reading);
    }
    expect(new Set(methods)).toEqual(new Set(['GET', 'HEAD']));
    expect(methods.length).toBeGreaterThan(200);
  });

  it('is read everywhere that the token sees', async () => {
    await using service = await startService();
    const { stdout, stderr, code } = await runCli(['doctor', '--drift'], {
      env: { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url },
      columns: 80,
    });
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot('goldens/doctor-drift-none.txt');
    expect(stderr).toMatch(/\d+ requests, GET and HEAD alone, in 2 organizations\.\n$/);
  });

  it('is read in one organization where one is named, by id or by name', async () => {
    const { service, methods } = await watched();
    await using _ = service;
    const env = { MKT_TOKEN: tokens.ben_write, MKT_BASE_URL: service.url };
    for (const org of ['8', 'Orphan Labs']) {
      const { code, rows } = await drift(env, ['--org', org]);
      expect(code).toBe(0);
      expect(rows.find(({ endpoint }) => endpoint === 'members.list')).toMatchObject({ kind: 'ok', times: 1 });
    }
    expect(await drift(env, ['--org', '6'])).toMatchObject({ code: 3, stdout: '' });
    expect(methods).not.toContain('POST');
  });

  it('that slows callers down is waited for', async () => {
    await using service = await startService({ rateLimit: { requests: 30, seconds: 1 }, clock: Date.now });
    const { code, departures } = await drift({ MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url });
    expect({ code, departures }).toEqual({ code: 0, departures: [] });
  });

  it.each([
    ['a wrong token', { MKT_TOKEN: 'wrong' }, 4],
    ['no service', { MKT_BASE_URL: 'http://127.0.0.1:1' }, 8],
    ['no settings', { MKT_BASE_URL: '' }, 2],
  ])('%s ends it before anything is reported', async (_name, more, code) => {
    await using service = await startService();
    const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, ...more };
    expect(await drift(env)).toMatchObject({ code, stdout: '' });
  });
});

type Answer = Scripted | 'hang' | 'drop';
interface Asked {
  readonly path: string;
  readonly page: string | null;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const stamps = { created_at: '2026-01-05T09:00:00Z', updated_at: '2026-01-05T09:00:00Z' };
const brand = {
  id: 'org_8Hq2',
  name: 'Acme',
  privacy_setting: 'public',
  website: null,
  ...stamps,
  url: 'https://api.example/organizations/org_8Hq2.json',
};
const page = (items: readonly unknown[], headers: Record<string, string> = {}): Scripted => ({
  body: items,
  headers: { 'total-count': String(items.length), 'total-pages': '1', ...headers },
});

/** A service that keeps to the contract and has one brand, but for what `answers` says. */
async function service(answers: (asked: Asked) => Answer | undefined) {
  const asked: Asked[] = [];
  const keeps = ({ path, headers }: Asked): Answer => {
    if (headers.authorization === undefined)
      return { status: 401, headers: { 'www-authenticate': 'Token realm="Application"' } };
    if (headers.accept === 'text/html') return { body: '<html>', headers: { 'content-type': 'text/html' } };
    if (path === '/organizations.json') return page([brand]);
    if (path === '/organizations/org_8Hq2.json') {
      if (headers['if-none-match'] === '"1"') return { status: 304 };
      return { body: brand, headers: { etag: '"1"' } };
    }
    if (/^\/organizations\/org_8Hq2\/\w+\.json$|^\/me\/(access_tokens|social_accounts)\.json$/.test(path))
      return page([]);
    return { status: 404, body: { error: 'Not found.' } };
  };
  const url = await scriptedServer(({ url: target = '', method = 'GET', headers }) => {
    const { pathname, searchParams } = new URL(target, 'http://localhost');
    const request = { path: pathname, page: searchParams.get('page'), method, headers };
    asked.push(request);
    const answer = answers(request) ?? keeps(request);
    if (typeof answer === 'string' || method !== 'HEAD') return answer;
    const { body: _body, ...head } = answer;
    return head;
  });
  return { env: { MKT_TOKEN: SECRET, MKT_BASE_URL: url }, asked };
}

/** What departs when only this answer is another: kind, where, expected and got, for the endpoints that have any. */
async function departuresOf(answers: (asked: Asked) => Answer | undefined, flags: readonly string[] = []) {
  const { env, asked } = await service(answers);
  const { code, stderr, departures } = await drift(env, flags);
  expect(asked.filter(({ method }) => method !== 'GET' && method !== 'HEAD')).toEqual([]);
  expect(asked.length).toBeLessThan(200);
  if (departures.length > 0) {
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'drift', exitCode: 1 } });
  }
  return {
    code,
    departures: departures.map(({ endpoint, kind, where, expected, got }) => [endpoint, kind, where, expected, got]),
  };
}

const one = (path: string, answer: Answer | ((asked: Asked) => Answer | undefined)) => (asked: Asked) =>
  asked.path === path && asked.headers.authorization !== undefined && asked.headers.accept !== 'text/html'
    ? typeof answer === 'function'
      ? answer(asked)
      : answer
    : undefined;

describe('a service that keeps to the contract', () => {
  it('with opaque ids departs nowhere', async () => {
    expect(await departuresOf(() => undefined)).toEqual({ code: 0, departures: [] });
  });
});

describe('a representation that departs', () => {
  const list = '/organizations.json';
  const { name: _name, ...nameless } = brand;
  it.each<[string, object, readonly unknown[]]>([
    ['a field more', { ...brand, colour: 'red' }, ['unknown field', 'colour', 'no such field', 'string']],
    ['a field less', nameless, ['missing field', 'name', 'string', 'nothing']],
    ['another type', { ...brand, name: 12 }, ['wrong type', 'name', 'string', 'integer']],
    ['null where there is none', { ...brand, name: null }, ['wrong type', 'name', 'string', 'null']],
    ['an id of neither kind', { ...brand, id: true }, ['wrong type', 'id', 'number or string', 'boolean']],
    [
      'a value more',
      { ...brand, privacy_setting: 'secret' },
      ['unknown value', 'privacy_setting', 'public or private or restricted', 'secret'],
    ],
    [
      'a time of another form',
      { ...brand, created_at: '5 May 2026 10:00' },
      ['wrong form', 'created_at', 'ISO 8601 in UTC', '9 aaa 9999 99:99'],
    ],
    [
      'an address that is none',
      { ...brand, website: 'acme.example' },
      ['wrong form', 'website', 'a URL', 'aaaa.aaaaaaa'],
    ],
  ])('%s', async (_what, item, departure) => {
    const { departures } = await departuresOf(one(list, page([item])));
    expect(departures).toContainEqual(['organizations.list', ...departure]);
  });

  it('inside another, and in lists', async () => {
    const person = { id: 'mem_1', role: 'owner', is_owner: true, ...stamps, user: { id: 7, name: 'Ada', phone: '+1' } };
    const campaign = { countries: ['US', 'usa'], platform_ids: ['tiktok', 5], cpm_amount: 1.5, status: 'archived' };
    const { departures } = await departuresOf((asked) => {
      if (asked.path.endsWith('/members.json')) return page([person]);
      if (asked.path.endsWith('/campaigns.json')) return page([{ ...campaign, id: 1 }]);
      return undefined;
    });
    expect(departures).toEqual(
      expect.arrayContaining([
        ['members.list', 'unknown value', 'role', 'member or admin', 'owner'],
        ['members.list', 'wrong type', 'user.id', 'string', 'integer'],
        ['members.list', 'missing field', 'user.email', 'string', 'nothing'],
        ['members.list', 'unknown field', 'user.phone', 'no such field', 'string'],
        ['campaigns.list', 'wrong form', 'countries[]', 'two uppercase letters', 'aaa'],
        ['campaigns.list', 'wrong type', 'platform_ids[]', 'string', 'integer'],
        ['campaigns.list', 'wrong type', 'cpm_amount', 'integer', 'number'],
        ['campaigns.list', 'missing field', 'name', 'string', 'nothing'],
      ]),
    );
  });

  it('often is told once, with how often', async () => {
    const { env } = await service(one(list, page([1, 2, 3].map((id) => ({ ...brand, id, colour: 'red' })))));
    const { departures } = await drift(env);
    expect(
      departures.filter(({ endpoint, kind }) => endpoint === 'organizations.list' && kind === 'unknown field'),
    ).toEqual([expect.objectContaining({ where: 'colour', times: 3 })]);
  });
});

describe('an answer that departs', () => {
  const tokensPath = '/me/access_tokens.json';
  const show = '/organizations/org_8Hq2.json';
  const html: Scripted = { body: '<!doctype html><h1>Hello</h1>', headers: { 'content-type': 'text/html' } };
  it.each<[string, (asked: Asked) => Answer | undefined, readonly unknown[]]>([
    ['a status', one(tokensPath, { status: 500, ...html }), ['accessTokens.list', 'status', 'a page', '200', '500']],
    [
      'a redirect',
      one(tokensPath, { status: 302, headers: { location: '/sign_in' } }),
      ['accessTokens.list', 'status', 'a page', '200', '302'],
    ],
    ['a page', one(tokensPath, html), ['accessTokens.list', 'body', '(whole)', 'JSON', 'an HTML page']],
    [
      'its type',
      one(tokensPath, html),
      ['accessTokens.list', 'content type', 'Content-Type', 'application/json', 'text/html'],
    ],
    [
      'nothing',
      one(tokensPath, { headers: { 'content-type': 'application/json' }, body: '' }),
      ['accessTokens.list', 'body', '(whole)', 'JSON', 'nothing'],
    ],
    [
      'an object for a list',
      one(tokensPath, { body: { items: [] } }),
      ['accessTokens.list', 'wrong type', '(whole)', 'array', 'object'],
    ],
    [
      'no totals',
      one(tokensPath, { body: [] }),
      ['accessTokens.list', 'paging', 'Total-Count', 'a whole number', 'nothing'],
    ],
    [
      'totals in words',
      one(tokensPath, page([], { 'total-pages': 'one' })),
      ['accessTokens.list', 'paging', 'Total-Pages', 'a whole number', 'one'],
    ],
    [
      'totals that are wrong',
      one(tokensPath, page([], { 'total-count': '7' })),
      ['accessTokens.list', 'paging', 'Total-Count', 'the number of rows', 'more'],
    ],
    [
      'a page that is missing',
      one(tokensPath, page([], { 'total-pages': '2', 'total-count': '0' })),
      ['accessTokens.list', 'paging', 'Total-Pages', 'rows on every page', 'an empty page'],
    ],
    [
      'no HEAD',
      one(tokensPath, ({ method }) => (method === 'HEAD' ? { status: 405 } : undefined)),
      ['accessTokens.list', 'head', 'HEAD', '200', '405'],
    ],
    [
      'a broken connection',
      one(tokensPath, 'drop'),
      ['accessTokens.list', 'no answer', '(whole)', 'an answer', 'a broken connection'],
    ],
    ['no ETag', one(show, { body: brand }), ['organizations.get', 'etag', 'ETag', 'an ETag', 'nothing']],
    [
      'no 304',
      one(show, { body: brand, headers: { etag: '"same"' } }),
      ['organizations.get', 'etag', 'If-None-Match', '304', '200'],
    ],
    [
      'an ETag each time',
      one(show, () => ({ body: brand, headers: { etag: `"${Math.random()}"` } })),
      ['organizations.get', 'etag', 'If-None-Match', '304', '200 and another ETag'],
    ],
    [
      'another thing',
      one(show, { body: { ...brand, id: 'org_other' }, headers: { etag: '"1"' } }),
      ['organizations.get', 'body', 'id', 'the id asked for', 'another'],
    ],
    [
      'a 404 for what is listed',
      one(show, { status: 404, body: { error: 'No.' } }),
      ['organizations.get', 'status', 'one of its list', '200', '404'],
    ],
    [
      'an empty 404',
      one('/organizations/0.json', { status: 404 }),
      ['organizations.get', 'error body', 'no such id', '{"error": "..."}', 'nothing'],
    ],
    [
      'a 404 in HTML',
      one('/organizations/0.json', { status: 404, ...html }),
      ['organizations.get', 'error body', 'no such id', '{"error": "..."}', 'an HTML page'],
    ],
    [
      'a 200 for nothing',
      one('/organizations/0.json', { body: brand }),
      ['organizations.get', 'status', 'no such id', '404', '200'],
    ],
    [
      'an empty 404 for no address',
      one('/me/address.json', { status: 404 }),
      ['address.get', 'error body', 'none is set', '{"error": "..."}', 'nothing'],
    ],
    [
      'a door without a lock',
      ({ headers }) => (headers.authorization === undefined ? page([]) : undefined),
      ['organizations.list', 'status', 'without a token', '401', '200'],
    ],
    [
      'a lock without a name',
      ({ headers }) => (headers.authorization === undefined ? { status: 401 } : undefined),
      ['organizations.list', 'header', 'WWW-Authenticate', 'Token realm="..."', 'nothing'],
    ],
    [
      'JSON for browsers',
      ({ headers }) => (headers.accept === 'text/html' ? page([]) : undefined),
      ['organizations.list', 'content type', 'Accept: text/html', 'an HTML page', 'application/json'],
    ],
  ])('by %s', async (_what, answers, departure) => {
    const { code, departures } = await departuresOf(answers);
    expect(code).toBe(1);
    expect(departures).toContainEqual(departure);
  });

  it('by a 403 or a 404 for a whole list is not visible, and no departure', async () => {
    for (const status of [403, 404]) {
      const { env } = await service(one('/organizations/org_8Hq2/members.json', { status }));
      const { code, rows } = await drift(env);
      expect(code).toBe(0);
      expect(rows.find(({ endpoint }) => endpoint === 'members.list')).toMatchObject({ kind: 'not visible', times: 1 });
    }
  });
});

describe('a service without mercy', () => {
  it('with pages without end is left after a few', async () => {
    const endless = ({ path, headers }: Asked): Answer | undefined =>
      path.endsWith('s.json') && headers.authorization !== undefined && headers.accept !== 'text/html'
        ? page(
            Array.from({ length: 20 }, (_, id) => ({ ...brand, id })),
            { 'total-count': '99999999999', 'total-pages': '9999999999' },
          )
        : undefined;
    const { departures } = await departuresOf(endless);
    expect(departures).toContainEqual([
      'organizations.list',
      'paging',
      'page',
      'other rows on another page',
      'the same rows',
    ]);
  });

  it('that answers everything with a page is reported, endpoint by endpoint', async () => {
    const { departures } = await departuresOf(() => ({
      body: '<html>Welcome</html>',
      headers: { 'content-type': 'text/html' },
    }));
    expect(new Set(departures.map(([endpoint]) => endpoint))).toEqual(
      new Set(['accessTokens.list', 'organizations.list', 'socialAccounts.list', 'address.get']),
    );
  });

  it('that says the token back, and escapes, has neither shown', async () => {
    const nasty = { id: `${SECRET}\u001b[31m`, [`${'x'.repeat(200)}\u001b]0;evil\u0007`]: SECRET, created_at: SECRET };
    const { env } = await service(one('/organizations.json', page([nasty], { 'total-count': 'x' })));
    const { stdout } = await runCli(['doctor', '--drift'], { env, columns: 100 });
    expect(stdout).not.toContain('\u001b');
    expect((await drift(env)).departures.length).toBeGreaterThan(5);
  });

  it('that goes away in the middle ends with 8, and with what was found', async () => {
    const { env } = await service(({ path }) => (path.startsWith('/organizations/') ? 'drop' : undefined));
    const { code, rows } = await drift(env);
    expect(code).toBe(8);
    expect(rows.find(({ endpoint }) => endpoint === 'organizations.list')).toMatchObject({ kind: 'ok' });
    expect(rows.find(({ endpoint }) => endpoint === 'organizations.get')).toMatchObject({ kind: 'no answer' });
  });

  it('that never answers ends with 8', async () => {
    const { env } = await service(() => 'hang');
    const began = Date.now();
    const { code } = await drift(env, ['--timeout', '0.2']);
    expect(code).toBe(8);
    expect(Date.now() - began).toBeLessThan(20_000);
  });

  it('that takes the token no more ends with 4', async () => {
    const { env } = await service(({ path }) => (path.startsWith('/organizations/') ? { status: 401 } : undefined));
    expect(await drift(env)).toMatchObject({ code: 4 });
  });

  it('that asks to wait, and is waited for, is left at Ctrl-C with 130', async () => {
    const stop = new AbortController();
    const { env } = await service(
      one('/me/social_accounts.json', () => {
        setTimeout(() => stop.abort(), 50);
        return { status: 429, headers: { 'retry-after': '3600' } };
      }),
    );
    expect(await drift(env, [], { interrupted: stop.signal })).toMatchObject({ code: 130 });
  });

  it('that never stops asking to wait ends with 7, and with what was found', async () => {
    const { env } = await service(one('/me/social_accounts.json', { status: 429, headers: { 'retry-after': '0' } }));
    const { code, rows } = await drift(env);
    expect(code).toBe(7);
    expect(rows.find(({ endpoint }) => endpoint === 'organizations.list')).toMatchObject({ kind: 'ok' });
  });

  it('is left at Ctrl-C with 130', async () => {
    const stop = new AbortController();
    const { env } = await service(({ path }) => {
      if (path === '/me/address.json') stop.abort();
      return undefined;
    });
    expect(await drift(env, [], { interrupted: stop.signal })).toMatchObject({ code: 130, stdout: '' });
  });
});

it('shows a drifting service at 80 columns, ids and kinds whole', async () => {
  const { env } = await service((asked) => {
    if (
      asked.path === '/organizations.json' &&
      asked.headers.authorization !== undefined &&
      asked.headers.accept !== 'text/html'
    )
      return page([{ ...brand, colour: 'red', privacy_setting: 'secret' }]);
    if (asked.path.endsWith('/members.json')) return { status: 403 };
    if (asked.path === '/me/access_tokens.json') return { body: [] };
    if (asked.path === '/organizations/0.json') return { status: 404 };
    return undefined;
  });
  const { code, stdout, stderr } = await runCli(['doctor', '--drift'], { env, columns: 80 });
  expect(code).toBe(1);
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  await expect(stdout).toMatchFileSnapshot('goldens/doctor-drift.txt');
  expect(stderr).toContain('error: The service departs from the API document in 5 ways.');
});
