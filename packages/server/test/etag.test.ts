import { contract, endpoints } from '@mkt/sdk/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Api, demoApi } from './support/api.js';

let api: Api;
beforeEach(async () => {
  api = await demoApi();
});

const campaigns = '/organizations/5/campaigns.json';

describe('ETag (D14)', () => {
  const shows = [contract.organizations.get, contract.campaigns.get, contract.collabs.get, contract.socialAccounts.get];
  const pathOf = (path: string) =>
    path.replace(':organization_id', '5').replace(/:[a-z_]+/, path.startsWith('/organizations/:id') ? '5' : '3');

  test.each(shows)('$operation: 304 on a matching If-None-Match, in every form', async ({ path }) => {
    const first = await api.call('ada_write', 'GET', pathOf(path));
    const etag = first.headers.get('etag') as string;
    expect(etag).toMatch(/^W\/"[0-9a-f]{32}"$/);
    for (const value of [etag, etag.slice(2), '*', `"x", ${etag}`, `${etag},W/"y"`, ` ${etag} `]) {
      for (const method of ['GET', 'HEAD']) {
        const { status, text, headers } = await api.call('ada_write', method, pathOf(path), {
          headers: { 'if-none-match': value },
        });
        expect([value, status, text, headers.get('etag')]).toEqual([value, 304, '', etag]);
        expect(headers.get('content-type')).toBeNull();
      }
    }
    for (const value of ['"x"', etag.replace('"', ''), '', 'W/"x", "y"']) {
      expect((await api.call('ada_write', 'GET', pathOf(path), { headers: { 'if-none-match': value } })).status).toBe(
        200,
      );
    }
  });

  test.each(shows)('$operation: 412 on an If-Match that names another one', async ({ path }) => {
    const etag = (await api.call('ada_write', 'GET', pathOf(path))).headers.get('etag') as string;
    for (const method of ['GET', 'HEAD'])
      for (const [value, status] of [
        [etag, 200],
        ['*', 200],
        [`"x", ${etag}`, 200],
        ['"x"', 412],
        ['W/"x"', 412],
      ] as const) {
        const headers = { 'if-match': value, 'if-none-match': status === 412 ? '*' : '"y"' };
        const response = await api.call('ada_write', method, pathOf(path), { headers });
        expect([value, response.status]).toEqual([value, status]);
        if (status === 412 && method === 'GET') expect(response.text).toContain('Read it again');
      }
  });

  test('equal representations have equal tags, others have others', async () => {
    const tag = async (who = 'ada_write') =>
      (await api.call(who, 'GET', '/organizations/5/campaigns/3.json')).headers.get('etag');
    const before = await tag();
    expect(await tag('cleo_write')).toBe(before);
    const rename = (name: string) =>
      api.call('ada_write', 'PATCH', '/organizations/5/campaigns/3.json', { body: { campaign: { name } } });
    await rename('Other');
    const other = await tag();
    expect(other).not.toBe(before);
    await rename('Again');
    await rename('Other');
    expect(await tag()).toBe(other);
  });

  test('lists and the address have none', async () => {
    for (const path of [campaigns, '/me/address.json', '/organizations/5/members.json']) {
      expect((await api.call('ada_write', 'GET', path)).headers.get('etag')).toBeNull();
    }
  });
});

test('HEAD has the headers of GET, the length included, and no body (D13)', async () => {
  for (const { path, method } of endpoints.filter((endpoint) => endpoint.method === 'GET')) {
    const address = path
      .replace(':organization_id', '5')
      .replace(/:[a-z_]+/, path.startsWith('/organizations/:id') ? '5' : '3');
    const get = await api.call('ada_read', method, address);
    const head = await api.call('ada_read', 'HEAD', address);
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String(new TextEncoder().encode(get.text).length));
    for (const [name, value] of get.headers)
      if (name !== 'x-request-id') expect([name, head.headers.get(name)]).toEqual([name, value]);
  }
});
