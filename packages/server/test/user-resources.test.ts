import { socialAccount } from '@mkt/sdk/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Api, demoApi } from './support/api.js';
import { emptyFields } from './support/empty-fields.js';

let api: Api;
beforeEach(async () => {
  api = await demoApi();
});

describe('social accounts', () => {
  const list = '/me/social_accounts.json';
  const connect = (account_url: unknown, platform_id: unknown = 'tiktok', who = 'eve_write') =>
    api.call(who, 'POST', list, { body: { social_account: { platform_id, account_url } } });

  test("only the user's own", async () => {
    const { body, headers } = await api.call('ada_read', 'GET', list);
    expect(body.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3]);
    expect(headers.get('total-count')).toBe('3');
    const others = await api.call('ada_write', 'GET', '/me/social_accounts/4.json');
    expect([others.status, others.body]).toEqual([
      404,
      { error: 'Social account 4 was not found. Check the id: only your own can be found.' },
    ]);
    expect((await api.call('ada_write', 'DELETE', '/me/social_accounts/4.json')).status).toBe(404);
    expect((await api.call('dan_write', 'GET', '/me/social_accounts/4.json')).status).toBe(200);
  });

  test('a new one is pending, without metrics, its uid taken from the address (D45)', async () => {
    const { status, body, headers } = await connect('https://www.TikTok.com/@Eve.Novak/?lang=en#top');
    expect(status).toBe(201);
    expect(body).toEqual({
      ...emptyFields(socialAccount),
      id: 5,
      platform_id: 'tiktok',
      account_url: 'https://www.TikTok.com/@Eve.Novak/?lang=en#top',
      uid: 'Eve.Novak',
      status: 'pending',
      created_at: '2026-06-01T12:00:00Z',
      updated_at: '2026-06-01T12:00:00Z',
      url: 'http://localhost:4010/me/social_accounts/5.json',
    });
    expect(headers.get('location')).toBe(body.url);
    expect((await connect('https://example.com')).body.uid).toBe('example.com');
    expect((await connect('https://example.com/@/')).body.uid).toBe('example.com/@');
    expect((await connect('https://example.com/%40%65ve')).body.uid).toBe('eve');
  });

  test.each([
    'https://www.tiktok.com/@acme',
    'http://tiktok.com/@acme',
    'HTTPS://WWW.TIKTOK.COM/@acme/',
    'https://tiktok.com/@acme?x=1#y',
    'https://tiktok.com/@acme//',
    'https://tiktok.com/%40%61c%6De',
    'https://tiktok.com/@ac%6de',
    'https://www.tiktok.com./@acme',
  ])('%s is taken, regardless of the user (api.md, Social account; D45)', async (address) => {
    for (const who of ['ada_write', 'eve_write']) {
      const { status, body } = await connect(address, 'tiktok', who);
      expect([status, Object.keys(body.errors)]).toEqual([422, ['account_url']]);
    }
  });

  test.each([
    ['https://www.tiktok.com/@glow/video/7301234567890123456', 'glow', 'https://m.tiktok.com/@glow?lang=en&_t=8'],
    ['https://www.youtube.com/@Glow/videos', 'Glow', 'https://m.youtube.com/@Glow/featured?view=1'],
    ['https://www.youtube.com/c/Glow', 'Glow', 'https://youtube.com/c/Glow/shorts'],
    ['https://www.youtube.com/channel/UC_x5XG1OV2P6uZZ5FSM9Ttw', 'UC_x5XG1OV2P6uZZ5FSM9Ttw', null],
    ['https://www.youtube.com/@%E3%82%B0%E3%83%AD%E3%82%A6', 'グロウ', 'https://www.youtube.com/@グロウ'],
    ['https://instagram.com/glow.lab2?igshid=abc', 'glow.lab2', 'https://www.instagram.com/glow.lab2/reels/'],
    ['https://x.com/glow/status/123', 'glow', 'https://mobile.twitter.com/glow'],
    ['https://www.facebook.com/profile.php?id=100012345678901', '100012345678901', null],
    [
      'https://www.facebook.com/profile.php?id=100012345678902',
      '100012345678902',
      'https://m.facebook.com/profile.php?v=1&id=100012345678902',
    ],
    ['https://www.facebook.com/pages/Glow-Lab/1234567890', '1234567890', null],
    ['https://www.linkedin.com/in/glow-lab-1a2b3c/', 'glow-lab-1a2b3c', null],
    ['https://bsky.app/profile/glow.bsky.social', 'glow.bsky.social', null],
    ['https://m.example/@glow', 'glow', null],
  ])('%s is the account %s', async (url, uid, same) => {
    expect((await connect(url)).body.uid).toBe(uid);
    if (same !== null) expect((await connect(same)).body.errors.account_url[0]).toContain('already connected');
  });

  test.each([
    ['https://vm.tiktok.com/ZMabc123/', 'https://www.tiktok.com/@name'],
    ['https://www.tiktok.com/t/ZTabc/', 'https://www.tiktok.com/@name'],
    ['https://youtu.be/dQw4w9WgXcQ', 'https://www.youtube.com/@name'],
    ['https://www.youtube.com/watch?v=dQw4w9WgXcQ', 'https://www.youtube.com/@name'],
    ['https://www.instagram.com/p/Cabc123/', 'https://www.instagram.com/name'],
    ['https://x.com/i/status/1', 'https://x.com/name'],
  ])('%s is rejected, because it names no profile', async (url, example) => {
    const { status, body } = await connect(url);
    expect([status, body.errors]).toEqual([
      422,
      { account_url: [`Account url must be the URL of a profile, such as ${example}, not of a video or post.`] },
    ]);
  });

  test('reads escapes in both cases alike, and keeps the decoded characters escaped', async () => {
    expect((await connect('https://x.example/caf%c3%a9%2Fx%00')).body.uid).toBe('caf%C3%A9%2Fx%00');
    expect((await connect('https://x.example/café%2fx%00')).status).toBe(422);
    expect((await connect('https://x.example/café/x%00')).status).toBe(201);
  });

  test("the path's case makes a difference, and a removed account is free again", async () => {
    expect((await connect('https://www.tiktok.com/@ACME')).status).toBe(201);
    await api.call('ada_write', 'DELETE', '/me/social_accounts/1.json');
    expect((await connect('https://www.tiktok.com/@acme')).status).toBe(201);
  });

  test.each([
    ['account_url', 'nope'],
    ['account_url', ''],
    ['account_url', undefined],
    ['account_url', 5],
    ['account_url', 'ftp://x.example/@a'],
    ['account_url', 'https://x.example/@a '],
  ])('%s %j is rejected', async (_field, address) => {
    const { status, body } = await connect(address);
    expect([status, Object.keys(body.errors)]).toEqual([422, ['account_url']]);
  });

  test('any slug is a platform, nothing else', async () => {
    expect((await connect('https://a.example/@a', 'snap-chat2')).status).toBe(201);
    for (const platform of ['Tik Tok', '', null, 7]) {
      expect(Object.keys((await connect('https://b.example/@b', platform)).body.errors)).toEqual(['platform_id']);
    }
  });

  test('a synced one keeps its metrics as numbers, the rate as a decimal in a string', async () => {
    const { body } = await api.call('ada_write', 'GET', '/me/social_accounts/1.json');
    expect(body).toMatchObject({
      status: 'verified',
      subscriber_count: expect.any(Number),
      engagement_rate: expect.stringMatching(/^\d+\.\d+$/),
    });
  });
});

