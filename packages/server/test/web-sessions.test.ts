import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { demoSeed, demoTokens } from '../src/index.js';
import { serve } from '../src/node/index.js';
import { demoSite, type Site, type Visitor } from './support/visitor.js';

let site: Site;
beforeEach(async () => {
  site = await demoSite();
});
afterEach(() => {
  vi.useRealTimers();
});

const signInForm = (visitor: Visitor, fields: Readonly<Record<string, string>>) =>
  visitor.submit('/sign_in', '/sign_in', fields, 'type="password"');

describe('signing in', () => {
  test('says what this is, and where to get a token', async () => {
    const page = await site.visitor().get('/sign_in');
    expect(page.find('main > p')).toMatch(/^mkt is a marketplace for creator campaigns\./);
    expect(page.find('details')).toMatch(
      /^Where do I get an access token\?.*Access tokens.*the operator of this server/,
    );
    expect(page.attribute('details a', 'href')).toBe('/docs');
  });

  test('works with a token, which appears in no cookie and on no page', async () => {
    const visitor = site.visitor();
    const page = await signInForm(visitor, { token: ` ${demoTokens.eve_write} ` });
    expect([page.status, page.location]).toEqual([303, '/organizations']);
    const home = await visitor.follow(page);
    expect([home.status, home.find('.account summary')]).toEqual([200, 'Eve Novak']);
    expect(home.text + [...visitor.cookies.values()].join()).not.toContain(demoTokens.eve_write);
  });

  test.each([['unknown'], ['mkt_demo_ada_revoked'], ['']])(
    'rejects the token %j with 422 and a message at the field',
    async (token) => {
      const visitor = site.visitor();
      const page = await signInForm(visitor, { token });
      expect([page.status, page.find('.error')]).toEqual([
        422,
        'This access token is unknown or was revoked. Use another one.',
      ]);
      expect(page.attribute('#field-token', 'aria-invalid')).toBe('true');
      expect(page.attribute('#field-token', 'value')).toBeNull();
      expect([...visitor.cookies.keys()]).toEqual(['mkt_visit_4010']);
    },
  );

  test('offers the demo users whose tokens are in the store', async () => {
    const visitor = site.visitor();
    const page = await visitor.get('/sign_in');
    expect(page.all('.people b')).toEqual([
      'Ada Okafor',
      'Ada Okafor',
      'Ben Ito',
      'Cleo Martin',
      'Dan Reyes',
      'Eve Novak',
    ]);
    const signedIn = await visitor.post('/sign_in', page.form('/sign_in', demoTokens.cleo_write));
    expect((await visitor.follow(signedIn)).find('.account summary')).toBe('Cleo Martin');

    await site.json('cleo_write', '/me/access_tokens/4.json', { method: 'DELETE' });
    expect((await site.visitor().get('/sign_in')).all('.people b')).not.toContain('Cleo Martin');
  });

  test('offers no demo users if the store does not have their tokens', async () => {
    const { tables, serials } = demoSeed();
    const access_tokens = tables.access_tokens.map((row) => ({ ...row, digest: `other-${row.id}` }));
    await site.store.load({ tables: { ...tables, access_tokens }, serials });
    const page = await site.visitor().get('/sign_in');
    expect([page.status, page.all('.people')]).toEqual([200, []]);
  });

  test('requires a form that this browser received', async () => {
    const visitor = site.visitor();
    expect((await visitor.post('/sign_in', { token: demoTokens.ada_write })).status).toBe(403);
    const elsewhere = (await site.visitor().get('/sign_in')).form('/sign_in', 'type="password"');
    await visitor.get('/sign_in');
    expect((await visitor.post('/sign_in', { ...elsewhere, token: demoTokens.ada_write })).status).toBe(403);
    expect([...visitor.cookies.keys()]).toEqual(['mkt_visit_4010']);
  });

  test.each([
    ['https://evil.example/'],
    ['//evil.example/x'],
    ['/\\evil.example'],
    ['/\t/evil.example'],
    ['javascript:alert(1)'],
    ['organizations'],
    [''],
  ])('never redirects to another site: %j', async (returnTo) => {
    const page = await site.visitor().signIn('ada_write', returnTo);
    expect([page.status, page.location]).toEqual([303, '/organizations']);
  });
});

