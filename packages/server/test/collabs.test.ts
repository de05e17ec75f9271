import { collab } from '@mkt/sdk/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { invalid, type Prefill } from '../src/index.js';
import { type Api, demoApi } from './support/api.js';
import { emptyFields } from './support/empty-fields.js';
import { png } from './support/pictures.js';

let api: Api;
beforeEach(async () => {
  api = await demoApi();
});

const list = '/organizations/5/collabs.json';
const one = (id: number) => `/organizations/5/collabs/${id}.json`;
const create = (body?: unknown, query = '') =>
  api.call('ada_write', 'POST', `${list}${query}`, body === undefined ? {} : { body });
const update = (id: number, body: unknown, who = 'ada_write') => api.call(who, 'PATCH', one(id), { body });
const act = (id: number, action: string, who = 'ada_write') =>
  api.call(who, 'POST', `/organizations/5/collabs/${id}/${action}`);
const show = async (id: number) => (await api.call('ada_write', 'GET', one(id))).body;

describe('reading', () => {
  test('published_at is left out until there is one (D19, D38); the brief is on shows only (D44)', async () => {
    expect(await show(1)).not.toHaveProperty('published_at');
    expect(await show(3)).toMatchObject({
      state: 'published',
      published_at: expect.stringMatching(/Z$/),
      brief: expect.any(String),
    });
    const { body } = await api.call('ada_write', 'GET', list);
    expect(body[0]).not.toHaveProperty('brief');
    expect(body[0]).not.toHaveProperty('approved_submissions_count');
  });

  test('members do not see drafts, but what is submitted for review (D24)', async () => {
    const { headers } = await api.call('cleo_write', 'GET', list);
    expect(headers.get('total-count')).toBe('20');
    expect((await api.call('cleo_write', 'GET', one(1))).status).toBe(404);
    expect((await api.call('cleo_write', 'GET', one(2))).status).toBe(200);
  });
});

describe('creating', () => {
  const defaults = {
    ...emptyFields(collab),
    id: 25,
    name: 'Untitled collab',
    state: 'draft',
    currency: 'usd',
    countries: ['US', 'CA'],
    website: 'https://acme.example',
    require_spark_ads: false,
    requires_product_shipment: false,
    submissions_count: 0,
    completed_count: 0,
    created_at: '2026-06-01T12:00:00Z',
    updated_at: '2026-06-01T12:00:00Z',
    url: 'http://localhost:4010/organizations/5/collabs/25.json',
    brief: expect.stringMatching(/^</),
  };

  test.each([
    ['no body', undefined],
    ['an empty object', {}],
    ['an empty wrapper', { collab: {} }],
    ['only unknown fields', { nonsense: 1 }],
  ])('%s: creates a draft from only the defaults (D41; api.md, Collabs rules 1 and 2)', async (_name, body) => {
    const answer = await create(body);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual(defaults);
  });

  test('fields in the request override the defaults', async () => {
    const sent = {
      name: 'Lip kit',
      website: 'https://x.example/p',
      currency: 'eur',
      countries: [],
      require_spark_ads: true,
      requires_product_shipment: true,
      brief: '<p>Hi</p>',
    };
    expect((await create({ collab: sent })).body).toEqual({ ...defaults, ...sent });
  });

  test.each([
    ['name', ' '],
    ['name', null],
    ['currency', 'xx'],
    ['countries', ['ZZ']],
    ['require_spark_ads', 'yes'],
    ['requires_product_shipment', 1],
    ['website', 'x'],
    ['brief', 5],
  ])('%s: %j is rejected at its field', async (field, value) => {
    const { status, body } = await create({ collab: { [field]: value } });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  test('a wrapper that is not an object is 400', async () => {
    for (const collab of [null, [], 'x', 5]) expect((await create({ collab })).status).toBe(400);
  });
});

describe('prefill from a page (D42)', () => {
  const page: Prefill = {
    website: 'https://shop.example/lipstick',
    name: 'Velvet lipstick',
    brief: '<p>Long wear</p>',
    countries: ['FR'],
    image: { type: 'image/png', bytes: png },
  };
  const query = `?website=${encodeURIComponent(page.website)}`;

  test('fills what was not sent; what was sent stays', async () => {
    api = await demoApi({ readPage: async () => page });
    const { status, body } = await create(undefined, query);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Velvet lipstick',
      website: page.website,
      brief: page.brief,
      countries: ['FR'],
    });
    const banner = await api.call(null, 'GET', new URL(body.banner_image_url).pathname);
    expect(banner.headers.get('content-type')).toBe('image/png');
    await api.call('ada_write', 'DELETE', `/organizations/5/collabs/${body.id}.json`);
    expect((await api.call(null, 'GET', new URL(body.banner_image_url).pathname)).status).toBe(404);
    const own = await create({ collab: { name: 'Mine', countries: [] } }, query);
    expect(own.body).toMatchObject({ name: 'Mine', countries: [], brief: page.brief });
    const bare = await create({ collab: {}, purge_banner_image: '1' }, query);
    expect(bare.body).toMatchObject({ name: page.name, banner_image_url: null });
  });

  test('what the page does not say falls back to the defaults', async () => {
    api = await demoApi({
      readPage: async (website) => ({ website, name: null, brief: null, countries: null, image: null }),
    });
    expect((await create(undefined, query)).body).toMatchObject({
      name: 'Untitled collab',
      countries: ['US', 'CA'],
      banner_image_url: null,
    });
  });

  test('a page that cannot be read: 422 on website, no draft left behind', async () => {
    api = await demoApi({
      readPage: async () => {
        throw invalid('website', 'Website could not be read.');
      },
    });
    const { status, body } = await create(undefined, query);
    expect([status, Object.keys(body.errors)]).toEqual([422, ['website']]);
    expect((await api.call('ada_write', 'GET', list)).headers.get('total-count')).toBe('23');
  });

  test('an invalid URL is 422 on website, and nothing is read', async () => {
    for (const bad of ['?website=', '?website=ftp://x', '?website=x', '?website=javascript:1']) {
      expect(Object.keys((await create(undefined, bad)).body.errors)).toEqual(['website']);
    }
  });

  test('only admins make the server read', async () => {
    let reads = 0;
    api = await demoApi({
      readPage: async () => {
        reads += 1;
        return page;
      },
    });
    expect((await api.call('cleo_write', 'POST', `${list}${query}`)).status).toBe(403);
    expect((await create({ collab: { name: ' ' } }, query)).status).toBe(422);
    expect(reads).toBe(0);
  });
});

