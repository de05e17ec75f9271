import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { demoSeed, demoTokens } from '../src/index.js';
import { postgresStore } from '../src/store/sql/postgres.js';
import { sqliteStore } from '../src/store/sql/sqlite.js';
import type { Row } from '../src/store/tables.js';
import { openTestStore, storeKinds, type TestStore } from './support/stores.js';
import { demoSite, type Site, type Visitor } from './support/visitor.js';

describe.each(storeKinds)('sessions and forms on the %s store', (kind) => {
  let opened: TestStore;
  let site: Site;
  beforeEach(async () => {
    opened = await openTestStore(kind);
    await opened.store.load(demoSeed());
    site = await demoSite({ sessionSecret: 'one secret for all processes of this server' }, { store: opened.store });
  });
  afterEach(() => opened?.dispose());

  test('sign in, write, and out again when the token is revoked', async () => {
    const ada = await site.signedIn('ada_write');
    const created = await ada.submit('/organizations/5/campaigns/new', '/organizations/5/campaigns', {
      'campaign[name]': '夏 🌸 <b>',
    });
    expect((await ada.follow(created)).find('h1')).toBe('夏 🌸 <b>');
    expect((await ada.get('/organizations/5/members')).all('tbody th')).toHaveLength(3);

    // Another process over the same data, with the same secret.
    const other = await demoSite(
      { sessionSecret: 'one secret for all processes of this server' },
      { store: opened.store },
    );
    const elsewhere = other.visitor();
    for (const [name, value] of ada.cookies) elsewhere.cookies.set(name, value);
    await elsewhere.submit('/me/access_tokens/1/delete', '/me/access_tokens/1');
    expect((await ada.get('/organizations')).location).toBe('/sign_in?return_to=%2Forganizations');
  });

  test('the first and last days of a calendar show the same on each store', async () => {
    const ada = await site.signedIn('ada_write');
    const lists = ['campaigns', 'collabs'].map((list) => `/organizations/5/${list}`);
    const pages = [...lists, '/search', '/organizations/5/campaigns/actions', '/organizations/5/collabs/actions'];
    const api = { accept: 'application/json', authorization: `Bearer ${demoTokens.ada_write}` };
    for (const day of ['0000-01-01', '0000-12-31', '0001-01-01', '1582-10-10', '9999-12-31', '+10000-01-01'])
      for (const end of ['from', 'to'])
        for (const path of pages) {
          const query = `action=delete&select=all&${end}=${encodeURIComponent(day)}`;
          for (const headers of [{}, api])
            for (const name of ['', '&name=launch']) {
              const { status, text } = await ada.fetch(`${path}?${query}${name}`, { headers });
              expect([path, query, status >= 500 ? text : '']).toEqual([path, query, '']);
            }
        }
    const count = async (query: string) =>
      (await ada.get(`/organizations/5/campaigns?${query}`)).find('.pager p')?.replace(/.* of /, '');
    const published = await count('from=0001-01-01');
    expect(Number(published)).toBeGreaterThan(20);
    for (const days of ['to=9999-12-31', 'from=0001-01-01&to=9999-12-31']) expect(await count(days)).toBe(published);
    expect(await count('from=9999-12-31')).toBeUndefined();
    expect(await count('to=0001-01-01')).toBeUndefined();
    // There is no year 0.
    expect(await count('from=0000-01-01')).toBe('45');
  });

  const signIn = '/sign_in?return_to=%2Forganizations';
  const copyOf = async ({ cookies }: Visitor, at = site): Promise<Visitor> => {
    const visitor = at.visitor();
    for (const [name, value] of cookies) visitor.cookies.set(name, value);
    return visitor;
  };

  test('signing out ends the session in every process, and no other session of the same token (D102)', async () => {
    const [ada, alsoAda] = await Promise.all([site.signedIn('ada_write'), site.signedIn('ada_write')]);
    const other = await demoSite(
      { sessionSecret: 'one secret for all processes of this server' },
      { store: opened.store },
    );
    const thief = await copyOf(ada, other);
    const form = (await thief.get('/organizations/5/campaigns/1/publish/confirm')).form(
      '/organizations/5/campaigns/1/publish',
    );
    const stolen = await copyOf(ada);
    expect((await ada.submit('/organizations', '/sign_out')).location).toBe('/sign_in');

    for (const visitor of [stolen, thief])
      expect((await (await copyOf(visitor)).get('/organizations')).location).toBe(signIn);
    const rejected = await thief.post('/organizations/5/campaigns/1/publish', form);
    expect(rejected.location).toBe('/sign_in');
    const campaign = await site.json('ada_write', '/organizations/5/campaigns/1.json');
    expect(((await campaign.json()) as { status: string }).status).toBe('draft');
    expect((await alsoAda.get('/organizations')).status).toBe(200);
    expect((await (await site.signedIn('ada_write')).get('/organizations')).status).toBe(200);
  });

  test('a session that was signed out stays so after a reset and a restore (D102)', async () => {
    const ada = await site.signedIn('ada_write');
    const stolen = await copyOf(ada);
    await ada.submit('/organizations', '/sign_out');
    await opened.store.load(demoSeed());
    expect((await (await copyOf(stolen)).get('/organizations')).location).toBe(signIn);
    await opened.store.load(await opened.store.dump());
    expect((await (await copyOf(stolen)).get('/organizations')).location).toBe(signIn);
  });

  test('expired sessions are removed, and two clicks on "Sign out" are one (D102)', async () => {
    const ended = () =>
      opened.store.read((reader) => reader.page('ended_sessions', 'byExpiry', [], { offset: 0, limit: 9 }));
    for (const who of ['ada_write', 'eve_write'])
      await (await site.signedIn(who)).submit('/organizations', '/sign_out');
    const before = await ended();
    expect(before).toHaveLength(2);
    try {
      vi.useFakeTimers({ now: Date.now() + 8 * 24 * 3600 * 1000, toFake: ['Date'] });
      const ada = await site.signedIn('ada_write');
      const form = (await ada.get('/organizations')).form('/sign_out');
      const clicks = await Promise.all(
        [await copyOf(ada), await copyOf(ada)].map((click) => click.post('/sign_out', form)),
      );
      expect(clicks.map(({ location }) => location)).toEqual(['/sign_in', '/sign_in']);
      const after = await ended();
      expect(after).toHaveLength(1);
      expect(before.map(({ id }) => id)).not.toContain(after[0]?.id);
    } finally {
      vi.useRealTimers();
    }
  });

  test('the same form, sent to two processes at once, is processed once, and both say the same (D85)', async () => {
    const secret = 'one secret for all processes of this server';
    const open = {
      memory: async () => opened.store,
      sqlite: () => sqliteStore(opened.db),
      postgres: () => postgresStore(opened.db),
    };
    const another = await open[kind]();
    const other = await demoSite({ sessionSecret: secret }, { store: another });
    const ada = await site.signedIn('ada_write');
    const elsewhere = await copyOf(ada, other);
    const atOnce = async (path: string, form: Record<string, string>) => {
      const sent = [ada, elsewhere, ada, elsewhere].map((visitor) => visitor.post(path, form));
      return [...new Set((await Promise.all(sent)).map(({ status, location }) => `${status} ${location}`))];
    };
    const list = '/organizations/5/campaigns';
    const form = { ...(await ada.get(`${list}/new`)).form(list), 'campaign[name]': 'Once' };
    expect(await atOnce(list, form)).toEqual([`303 ${list}/48`]);
    expect((await site.json('ada_write', `${list}.json`)).headers.get('total-count')).toBe('46');

    const publish = `${list}/1/publish`;
    expect(await atOnce(publish, (await ada.get(`${publish}/confirm`)).form(publish))).toEqual([`303 ${list}/1`]);
    for (const visitor of [ada, elsewhere])
      expect((await visitor.get(`${list}/1`)).find('.flash')).toBe('Campaign published.');
    const made = `${list}/48`;
    expect(await atOnce(made, (await ada.get(`${made}/delete`)).form(made))).toEqual([`303 ${list}`]);
    for (const visitor of [ada, elsewhere]) expect((await visitor.get(list)).find('.flash')).toBe('Campaign deleted.');

    const token = { 'access_token[description]': 'CI', 'access_token[permission]': 'read' };
    const create = { ...(await ada.get('/me/access_tokens/new')).form('/me/access_tokens'), ...token };
    expect(await atOnce('/me/access_tokens', create)).toEqual(['303 /me/access_tokens']);
    const secrets = await Promise.all(
      [ada, elsewhere].map(async (one) => (await one.get('/me/access_tokens')).find('.secret')),
    );
    expect(secrets).toEqual([expect.stringMatching(/^mkt_/), secrets[0]]);
    await another.close();
  });

  test("any process shows a new token's secret, once (D103)", async () => {
    const ada = await site.signedIn('ada_write');
    const fields = { 'access_token[description]': 'CI', 'access_token[permission]': 'read' };
    const created = await ada.submit('/me/access_tokens/new', '/me/access_tokens', fields);
    const other = await demoSite(
      { sessionSecret: 'one secret for all processes of this server' },
      { store: opened.store },
    );
    const elsewhere = await copyOf(ada, other);
    const secret = (await elsewhere.follow(created)).find('.secret') ?? '';
    expect((await other.json(secret, '/organizations.json')).status).toBe(200);
    expect((await elsewhere.follow(created)).find('.secret')).toBeNull();
  });

  test('an action on many campaigns takes few statements, and all or none of them change', async () => {
    const list = '/organizations/5/campaigns';
    await opened.store.transact(async (writer) => {
      const { id: _, ...row } = (await writer.get('campaigns', 1)) as Row<'campaigns'>;
      for (let number = 0; number < 300; number += 1)
        await writer.insert('campaigns', { ...row, name: `Campaign ${number} of many`, status: 'active' });
    });
    const ada = await site.signedIn('ada_write');
    const statements = vi.spyOn(pg.Client.prototype, 'query');
    const sent: number[] = [];
    const counted = async <Result>(work: Promise<Result>): Promise<Result> => {
      statements.mockClear();
      const result = await work;
      sent.push(statements.mock.calls.length);
      return result;
    };
    const path = `${list}/actions?status=active`;
    const actionsOn = () => counted(ada.get(`${list}/actions?action=pause&select=all&status=active`));
    const plan = await actionsOn();
    const again = await actionsOn();
    const paused = () =>
      opened.store.read((reader) => reader.count('campaigns', 'byOrganizationAndStatus', [5, 'paused']));
    const before = await paused();
    const change = (status: string) =>
      opened.store.transact((writer) => writer.update('campaigns', 300, { status } as Partial<Row<'campaigns'>>));
    await change('finished');
    const rejected = await counted(ada.post(path, plan.form(path)));
    expect([rejected.status, rejected.text, await paused()]).toEqual([
      422,
      expect.stringContaining('1 campaign was changed or deleted after you opened this page, so nothing was done.'),
      before,
    ]);
    await change('active');
    const done = await counted(ada.post(path, again.form(path)));
    expect([done.status, await paused()]).toEqual([303, before + plan.all('.plan tbody tr').length]);
    await counted(ada.get(`${list}/actions?action=delete&select=all`));
    statements.mockRestore();
    // Each piece of 200 has its own.
    expect(Math.max(...sent)).toBeLessThan(100);
  });

  test('a cookie that is not a session stores nothing', async () => {
    const visitor = site.visitor();
    visitor.cookies.set('mkt_visit_4010', 'chosen');
    const { csrf_token = '' } = (await visitor.get('/sign_in')).form('/sign_in', 'type="password"');
    visitor.cookies.set('mkt_session_4010', 'chosen');
    expect((await visitor.post('/sign_out', { csrf_token })).location).toBe('/sign_in');
    const ended = await opened.store.read((reader) => reader.count('ended_sessions', 'byExpiry', []));
    expect(ended).toBe(0);
  });
});
