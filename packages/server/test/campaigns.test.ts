import { campaign } from '@mkt/sdk/contract';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { exportSeed } from '../src/seed/file.js';
import { type Api, demoApi } from './support/api.js';
import { emptyFields } from './support/empty-fields.js';

let api: Api;
beforeEach(async () => {
  api = await demoApi();
});

const list = '/organizations/5/campaigns.json';
const one = (id: number | string, organization = 5) => `/organizations/${organization}/campaigns/${id}.json`;
const create = (campaign: unknown, organization = 5, who = 'ada_write') =>
  api.call(who, 'POST', `/organizations/${organization}/campaigns.json`, { body: { campaign } });
const update = (id: number, campaign: unknown, who = 'ada_write') =>
  api.call(who, 'PATCH', one(id), { body: { campaign } });
const act = (id: number, action: string, who = 'ada_write', suffix = '') =>
  api.call(who, 'POST', `/organizations/5/campaigns/${id}/${action}${suffix}`);
const show = async (id: number) => (await api.call('ada_write', 'GET', one(id))).body;

describe('reading', () => {
  test('lists leave the brief out, shows have it (D44)', async () => {
    const { body } = await api.call('ada_read', 'GET', list);
    expect(body).toHaveLength(20);
    expect(body[0]).not.toHaveProperty('brief');
    expect((await show(1)).brief).toMatch(/^<p>/);
  });

  test('absent optional fields are null (D19, D43)', async () => {
    const draft = await show(1);
    expect([draft.published_at, draft.paused_at, draft.banner_image_url]).toEqual([null, null, null]);
    expect(draft.url).toBe('http://localhost:4010/organizations/5/campaigns/1.json');
  });

  test('a member sees no drafts: neither in the list nor by id, whatever the method (D9, D24)', async () => {
    const members = await api.call('cleo_write', 'GET', list);
    expect(members.headers.get('total-count')).toBe('39');
    expect(members.body.map((campaign: { status: string }) => campaign.status)).not.toContain('draft');
    for (const method of ['GET', 'HEAD', 'PATCH', 'DELETE']) {
      expect((await api.call('cleo_write', method, one(1))).status).toBe(404);
    }
    expect((await act(1, 'publish', 'cleo_write')).status).toBe(404);
    expect((await api.call('cleo_write', 'GET', one(3))).status).toBe(200);
  });

  test('a campaign of another organization is not found', async () => {
    expect((await api.call('ada_write', 'GET', one(46))).status).toBe(404);
    expect((await api.call('ada_write', 'GET', one(46, 6))).status).toBe(404);
  });
});

