import { organization } from '@mkt/sdk/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { imageFrom } from '../src/rules/images.js';
import { type Api, demoApi } from './support/api.js';
import { emptyFields } from './support/empty-fields.js';
import { gif, gifOf, jpeg, jpegOf, organizationForm, png, pngOf, svg, webp, webpOf } from './support/pictures.js';

let api: Api;
beforeEach(async () => {
  api = await demoApi();
});

const list = '/organizations.json';
const one = (id: number | string) => `/organizations/${id}.json`;
const create = (organization: unknown, who = 'eve_write') => api.call(who, 'POST', list, { body: { organization } });
const update = (id: number, body: unknown, who = 'ada_write') => api.call(who, 'PATCH', one(id), { body });
const show = async (id: number, who = 'ada_write') => (await api.call(who, 'GET', one(id))).body;

describe('reading', () => {
  test('the list has what the user belongs to, by id (api.md, Organizations)', async () => {
    const ids = async (who: string) => (await api.call(who, 'GET', list)).body.map(({ id }: { id: number }) => id);
    expect(await ids('ada_write')).toEqual([5, 7]);
    expect(await ids('ben_write')).toEqual([5, 8, 10]);
    expect(await ids('dan_write')).toEqual([6, 9]);
    expect(await ids('eve_write')).toEqual([]);
  });

  test('all fields; the logo address is left out where there is none (D19)', async () => {
    expect(await show(7)).toEqual({
      ...emptyFields(organization),
      id: 7,
      name: 'Initech Audio',
      privacy_setting: 'restricted',
      created_at: expect.stringMatching(/^2026-01-\d\dT\d\d:\d\d:\d\dZ$/),
      updated_at: expect.stringMatching(/Z$/),
      url: 'http://localhost:4010/organizations/7.json',
    });
  });

  test('404 for a stranger, whatever the method (D9)', async () => {
    for (const method of ['GET', 'HEAD', 'PATCH', 'DELETE'])
      expect((await api.call('ada_write', method, one(6))).status).toBe(404);
    for (const id of ['99', '0', '05', 'x', '5x', '%35', '1e1', '9'.repeat(30)]) {
      const { status } = await api.call('ada_write', 'GET', one(id));
      expect([id, status]).toEqual([id, id === '%35' ? 200 : 404]);
    }
  });

  test('the logo can be read without a token, as its own type, and runs nothing (D30)', async () => {
    const { pathname } = new URL((await show(5)).logo_url);
    const { status, headers } = await api.call(null, 'GET', pathname, { accept: 'image/*' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('image/png');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await api.call(null, 'GET', '/images/guess', { accept: '*/*' })).status).toBe(404);
  });
});

