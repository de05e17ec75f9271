import { endpoints } from '@mkt/sdk/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { demoSeed } from '../src/index.js';
import { openApiDocument } from '../src/openapi/document.js';
import { type Api, demoApi } from './support/api.js';
import { openTestStore, storeKinds, type TestStore } from './support/stores.js';

const campaign = '/organizations/5/campaigns/1.json';

const resources = [
  { path: '/organizations/5.json', who: 'ada_write', body: { organization: { name: 'Changed' } } },
  { path: campaign, who: 'ada_write', body: { campaign: { name: 'Changed' } } },
  { path: '/organizations/5/collabs/1.json', who: 'ada_write', body: { collab: { name: 'Changed' } } },
];

describe.each(storeKinds)('conditional writes on the %s store (D101)', (kind) => {
  let opened: TestStore;
  let api: Api;
  beforeAll(async () => {
    opened = await openTestStore(kind);
  });
  afterAll(() => opened?.dispose());
  beforeEach(async () => {
    await opened.store.load(demoSeed());
    api = await demoApi({ store: opened.store });
  });

  const etagOf = async (path: string): Promise<string> =>
    (await api.call('ada_write', 'GET', path)).headers.get('etag') as string;
  const write = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    api.call('ada_write', method, path, { headers, ...(body !== undefined && { body }) });

  test.each(resources)('PATCH $path: 412 for another tag, 200 for its own', async ({ path, body }) => {
    const before = await api.call('ada_write', 'GET', path);
    const rejected = await write('PATCH', path, { 'if-match': '"nope"' }, body);
    expect([rejected.status, Object.keys(rejected.body)]).toEqual([412, ['error']]);
    expect(rejected.body.error).toMatch(/has changed since you read it, so nothing was changed/);
    expect((await api.call('ada_write', 'GET', path)).text).toBe(before.text);

    const etag = before.headers.get('etag') as string;
    const done = await write('PATCH', path, { 'if-match': etag }, body);
    expect([done.status, done.body.name]).toEqual([200, 'Changed']);
    expect((await write('PATCH', path, { 'if-match': etag }, body)).status).toBe(412);
    expect((await write('PATCH', path, { 'if-match': await etagOf(path) }, body)).status).toBe(200);
  });

  test.each(['/organizations/5/campaigns/1.json', '/organizations/5/collabs/1.json', '/me/social_accounts/1.json'])(
    'DELETE %s: 412 for another tag, 204 for its own',
    async (path) => {
      const etag = await etagOf(path);
      expect((await write('DELETE', path, { 'if-match': 'W/"nope"' })).status).toBe(412);
      expect(await etagOf(path)).toBe(etag);
      expect((await write('DELETE', path, { 'if-match': etag })).status).toBe(204);
      expect((await write('DELETE', path, { 'if-match': etag })).status).toBe(404);
    },
  );

  test('one of eight writers with the same tag wins', async () => {
    const etag = await etagOf(campaign);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, number) =>
        write('PATCH', campaign, { 'if-match': etag }, { campaign: { name: `Writer ${number}` } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)]);
    const [won] = answers.filter(({ status }) => status === 200);
    expect((await api.call('ada_write', 'GET', campaign)).body.name).toBe(won?.body.name);
  });

  test('a write that arrives while the body is being sent is seen', async () => {
    const etag = await etagOf(campaign);
    let send: (() => void) | undefined;
    const body = new ReadableStream({
      start(controller) {
        send = () => {
          controller.enqueue(new TextEncoder().encode('{"campaign":{"name":"Slow"}}'));
          controller.close();
        };
      },
    });
    const slow = write('PATCH', campaign, { 'if-match': etag, 'content-type': 'application/json' }, body);
    await write('PATCH', campaign, {}, { campaign: { name: 'Quick' } });
    send?.();
    expect((await slow).status).toBe(412);
    expect((await api.call('ada_write', 'GET', campaign)).body.name).toBe('Quick');
  });
});

