import { createHash } from 'node:crypto';
import { imageType } from '@mkt/sdk/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { namedAccount } from '../src/rules/account-url.js';
import { demoSeed, demoTokens, revokedDemoToken } from '../src/seed/demo.js';
import { memoryStore } from '../src/store/memory-lists.js';
import type { Dump, Store } from '../src/store/store.js';
import { isConsistent } from './seed-invariants.js';

const { tables, serials }: Dump = demoSeed();
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const idsWhere = <Item extends { id: number | string }>(rows: readonly Item[], test: (row: Item) => boolean) =>
  rows.filter(test).map((row) => row.id);

describe('users and tokens of the demo', () => {
  test('five people', () => {
    expect(tables.users.map(({ id, name, email }) => [id, name, email])).toEqual([
      ['usr_ada', 'Ada Okafor', 'ada@acme.example'],
      ['usr_ben', 'Ben Ito', 'ben@acme.example'],
      ['usr_cleo', 'Cleo Martin', 'cleo@acme.example'],
      ['usr_dan', 'Dan Reyes', 'dan@globex.example'],
      ['usr_eve', 'Eve Novak', 'eve@example.com'],
    ]);
  });

  test('has tokens 1 to 7, stored as SHA-256; the last one is revoked (D21)', () => {
    const hash = (secret: string) => createHash('sha256').update(secret).digest('hex');
    expect(tables.access_tokens.map((row) => [row.id, row.user_id, row.permission, row.digest])).toEqual([
      [1, 'usr_ada', 'write', hash('mkt_demo_ada_write')],
      [2, 'usr_ada', 'read', hash('mkt_demo_ada_read')],
      [3, 'usr_ben', 'write', hash('mkt_demo_ben_write')],
      [4, 'usr_cleo', 'write', hash('mkt_demo_cleo_write')],
      [5, 'usr_dan', 'write', hash('mkt_demo_dan_write')],
      [6, 'usr_eve', 'write', hash('mkt_demo_eve_write')],
      [7, 'usr_ada', 'write', hash('mkt_demo_ada_revoked')],
    ]);
    expect(idsWhere(tables.access_tokens, (row) => row.revoked_at !== null)).toEqual([7]);
    expect(tables.access_tokens.slice(0, 2).map((row) => row.description)).toEqual([
      "Ada's laptop",
      "Ada's dashboard (read only)",
    ]);
  });

  test('the secrets that work, by name, and the one that does not', () => {
    expect(demoTokens).toEqual({
      ada_write: 'mkt_demo_ada_write',
      ada_read: 'mkt_demo_ada_read',
      ben_write: 'mkt_demo_ben_write',
      cleo_write: 'mkt_demo_cleo_write',
      dan_write: 'mkt_demo_dan_write',
      eve_write: 'mkt_demo_eve_write',
    });
    expect(revokedDemoToken).toBe('mkt_demo_ada_revoked');
  });
});