describe('creating', () => {
  test('the caller becomes owner and admin (api.md, Organizations; D26)', async () => {
    const { status, body, headers } = await create({ name: 'Eve & Co', website: 'https://eve.example' });
    expect(status).toBe(201);
    expect(body).toEqual({
      ...emptyFields(organization),
      id: 11,
      name: 'Eve & Co',
      privacy_setting: 'public',
      website: 'https://eve.example',
      created_at: '2026-06-01T12:00:00Z',
      updated_at: '2026-06-01T12:00:00Z',
      url: 'http://localhost:4010/organizations/11.json',
    });
    expect(headers.get('location')).toBe(body.url);
    const members = await api.call('eve_write', 'GET', '/organizations/11/members.json');
    expect(members.body).toMatchObject([{ id: 'mem_11_eve', role: 'admin', is_owner: true, user: { id: 'usr_eve' } }]);
  });

  test('a new one has defaults for its collabs (D41), and nothing that keeps it from being deleted', async () => {
    await create({ name: 'x' });
    const collab = await api.call('eve_write', 'POST', '/organizations/11/collabs.json');
    expect(collab.body).toMatchObject({ currency: 'usd', countries: ['US'], website: null, brief: null });
    expect((await api.call('eve_write', 'DELETE', one(11))).status).toBe(204);
  });

  test.each([
    ['name', undefined],
    ['name', ' '],
    ['name', 7],
    ['privacy_setting', 'secret'],
    ['privacy_setting', null],
    ['website', 'nope'],
  ])('%s: %j is rejected at its field', async (field, value) => {
    const { status, body } = await create({ name: 'x', [field]: value });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  test('a private one needs a logo (D31; api.md, Validation example)', async () => {
    const rejected = await create({ name: 'x', privacy_setting: 'private' });
    expect([rejected.status, Object.keys(rejected.body.errors)]).toEqual([422, ['logo']]);
    const form = organizationForm({ name: 'x', privacy_setting: 'private' }, png);
    const { status, body } = await api.call('eve_write', 'POST', list, { body: form });
    expect([status, body.privacy_setting]).toEqual([201, 'private']);
    const both = await api.call('ada_write', 'PATCH', one(7), {
      body: organizationForm({ privacy_setting: 'private' }, png),
    });
    expect([both.status, both.body.privacy_setting]).toEqual([200, 'private']);
    expect(body.logo_url).toMatch(/^http:\/\/localhost:4010\/images\/[\w-]{32}$/);
    expect(body.id).toBe(11);
  });

  test('needs the write permission', async () => {
    expect((await create({ name: 'x' }, 'ada_read')).status).toBe(401);
  });
});

describe('logos (D30)', () => {
  test.each([
    ['image/png', png],
    ['image/jpeg', jpeg],
    ['image/gif', gif],
    ['image/gif', Uint8Array.from(gif, (byte, at) => (at === 4 ? 0x37 : byte))],
    ['image/webp', webp],
  ])('%s by content, whatever the file is called', async (type, bytes) => {
    const { body } = await api.call('ada_write', 'PATCH', one(7), { body: organizationForm({}, bytes, 'notes.txt') });
    const picture = await api.call(null, 'GET', new URL(body.logo_url).pathname);
    expect(picture.headers.get('content-type')).toBe(type);
  });

  test.each([
    ['an SVG', svg],
    ['text', new TextEncoder().encode('hello')],
    ['nothing at all', new Uint8Array()],
    ['half of WebP’s beginning', new TextEncoder().encode('12345678WEBPVP8 ')],
    ['another RIFF file', new TextEncoder().encode('RIFF\x10\0\0\0WAVEfmt ')],
    ['half of GIF’s beginning', new TextEncoder().encode('GIF80a\x01\0\x01\0')],
    ['5 MiB and a byte', Object.assign(new Uint8Array(5 * 1024 * 1024 + 1), png)],
  ])('%s is rejected on logo', async (_name, bytes) => {
    const { status, body } = await api.call('ada_write', 'PATCH', one(7), { body: organizationForm({}, bytes) });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['logo']]);
  });

  // An upload, or a download before it, that was cut at any byte.
  test.each(Object.entries({ png, jpeg, gif, webp }))(
    'a %s that ends early is rejected, and more after it is not',
    async (_, whole) => {
      expect(await imageFrom(whole)).toHaveProperty('type');
      expect(await imageFrom(Uint8Array.of(...whole, 1, 2, 3))).toHaveProperty('type');
      for (let length = 12; length < whole.length; length += 1)
        expect([length, await imageFrom(whole.slice(0, length))]).toEqual([length, { code: 'not_image' }]);
    },
  );

  // 10,000 x 5,000 pixels, and one row more; of a JPEG also in the other kinds of frames.
  test.each([
    ['png', pngOf('\0\0\x27\x10\0\0\x13\x88'), pngOf('\0\0\x27\x10\0\0\x13\x89')],
    ['jpeg', jpegOf('\x13\x88\x27\x10'), jpegOf('\x13\x89\x27\x10')],
    ['jpeg', jpegOf('\x13\x88\x27\x10', '\xc0'), jpegOf('\x13\x89\x27\x10', '\xc0')],
    ['jpeg', jpegOf('\x13\x88\x27\x10', '\xcf'), jpegOf('\x13\x89\x27\x10', '\xcf')],
    ['gif', gifOf('\x10\x27\x88\x13'), gifOf('\x10\x27\x89\x13')],
    ['gif', gifOf(undefined, '\x10\x27\x88\x13'), gifOf(undefined, '\x10\x27\x89\x13')],
    // Of 16 bits, two are not of the size.
    [
      'webp',
      webpOf('VP8 \x0a\0\0\0...\x9d\x01\x2a\x10\x67\x88\xd3'),
      webpOf('VP8 \x0a\0\0\0...\x9d\x01\x2a\x10\x67\x89\xd3'),
    ],
    // The others count from 0.
    ['webp', webpOf('VP8L\x05\0\0\0/\x0f\xe7\xe1\xf4'), webpOf('VP8L\x05\0\0\0/\x0f\x27\xe2\xf4')],
    ['webp', webpOf('VP8X\x0a\0\0\0....\x0f\x27\0\x87\x13\0'), webpOf('VP8X\x0a\0\0\0....\x0f\x27\0\x88\x13\0')],
  ])('a %s may have 50 million pixels', async (type, large, larger) => {
    expect(await imageFrom(large)).toHaveProperty('type', `image/${type}`);
    expect(await imageFrom(larger)).toEqual({ code: 'too_many_pixels' });
    const { status, body } = await api.call('ada_write', 'PATCH', one(7), { body: organizationForm({}, larger) });
    expect([status, body]).toEqual([422, { errors: { logo: ['Logo must have at most 50 million pixels.'] } }]);
  });

  test('5 MiB are fine, text in place of a file is not', async () => {
    const large = new Uint8Array(5 * 1024 * 1024);
    large.set(png);
    expect((await api.call('ada_write', 'PATCH', one(7), { body: organizationForm({}, large) })).status).toBe(200);
    const text = await api.call('ada_write', 'PATCH', one(7), { body: organizationForm({ logo: 'x' }) });
    expect([text.status, Object.keys(text.body.errors)]).toEqual([422, ['logo']]);
  });

  test('ignores an empty file field of a form, in both notations', async () => {
    const form = organizationForm({ name: 'Renamed', logo: '' });
    expect((await api.call('ada_write', 'PATCH', one(7), { body: form })).body.name).toBe('Renamed');
    const lines = [
      '--b',
      'Content-Disposition: form-data; name="organization[logo]"; filename=""',
      'Content-Type: application/octet-stream',
      '',
      '',
      '--b',
    ];
    const more = ['Content-Disposition: form-data; name="organization[name]"', '', 'Again', '--b--', ''];
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const answer = await api.call('ada_write', 'PATCH', one(7), { body: [...lines, ...more].join('\r\n'), headers });
    expect(answer.body.name).toBe('Again');
  });

  test('a new logo takes the place of the old one, which is gone', async () => {
    const before = await show(5);
    const { body } = await api.call('ada_write', 'PATCH', one(5), { body: organizationForm({}, jpeg) });
    expect(body.logo_url).not.toBe(before.logo_url);
    expect((await api.call(null, 'GET', new URL(before.logo_url).pathname)).status).toBe(404);
  });

  test('a change of something else keeps it', async () => {
    const { logo_url } = await show(5);
    expect((await update(5, { organization: { name: 'Renamed' } })).body.logo_url).toBe(logo_url);
    expect((await api.call(null, 'GET', new URL(logo_url).pathname)).status).toBe(200);
  });

  test.each([
    ['inside', { organization: { purge_logo: '1' } }],
    ['inside as a number', { organization: { purge_logo: 1 } }],
    ['next to the wrapper', { organization: { name: 'x' }, purge_logo: true }],
    ['without the wrapper', { purge_logo: '1' }],
  ])('purge_logo %s removes it', async (_where, body) => {
    const { pathname } = new URL((await show(5)).logo_url);
    const { status, body: after } = await update(5, body);
    expect(status).toBe(200);
    expect(after).not.toHaveProperty('logo_url');
    expect((await api.call(null, 'GET', pathname)).status).toBe(404);
  });

  test('"0" and nothing keep it, other values of purge_logo are 422; in a form it works too', async () => {
    for (const value of ['0', 0, false, null, ''])
      expect((await update(5, { organization: { purge_logo: value } })).body).toHaveProperty('logo_url');
    for (const value of ['true', {}, [], ['1'], 2])
      for (const body of [{ organization: { purge_logo: value } }, { organization: {}, purge_logo: value }])
        expect(await update(5, body)).toMatchObject({
          status: 422,
          body: { errors: { purge_logo: ['Purge logo must be 0 or 1.'] } },
        });
    const form = organizationForm({ purge_logo: '1' });
    expect((await api.call('ada_write', 'PATCH', one(5), { body: form })).body).not.toHaveProperty('logo_url');
  });

  test('purging what is not there is fine', async () => {
    expect((await update(7, { purge_logo: '1' })).status).toBe(200);
  });
});