describe('creating', () => {
  test('what is left out is filled from the defaults, budgets start at zero (D32; api.md, Campaigns rules 1 and 2)', async () => {
    const { status, body, headers } = await create({ name: 'Plain' });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe('http://localhost:4010/organizations/5/campaigns/48.json');
    const template = (await api.store.dump()).tables.organizations.find(({ id }) => id === 5)?.brief_template;
    expect(body).toEqual({
      ...emptyFields(campaign),
      id: 48,
      name: 'Plain',
      status: 'draft',
      currency: 'usd',
      countries: ['US'],
      website: 'https://acme.example',
      content_type: 'ugc',
      category: 'product',
      platform_ids: ['youtube', 'tiktok'],
      cpm_amount: 500,
      min_payout_amount: 1000,
      max_payout_amount: 10000,
      base_reward_amount: 0,
      total_budget_amount: 0,
      used_amount: 0,
      unused_amount: 0,
      view_count: 0,
      submissions_count: 0,
      created_at: '2026-06-01T12:00:00Z',
      updated_at: '2026-06-01T12:00:00Z',
      url: 'http://localhost:4010/organizations/5/campaigns/48.json',
      brief: template,
    });
  });

  test('without an address of the organization the website is null (D32)', async () => {
    expect((await create({ name: 'x' }, 7)).body.website).toBeNull();
  });

  test('read-only and unknown fields are ignored (D10)', async () => {
    const { body } = await create({
      name: 'x',
      id: 1,
      status: 'active',
      used_amount: 5,
      published_at: '2026-01-01T00:00:00Z',
      nonsense: {},
    });
    expect(body).toMatchObject({ id: 48, status: 'draft', used_amount: 0, published_at: null });
  });

  test('text is kept as sent, empty lists are fine, null clears, blank counts as none (D19)', async () => {
    const { body } = await create({
      name: '  Ünï <i onclick="x">1 < 2</i> & 👩‍👩‍👧 ',
      countries: [],
      platform_ids: [],
      website: ' ',
      tiktok_music_id: null,
      brief: '',
    });
    expect(body).toMatchObject({
      name: '  Ünï <i onclick="x">1 < 2</i> & 👩‍👩‍👧 ',
      countries: [],
      platform_ids: [],
      website: null,
      brief: null,
    });
  });

  test.each([
    ['name', undefined],
    ['name', ' \n'],
    ['name', null],
    ['name', 5],
    ['name', 'x'.repeat(256)],
    ['name', 'a\0b'],
    ['name', 'a\ud800b'],
    ['website', 'ftp://x.example'],
    ['website', 'javascript:alert(1)'],
    ['website', 'example.com'],
    ['website', 'https://x.example\n'],
    ['website', `https://x.example/${'a'.repeat(255)}`],
    ['website', 7],
    ['currency', 'USD'],
    ['currency', 'zzz'],
    ['currency', null],
    ['countries', ['us']],
    ['countries', ['XX']],
    ['countries', ['US', 'US']],
    ['countries', 'US'],
    ['countries', [5]],
    ['platform_ids', ['You Tube']],
    ['platform_ids', [null]],
    ['platform_ids', {}],
    ['content_type', 'UGC'],
    ['content_type', ''],
    ['category', 'a b'],
    ['cpm_amount', -1],
    ['cpm_amount', 1.5],
    ['cpm_amount', '500'],
    ['cpm_amount', null],
    ['base_reward_amount', 2 ** 53],
    ['min_payout_amount', 10_001],
    ['max_payout_amount', 999],
    ['brief', 'x'.repeat(65_537)],
    ['brief', ['x']],
    ['tiktok_music_id', 5],
  ])('%s: %.40j is rejected at its field (D33)', async (field, value) => {
    const { status, body } = await create({ name: 'x', [field]: value });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    expect(body.errors[field][0]).toMatch(/^[A-Z].*\.$/);
    expect((await api.call('ada_write', 'GET', list)).headers.get('total-count')).toBe('45');
  });

  test('a fault says what would be right: a bound that an integer is above, what a list may hold', async () => {
    const { body } = await create({ name: 'x', cpm_amount: 2 ** 53, min_payout_amount: 1.5, platform_ids: ['x', 5] });
    expect(body.errors).toEqual({
      cpm_amount: ['Cpm amount must be at most 9007199254740991.'],
      min_payout_amount: ['Min payout amount must be an integer.'],
      platform_ids: ['Platform ids must be a list of texts.'],
    });
  });

  test('messages are the same in a program that has set a locale of zod', async () => {
    z.config(z.locales.de());
    onTestFinished(() => void z.config({ localeError: undefined }));
    const { body } = await create({ name: 5, countries: 'US' });
    expect(body.errors).toEqual({ name: ['Name must be text.'], countries: ['Countries must be a list.'] });
  });

  test('integers go up to 2^53-1 (D19), any slug is a category (D33)', async () => {
    const { body } = await create({ name: 'x', cpm_amount: Number.MAX_SAFE_INTEGER, category: 'brand_new-thing2' });
    expect(body).toMatchObject({ cpm_amount: Number.MAX_SAFE_INTEGER, category: 'brand_new-thing2' });
  });

  test('every fault is reported at once', async () => {
    const { body } = await create({ name: '', cpm_amount: 'x', currency: 'zzz' });
    expect(Object.keys(body.errors).sort()).toEqual(['cpm_amount', 'currency', 'name']);
  });

  test('needs an admin (api.md, Campaigns)', async () => {
    expect((await create({ name: 'x' }, 5, 'cleo_write')).status).toBe(403);
    expect((await create({ name: 'x' }, 5, 'ben_write')).status).toBe(201);
    expect((await create({ name: 'x' }, 5, 'dan_write')).status).toBe(404);
  });

  test('the brief is sanitized before it is stored (D44)', async () => {
    const brief =
      '<p onclick="x()">Hi <b>you</b></p><script>alert(1)</script><a href="javascript:alert(1)">a</a><a href="https://x.example">b</a><img src=x onerror=alert(1)><svg onload=alert(1)></svg><iframe src="//evil"></iframe>';
    const { body } = await create({ name: 'x', brief });
    expect(body.brief).not.toMatch(/script|onclick|onerror|onload|javascript|iframe|svg/i);
    expect(body.brief).toContain('<p>Hi <b>you</b></p>');
    expect(body.brief).toContain('<a href="https://x.example">b</a>');
    expect((await update(48, { brief: body.brief })).body.brief).toBe(body.brief);
  });

  test.each(['<style>p {}</style>', '<svg><b>x</b></svg>', '<script>x</script> <!-- y -->', '<iframe></iframe>\n'])(
    'a brief without allowed content is null, as an empty one: %s',
    async (brief) => {
      const { status, body } = await create({ name: 'x', brief });
      expect([status, body.brief]).toEqual([201, null]);
      expect((await update(48, { brief })).body.brief).toBeNull();
    },
  );

  test('a brief that an earlier version stored as empty text is read as null, as is that of a seed of it', async () => {
    await api.store.transact((writer) => writer.update('campaigns', 1, { brief: '' }));
    expect((await show(1)).brief).toBeNull();
    expect(exportSeed(await api.store.dump())).not.toContain('brief: ""');
  });

  test('comments, styles and titles of a brief do not count for its limit', async () => {
    const clutter = `<title>T</title><style>${'p {}'.repeat(20_000)}</style><!--${'x'.repeat(70_000)}-->`;
    const { status, body } = await create({ name: 'x', brief: `${clutter}<p>a</p>` });
    expect([status, body.brief]).toEqual([201, '<p>a</p>']);
    expect((await create({ name: 'x', brief: `<!--${'x'.repeat(70_000)}` })).status).toBe(422);
  });

  test('a brief that sanitizing makes longer than 64 KiB is rejected: what is read can be sent again (D33, D44)', async () => {
    const grown = await create({ name: 'x', brief: '<'.repeat(20_000) });
    expect([grown.status, Object.keys(grown.body.errors)]).toEqual([422, ['brief']]);
    const { status, body } = await create({ name: 'x', brief: '<'.repeat(16_384) });
    expect([status, body.brief.length]).toEqual([201, 65_536]);
    expect((await update(body.id, { brief: body.brief })).status).toBe(200);
  });

  test('a < that begins no tag is text, as in a browser', async () => {
    const { body } = await create({ name: 'x', brief: '<b>I <3 it</b>: 1 < 2 && 3 > 2, <> and <script>no</script>' });
    expect(body.brief).toBe('<b>I &lt;3 it</b>: 1 &lt; 2 && 3 &gt; 2, &lt;&gt; and ');
    expect((await update(48, { brief: body.brief })).body.brief).toBe(body.brief);
  });
});

