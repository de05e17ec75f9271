import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoSeed, type Store } from '../src/index.js';
import { openApiDocument } from '../src/openapi/document.js';
import { exportSeed, parseSeed, type SeedError } from '../src/seed/file.js';
import { type Api, demoApi } from './support/api.js';
import { firstPage } from './support/every-store.js';
import { openTestStore, storeKinds, type TestStore } from './support/stores.js';
import { demoSite } from './support/visitor.js';

const opaque = /^[a-z][a-z0-9]{11}$/;
const seed = demoSeed('opaque');
const idOf = (table: 'organizations' | 'campaigns' | 'collabs' | 'social_accounts', number: number) =>
  String(seed.tables[table].find((row) => (row as { position?: number }).position === number)?.id);
const acme = idOf('organizations', 5);

test('the OpenAPI document describes opaque ids as texts', async () => {
  const document = JSON.stringify(await openApiDocument({ server: 'http://127.0.0.1', ids: 'opaque' }));
  expect(document).not.toMatch(/"description":"Number of the/);
  expect(document).toContain('"id":{"type":"string","description":"Id of the campaign.","maxLength":64}');
});

describe.each(storeKinds)('opaque ids (D140), on %s', (kind) => {
  let opened: TestStore;
  let api: Api;
  beforeAll(async () => {
    opened = await openTestStore(kind, 'opaque');
    await opened.store.load(seed);
    api = await demoApi({ store: opened.store });
  });
  afterAll(() => opened?.dispose());
  const get = (path: string) => api.call('ada_write', 'GET', path);

  test('are in paths, bodies and url fields', async () => {
    const id = idOf('campaigns', 3);
    const { status, body } = await get(`/organizations/${acme}/campaigns/${id}.json`);
    expect(status).toBe(200);
    expect(id).toMatch(opaque);
    expect(body).toMatchObject({ id, url: expect.stringMatching(`/organizations/${acme}/campaigns/${id}.json$`) });
    expect(JSON.stringify(body)).not.toContain('position');
  });

  test('of new resources are random, and in Location', async () => {
    const create = () =>
      api.call('ada_write', 'POST', `/organizations/${acme}/campaigns.json`, { body: { campaign: { name: 'New' } } });
    const [first, second] = [await create(), await create()];
    for (const { status, body, headers } of [first, second]) {
      expect(status).toBe(201);
      expect(body.id).toMatch(opaque);
      expect(headers.get('location')).toBe(body.url);
      const again = await get(`/organizations/${acme}/campaigns/${body.id}.json`);
      expect(again.body).toEqual(body);
    }
    expect(first.body.id).not.toBe(second.body.id);
  });

  test('lists have the order of creation', async () => {
    const { body } = await get(`/organizations/${acme}/campaigns.json`);
    const integers = await demoApi();
    const { body: same } = await integers.call('ada_write', 'GET', '/organizations/5/campaigns.json');
    expect(body.map(({ name }: { name: string }) => name)).toEqual(same.map(({ name }: { name: string }) => name));
  });

  test.each(['3', '0', 'k'.repeat(300), '%00', '%F0%9F%98%80', 'nosuchid1234'])(
    'an id %s that no campaign has is 404',
    async (id) => {
      expect((await get(`/organizations/${acme}/campaigns/${id}.json`)).status).toBe(404);
      expect((await get(`/organizations/${id}/campaigns.json`)).status).toBe(404);
    },
  );

  test('the integer of an organization is 404', async () => {
    expect((await get('/organizations/5.json')).status).toBe(404);
    expect((await api.call('ada_write', 'PATCH', '/organizations/5.json', { body: { organization: {} } })).status).toBe(
      404,
    );
  });

  test('actions, members, tokens and accounts take them', async () => {
    const draft = idOf('campaigns', 1);
    const path = `/organizations/${acme}/campaigns/${draft}`;
    const published = await api.call('ada_write', 'POST', `${path}/publish`);
    expect(published.status).toBe(303);
    expect(published.headers.get('location')).toMatch(new RegExp(`${path}$`));
    const members = await get(`/organizations/${acme}/members.json`);
    expect(members.body[0].id).toBe(`mem_${acme}_ada`);
    const [token] = (await get('/me/access_tokens.json')).body;
    expect(token.id).toMatch(opaque);
    const account = idOf('social_accounts', 1);
    expect((await get(`/me/social_accounts/${account}.json`)).body.id).toBe(account);
    expect((await api.call('ada_write', 'DELETE', `/me/access_tokens/${token.id}.json`)).status).toBe(204);
    await opened.store.load(seed);
  });

  test('an export has the same rows again', async () => {
    await opened.store.load(seed);
    const dump = await opened.store.dump();
    const random = () => 'unused-random-text-of-a-seed';
    const sha256 = (text: string) => text;
    const { dump: again } = await parseSeed(exportSeed(dump, 'opaque'), { ids: 'opaque', random, sha256 });
    expect(again.tables).toEqual({ ...dump.tables, access_tokens: [] });
    expect(again.serials).toEqual(dump.serials);
  });

  test('drafts are counted and found as with integers', async () => {
    const lists = async (store: Store, organization: string | number) =>
      store.read(async (reader) => [
        await reader.count('campaigns', 'byOrganizationWithoutDrafts', [organization]),
        (await reader.page('campaigns', 'byOrganization', [organization], firstPage)).length,
      ]);
    const integers = await openTestStore('memory');
    await integers.store.load(demoSeed());
    expect(await lists(opened.store, acme)).toEqual(await lists(integers.store, 5));
  });
});

describe('seeds', () => {
  const options = { random: () => 'random', sha256: (text: string) => text };
  const file = (campaigns: string) =>
    ['users: {ada: {}}', 'organizations:', '  acme:', '    name: Acme', '    members: {ada: owner}', campaigns].join(
      '\n',
    );
  const problemsOf = async (text: string, ids: 'integer' | 'opaque') => {
    const error = (await parseSeed(text, { ...options, ids }).then(
      () => null,
      (reason: unknown) => reason,
    )) as SeedError;
    return error.problems.map(({ line, message }) => `${line}: ${message}`);
  };

  test('may set ids of either kind, and rows without one get one', async () => {
    const text = file('    campaigns: [{id: summer-25, name: A}, {id: 7, name: B}, {name: C}]');
    const { dump } = await parseSeed(text, { ...options, ids: 'opaque' });
    const [first, second, third] = dump.tables.campaigns;
    expect(first).toMatchObject({ id: 'summer-25', position: 1 });
    expect(second).toMatchObject({ id: expect.stringMatching(opaque), position: 7 });
    expect(third).toMatchObject({ id: expect.stringMatching(opaque), position: 8 });
    expect(first?.organization_id).toBe(dump.tables.organizations[0]?.id);
  });

  test('that use an id twice are rejected, with both lines', async () => {
    const twice = file('    campaigns:\n      - {id: summer, name: A}\n      - {id: summer, name: B}');
    expect(await problemsOf(twice, 'opaque')).toEqual([
      '8: This id of campaigns is already used by organizations.acme.campaigns[0].id (line 7).',
    ]);
    const integers = file('    campaigns:\n      - {id: 3, name: A}\n      - {id: 3, name: B}');
    expect(await problemsOf(integers, 'integer')).toEqual([
      '8: Id 3 is already used by organizations.acme.campaigns[0] (line 7).',
    ]);
  });

  test('may use one opaque id for different resources', async () => {
    const text = file('    campaigns: [{id: same, name: A}]\n    collabs: [{id: same}]');
    const { dump } = await parseSeed(text, { ...options, ids: 'opaque' });
    expect([dump.tables.campaigns[0]?.id, dump.tables.collabs[0]?.id]).toEqual(['same', 'same']);
  });

  test.each([
    ['"3"', 'Id must be an integer, or 4 to 64 letters, digits, - or _ with at least one letter.'],
    ['new', 'Id must be an integer, or 4 to 64 letters, digits, - or _ with at least one letter.'],
    ['a/../b', 'Id must be an integer, or 4 to 64 letters, digits, - or _ with at least one letter.'],
    ['0', 'Id must be 1 or more.'],
    ['1.5', 'Id must be an integer, or 4 to 64 letters, digits, - or _ with at least one letter.'],
  ])('reject the id %s', async (id, message) => {
    expect(await problemsOf(file(`    campaigns: [{id: ${id}, name: A}]`), 'opaque')).toEqual([`6: ${message}`]);
  });

  test('with opaque ids are rejected by a marketplace with integers', async () => {
    expect(await problemsOf(file('    campaigns: [{id: summer, name: A}]'), 'integer')).toEqual([
      '6: Id must be an integer, because the ids of this marketplace are integers (--ids opaque).',
    ]);
  });
});

test('pages with opaque ids: sign in, create, act, and revoke a token', async () => {
  const { store } = await openTestStore('memory', 'opaque');
  await store.load(seed);
  const site = await demoSite({}, { store });
  const ada = await site.signedIn('ada_write');
  const created = await ada.submit(`/organizations/${acme}/campaigns/new`, `/organizations/${acme}/campaigns`, {
    'campaign[name]': 'New',
  });
  expect(created.location).toMatch(new RegExp(`^/organizations/${acme}/campaigns/[a-z][a-z0-9]{11}$`));
  const page = await ada.follow(created);
  expect(page.find('h1')).toBe('New');
  expect(page.all('nav a')).toContain('Campaigns');
  const published = await ada.submit(`${created.location}/publish/confirm`, `${created.location}/publish`);
  expect((await ada.follow(published)).find('.head .badge')).toBe('active');
  expect((await ada.get(created.location ?? '')).all('.head .actions a')).toEqual(['Edit', 'Duplicate']);
  const token = String(seed.tables.access_tokens[0]?.id);
  await ada.submit(`/me/access_tokens/${token}/delete`, `/me/access_tokens/${token}`);
  expect((await ada.get('/organizations')).location).toBe('/sign_in?return_to=%2Forganizations');
});

test('the OpenAPI document of a server with opaque ids says that ids are texts', async () => {
  const { paths, components } = await openApiDocument({ server: 'http://localhost', ids: 'opaque' });
  const opaqueSchema = { type: 'string', maxLength: 64 };
  expect(components.schemas.Campaign?.properties?.id).toMatchObject(opaqueSchema);
  expect(components.schemas.Campaign?.properties?.id).not.toHaveProperty('maximum');
  expect(components.schemas.Campaign?.properties?.cpm_amount).toMatchObject({ type: 'integer' });
  const parameters = paths['/organizations/{organization_id}/campaigns/{id}.json']?.get?.parameters ?? [];
  expect(parameters).toContainEqual(expect.objectContaining({ name: 'id', schema: opaqueSchema }));
  expect(JSON.stringify(paths)).not.toContain('"example"');
});
