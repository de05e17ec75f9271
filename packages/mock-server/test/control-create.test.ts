import { createMarketplaceMock as createFetchMock } from '@mkt/mock-server/fetch';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createControl } from '../src/control/control.js';
import { marketplace } from './control-marketplace.js';

let market: Awaited<ReturnType<typeof marketplace>>;
beforeAll(async () => {
  market = await marketplace();
});
afterEach(() => market.control('POST', '/reset'));
afterAll(() => market.close());

const create = (name: string, fields: unknown) => market.control('POST', `/create/${name}`, fields);
const show = async (path: string, token: string = demoTokens.ada_write) =>
  (await market.call('GET', path, { token })).json();

describe('create over HTTP', () => {
  test('creates a campaign in any state; values that are left out are realistic and fit together', async () => {
    const { status, body } = await create('campaign', { organization: 5, status: 'finished', views: 12_000 });
    expect([status, body]).toEqual([200, { id: 48 }]);
    const campaign = await show('/organizations/5/campaigns/48.json');
    expect(campaign).toMatchObject({ status: 'finished', view_count: 12_000, website: 'https://acme.example' });
    const { total_budget_amount, used_amount, unused_amount } = campaign;
    expect(total_budget_amount).toBeGreaterThan(0);
    expect(used_amount + unused_amount).toBe(total_budget_amount);
    expect(campaign.published_at).toBe(campaign.created_at);
  });

  test.each([
    ['campaign', 'campaigns', 'status'],
    ['collab', 'collabs', 'state'],
  ])('creates 200 %ss that differ, the same ones in every run', async (name, list, field) => {
    const make = async () => {
      await market.control('POST', '/reset');
      await market.control('POST', '/clock/freeze', '2026-06-01T00:00:00Z');
      const { body } = await create(name, { organization: '6', [field]: 'paused', count: 200 });
      expect(body).toHaveLength(200);
      const response = await market.call('GET', `/organizations/6/${list}.json`, { token: demoTokens.dan_write });
      return { total: Number(response.headers.get('Total-Count')), items: await response.json() };
    };
    const first = await make();
    expect(first.total).toBeGreaterThanOrEqual(200);
    const names = new Set(first.items.map((item: { name: string }) => item.name));
    expect(names.size).toBe(first.items.length);
    expect(await make()).toEqual(first);
  });

  test('given amounts are not contradicted by others', async () => {
    const { body } = await create('campaign', {
      organization: 5,
      status: 'active',
      used_amount: 7,
      min_payout_amount: 9,
    });
    expect(await show(`/organizations/5/campaigns/${body.id}.json`)).toMatchObject({
      total_budget_amount: 7,
      used_amount: 7,
      unused_amount: 0,
      min_payout_amount: 9,
    });
  });

  test('over spreads the times of several, the last one now', async () => {
    const { body } = await create('campaign', { organization: '6', count: 4, over: '30d' });
    const rows = await Promise.all(
      body.map(({ id }: { id: number }) => show(`/organizations/6/campaigns/${id}.json`, demoTokens.dan_write)),
    );
    const times: number[] = rows.map(({ created_at }) => Date.parse(created_at));
    const days = times.map((time) => Math.round(((times.at(-1) ?? 0) - time) / 86_400_000));
    expect(days).toEqual([30, 20, 10, 0]);
    expect(Math.abs((times.at(-1) ?? 0) - Date.now())).toBeLessThan(86_400_000);
    const { status, body: rejected } = await create('collab', { organization: '6', over: '30' });
    expect([status, rejected.error]).toEqual([422, expect.stringContaining('collab.over must be days or hours')]);
  });

  test('is created before the times that are given', async () => {
    const published_at = '2026-01-02T00:00:00Z';
    const { body } = await create('campaign', { organization: 5, status: 'active', published_at });
    expect(await show(`/organizations/5/campaigns/${body.id}.json`)).toMatchObject({
      published_at,
      created_at: published_at,
    });
  });

  test('creates an organization with what is in it, for an owner', async () => {
    const campaigns = [{ name: 'Launch', status: 'active', total_budget_amount: 900 }];
    const { body } = await create('organization', { name: 'Studio', owner: 'eve@example.com', campaigns });
    expect(await show('/organizations.json', demoTokens.eve_write)).toMatchObject([{ id: body.id, name: 'Studio' }]);
    expect(await show(`/organizations/${body.id}/campaigns.json`, demoTokens.eve_write)).toMatchObject(campaigns);
    expect(await show(`/organizations/${body.id}/members.json`, demoTokens.eve_write)).toMatchObject([
      { is_owner: true },
    ]);
    const many = { campaigns: [{ status: 'active', count: 25 }, { views: 0 }], collabs: [{ count: 2 }] };
    const { body: large } = await create('organization', { owner: 'usr_eve', ...many });
    const listed = await market.call('GET', `/organizations/${large.id}/campaigns.json`, {
      token: demoTokens.eve_write,
    });
    expect(listed.headers.get('Total-Count')).toBe('26');
    const names = (await listed.json()).map(({ name, status }: Record<string, string>) => `${status} ${name}`);
    expect(new Set(names).size).toBe(20);
    expect(await show(`/organizations/${large.id}/collabs.json`, demoTokens.eve_write)).toHaveLength(2);
    const { body: several } = await create('organization', { count: 3 });
    expect(several).toHaveLength(3);
    expect((await show(`/organizations/${several[2].id}.json`)).name).toBe('Organization 3');
  });

  test('creates users with tokens, and members from existing and new users', async () => {
    const { body: users } = await create('user', { count: 12 });
    expect(users.map(({ id }: { id: string }) => id)).toEqual(
      Array.from({ length: 12 }, (_, n) => `usr_person_${n + 1}`),
    );
    expect((await create('user', {})).body.id).toBe('usr_person_13');
    const { body: zoe } = await create('user', { id: 'usr_zoe', name: 'Zoe', tokens: [{ permission: 'read' }] });
    await create('member', { organization: 5, user: zoe.id, role: 'admin' });
    expect((await show('/organizations/5/campaigns.json', zoe.token)).length).toBe(20);
    const { body: members } = await create('member', { organization: 5, count: 30 });
    expect(members).toHaveLength(30);
    const secrets = new Set(members.map(({ token }: { token: unknown }) => token));
    expect([secrets.size, members[29].token]).toEqual([30, expect.stringMatching(/^mkt_/)]);
    expect((await show('/organizations/5/campaigns.json', members[29].token)).length).toBe(20);
    expect((await create('member', { organization: 6, user: zoe.id })).body).toMatchObject({
      user: zoe.id,
      token: null,
    });
    const listed = await market.call('GET', '/organizations/5/members.json');
    expect(listed.headers.get('Total-Count')).toBe(String(3 + 31));
  });

  test('creates accounts of existing users', async () => {
    const { body } = await create('socialAccount', { user: 'eve@example.com', count: 2 });
    expect(await show('/me/social_accounts.json', demoTokens.eve_write)).toMatchObject([
      { id: body[0].id, account_url: 'https://www.tiktok.com/@eve_1', status: 'verified', subscriber_count: 128_400 },
      { id: body[1].id, account_url: 'https://www.tiktok.com/@eve_2', uid: 'eve_2', engagement_rate: '4.82' },
    ]);
    const given = {
      platform_id: 'youtube',
      account_url: 'https://www.youtube.com/@eve',
      status: 'failed',
      view_count: 3,
    };
    await create('socialAccount', { user: 'usr_eve', ...given });
    await create('socialAccount', { user: 'usr_eve', status: 'pending' });
    const accounts = await show('/me/social_accounts.json', demoTokens.eve_write);
    expect(accounts.slice(2)).toMatchObject([
      given,
      { account_url: 'https://www.tiktok.com/@eve_3', last_synced_at: null, subscriber_count: null },
    ]);
  });

  test.each([
    ['socialAccount', { user: 'usr_ann' }, 'There is no user usr_ann.'],
    ['socialAccount', { user: 'usr_eve', status: 'done' }, 'socialAccount.status must be pending, '],
    ['socialAccount', { user: 'usr_eve', likes: 3 }, 'socialAccount.likes: '],
    ['socialAccount', { user: 'usr_eve', account_url: 'https://www.tiktok.com/@acme' }, 'already'],
    ['campaign', { organization: 5, status: 'done' }, 'campaign.status must be draft, '],
    ['campaign', { organization: 5, over: '30d' }, 'campaign.over needs a count of 2 or more.'],
    ['organization', { collabs: [{ over: '30d', count: 1 }] }, 'collab.over needs a count of 2 or more.'],
    ['campaign', { organization: 5, veiw_count: 1 }, 'Did you mean view_count?'],
    ['campaign', { organization: 5, count: 2, used_amount: 9, total_budget_amount: 1 }, 'campaign.used_amount: '],
    [
      'campaign',
      { organization: 5, status: 'active', view_count: 12_000, cpm_amount: 500, used_amount: 7 },
      'campaign.used_amount: 12000 views at a CPM of 500 cost 6000, not 7.',
    ],
    [
      'organization',
      { campaigns: [{ views: 9, unused_amount: 1, total_budget_amount: 5, cpm_amount: 0 }] },
      'cost 0, not 4.',
    ],
    ['campaign', { organization: 5, views: 'many', used_amount: 7, cpm_amount: 5 }, 'campaign.view_count: '],
    ['campaign', { organization: 5, views: 0, used_amount: 7 }, 'campaign.used_amount: 0 views'],
    ['campaign', { organization: 5, views: 12_000, view_count: 5 }, 'campaign.views is the same as view_count.'],
    [
      'campaign',
      { organization: 5, created_at: '2026-01-01T00:00:00.5Z' },
      'campaign.created_at: Created at must be in whole',
    ],
    [
      'collab',
      { organization: 5, state: 'published', created_at: '2026-02-01T00:00:00Z', published_at: '2026-01-01T00:00:00Z' },
      'collab.published_at: Published at must not be before created at, which is 2026-02-01T00:00:00Z.',
    ],
    [
      'user',
      { tokens: [{ created_at: '2026-02-01T00:00:00Z', revoked_at: '2026-01-01T00:00:00Z' }] },
      'Revoked at must not',
    ],
    ['campaign', { organization: 999 }, 'Organization 999 does not exist.'],
    ['campaign', { status: 'active' }, 'campaign.organization must be an id.'],
    ['collab', { organization: 5, id: 3 }, 'collab.id: The marketplace chooses it.'],
    ['collab', { organization: 5, count: 0 }, 'collab.count must be a whole number from 1'],
    ['organization', { campaigns: [{ count: 0 }] }, 'organization.campaigns.count must be a whole number from 1'],
    ['organization', { collabs: ['one'] }, 'organization.collabs'],
    ['user', { email: 'ada@acme.example' }, 'already exists'],
    ['user', { count: 2, email: 'two@example.com' }, 'user.count'],
    ['member', { organization: 5, user: 'usr_ada' }, 'already a member'],
    ['member', { organization: 5, user: 'usr_eve', role: 'boss' }, 'must be member or admin'],
    ['organization', { owner: 'usr_nobody' }, 'There is no user usr_nobody.'],
    ['organization', { name: 'X', campaigns: [{ status: 'done' }] }, 'organization.campaigns[0].status: '],
    ['organization', [], 'must be an object'],
  ])('rejects %s %j', async (name, fields, message) => {
    const { status, body } = await create(name, fields);
    expect([status, body.error]).toEqual([422, expect.stringContaining(message)]);
  });

  test('names its factories', async () => {
    const { status, body } = await create('toString', {});
    expect([status, body.error]).toEqual([
      404,
      'There is no control method at /create/toString. Use one of /create/campaign, /create/collab, /create/organization, ' +
        '/create/member, /create/user, /create/socialAccount.',
    ]);
  });
});