describe('changing and deleting', () => {
  test('any subset, by an admin', async () => {
    const before = await show(3);
    expect((await update(3, { collab: { currency: 'gbp', name: 'New' } })).body).toEqual({
      ...before,
      currency: 'gbp',
      name: 'New',
      updated_at: '2026-06-01T12:00:00Z',
    });
    expect((await api.call(null, 'GET', new URL(before.banner_image_url).pathname)).status).toBe(200);
    expect((await update(3, { collab: { name: 'x' } }, 'cleo_write')).status).toBe(403);
    expect((await update(3, {})).status).toBe(400);
  });

  test.each([
    ['inside', { collab: { purge_banner_image: '1' } }],
    ['next to the wrapper', { collab: {}, purge_banner_image: 1 }],
    ['without the wrapper', { purge_banner_image: true }],
  ])('purge_banner_image %s removes the banner (D30)', async (_where, body) => {
    const { pathname } = new URL((await show(3)).banner_image_url);
    expect((await update(3, body)).body.banner_image_url).toBeNull();
    expect((await api.call(null, 'GET', pathname)).status).toBe(404);
  });

  test('delete fails with approved submissions: 422 on base (api.md, Collabs rule 4; D36)', async () => {
    for (const id of [3, 5]) {
      const { status, body } = await api.call('ada_write', 'DELETE', one(id));
      expect([status, Object.keys(body.errors)]).toEqual([422, ['base']]);
    }
    for (const id of [1, 2, 4]) {
      expect((await api.call('ada_write', 'DELETE', one(id))).status).toBe(204);
      expect((await api.call('ada_write', 'GET', one(id))).status).toBe(404);
    }
    expect((await api.call('ada_write', 'GET', list)).headers.get('total-count')).toBe('20');
    expect((await api.call('cleo_write', 'DELETE', one(6))).status).toBe(403);
  });
});

describe('web actions (D38, D39)', () => {
  test('submit, pause, unpause', async () => {
    expect((await act(1, 'submit')).headers.get('location')).toBe('http://localhost:4010/organizations/5/collabs/1');
    expect((await show(1)).state).toBe('submitted_for_review');
    const { published_at } = await show(3);
    await act(3, 'pause');
    expect(await show(3)).toMatchObject({ state: 'paused', published_at });
    await act(3, 'unpause');
    expect(await show(3)).toMatchObject({ state: 'published', published_at });
  });

  test.each([
    [1, 'pause'],
    [1, 'unpause'],
    [2, 'submit'],
    [2, 'pause'],
    [3, 'submit'],
    [3, 'unpause'],
    [4, 'submit'],
    [4, 'pause'],
  ])('collab %i rejects %s and does not change', async (id, action) => {
    const before = await show(id);
    expect((await act(id, action)).status).toBe(303);
    expect(await show(id)).toEqual(before);
  });

  test('need an admin who may write', async () => {
    expect((await act(3, 'pause', 'cleo_write')).status).toBe(403);
    expect((await act(1, 'submit', 'cleo_write')).status).toBe(404);
    expect((await act(3, 'pause', 'ada_read')).status).toBe(401);
  });
});