describe('changing', () => {
  test('any subset, with the time of the change; equal values change nothing', async () => {
    const before = await show(1);
    const { status, body } = await update(1, { name: 'Renamed', countries: ['DE'] });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, name: 'Renamed', countries: ['DE'], updated_at: '2026-06-01T12:00:00Z' });
    const untouched = await show(2);
    expect((await update(2, { name: untouched.name, countries: untouched.countries })).body).toEqual(untouched);
    expect((await update(2, {})).body).toEqual(untouched);
  });

  test('the largest payout stays at least the smallest, seen over the whole campaign (D33)', async () => {
    const { min_payout_amount: min, max_payout_amount: max } = await show(1);
    expect((await update(1, { min_payout_amount: max + 1 })).body.errors).toHaveProperty('min_payout_amount');
    expect((await update(1, { max_payout_amount: min - 1 })).body.errors).toHaveProperty('max_payout_amount');
    expect(Object.keys((await update(1, { min_payout_amount: 9, max_payout_amount: 8 })).body.errors)).toEqual([
      'min_payout_amount',
    ]);
    expect((await update(1, { min_payout_amount: max + 1, max_payout_amount: max + 1 })).status).toBe(200);
  });

  test('needs an admin; a member gets 403 (D23)', async () => {
    expect((await update(3, { name: 'x' }, 'cleo_write')).status).toBe(403);
  });

  test.each([['cpm_amount'], ['min_payout_amount'], ['max_payout_amount'], ['base_reward_amount'], ['currency']])(
    'a published campaign rejects another %s and applies no part of the request (D35)',
    async (field) => {
      const before = await show(3);
      const value =
        field === 'currency'
          ? 'jpy'
          : field === 'max_payout_amount'
            ? before[field] + 1
            : Math.max(0, before[field] - 1) || 1;
      const { status, body } = await update(3, { name: 'Changed', [field]: value });
      expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
      expect(await show(3)).toEqual(before);
      expect((await update(3, { name: 'Changed', [field]: before[field] })).body).toMatchObject({ name: 'Changed' });
    },
  );

  test('paused and finished ones were published too: everything else stays writable (D35)', async () => {
    for (const id of [4, 5]) {
      expect((await update(id, { cpm_amount: 7 })).status).toBe(422);
      expect((await update(id, { name: 'x', website: null, platform_ids: ['x'], brief: '<p>n</p>' })).status).toBe(200);
    }
  });
});

