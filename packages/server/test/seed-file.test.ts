import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as contract from '@mkt/sdk/contract';
import { describe, expect, onTestFinished, test } from 'vitest';
import type * as z from 'zod/mini';
import { sha256 } from '../src/digest.js';
import { readSeed } from '../src/node/seeding.js';
import { storedLists } from '../src/seed/file/lists.js';
import * as seedObjects from '../src/seed/file/schema.js';
import { parseSeed } from '../src/seed/file.js';
import { isConsistent } from './seed-invariants.js';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
let drawn = 0;
const random = (bytes: number) => `${'x'.repeat(bytes)}${++drawn}`;
const parse = (text: string, readImage?: (path: string) => Promise<Uint8Array>) =>
  parseSeed(text, { sha256, random, ...(readImage ? { readImage } : {}) });

const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const pngBytes = new Uint8Array(Buffer.from(png.slice(png.indexOf(',') + 1), 'base64'));

describe('a seed file', () => {
  test('creates a user from a handle', async () => {
    const { dump, tokens } = await parse('users:\n  ada:\n');
    expect(dump.tables.users).toEqual([{ id: 'usr_ada', name: 'Ada', email: 'ada@example.com' }]);
    expect(tokens).toEqual({});
  });

  test('can be JSON', async () => {
    const yaml = 'users: {ada: {name: Ada}}\norganizations: {acme: {name: Acme, members: {ada: owner}}}';
    const json =
      '{"users": {"ada": {"name": "Ada"}}, "organizations": {"acme": {"name": "Acme", "members": {"ada": "owner"}}}}';
    expect((await parse(json)).dump).toEqual((await parse(yaml)).dump);
  });

  test.each<[string, Buffer]>([
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffusers: {ada: {name: Zoë 夏}}')],
    ['UTF-16, as Windows PowerShell writes it', Buffer.from('\ufeffusers:\r\n  ada: {name: Zoë 夏}\r\n', 'utf16le')],
    ['UTF-16 of the other byte order', Buffer.from('\ufeffusers: {ada: {name: Zoë 夏}}', 'utf16le').swap16()],
  ])('can be %s', async (_encoding, bytes) => {
    const seed = join(mkdtempSync(join(tmpdir(), 'mkt-seed-')), 'seed.yaml');
    onTestFinished(() => rmSync(dirname(seed), { recursive: true }));
    writeFileSync(seed, bytes);
    expect((await readSeed(seed)).dump.tables.users).toMatchObject([{ name: 'Zoë 夏' }]);
    writeFileSync(seed, Buffer.from('users: {ada: {name: Zo\u00eb}}', 'latin1'));
    await expect(readSeed(seed)).rejects.toThrow('seed.yaml is not valid UTF-8. Save it as UTF-8.');
  });

  test('fills organizations, campaigns and collabs with the defaults of the API (D30, D32, D41)', async () => {
    const { dump } = await parse(`
users: {ada: }
organizations:
  acme:
    name: Acme
    website: https://acme.example
    default_currency: eur
    default_countries: [DE, FR]
    brief_template: <p>Hello</p><script>alert(1)</script>
    members: {ada: owner}
    campaigns: [{name: Spring}]
    collabs: [{}]
`);
    expect(dump.tables.organizations).toMatchObject([
      {
        id: 1,
        privacy_setting: 'public',
        logo_key: null,
        brief_template: '<p>Hello</p>',
        has_active_subscription: false,
      },
    ]);
    expect(dump.tables.campaigns).toMatchObject([
      {
        id: 1,
        organization_id: 1,
        name: 'Spring',
        status: 'draft',
        website: 'https://acme.example',
        currency: 'usd',
        countries: ['US'],
        content_type: 'ugc',
        category: 'product',
        platform_ids: ['youtube', 'tiktok'],
        cpm_amount: 500,
        min_payout_amount: 1000,
        max_payout_amount: 10_000,
        base_reward_amount: 0,
        total_budget_amount: 0,
        published_at: null,
        brief: '<p>Hello</p>',
      },
    ]);
    expect(dump.tables.collabs).toMatchObject([
      {
        id: 1,
        organization_id: 1,
        name: 'Untitled collab',
        state: 'draft',
        currency: 'eur',
        countries: ['DE', 'FR'],
        require_spark_ads: false,
        requires_product_shipment: false,
        approved_submissions_count: 0,
        published_at: null,
        brief: '<p>Hello</p>',
      },
    ]);
    isConsistent(dump);
  });

  test('sets what the API does not let clients write: states, counts, budgets, times', async () => {
    const { dump } = await parse(`
users: {ada: }
organizations:
  acme:
    name: Acme
    has_active_subscription: true
    created_at: 2026-01-01T00:00:00Z
    updated_at: 2026-01-02T00:00:00Z
    members: {ada: owner}
    campaigns:
      - {name: A, status: paused, total_budget_amount: 900, used_amount: 300, view_count: 7, created_at: 2026-01-01T00:00:00Z,
         published_at: 2026-01-03T00:00:00Z}
      - {name: B, status: active, used_amount: 5, unused_amount: 6}
    collabs:
      - {state: paused, submissions_count: 3, approved_submissions_count: 2, completed_count: 1}
      - {state: submitted_for_review}
`);
    expect(dump.tables.organizations[0]).toMatchObject({
      has_active_subscription: true,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-02T00:00:00Z',
    });
    const [first, second] = dump.tables.campaigns;
    expect(first).toMatchObject({
      status: 'paused',
      total_budget_amount: 900,
      used_amount: 300,
      unused_amount: 600,
      view_count: 7,
      published_at: '2026-01-03T00:00:00Z',
      paused_at: '2026-01-03T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
    });
    expect(second).toMatchObject({ status: 'active', total_budget_amount: 11, paused_at: null });
    expect(second?.published_at).toBe(second?.created_at);
    expect(dump.tables.collabs).toMatchObject([
      { state: 'paused', submissions_count: 3, approved_submissions_count: 2, completed_count: 1 },
      { state: 'submitted_for_review', published_at: null },
    ]);
    expect(dump.tables.collabs[0]?.published_at).not.toBeNull();
  });

  test('reads members in joining order; the owner is an admin (D26), but is optional', async () => {
    const { dump } = await parse(`
users: {ada: {id: usr_1}, ben: , cleo: }
organizations:
  acme: {name: Acme, members: {cleo: member, ada: {role: owner, created_at: 2026-03-01T00:00:00Z}, ben: admin}}
  orphan: {name: Orphan, members: {cleo: member, ben: {role: admin, id: m-77}}}
`);
    const rows = [...dump.tables.memberships].sort((left, right) => left.position - right.position);
    expect(rows.map((row) => [row.id, row.position, row.user_id, row.role, row.is_owner])).toEqual([
      ['mem_1_cleo', 1, 'usr_cleo', 'member', false],
      ['mem_1_1', 2, 'usr_1', 'admin', true],
      ['mem_1_ben', 3, 'usr_ben', 'admin', false],
      ['mem_2_cleo', 4, 'usr_cleo', 'member', false],
      ['m-77', 5, 'usr_ben', 'admin', false],
    ]);
    expect(rows[1]?.created_at).toBe('2026-03-01T00:00:00Z');
    isConsistent(dump);
  });

  test('skips ids that the file gives, also those further down', async () => {
    const { dump } = await parse(`
users: {ada: }
organizations:
  one: {name: One, members: {ada: owner}, campaigns: [{name: A}, {name: B, id: 5}, {name: C}]}
  two: {name: Two, id: 9, members: {ada: owner}, campaigns: [{name: D}, {name: E, id: 2}]}
  three: {name: Three, members: {ada: owner}}
next_ids: {campaigns: 50}
`);
    expect(dump.tables.organizations.map((row) => row.id)).toEqual([1, 9, 10]);
    expect(dump.tables.campaigns.map((row) => [row.name, row.id]).sort()).toEqual([
      ['A', 1],
      ['B', 5],
      ['C', 6],
      ['D', 7],
      ['E', 2],
    ]);
    expect(dump.serials).toMatchObject({ organizations: 11, campaigns: 50, collabs: 1, memberships: 4 });
  });

  test('stores digests of tokens (D21) and returns the secrets of those that work', async () => {
    const { dump, tokens } = await parse(`
users:
  ada:
    tokens:
      - {secret: mkt_known_secret}
      - {secret: mkt_other_secret, permission: write, description: Phone}
      - {secret: mkt_reads_only, permission: read}
      - {secret: mkt_gone_secret, revoked_at: 2026-02-01T00:00:00Z}
      - {permission: read}
`);
    expect(tokens).toEqual({
      ada_write: 'mkt_known_secret',
      ada_write_2: 'mkt_other_secret',
      ada_read: 'mkt_reads_only',
      ada_read_2: expect.stringMatching(/^mkt_x{32}\d+$/),
    });
    expect(dump.tables.access_tokens.map((row) => [row.id, row.permission, row.digest, row.revoked_at])).toEqual([
      [1, 'write', hash('mkt_known_secret'), null],
      [2, 'write', hash('mkt_other_secret'), null],
      [3, 'read', hash('mkt_reads_only'), null],
      [4, 'write', hash('mkt_gone_secret'), '2026-02-01T00:00:00Z'],
      [5, 'read', hash(tokens.ada_read_2 ?? ''), null],
    ]);
    expect(dump.tables.access_tokens[1]?.description).toBe('Phone');
  });

  test('computes the same fields of social accounts and addresses as the API (D45, D46)', async () => {
    const { dump } = await parse(`
users:
  ada:
    social_accounts:
      - {platform_id: tiktok, account_url: "https://WWW.TikTok.com/@Acme/"}
      - platform_id: youtube
        account_url: https://youtube.com/@acme
        status: verified
        subscriber_count: 12
        engagement_rate: "4.80"
        last_synced_at: 2026-02-01T00:00:00Z
    address: {address_one: 1 Main St, city: Cupertino, state: CA, postal_code: "95014", country_code: US, latitude: 37.5}
`);
    expect(dump.tables.social_accounts).toMatchObject([
      { id: 1, normalized_url: 'tiktok.com/@Acme', uid: 'Acme', status: 'pending', subscriber_count: null },
      {
        id: 2,
        status: 'verified',
        subscriber_count: 12,
        engagement_rate: '4.80',
        last_synced_at: '2026-02-01T00:00:00Z',
      },
    ]);
    expect(dump.tables.addresses).toMatchObject([{ id: 1, user_id: 'usr_ada', latitude: '37.5', longitude: null }]);
  });

  test('reads images from data URLs, or from paths through the caller', async () => {
    const paths: string[] = [];
    const { dump } = await parse(
      `
users: {ada: }
organizations:
  acme:
    name: Acme
    privacy_setting: private
    logo: pictures/logo.png
    logo_key: abcdefgh
    members: {ada: owner}
    campaigns: [{name: A, banner_image: "${png}"}]
    collabs: [{banner_image: "${png}", banner_image_key: ABCDEFGH}]
`,
      async (path) => {
        paths.push(path);
        return pngBytes;
      },
    );
    expect(paths).toEqual(['pictures/logo.png']);
    const campaignBanner = dump.tables.campaigns[0]?.banner_image_key ?? '';
    expect(campaignBanner).toMatch(/^x{24}\d+$/);
    expect(dump.tables.organizations[0]?.logo_key).toBe('abcdefgh');
    expect(dump.tables.collabs[0]?.banner_image_key).toBe('ABCDEFGH');
    expect(dump.tables.images.map((row) => [row.id, row.organization_id, row.type]).sort()).toEqual([
      ['ABCDEFGH', 1, 'image/png'],
      ['abcdefgh', 1, 'image/png'],
      [campaignBanner, 1, 'image/png'],
    ]);
    expect(dump.tables.images.every((row) => Buffer.compare(row.bytes, pngBytes) === 0)).toBe(true);
    isConsistent(dump);
  });

  test('supports aliases for repeated values', async () => {
    const { dump } = await parse(`
users: {ada: }
organizations:
  acme:
    name: Acme
    members: {ada: owner}
    campaigns:
      - {name: A, countries: &europe [DE, FR]}
      - {name: B, countries: *europe}
`);
    expect(dump.tables.campaigns.map((row) => row.countries)).toEqual([
      ['DE', 'FR'],
      ['DE', 'FR'],
    ]);
  });

  test('results in the same rows every time', async () => {
    const text =
      'users: {ada: {tokens: [{secret: mkt_known_secret}]}}\norganizations: {acme: {name: A, members: {ada: owner}}}';
    expect(await parse(text)).toEqual(await parse(text));
  });
});