describe('changing', () => {
  test('any subset, by an admin', async () => {
    const { status, body } = await update(5, { organization: { website: null } }, 'ben_write');
    expect([status, body.website, body.name, body.updated_at]).toEqual([
      200,
      null,
      'Acme Cosmetics',
      '2026-06-01T12:00:00Z',
    ]);
    expect((await update(5, { organization: { name: 'x' } }, 'cleo_write')).status).toBe(403);
    const unchanged = await show(7);
    for (const nothing of [{}, { currency: 'zzz', countries: ['zz'], id: 1, logo_url: 'x', created_at: 5 }])
      expect((await update(7, { organization: nothing })).body).toEqual(unchanged);
  });

  test('a change to private without a logo, or a purge of a private one, is rejected and changes nothing (D31)', async () => {
    expect(Object.keys((await update(7, { organization: { privacy_setting: 'private' } })).body.errors)).toEqual([
      'logo',
    ]);
    const before = await show(6, 'dan_write');
    const renamed = await update(6, { organization: { name: before.name } }, 'dan_write');
    expect([renamed.status, renamed.body]).toEqual([200, before]);
    const purged = await update(6, { organization: { name: 'x' }, purge_logo: '1' }, 'dan_write');
    expect([purged.status, Object.keys(purged.body.errors)]).toEqual([422, ['logo']]);
    expect(await show(6, 'dan_write')).toEqual(before);
    expect(
      (await update(6, { organization: { privacy_setting: 'public' }, purge_logo: '1' }, 'dan_write')).status,
    ).toBe(200);
  });
});