describe('deleting', () => {
  test('deletes a draft without funding (api.md, Campaigns rule 4)', async () => {
    const { status, text } = await api.call('ada_write', 'DELETE', one(1));
    expect([status, text]).toEqual([204, '']);
    expect((await api.call('ada_write', 'GET', one(1))).status).toBe(404);
    expect((await api.call('ada_write', 'GET', list)).headers.get('total-count')).toBe('44');
  });

  test.each([
    [2, 'funded draft'],
    [3, 'active'],
    [4, 'paused'],
    [5, 'finished'],
  ])('campaign %i (%s) stays: 422 on base (D36)', async (id) => {
    const { status, body } = await api.call('ada_write', 'DELETE', one(id));
    expect([status, Object.keys(body.errors)]).toEqual([422, ['base']]);
  });

  test('a published one without fundings stays too', async () => {
    await act(1, 'publish');
    const { status, body } = await api.call('ada_write', 'DELETE', one(1));
    expect([status, body]).toEqual([
      422,
      {
        errors: {
          base: ['A campaign that is active cannot be deleted. Only drafts can be deleted. Pause it instead.'],
        },
      },
    ]);
  });

  test('needs an admin (D23), and ids are never used twice (D47)', async () => {
    expect((await api.call('cleo_write', 'DELETE', one(3))).status).toBe(403);
    await create({ name: 'x' });
    await api.call('ada_write', 'DELETE', one(48));
    expect((await create({ name: 'y' })).body.id).toBe(49);
  });
});

describe('web actions (D37, D39)', () => {
  test('publish, pause, resume move the campaign and redirect to its page', async () => {
    const published = await act(1, 'publish');
    expect([published.status, published.headers.get('location')]).toEqual([
      303,
      'http://localhost:4010/organizations/5/campaigns/1',
    ]);
    expect(await show(1)).toMatchObject({ status: 'active', published_at: '2026-06-01T12:00:00Z', paused_at: null });
    expect((await act(1, 'pause', 'ada_write', '.json')).status).toBe(303);
    expect(await show(1)).toMatchObject({ status: 'paused', paused_at: '2026-06-01T12:00:00Z' });
    expect((await act(1, 'resume')).status).toBe(303);
    expect(await show(1)).toMatchObject({ status: 'active', paused_at: null, published_at: '2026-06-01T12:00:00Z' });
  });

  test.each([
    [1, 'pause'],
    [1, 'resume'],
    [3, 'publish'],
    [3, 'resume'],
    [4, 'publish'],
    [4, 'pause'],
    [5, 'publish'],
    [5, 'pause'],
    [5, 'resume'],
  ])('campaign %i rejects %s with a redirect, and nothing changes', async (id, action) => {
    const before = await show(id);
    expect((await act(id, action)).status).toBe(303);
    expect(await show(id)).toEqual(before);
  });

  test('token, role and visibility are checked first', async () => {
    expect((await act(3, 'pause', 'cleo_write')).status).toBe(403);
    expect((await act(1, 'publish', 'cleo_write')).status).toBe(404);
    expect((await act(1, 'publish', 'dan_write')).status).toBe(404);
    expect((await act(1, 'publish', 'ada_read')).status).toBe(401);
    expect((await api.call(null, 'POST', '/organizations/5/campaigns/1/publish')).status).toBe(401);
    expect((await act(99, 'publish')).status).toBe(404);
    expect((await api.call('ada_write', 'GET', '/organizations/5/campaigns/1/publish')).headers.get('allow')).toBe(
      'POST',
    );
  });
});