describe('conditional writes (D101)', () => {
  let api: Api;
  beforeEach(async () => {
    api = await demoApi();
  });
  const body = { campaign: { name: 'Changed' } };
  const write = (headers: Record<string, string>, { method = 'PATCH', path = campaign, sent = body as unknown } = {}) =>
    api.call('ada_write', method, path, { headers, ...(method === 'PATCH' && { body: sent }) });
  const statusOf = async (...given: Parameters<typeof write>) => (await write(...given)).status;

  test('If-Match takes a list, weak and strong forms, and *', async () => {
    const tag = async () => (await api.call('ada_write', 'GET', campaign)).headers.get('etag') as string;
    for (const form of [
      (etag: string) => etag,
      (etag: string) => etag.slice(2),
      (etag: string) => `"x", ${etag}`,
      (etag: string) => `${etag},W/"y"`,
      () => '*',
    ])
      expect(await statusOf({ 'if-match': form(await tag()) })).toBe(200);
    for (const value of ['"x"', '', 'x', '"x", "y"', (await tag()).replaceAll('"', '')])
      expect([value, await statusOf({ 'if-match': value })]).toEqual([value, 412]);
  });

  test('If-Unmodified-Since compares with updated_at, to the second', async () => {
    const { updated_at } = (await api.call('ada_write', 'GET', campaign)).body;
    const at = Date.parse(updated_at);
    const date = (milliseconds: number) => new Date(milliseconds).toUTCString();
    expect(await statusOf({ 'if-unmodified-since': date(at - 1000) })).toBe(412);
    expect(await statusOf({ 'if-unmodified-since': date(at - 1000) }, { method: 'DELETE' })).toBe(412);
    expect((await api.call('ada_write', 'GET', campaign)).body.updated_at).toBe(updated_at);
    expect(await statusOf({ 'if-unmodified-since': date(at) })).toBe(200);
    // It was changed by that, at the clock's time.
    expect(await statusOf({ 'if-unmodified-since': date(at) })).toBe(412);
    expect(await statusOf({ 'if-unmodified-since': '2026-06-01T12:00:00Z' })).toBe(200);
    expect(await statusOf({ 'if-unmodified-since': 'Mon Jun  1 11:59:59 2026' })).toBe(412);
    expect(await statusOf({ 'if-unmodified-since': 'Monday, 01-Jun-26 11:59:59 GMT' })).toBe(412);
  });

  test('If-Unmodified-Since is ignored when it is not a date, or If-Match is there', async () => {
    const long_ago = 'Thu, 01 Jan 1970 00:00:00 GMT';
    expect(await statusOf({ 'if-unmodified-since': 'yesterday' })).toBe(200);
    const etag = (await api.call('ada_write', 'GET', campaign)).headers.get('etag') as string;
    expect(await statusOf({ 'if-match': etag, 'if-unmodified-since': long_ago })).toBe(200);
    expect(await statusOf({ 'if-match': '"x"', 'if-unmodified-since': new Date(Date.now()).toUTCString() })).toBe(412);
  });

  test('If-None-Match: * succeeds if the resource does not exist', async () => {
    expect(await statusOf({ 'if-none-match': '*' })).toBe(412);
    expect(await statusOf({ 'if-none-match': '"x"' })).toBe(200);
    const address = { address_one: '1 Main', city: 'Lyon', state: 'ARA', postal_code: '69001', country_code: 'FR' };
    const set = { path: '/me/address.json', sent: { address } };
    await api.call('ada_write', 'DELETE', set.path);
    expect(await statusOf({ 'if-match': '*' }, set)).toBe(412);
    expect(await statusOf({ 'if-none-match': '*' }, set)).toBe(200);
    expect(await statusOf({ 'if-none-match': '*' }, set)).toBe(412);
    expect(await statusOf({ 'if-match': '*' }, set)).toBe(200);
  });

  test('what has no ETag matches * only', async () => {
    const paths = [
      { path: '/me/address.json', sent: { address: { city: 'Lyon' } } },
      { path: '/organizations/5/members/mem_5_ben.json', sent: { membership: { role: 'admin' } } },
    ];
    for (const { path, sent } of paths) {
      expect([path, await statusOf({ 'if-match': 'W/"0123"' }, { path, sent })]).toEqual([path, 412]);
      expect([path, await statusOf({ 'if-match': '*' }, { path, sent })]).toEqual([path, 200]);
    }
    const token = { method: 'DELETE', path: '/me/access_tokens/2.json' };
    expect(await statusOf({ 'if-match': '"x"' }, token)).toBe(412);
    expect(await statusOf({ 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, token)).toBe(412);
    expect(await statusOf({ 'if-match': '*' }, token)).toBe(204);
  });

  test('is checked after token, visibility and role, and before the body', async () => {
    const headers = { 'if-match': '"x"' };
    const as = async (who: string | null, path = campaign, sent: unknown = body) =>
      (await api.call(who, 'PATCH', path, { headers, body: sent })).status;
    expect(await as(null)).toBe(401);
    expect(await as('ada_read')).toBe(401);
    expect(await as('eve_write')).toBe(404);
    expect(await as('ada_write', '/organizations/5/campaigns/99999.json')).toBe(404);
    expect(await as('cleo_write', '/organizations/5/campaigns/3.json')).toBe(403);
    for (const wrong of ['{', {}, { campaign: { name: '' } }]) expect(await as('ada_write', campaign, wrong)).toBe(412);
    // A guard speaks after it: this campaign is active.
    const active = '/organizations/5/campaigns/3.json';
    expect(await statusOf(headers, { method: 'DELETE', path: active })).toBe(412);
  });

  test('has no effect on what is created, and a time none on what is read', async () => {
    const headers = { 'if-match': '"x"', 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' };
    const { 'if-match': _, ...time } = headers;
    expect((await api.call('ada_write', 'GET', campaign, { headers: time })).status).toBe(200);
    const created = await api.call('ada_write', 'POST', '/organizations/5/campaigns.json', { headers, body });
    expect(created.status).toBe(201);
  });

  test('a page of another origin may send the headers', async () => {
    const preflight = await api.call(null, 'OPTIONS', campaign, {
      headers: { origin: 'http://localhost:1', 'access-control-request-method': 'PATCH' },
    });
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ');
    expect(allowed).toEqual(expect.arrayContaining(['If-Match', 'If-Unmodified-Since', 'If-None-Match']));
  });

  test('OpenAPI documents the headers and the 412 of each write of a resource, and If-Match of each read with an ETag', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: a test looks into a document of every shape.
    const { paths, components } = (await openApiDocument({ server: 'http://localhost' })) as any;
    for (const { path, method, etag = false } of endpoints) {
      const operation = paths[path.replace(/:([a-z_]+)/g, '{$1}')][method.toLowerCase()];
      const isConditional = method === 'PATCH' || method === 'DELETE';
      const names = (operation.parameters ?? []).map(({ $ref = '' }) => $ref.split('/').at(-1));
      expect([path, method, '412' in operation.responses]).toEqual([path, method, isConditional || etag]);
      expect([path, method, names.includes('IfMatch')]).toEqual([path, method, isConditional || etag]);
      expect([path, method, names.includes('IfUnmodifiedSince')]).toEqual([path, method, isConditional]);
    }
    expect(components.parameters.IfMatch.name).toBe('If-Match');
  });
});