describe('deleting', () => {
  test('deletes everything in it (D22)', async () => {
    const { pathname } = new URL((await show(5)).logo_url);
    expect((await api.call('ada_write', 'DELETE', one(5))).status).toBe(204);
    const { tables } = await api.store.dump();
    expect(tables.organizations.map(({ id }) => id)).toEqual([6, 7, 8, 9, 10]);
    for (const table of ['campaigns', 'collabs', 'memberships', 'images'] as const) {
      expect(tables[table].filter((row) => row.organization_id === 5)).toEqual([]);
    }
    for (const path of [one(5), '/organizations/5/campaigns.json', '/organizations/5/members.json']) {
      expect((await api.call('ada_write', 'GET', path)).status).toBe(404);
    }
    expect((await api.call(null, 'GET', pathname)).status).toBe(404);
    expect((await create({ name: 'x' })).body.id).toBe(11);
  });

  test('is for the owner: other admins and members get 403 (D22)', async () => {
    expect((await api.call('ben_write', 'DELETE', one(5))).status).toBe(403);
    expect((await api.call('cleo_write', 'DELETE', one(5))).status).toBe(403);
    expect((await api.call('ben_write', 'DELETE', one(8))).status).toBe(403);
    expect((await api.call('eve_write', 'DELETE', one(5))).status).toBe(404);
  });

  test('is rejected while a subscription is active (api.md, Organizations)', async () => {
    const { status, body } = await api.call('dan_write', 'DELETE', one(6));
    expect([status, Object.keys(body.errors)]).toEqual([422, ['base']]);
    expect((await api.call('dan_write', 'DELETE', one(9))).status).toBe(204);
  });
});
