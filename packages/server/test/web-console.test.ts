import { beforeEach, describe, expect, test } from 'vitest';
import { controlGuard } from '../src/control/guard.js';
import { sha256 } from '../src/digest.js';
import { type Control, createApp, createControl, demoSeed, demoTokens, memoryStore } from '../src/index.js';
import { webPages } from '../src/web/web-pages.js';
import { type Page, Visitor } from './support/visitor.js';

const token = 'the control token of this test';
let control: Control;
let site: { app: ReturnType<typeof createApp> };
let operator: Visitor;

beforeEach(async () => {
  const store = memoryStore();
  await store.load(demoSeed());
  const root = createControl({ store, seed: demoSeed, pages: true, forget: () => site.app.forget() });
  control = root.control;
  const app = createApp({
    store,
    renderer: webPages({
      knownTokens: Object.values(demoTokens),
      console: { control, guard: controlGuard(token, sha256) },
    }),
    ...root.app,
    onError: (error) => console.error(error),
  });
  site = { app };
  operator = new Visitor(app);
  await operator.get(`/__mkt?token=${encodeURIComponent(token)}`);
});

const json = (path: string, method = 'GET') =>
  site.app.fetch(
    new Request(`http://127.0.0.1:4010${path}`, {
      method,
      headers: { accept: 'application/json', authorization: `Bearer ${demoTokens.ada_write}` },
    }),
  );
const campaign = async (id: number) => (await json(`/organizations/5/campaigns/${id}.json`)).json();

/** Presses the button of a form: the page that it leads to. */
const press = async (path: string, action: string, fields: Readonly<Record<string, string>> = {}): Promise<Page> =>
  operator.follow(await operator.submit(path, '/__mkt/do', fields, `value="${action}"`));

describe('access', () => {
  const stranger = () => new Visitor(site.app);

  test('is granted with the control token, in the URL that the server prints', async () => {
    const visitor = stranger();
    const page = await visitor.get(`/__mkt?token=${encodeURIComponent(token)}`);
    expect([page.status, page.location]).toEqual([303, '/__mkt']);
    expect(page.headers.get('set-cookie')).toMatch(/^mkt_console_4010=.*HttpOnly; SameSite=Lax$/);
    expect(page.headers.get('set-cookie')).not.toContain(encodeURIComponent(token));
    expect((await visitor.follow(page)).find('h1')).toBe('Console');
  });

  test('is granted with the form; another token is rejected', async () => {
    const visitor = stranger();
    const wrong = await visitor.submit('/__mkt', '/__mkt/enter', { token: 'another' });
    expect([wrong.status, wrong.attribute('#field-token', 'aria-invalid')]).toEqual([422, 'true']);
    const page = await visitor.post('/__mkt/enter', { ...wrong.form('/__mkt/enter'), token });
    expect([page.status, page.location]).toEqual([303, '/__mkt']);
  });

  test('is blocked for a minute after too many wrong tokens (D104)', async () => {
    const visitor = stranger();
    const form = (await visitor.get('/__mkt')).form('/__mkt/enter');
    for (let guess = 0; guess < 20; guess += 1)
      expect((await visitor.post('/__mkt/enter', { ...form, token: `guess ${guess}` })).status).toBe(422);
    expect((await visitor.post('/__mkt/enter', { ...form, token })).status).toBe(303);
    expect((await visitor.get('/__mkt?token=guess')).status).toBe(429);
    expect((await visitor.post('/__mkt/enter', { ...form, token })).status).toBe(429);
  });

  test('is required for pages, downloads and actions, even if signed in', async () => {
    const visitor = stranger();
    await visitor.signIn('ada_write');
    for (const path of ['/__mkt', '/__mkt/faults', '/__mkt/acts', '/__mkt/data', '/__mkt/snapshot', '/__mkt/seed']) {
      const page = await visitor.get(path);
      expect([path, page.status, page.find('label')]).toEqual([path, 200, 'Control token (required)']);
      expect(page.text).not.toContain('Summer UGC');
    }
    const { csrf_token = '' } = (await visitor.get('/organizations')).form('/sign_out');
    for (const fields of [{}, { csrf_token }]) {
      const page = await visitor.post('/__mkt/do', { ...fields, action: 'finishCampaign', campaign: '3' });
      expect(page.status).toBe(403);
    }
    expect((await campaign(3)).status).toBe('active');
  });

  test('a forged cookie and a missing CSRF token are rejected', async () => {
    const visitor = stranger();
    visitor.cookies.set('mkt_console_4010', `9999999999.${'x'.repeat(43)}`);
    expect((await visitor.get('/__mkt')).find('label')).toBe('Control token (required)');
    expect((await operator.post('/__mkt/do', { action: 'reset' })).status).toBe(403);
  });

  test('rejects host names of other machines', async () => {
    const visitor = new Visitor(site.app, 'http://rebound.example:4010');
    expect((await visitor.get(`/__mkt?token=${encodeURIComponent(token)}`)).status).toBe(403);
    expect((await visitor.get('/__mkt')).status).toBe(403);
  });

  test('is not possible without test controls', async () => {
    const store = memoryStore();
    await store.load(demoSeed());
    const visitor = new Visitor(createApp({ store, renderer: webPages() }));
    expect((await visitor.get('/__mkt')).status).toBe(404);
  });
});