describe('the session cookie', () => {
  const cookieOf = async (path: string, options: { headers?: Record<string, string> } = {}) => {
    const visitor = site.visitor(path);
    const { csrf_token = '' } = (await visitor.get('/sign_in')).form('/sign_in', 'type="password"');
    const page = await visitor.fetch('/sign_in', {
      method: 'POST',
      body: new URLSearchParams({ csrf_token, token: demoTokens.ada_write }),
      ...options,
    });
    return page.headers.getSetCookie().find((cookie) => cookie.startsWith('mkt_session')) ?? '';
  };

  test('is HttpOnly and SameSite=Lax, expires after a week, and has the port in its name', async () => {
    expect(await cookieOf('http://127.0.0.1:4010')).toMatch(
      /^mkt_session_4010=1\.\d+\.[\w-]{12}\.[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  test('is Secure only behind https', async () => {
    expect(await cookieOf('https://localhost')).toMatch(/^mkt_session=.*; Secure/);
    const headers = { 'x-forwarded-proto': 'https, http' };
    expect(await cookieOf('http://127.0.0.1:4010', { headers })).toMatch(/; Secure/);
    site = await demoSite({}, { baseUrl: 'https://mkt.example' });
    expect(await cookieOf('http://10.0.0.7:4010')).toMatch(/; Secure/);
    site = await demoSite({}, { baseUrl: 'http://mkt.example' });
    expect(await cookieOf('http://10.0.0.7:4010')).not.toMatch(/; Secure/);
  });

  test('is rejected if any part was changed', async () => {
    const ada = await site.signedIn('ada_write');
    const [name, value] = [...ada.cookies][0] as [string, string];
    const [id = '', expires = '', session = '', proof = ''] = value.split('.');
    const forged = [
      `3.${expires}.${session}.${proof}`,
      `0${value}`,
      `${id}.${Number(expires) + 1}.${session}.${proof}`,
      `${id}.${expires}.${[...session].reverse().join('')}.${proof}`,
      `${id}.${expires}.${session}.${proof.slice(0, -1)}${proof.endsWith('A') ? 'B' : 'A'}`,
      `${id}.${expires}.${session}.`,
      `${id}.${expires}.${session}`,
      `${id}.${expires}`,
      '1',
      '%00',
      `${value}.x`,
    ];
    for (const text of forged) {
      ada.cookies.set(name, text);
      const page = await ada.get('/organizations');
      expect([text, page.status, page.location]).toEqual([text, 303, '/sign_in?return_to=%2Forganizations']);
    }
  });

  test('is rejected after a week', async () => {
    const ada = await site.signedIn('ada_write');
    vi.useFakeTimers({ now: Date.now() + 7 * 24 * 3600 * 1000 - 5000, toFake: ['Date'] });
    expect((await ada.get('/organizations')).status).toBe(200);
    vi.setSystemTime(Date.now() + 10_000);
    expect((await ada.get('/organizations')).location).toBe('/sign_in?return_to=%2Forganizations');
  });
});

describe('ending a session', () => {
  test('happens when any client revokes its token', async () => {
    const ada = await site.signedIn('ada_write');
    await site.json('ada_write', '/me/access_tokens/1.json', { method: 'DELETE' });
    const page = await ada.get('/me/address');
    expect([page.status, page.location]).toEqual([303, '/sign_in?return_to=%2Fme%2Faddress']);
    expect([...ada.cookies.keys()]).toEqual([]);
  });

  test('later actions change nothing, and the sign-in page says so', async () => {
    const ada = await site.signedIn('ada_write');
    const form = (await ada.get('/organizations/5/campaigns/1/publish/confirm')).form(
      '/organizations/5/campaigns/1/publish',
    );
    await ada.submit('/organizations', '/sign_out');
    const page = await ada.post('/organizations/5/campaigns/1/publish', form);
    expect([page.status, page.location]).toEqual([303, '/sign_in']);
    expect((await ada.follow(page)).find('[role=alert]')).toMatch(
      /^You are no longer signed in, so nothing was changed/,
    );
  });

  test('happens when it revokes its own token', async () => {
    const ada = await site.signedIn('ada_write');
    const page = await ada.submit('/me/access_tokens/1/delete', '/me/access_tokens/1');
    expect([page.status, page.location]).toEqual([303, '/me/access_tokens']);
    const signIn = await ada.follow(await ada.follow(page));
    expect([signIn.find('h1'), signIn.find('.flash')]).toEqual(['Sign in', 'Access token revoked.']);
  });

  test('happens on signing out, which requires the form', async () => {
    const ada = await site.signedIn('ada_write');
    expect((await ada.post('/sign_out', {})).status).toBe(403);
    expect((await ada.get('/organizations')).status).toBe(200);
    const page = await ada.submit('/organizations', '/sign_out');
    expect([page.status, page.location]).toEqual([303, '/sign_in']);
    expect((await ada.follow(page)).find('.flash')).toBe('You are signed out.');
    expect((await ada.get('/organizations')).status).toBe(303);
  });

  test('happens when a reset gives its token id to another token', async () => {
    const ada = await site.signedIn('ada_write');
    await site.store.load(demoSeed());
    expect((await ada.get('/organizations')).status).toBe(200);
    const { tables, serials } = demoSeed();
    const access_tokens = tables.access_tokens.map((row) => ({ ...row, digest: `other-${row.id}` }));
    await site.store.load({ tables: { ...tables, access_tokens }, serials });
    expect((await ada.get('/organizations')).status).toBe(303);
  });
});

describe('the session secret', () => {
  test('is new at every start, so a restart signs users out', async () => {
    const ada = await site.signedIn('ada_write');
    const restarted = await demoSite({}, { store: site.store });
    const visitor = restarted.visitor();
    for (const [name, value] of ada.cookies) visitor.cookies.set(name, value);
    expect((await visitor.get('/organizations')).status).toBe(303);
  });

  test('can be configured, so that several processes accept the same sessions and forms', async () => {
    const sessionSecret = 'the same secret in both processes, long enough';
    const [one, two] = await Promise.all([1, 2].map(() => demoSite({ sessionSecret }, { store: site.store })));
    const ada = await (one as Site).signedIn('ada_write');
    const form = (await ada.get('/organizations/5/campaigns/1/publish/confirm')).form(
      '/organizations/5/campaigns/1/publish',
    );
    const elsewhere = (two as Site).visitor();
    for (const [name, value] of ada.cookies) elsewhere.cookies.set(name, value);
    expect((await elsewhere.post('/organizations/5/campaigns/1/publish', form)).location).toBe(
      '/organizations/5/campaigns/1',
    );
  });
});

describe('the secret of a new token (D103)', () => {
  const fields = { 'access_token[description]': 'CI', 'access_token[permission]': 'read' };
  const create = (visitor: Visitor) => visitor.submit('/me/access_tokens/new', '/me/access_tokens', fields);
  /** The readable part of a cookie. */
  const readable = (cookie: string): string =>
    [
      cookie,
      ...(cookie.match(/[\w-]{8,}/g) ?? []).map((part) => Buffer.from(part, 'base64url').toString('latin1')),
    ].join();

  test('is encrypted in a cookie and shown once; a reload creates no second token', async () => {
    const ada = await site.signedIn('ada_write');
    const before = (await ada.get('/me/access_tokens')).all('tbody th').length;
    const created = await create(ada);
    expect([created.status, created.location]).toEqual([303, '/me/access_tokens']);
    expect(created.headers.get('cache-control')).toBe('no-store');
    const cookies = created.headers.getSetCookie();
    expect(cookies.find((cookie) => cookie.startsWith('mkt_flash_4010='))).toMatch(
      /; Max-Age=60; Path=\/; HttpOnly; SameSite=Lax$/,
    );

    const shown = await ada.follow(created);
    const secret = shown.find('.secret') ?? '';
    expect(secret).toMatch(/^mkt_[\w-]{43}$/);
    for (const cookie of cookies) expect(readable(cookie)).not.toContain(secret.slice(0, 8));
    expect(shown.headers.get('cache-control')).toBe('no-store');
    expect((await site.json(secret, '/organizations.json')).status).toBe(200);

    expect(shown.headers.getSetCookie().join()).toMatch(/mkt_flash_4010=; Max-Age=0; Path=\/;/);
    const again = await ada.get('/me/access_tokens');
    expect([again.find('.secret'), again.all('tbody th').length]).toEqual([null, before + 1]);
  });

  test('is not shown to another session, or after a minute', async () => {
    const ada = await site.signedIn('ada_write');
    const created = await create(ada);
    const eve = await site.signedIn('eve_write');
    eve.cookies.set('mkt_flash_4010', ada.cookies.get('mkt_flash_4010') ?? '');
    const page = await eve.get('/me/access_tokens');
    expect([page.find('.flash'), page.find('.secret')]).toEqual([expect.stringContaining('created'), null]);
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ['Date'] });
    expect((await ada.follow(created)).find('.secret')).toBeNull();
  });

  test.each([['A'.repeat(200)], ['A'.repeat(10)], ['x'], ['.'], ['%00']])(
    'the invalid cookie %j shows nothing',
    async (value) => {
      const ada = await site.signedIn('ada_write');
      const created = await create(ada);
      ada.cookies.set('mkt_flash_4010', value);
      const page = await ada.follow(created);
      expect([page.status, page.find('.flash'), page.find('.secret')]).toEqual([200, null, null]);
    },
  );

  test('behind a proxy, it is shown on the proxied page', async () => {
    site = await demoSite({}, { baseUrl: 'http://127.0.0.1:4010/mkt' });
    const ada = site.visitor();
    const signIn = (await ada.get('/sign_in')).form('/mkt/sign_in', 'type="password"');
    await ada.post('/sign_in', { ...signIn, token: demoTokens.ada_write });
    const form = (await ada.get('/me/access_tokens/new')).form('/mkt/me/access_tokens');
    const created = await ada.post('/me/access_tokens', { ...form, ...fields });
    expect(created.location).toBe('/mkt/me/access_tokens');
    expect((await ada.get('/me/access_tokens')).find('.secret')).toMatch(/^mkt_[\w-]{43}$/);
  });
});

test('a read-only session can read all pages and is offered no forms', async () => {
  const ada = await site.signedIn('ada_read');
  const page = await ada.get('/organizations/5/campaigns/1');
  expect([page.status, page.find('.account summary')]).toEqual([200, 'Ada Okafor (read only)']);
  expect(page.all('main form, main .actions a')).toEqual([]);
  for (const path of ['/organizations/5/members', '/me/access_tokens'])
    expect((await ada.get(path)).all('th')).not.toContain('Actions');
  const form = await ada.get('/organizations/5/campaigns/new');
  expect([form.status, form.headers.get('www-authenticate')]).toEqual([401, 'Token realm="Application"']);
  const { csrf_token = '' } = page.form('/sign_out');
  expect((await ada.post('/organizations/5/campaigns/1/publish', { csrf_token })).status).toBe(401);
});

test('a short session secret is rejected before the server listens', async () => {
  await expect(serve({ store: site.store, port: 0, sessionSecret: 'short' })).rejects.toThrow(
    'The session secret must have at least 32 characters.',
  );
});