describe('create in a store with opaque ids', () => {
  test('the store chooses the ids', async () => {
    const store = memoryStore('opaque', demoSeed('opaque'));
    const { control } = createControl({ store, seed: demoSeed, pages: false, forget: () => undefined });
    const organization = store.idOf('organizations', 5) as string;
    const created = await control.create.campaign({ organization, count: 2 });
    expect(created.map(({ id }) => id)).toEqual([store.idOf('campaigns', 48), store.idOf('campaigns', 49)]);
  });
});

describe('a partial seed', () => {
  test('adds to the demo', async () => {
    const seed = {
      extends: 'demo',
      users: [{ id: 'usr_zoe' }],
      organizations: [{ name: 'Studio', owner: 'usr_zoe' }],
      campaigns: [{ organization: 11, status: 'active', count: 3 }],
      social_accounts: [{ user: 'usr_zoe' }],
    };
    const { body } = await market.control('PUT', '/seed', { seed });
    expect(Object.keys(body.tokens)).toEqual([...Object.keys(demoTokens), 'zoe_write']);
    expect(await show('/organizations/11/campaigns.json', body.tokens.zoe_write)).toHaveLength(3);
    expect(await show('/me/social_accounts.json', body.tokens.zoe_write)).toHaveLength(1);
    expect((await show('/organizations/5.json')).name).toBe('Acme Cosmetics');
  });

  test('adds to the empty seed', async () => {
    const { body } = await market.control('PUT', '/seed', {
      seed: { extends: 'empty', organizations: [{ name: 'Only' }] },
    });
    expect(await show('/organizations.json', body.tokens.owner_write)).toMatchObject([{ id: 1, name: 'Only' }]);
  });

  test.each([
    [{ extends: 'dmeo' }, 'seed.extends must be demo, empty or large.'],
    [{ extends: 'demo', campaign: [] }, 'accepts only extends, users'],
    [{ extends: 'demo', campaigns: [{ organization: 5, status: 'done' }] }, 'campaign.status'],
  ])('rejects %j', async (seed, message) => {
    const { status, body } = await market.control('PUT', '/seed', { seed });
    expect([status, body.error]).toEqual([422, expect.stringContaining(message)]);
  });
});

