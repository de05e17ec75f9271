import { describe, expect, test } from 'vitest';
import { type Like, type ServiceDifference, serviceDifferences } from '../src/index.js';
import { type Api, demoApi } from './support/api.js';

const campaigns = '/organizations/5/campaigns.json';
const campaign = '/organizations/5/campaigns/3.json';
const requests = [campaigns, campaign, '/organizations.json', '/me/social_accounts.json', '/organizations/77.json'];

const read = (api: Api, path: string, who: string | null = 'ada_write') => api.call(who, 'GET', path);

/** The responses to all requests, without what differs from request to request. */
async function responses(like: Like) {
  const api = await demoApi({ like });
  const all = await Promise.all([...requests.map((path) => read(api, path)), read(api, campaign, null)]);
  return all.map(({ status, headers, text, body }) => {
    headers.delete('x-request-id');
    return { status, headers: Object.fromEntries(headers), text, body };
  });
}

describe('--like (D129)', () => {
  test('document is the default', async () => {
    const [document, unset] = [await responses('document'), await responses([])];
    expect(unset).toEqual(document);
    expect((await read(await demoApi(), campaign)).body).toEqual(document[1]?.body);
  });

  test.each<[ServiceDifference, readonly number[]]>([
    ['extra-fields', [0, 1, 2, 3]],
    ['absent-null', [0, 1, 2, 3]],
    ['new-values', [0, 3]],
    ['empty-404', [4]],
    ['text-401', [5]],
    ['hidden-totals', [0, 2, 3]],
  ])('%s changes only what it names', async (name, changed) => {
    const [document, changedOnce] = [await responses('document'), await responses([name])];
    const differing = changedOnce.flatMap((response, place) =>
      JSON.stringify(response) === JSON.stringify(document[place]) ? [] : [place],
    );
    expect(differing).toEqual(changed);
  });

  test('live has all of them', async () => {
    expect(await responses('live')).toEqual(await responses(serviceDifferences));
  });

  test('extra-fields adds two fields to each resource', async () => {
    const api = await demoApi({ like: ['extra-fields'] });
    const { body: document } = await read(await demoApi(), campaign);
    const extra = { resource_type: 'campaigns', is_archived: false };
    expect((await read(api, campaign)).body).toEqual({ ...document, ...extra });
    for (const item of (await read(api, campaigns)).body) expect(item).toMatchObject(extra);
    const created = await api.call('ada_write', 'POST', campaigns, { body: { campaign: { name: 'New' } } });
    expect(created).toMatchObject({ status: 201, body: { name: 'New', ...extra } });
  });

  test('absent-null leaves out fields without a value', async () => {
    const { body } = await read(await demoApi({ like: ['absent-null'] }), campaign);
    const { body: document } = await read(await demoApi(), campaign);
    expect(Object.values(document)).toContain(null);
    expect(body).toEqual(Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null)));
  });

  test('new-values replaces statuses that no client sets', async () => {
    const api = await demoApi({ like: ['new-values'] });
    const statuses = (items: readonly { status: string }[]) => new Set(items.map(({ status }) => status));
    const all = [...(await read(api, campaigns)).body, ...(await read(api, `${campaigns}?page=2`)).body];
    expect(statuses(all)).toEqual(new Set(['draft', 'active', 'paused', 'archived']));
    const { body: accounts } = await read(api, '/me/social_accounts.json');
    expect(statuses(accounts)).toContain('suspended');
    expect(statuses(accounts)).not.toContain('failed');
  });

  test('empty-404 has no body for a resource and a path that do not exist', async () => {
    const api = await demoApi({ like: ['empty-404'] });
    for (const path of ['/organizations/77.json', '/nothing.json']) {
      const { status, text, headers } = await read(api, path);
      expect({ status, text, type: headers.get('content-type') }).toEqual({ status: 404, text: '', type: null });
      expect(headers.get('x-request-id')).not.toBeNull();
    }
  });

  test('text-401 is plain text, with the scheme', async () => {
    const { status, text, headers } = await read(await demoApi({ like: ['text-401'] }), campaign, null);
    expect({ status, text }).toEqual({ status: 401, text: 'HTTP Token: Access denied.\n' });
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(headers.get('www-authenticate')).toBe('Token realm="Application"');
  });

  test('hidden-totals leaves out two headers', async () => {
    const { headers } = await read(await demoApi({ like: ['hidden-totals'] }), campaigns);
    expect([headers.get('total-count'), headers.get('total-pages')]).toEqual([null, null]);
    expect([headers.get('current-page'), headers.get('page-items')]).toEqual(['1', '20']);
  });

  test('ETags, conditional requests and HEAD work with all of them', async () => {
    const api = await demoApi({ like: 'live' });
    const { headers } = await read(api, campaign);
    const etag = headers.get('etag') ?? '';
    const again = await api.call('ada_write', 'GET', campaign, { headers: { 'if-none-match': etag } });
    expect(again).toMatchObject({ status: 304, text: '' });
    const head = await api.call('ada_write', 'HEAD', campaign);
    expect(head).toMatchObject({ status: 200, text: '' });
    expect([head.headers.get('etag'), head.headers.get('content-length')]).toEqual([etag, null]);
    const body = { campaign: { name: 'Renamed' } };
    const update = () => api.call('ada_write', 'PATCH', campaign, { body, headers: { 'if-match': etag } });
    expect(await update()).toMatchObject({ status: 200, body: { name: 'Renamed', is_archived: false } });
    expect((await update()).status).toBe(412);
  });

  test('pages, documents and other errors stay as they are', async () => {
    const [live, document] = [await demoApi({ like: 'live' }), await demoApi()];
    for (const [path, accept] of [
      ['/organizations/5/campaigns', 'text/html'],
      ['/organizations/77', 'text/html'],
      [`${campaigns}?page=0`, 'application/json'],
    ] as const) {
      const [{ text, status }, same] = [
        await live.call('ada_write', 'GET', path, { accept }),
        await document.call('ada_write', 'GET', path, { accept }),
      ];
      expect({ text, status }).toEqual({ text: same.text, status: same.status });
    }
  });
});