describe('organizations of the demo', () => {
  test.each([
    [5, 'Acme Cosmetics', 'public', true, 'https://acme.example', ['US', 'CA']],
    [6, 'Globex Snacks', 'private', true, 'https://globex.example', ['US']],
    [7, 'Initech Audio', 'restricted', false, null, ['US']],
    [8, 'Orphan Labs', 'public', false, expect.stringMatching(/^https:\/\//), ['US']],
    [9, 'Globex Outlet', 'public', false, expect.stringMatching(/^https:\/\//), ['US']],
    [10, 'Solo Records', 'public', false, expect.stringMatching(/^https:\/\//), ['US']],
  ])('%i %s', (id, name, privacy_setting, logo, website, default_countries) => {
    const row = tables.organizations.find((organization) => organization.id === id);
    expect(row).toMatchObject({ name, privacy_setting, website, default_countries, default_currency: 'usd' });
    expect(row?.logo_key !== null).toBe(logo);
    expect(row?.has_active_subscription).toBe(id === 6);
    expect(row?.brief_template !== null).toBe(id === 5);
  });

  test('no others', () => expect(tables.organizations.map((row) => row.id)).toEqual(range(5, 10)));

  test('members in joining order', () => {
    expect(tables.memberships.map((row) => [row.id, row.user_id, row.role, row.is_owner])).toEqual([
      ['mem_5_ada', 'usr_ada', 'admin', true],
      ['mem_5_ben', 'usr_ben', 'admin', false],
      ['mem_5_cleo', 'usr_cleo', 'member', false],
      ['mem_6_dan', 'usr_dan', 'admin', true],
      ['mem_7_ada', 'usr_ada', 'admin', true],
      ['mem_8_ben', 'usr_ben', 'admin', false],
      ['mem_8_cleo', 'usr_cleo', 'member', false],
      ['mem_9_dan', 'usr_dan', 'admin', true],
      ['mem_10_ben', 'usr_ben', 'admin', false],
    ]);
  });

  test('what each one holds', () => {
    const held = (rows: readonly { id: number | string; organization_id: number | string }[], id: number) =>
      idsWhere(rows, (row) => row.organization_id === id);
    expect(held(tables.campaigns, 5)).toEqual(range(1, 45));
    expect(held(tables.collabs, 5)).toEqual(range(1, 23));
    expect(held(tables.campaigns, 6)).toEqual([46, 47]);
    expect(held(tables.collabs, 6)).toEqual([24]);
    expect(tables.campaigns).toHaveLength(47);
    expect(tables.collabs).toHaveLength(24);
  });

  test('the next ids', () => {
    expect(serials).toMatchObject({
      access_tokens: 8,
      organizations: 11,
      memberships: 10,
      campaigns: 48,
      collabs: 25,
      social_accounts: 5,
      addresses: 2,
    });
  });
});

describe('campaigns of the demo', () => {
  const withStatus = (status: string) => idsWhere(tables.campaigns, (row) => row.status === status);

  test('states', () => {
    expect(withStatus('draft')).toEqual([1, 2, 10, 20, 30, 40, 47]);
    expect(withStatus('paused')).toEqual([4, 14, 24]);
    expect(withStatus('finished')).toEqual([5, 15, 25, 35]);
    expect(withStatus('active')).toHaveLength(47 - 14);
    expect(withStatus('active')).toContain(46);
  });

  test('only campaign 2 is a funded draft, and nothing of it is used', () => {
    const funded = tables.campaigns.filter((row) => row.status === 'draft' && row.total_budget_amount > 0);
    expect(funded.map((row) => [row.id, row.used_amount])).toEqual([[2, 0]]);
  });

  test('published ones have budgets, views and submissions', () => {
    for (const row of tables.campaigns.filter(({ status }) => status !== 'draft')) {
      expect(Math.min(row.total_budget_amount, row.used_amount, row.view_count, row.submissions_count)).toBeGreaterThan(
        0,
      );
    }
  });

  test('names differ; one is 120 characters long, one has CJK and an emoji, one HTML', () => {
    const names = tables.campaigns.map((row) => row.name);
    expect(new Set(names).size).toBe(47);
    expect(names[0]).toBe('Summer UGC Campaign');
    expect(names.filter((name) => [...name].length === 120)).toHaveLength(1);
    expect(names.filter((name) => /\p{Script=Han}/u.test(name) && /\p{Emoji_Presentation}/u.test(name))).toHaveLength(
      1,
    );
    expect(names).toContain('<b>Bold</b> launch');
  });

  test('they vary', () => {
    const kinds = (of: (row: Dump['tables']['campaigns'][number]) => unknown) => new Set(tables.campaigns.map(of)).size;
    expect(kinds((row) => row.category)).toBeGreaterThan(5);
    expect(kinds((row) => row.currency)).toBeGreaterThan(4);
    expect(kinds((row) => row.countries.join())).toBeGreaterThan(10);
    expect(kinds((row) => row.platform_ids.join())).toBeGreaterThan(4);
  });
});

describe('collabs of the demo', () => {
  const withState = (state: string) => idsWhere(tables.collabs, (row) => row.state === state);

  test('states', () => {
    expect(withState('draft')).toEqual([1, 5, 19]);
    expect(withState('submitted_for_review')).toEqual([2, 20]);
    expect(withState('paused')).toEqual([4, 9, 14]);
    expect(withState('published')).toHaveLength(24 - 8);
    expect(withState('published')).toContain(24);
  });

  test('3 and the draft 5 have approved submissions', () => {
    expect(idsWhere(tables.collabs, (row) => row.approved_submissions_count > 0)).toEqual([3, 5]);
  });

  test('3 has a banner', () => {
    expect(idsWhere(tables.collabs, (row) => row.banner_image_key !== null)).toEqual([3]);
  });
});

describe("the demo users' own", () => {
  test('social accounts', () => {
    expect(tables.social_accounts.map((row) => [row.id, row.platform_id, row.user_id, row.status])).toEqual([
      [1, 'tiktok', 'usr_ada', 'verified'],
      [2, 'youtube', 'usr_ada', 'pending'],
      [3, 'twitter', 'usr_ada', 'failed'],
      [4, 'instagram', 'usr_dan', 'verified'],
    ]);
    expect(tables.social_accounts[0]).toMatchObject({
      account_url: 'https://www.tiktok.com/@acme',
      uid: 'acme',
      subscriber_count: expect.any(Number),
      view_count: expect.any(Number),
      video_count: expect.any(Number),
      likes_count: expect.any(Number),
      engagement_rate: expect.stringMatching(/^\d+\.\d+$/),
      last_synced_at: expect.any(String),
    });
    const metrics = ['subscriber_count', 'view_count', 'video_count', 'likes_count', 'engagement_rate'] as const;
    expect(metrics.map((name) => tables.social_accounts[1]?.[name])).toEqual([null, null, null, null, null]);
  });

  test('addresses of accounts are normalized as the rule does (D45)', () => {
    expect(tables.social_accounts.map((row) => row.normalized_url)).toEqual(
      tables.social_accounts.map((row) => namedAccount(row.account_url).normalized),
    );
  });

  test("Ada's address", () => {
    expect(tables.addresses).toHaveLength(1);
    expect(tables.addresses[0]).toMatchObject({ id: 1, user_id: 'usr_ada', city: 'Cupertino' });
    expect(tables.addresses[0]?.latitude).toMatch(/^37\.\d+$/);
    expect(tables.addresses[0]?.longitude).toMatch(/^-12[12]\.\d+$/);
  });
});

describe('the demo as data', () => {
  let store: Store;
  beforeAll(async () => {
    store = memoryStore();
    await store.load(demoSeed());
  });

  test('is consistent', () => isConsistent(demoSeed()));

  test('is the same at every call, and its rows are not shared', () => {
    expect(demoSeed()).toEqual(demoSeed());
    const [user] = demoSeed().tables.users;
    if (user) user.name = 'Another name';
    expect(demoSeed().tables.users[0]?.name).toBe('Ada Okafor');
  });

  test('its timestamps count up from 2026-01-05T09:00:00Z', () => {
    const created = [tables.organizations, tables.memberships, tables.campaigns, tables.collabs]
      .flat()
      .map((row) => row.created_at);
    expect(created[0]).toBe('2026-01-05T09:00:00Z');
    expect(created).toEqual([...created].sort());
    expect(new Set(created).size).toBe(created.length);
  });

  test('loads into a store, which continues with the next ids', async () => {
    expect((await store.dump()).serials).toMatchObject(serials);
    const count = (index: 'byOrganization' | 'byOrganizationWithoutDrafts', table: 'campaigns' | 'collabs') =>
      store.read((reader) => reader.count(table, index, [5]));
    expect(await count('byOrganization', 'campaigns')).toBe(45);
    expect(await count('byOrganizationWithoutDrafts', 'campaigns')).toBe(39);
    expect(await count('byOrganization', 'collabs')).toBe(23);
    expect(await count('byOrganizationWithoutDrafts', 'collabs')).toBe(20);
  });

  test('its images are PNGs with different, unguessable keys', () => {
    expect(tables.images).toHaveLength(3);
    expect(new Set(tables.images.map((row) => row.bytes.join())).size).toBe(3);
    for (const { id, type, bytes } of tables.images) {
      expect(imageType(bytes)).toBe(type);
      expect(id).toMatch(/^[A-Za-z0-9_-]{22,}$/);
    }
  });
});