test.each([
  [{ status: 'finished', views: 12_000 }, {}],
  [{ status: 'active', total_budget_amount: 1000 }, { total_budget_amount: 1000 }],
  [{ status: 'active', view_count: 0 }, { used_amount: 0 }],
  [{ status: 'active', used_amount: 7, cpm_amount: 500 }, { view_count: 14 }],
  [{ status: 'active', unused_amount: 30, total_budget_amount: 100 }, { used_amount: 70 }],
  [{ status: 'paused', cpm_amount: 900 }, {}],
  [{ status: 'active', cpm_amount: 0 }, { used_amount: 0 }],
  [{ status: 'finished', used_amount: 9000, views: 12_000 }, { cpm_amount: 750 }],
  [
    { status: 'active', views: 4321, cpm_amount: 500, used_amount: 2160, total_budget_amount: 3000 },
    { unused_amount: 840 },
  ],
] as const)('the numbers of a campaign with %j fit together', async (fields, expected) => {
  const mock = createFetchMock();
  const { id } = await mock.create.campaign({ organization: 5, ...fields });
  const headers = { Accept: 'application/json', Authorization: 'Bearer mkt_demo_ada_write' };
  const campaign = await (await mock.fetch(`/organizations/5/campaigns/${id}.json`, { headers })).json();
  const { view_count, cpm_amount, used_amount, unused_amount, total_budget_amount } = campaign;
  expect(campaign).toMatchObject(expected);
  expect(Math.floor((view_count * cpm_amount) / 1000)).toBe(used_amount);
  expect(used_amount + unused_amount).toBe(total_budget_amount);
});
