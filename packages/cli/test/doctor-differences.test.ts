import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { isLong } from '../../server/test/support/long.js';
import {
  type Answer,
  type Asked,
  brand,
  differencesOf,
  drift,
  one,
  page,
  service,
  stamps,
} from './support/drifting-service.js';
import type { Scripted } from './support/scripted-server.js';

vi.setConfig({ testTimeout: isLong ? 300_000 : 30_000 });

describe('a service that follows the contract', () => {
  it('has no differences, even with opaque ids', async () => {
    expect(await differencesOf(() => undefined)).toEqual({ code: 0, differences: [] });
  });
});

describe('a representation that differs', () => {
  const list = '/organizations.json';
  const { name: _name, ...nameless } = brand;
  it.each<[string, object, readonly unknown[]]>([
    ['an additional field', { ...brand, colour: 'red' }, ['unknown field', 'colour', 'no such field', 'string']],
    ['a missing field', nameless, ['missing field', 'name', 'string', 'nothing']],
    ['another type', { ...brand, name: 12 }, ['wrong type', 'name', 'string', 'number']],
    ['an unexpected null', { ...brand, name: null }, ['wrong type', 'name', 'string', 'null']],
    ['an id of neither kind', { ...brand, id: true }, ['wrong type', 'id', 'integer or string', 'boolean']],
    [
      'an unknown value',
      { ...brand, privacy_setting: 'secret' },
      ['unknown value', 'privacy_setting', 'public or private or restricted', 'secret'],
    ],
  ])('reports %s', async (_what, item, difference) => {
    const { differences } = await differencesOf(one(list, page([item])));
    expect(differences).toContainEqual(['organizations.list', ...difference]);
  });

  it('reports differences inside objects and lists', async () => {
    const person = { id: 'mem_1', role: 'owner', is_owner: true, ...stamps, user: { id: 7, name: 'Ada', phone: '+1' } };
    const campaign = { platform_ids: ['tiktok', 5], cpm_amount: 1.5, status: 'archived' };
    const { differences } = await differencesOf((asked) => {
      if (asked.path.endsWith('/members.json')) return page([person]);
      if (asked.path.endsWith('/campaigns.json')) return page([{ ...campaign, id: 1 }]);
      return undefined;
    });
    expect(differences).toEqual(
      expect.arrayContaining([
        ['members.list', 'unknown value', 'role', 'member or admin', 'owner'],
        ['members.list', 'wrong type', 'user.id', 'string', 'number'],
        ['members.list', 'missing field', 'user.email', 'string', 'nothing'],
        ['members.list', 'unknown field', 'user.phone', 'no such field', 'string'],
        ['campaigns.list', 'wrong type', 'platform_ids[]', 'string', 'number'],
        ['campaigns.list', 'wrong type', 'cpm_amount', 'integer', 'number'],
        ['campaigns.list', 'missing field', 'name', 'string', 'nothing'],
      ]),
    );
  });

  it('reports a repeated difference once, with a count', async () => {
    const { env } = await service(one(list, page([1, 2, 3].map((id) => ({ ...brand, id, colour: 'red' })))));
    const { differences } = await drift(env);
    expect(
      differences.filter(({ endpoint, kind }) => endpoint === 'organizations.list' && kind === 'unknown field'),
    ).toEqual([expect.objectContaining({ where: 'colour', times: 3 })]);
  });
});

describe('a response that differs', () => {
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
      'a wrong content type',
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
      'a broken connection',
      one(tokensPath, 'drop'),
      ['accessTokens.list', 'no response', '(whole)', 'a response', 'a broken connection'],
    ],
    ['no ETag', one(show, { body: brand }), ['organizations.get', 'etag', 'ETag', 'an ETag', 'nothing']],
    [
      'no 304',
      one(show, { body: brand, headers: { etag: '"same"' } }),
      ['organizations.get', 'etag', 'If-None-Match', '304', '200'],
    ],
    [
      'a 404 for a listed resource',
      one(show, { status: 404, body: { error: 'No.' } }),
      ['organizations.get', 'status', 'a listed item', '200', '404'],
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
      'a 200 for an unused id',
      one('/organizations/0.json', { body: brand }),
      ['organizations.get', 'status', 'no such id', '404', '200'],
    ],
    [
      'an empty 404 for no address',
      one('/me/address.json', { status: 404 }),
      ['address.get', 'error body', 'not set', '{"error": "..."}', 'nothing'],
    ],
  ])('reports %s', async (_what, answers, difference) => {
    const { code, differences } = await differencesOf(answers);
    expect(code).toBe(1);
    expect(differences).toContainEqual(difference);
  });

  it('reports no difference if a resource changes between two requests', async () => {
    const changing = one(show, () => ({ body: brand, headers: { etag: `"${Math.random()}"` } }));
    expect(await differencesOf(changing)).toEqual({ code: 0, differences: [] });
  });

  it('reports a 403 or 404 for a list as not visible', async () => {
    for (const status of [403, 404]) {
      const { env } = await service(one('/organizations/org_8Hq2/members.json', { status }));
      const { code, rows } = await drift(env);
      expect(code).toBe(0);
      expect(rows.find(({ endpoint }) => endpoint === 'members.list')).toMatchObject({ kind: 'not visible', times: 1 });
    }
  });
});

describe('random responses', () => {
  const status = fc.constantFrom(200, 200, 200, 201, 204, 301, 304, 400, 403, 404, 418, 500);
  const header = fc.constantFrom(undefined, '', '0', '1', '2', '99999999999999999999', '-1', 'x', '"a"', 'W/"a"');
  const answer = fc.record({
    status,
    body: fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.array(fc.jsonValue()), fc.constantFrom('', '<html>', '{')),
    totals: fc.tuple(header, header, header),
  });

  it('never break the report', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 6 }), async (answers) => {
        let next = 0;
        const { env, asked } = await service(() => {
          const { status, body, totals } = answers[next++ % answers.length]!;
          const names = ['total-count', 'total-pages', 'etag'];
          const given = names.flatMap((name, index) => (totals[index] === undefined ? [] : [[name, totals[index]]]));
          return { status, body, headers: Object.fromEntries(given) };
        });
        const { code, stderr } = await drift(env);
        expect([0, 1]).toContain(code);
        if (code === 1) expect(JSON.parse(stderr).error.code).toBe('drift');
        expect(asked.length).toBeLessThan(300);
      }),
      { numRuns: isLong ? 500 : 25 },
    );
  });
});