test('docs/reference/config-files.md lists the keys that the API does not have, and those that are required', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/config-files.md'), 'utf8');
  const [, ...parts] = page.slice(page.indexOf('### The file')).split(/^### /m);
  const documented = parts.map((part) =>
    [...part.matchAll(/^\| `(\w+)` \| (required)?/gm)].map(([, key, required]) => [key, required !== undefined]),
  );
  const { file, twin, user, token, socialAccount, address, organization, member, campaign, collab, nextIds } =
    seedObjects;
  const objects: [z.ZodMiniObject, api?: z.ZodMiniObject][] = [
    [file],
    [twin],
    [user],
    [token, contract.accessToken],
    [socialAccount, contract.socialAccount],
    [address, contract.addressRepresentation],
    [organization, contract.organization],
    [member, contract.membership],
    [campaign, contract.campaign],
    [collab, contract.collab],
  ];
  const described = ['id', 'position', 'created_at', 'updated_at'];
  const expected = objects.map(([{ shape }, api]) =>
    Object.entries(shape)
      .map(([key, field]) => [key, !(field as z.ZodMiniType).safeParse(undefined).success] as const)
      .filter(([key]) => !storedLists.some(({ name }) => name === key))
      .filter(([key, required]) => required || !(described.includes(key) || (api && key in api.shape))),
  );
  expect(documented).toEqual([...expected, []]);
  const named = Object.keys(nextIds.shape).filter((key) => !storedLists.some(({ table }) => table === key));
  for (const key of named) expect(parts.at(-1)).toContain(`\`${key}\``);
});