describe('requests', () => {
  test('are listed newest first, without tokens and without those of the console', async () => {
    await json('/organizations.json');
    await json('/organizations/5/campaigns/1/pause', 'POST');
    const page = await operator.get('/__mkt');
    expect(page.all('tbody th')).toEqual(['POST /organizations/5/campaigns/1/pause', 'GET /organizations.json']);
    expect(page.all('tbody tr:first-child td').slice(0, 3)).toEqual(['303', 'campaigns.pause', 'usr_ada']);
    expect(page.text).not.toContain(demoTokens.ada_write);
    expect(page.headers.get('refresh')).toBeNull();
    expect((await operator.get('/__mkt?live=1')).headers.get('refresh')).toBe('3');
    expect((await press('/__mkt', 'clearRequests')).find('.empty')).toBe('No requests yet.');
  });
});

describe('faults', () => {
  test('can be added, observed and removed, and never apply to the console', async () => {
    const page = await press('/__mkt/faults', 'addFault', { effect: 'status', amount: '503', times: '2' });
    expect(page.all('tbody tr > *')).toEqual(['{"status":503}every request', '0 of 2', 'Remove']);
    const statuses = [];
    for (let count = 0; count < 3; count += 1) {
      statuses.push((await json('/organizations.json')).status);
      expect((await operator.get('/__mkt/faults')).status).toBe(200);
    }
    expect(statuses).toEqual([503, 503, 200]);
    expect((await operator.get('/__mkt/faults')).all('tbody td.number')).toEqual(['2 of 2']);
    expect((await press('/__mkt/faults', 'removeFault')).find('.empty')).toBe('No faults.');
  });

  test('can apply to one operation and one user; latency is a fault too', async () => {
    await press('/__mkt/faults', 'addFault', {
      effect: 'delay',
      amount: '60',
      operation: 'campaigns.list',
      user: 'usr_ada',
    });
    const started = performance.now();
    await json('/organizations.json');
    const other = performance.now() - started;
    await json('/organizations/5/campaigns.json');
    expect(performance.now() - started - other).toBeGreaterThan(55);
  });

  test('are listed with the requests that they apply to', async () => {
    const fields = { effect: 'drop', operation: 'campaigns.list', user: 'usr_ada', after: '2', every: '3' };
    expect((await press('/__mkt/faults', 'addFault', fields)).find('tbody small')).toBe(
      'campaigns.list, usr_ada, after 2, every 3',
    );
  });

  test('an invalid rule is reported and not added', async () => {
    const page = await press('/__mkt/faults', 'addFault', { effect: 'status', amount: '200' });
    expect(page.find('[role=alert]')).toContain('400');
    expect(page.find('.empty')).toBe('No faults.');
    const words = await press('/__mkt/faults', 'addFault', { effect: 'delay', amount: 'soon' });
    expect(words.find('[role=alert]')).toBe('amount must be a whole number, not "soon".');
  });
});