describe('address', () => {
  const path = '/me/address.json';
  const whole = {
    address_one: '1 Main St',
    city: 'Springfield',
    state: 'IL',
    postal_code: '62701',
    country_code: 'US',
  };
  const set = (address: unknown, who = 'eve_write') => api.call(who, 'PATCH', path, { body: { address } });

  test('404 until one is set; PATCH creates it, then changes it; DELETE removes it (api.md, Address)', async () => {
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await api.call('eve_write', method, path);
      expect([status, body]).toEqual([
        404,
        { error: 'You have no address yet. Create it with PATCH /me/address.json.' },
      ]);
    }
    const created = await set(whole);
    expect([created.status, created.body]).toEqual([
      200,
      {
        id: 2,
        ...whole,
        address_two: null,
        latitude: null,
        longitude: null,
        google_place_id: null,
        created_at: '2026-06-01T12:00:00Z',
        updated_at: '2026-06-01T12:00:00Z',
      },
    ]);
    expect((await set({ city: 'Shelbyville', address_two: 'Flat 2' })).body).toMatchObject({
      id: 2,
      city: 'Shelbyville',
      address_two: 'Flat 2',
      state: 'IL',
    });
    expect((await api.call('eve_write', 'DELETE', path)).status).toBe(204);
    expect((await api.call('eve_write', 'GET', path)).status).toBe(404);
    expect((await set(whole)).body.id).toBe(3);
  });

  test.each(Object.keys(whole))('without %s none is created (D46)', async (field) => {
    const { status, body } = await set({ ...whole, [field]: undefined });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    expect((await api.call('eve_write', 'GET', path)).status).toBe(404);
  });

  test('on creation five fields are required, on update none (D46)', async () => {
    const { status, body } = await set({});
    expect([status, Object.keys(body.errors)]).toEqual([
      422,
      ['address_one', 'city', 'state', 'postal_code', 'country_code'],
    ]);
    expect((await set({}, 'ada_write')).status).toBe(200);
  });

  test.each([
    ['city', ' '],
    ['city', null],
    ['state', 5],
    ['address_one', 'x'.repeat(256)],
    ['country_code', 'us'],
    ['country_code', 'XX'],
    ['country_code', 'USA'],
    ['google_place_id', 5],
  ])('%s: %j is rejected', async (field, value) => {
    const { status, body } = await set({ ...whole, [field]: value });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  test.each([
    ['latitude', 90.1, 'must be between -90 and 90.'],
    ['latitude', '-90.00000001', 'must be between -90 and 90.'],
    ['latitude', '1e1', 'must be a plain decimal, such as 37.3349.'],
    ['latitude', 'north', 'must be a plain decimal, such as 37.3349.'],
    ['latitude', '', 'must be a plain decimal, such as 37.3349.'],
    ['latitude', true, 'must be a number or a decimal string.'],
    ['longitude', '180.5', 'must be between -180 and 180.'],
    ['longitude', -181, 'must be between -180 and 180.'],
  ])('%s: %j is rejected with a reason that is true', async (field, value, reason) => {
    const { status, body } = await set({ ...whole, [field]: value });
    const errors = { [field]: [`${field === 'latitude' ? 'Latitude' : 'Longitude'} ${reason}`] };
    expect([status, body.errors]).toEqual([422, errors]);
  });

  test.each([
    ['-72.60232000000002', '-72.60232'],
    [-72.60232000000002, '-72.60232'],
    ['1.123456789', '1.12345679'],
    [1e-9, '0'],
    [-1e-9, '0'],
    ['-0.000000001', '0'],
    ['10.000000001', '10'],
    [0, '0'],
    [100, '100'],
    ['0.10', '0.10'],
    [null, null],
  ])('longitude %j is stored as %j, rounded to 8 decimals (D46)', async (value, stored) => {
    expect((await set({ ...whole, longitude: value })).body.longitude).toBe(stored);
  });

  test('coordinates: strings stay as sent, numbers become plain decimals, and each may be sent without the other (D46)', async () => {
    expect((await set({ ...whole, latitude: '-45.50', longitude: '180' })).body).toMatchObject({
      latitude: '-45.50',
      longitude: '180',
    });
    expect((await set({ latitude: 1e-7, longitude: -0.5 })).body).toMatchObject({
      latitude: '0.0000001',
      longitude: '-0.5',
    });
    expect((await set({ latitude: -1.12345678, longitude: 0.1 })).body).toMatchObject({
      latitude: '-1.12345678',
      longitude: '0.1',
    });
    expect((await set({ latitude: null, longitude: -0.5 })).body).toMatchObject({ latitude: null, longitude: '-0.5' });
    expect((await set({ latitude: 90, longitude: 0 })).body).toMatchObject({ latitude: '90', longitude: '0' });
  });

  test("only the user's own", async () => {
    await set(whole);
    expect((await api.call('ada_write', 'GET', path)).body.city).toBe('Cupertino');
    expect((await api.call('ada_read', 'PATCH', path, { body: { address: {} } })).status).toBe(401);
  });
});