describe('actions of the marketplace', () => {
  const act = (action: string, fields: Readonly<Record<string, string>>) => press('/__mkt/acts', action, fields);

  test('can fund, finish, review, sync, add members and subscribe', async () => {
    expect((await act('fundCampaign', { campaign: '1', amount: '5000' })).find('.flash')).toBe('Campaign 1 is funded.');
    expect(await campaign(1)).toMatchObject({ total_budget_amount: 5000, unused_amount: 5000 });
    await act('finishCampaign', { campaign: '3' });
    expect((await campaign(3)).status).toBe('finished');
    await act('reviewCollab', { collab: '2', outcome: 'published' });
    expect((await (await json('/organizations/5/collabs/2.json')).json()).state).toBe('published');
    await act('syncSocialAccount', { account: '2', status: 'verified', subscriber_count: '12' });
    const account = await (await json('/me/social_accounts/2.json')).json();
    expect(account).toMatchObject({ status: 'verified', subscriber_count: 12, view_count: null });
    await act('addMember', { organization: '7', user: 'eve@example.com', role: 'admin' });
    await act('addMember', { organization: '7', name: 'New Person', email: 'new@example.com' });
    const members = await (await json('/organizations/7/members.json')).json();
    expect(members.map(({ user, role }: { user: { name: string }; role: string }) => [user.name, role])).toEqual([
      ['Ada Okafor', 'admin'],
      ['Eve Novak', 'admin'],
      ['New Person', 'member'],
    ]);
    await act('setSubscription', { organization: '7', active: 'true' });
    expect((await json('/organizations/7.json', 'DELETE')).status).toBe(422);
    await act('approveSubmission', { collab: '1' });
    expect((await json('/organizations/5/collabs/1.json', 'DELETE')).status).toBe(422);
  });

  test('show the reason if they are rejected', async () => {
    const page = await act('reviewCollab', { collab: '1', outcome: 'published' });
    expect(page.find('[role=alert]')).toBe(
      'Collab 1 is draft: it can be approved only when it is submitted_for_review.',
    );
    expect((await act('fundCampaign', { campaign: '999', amount: '1' })).find('[role=alert]')).toBe(
      'Campaign 999 does not exist.',
    );
  });

  test('creates a token for any user and shows its secret once', async () => {
    const page = await act('createToken', { user: 'usr_dan', permission: 'read' });
    expect(page.find('.secret')).toMatch(/^mkt_/);
    expect((await operator.get('/__mkt/acts')).find('.secret')).toBeNull();
  });
});

describe('data and clock', () => {
  const data = (action: string, fields: Readonly<Record<string, string>> = {}) => press('/__mkt/data', action, fields);

  test('the clock is set, frozen and resumed', async () => {
    await data('setClock', { moment: '2030-01-01T00:00:00Z' });
    expect((await data('advanceClock', { days: '1', hours: '2' })).find('.sheet time')).toBe('2 Jan 2030, 02:00 UTC');
    expect((await data('freezeClock')).find('.sheet p')).toContain('frozen');
    expect((await data('resumeClock')).find('.sheet p')).not.toContain('frozen');
    expect((await data('setClock', { moment: 'tomorrow' })).find('[role=alert]')).toContain('ISO 8601');
  });

  test('resets everything; signed-in users stay signed in', async () => {
    await operator.signIn('ada_write');
    await press('/__mkt/acts', 'finishCampaign', { campaign: '3' });
    await data('reset');
    expect((await campaign(3)).status).toBe('active');
    expect((await operator.get('/organizations')).find('.visitor span')).toBe('Ada Okafor');
  });

  test('a snapshot is downloaded and restored', async () => {
    const snapshot = await operator.get('/__mkt/snapshot');
    expect(snapshot.headers.get('content-disposition')).toBe('attachment; filename="mkt-snapshot.json"');
    await press('/__mkt/acts', 'finishCampaign', { campaign: '3' });
    const form = new FormData();
    const fields = (await operator.get('/__mkt/data')).form('/__mkt/do', 'value="restore"');
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('snapshot', new File([snapshot.text], 'mkt-snapshot.json'));
    const page = await operator.follow(await operator.post('/__mkt/do', form));
    expect(page.find('.flash')).toBe('The snapshot was restored.');
    expect((await campaign(3)).status).toBe('active');

    form.set('snapshot', new File(['no json'], 'x'));
    const rejected = await operator.follow(await operator.post('/__mkt/do', form));
    expect(rejected.find('[role=alert]')).toContain('The file is not JSON');
  });

  test('loads a seed, and exports a seed file', async () => {
    const page = await data('seed', { seed: 'empty' });
    const secret = page.find('.secret') ?? '';
    expect(secret).toMatch(/^mkt_/);
    expect((await new Visitor(site.app).signIn(secret)).status).toBe(303);
    const seed = await operator.get('/__mkt/seed');
    expect(seed.headers.get('content-type')).toBe('text/yaml; charset=utf-8');
    expect(await control.export()).toBe(seed.text);
  });

  test('unknown actions get 404, including names that every object has', async () => {
    const { csrf_token = '' } = (await operator.get('/__mkt/data')).form('/__mkt/do');
    for (const action of ['explode', 'toString', 'constructor', '__proto__'])
      expect((await operator.post('/__mkt/do', { csrf_token, action })).status).toBe(404);
  });
});
