import { createMarketplaceMock, type MarketplaceMock, type MarketplaceMockOptions } from '@mkt/mock-server';
import { describe, expect, test, vi } from 'vitest';

const ask = (mock: MarketplaceMock, path: string, init: { method?: string; body?: unknown; token?: string } = {}) =>
  mock.fetch(mock.baseUrl + path, {
    method: init.method ?? 'GET',
    headers: {
      Authorization: `Bearer ${init.token ?? mock.tokens.ada_write}`,
      Accept: 'application/json',
      ...(init.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
  });

test('like: responses differ from the API document, and faults apply to them', async () => {
  const mock = createMarketplaceMock({ like: ['extra-fields', 'text-401'] });
  const headers = { Accept: 'application/json', Authorization: `Bearer ${mock.tokens.ada_write}` };
  const path = `${mock.baseUrl}/organizations/5.json`;
  mock.faults.add({ match: { method: 'GET' }, effect: { patch: { is_archived: true } }, times: 1 });
  expect(await (await mock.fetch(path, { headers })).json()).toMatchObject({ id: 5, is_archived: true });
  expect(await (await mock.fetch(path, { headers })).json()).toMatchObject({ id: 5, is_archived: false });
  mock.faults.add({ effect: { status: 401 } });
  expect(await (await mock.fetch(path, { headers })).text()).toBe('HTTP Token: Access denied.\n');
});

describe('opaque ids', () => {
  test('are found by number, before anything is awaited, and are those of all requests', async () => {
    const mock = createMarketplaceMock({ ids: 'opaque' });
    const acme = mock.idOf('organizations', 5);
    const campaign = mock.idOf('campaigns', 3);
    const response = await ask(mock, `/organizations/${acme}/campaigns/${campaign}.json`);
    expect(await response.json()).toMatchObject({ id: campaign, name: '<b>Bold</b> launch' });
    expect(campaign).toMatch(/^[a-z][a-z0-9]{11}$/);
    expect((await ask(mock, '/organizations/5/campaigns/3.json')).status).toBe(404);
    await mock.act.fundCampaign(campaign, 500);
    await mock.reset();
    expect(mock.idOf('campaigns', 3)).toBe(campaign);
    expect(mock.idOf('members', 1)).toBe(`mem_${acme}_ada`);
  });

  test('of new resources are found by their numbers too', async () => {
    const mock = createMarketplaceMock({ ids: 'opaque' });
    const acme = mock.idOf('organizations', 5);
    const body = { campaign: { name: 'New' } };
    const created = await ask(mock, `/organizations/${acme}/campaigns.json`, { method: 'POST', body });
    expect(((await created.json()) as { id: string }).id).toBe(mock.idOf('campaigns', 48));
    expect(() => mock.idOf('campaigns', 49)).toThrow('There is no campaign 49.');
  });

  test('of an own seed are found when it is loaded', async () => {
    const seed = {
      users: { ada: {} },
      organizations: { acme: { id: 'acme-cosmetics', name: 'Acme', members: { ada: 'owner' } } },
    };
    const mock = createMarketplaceMock({ ids: 'opaque', seed });
    await mock.ready;
    expect(mock.idOf('organizations', 1)).toBe('acme-cosmetics');
    expect(await mock.export()).toContain('id: acme-cosmetics');
    await mock.seed('demo');
    expect(mock.idOf('organizations', 5)).toBe(createMarketplaceMock({ ids: 'opaque' }).idOf('organizations', 5));
  });

  test('idOf gives the number itself with integers', () => {
    expect(createMarketplaceMock().idOf('campaigns', 3)).toBe(3);
  });

  test('an unknown format is an error', () => {
    expect(() => createMarketplaceMock({ ids: 'uuid' as 'opaque' })).toThrow("ids must be 'integer' or 'opaque'");
  });
});

describe('the control methods of the mock', () => {
  test('do not affect other mocks', async () => {
    const [one, other] = [createMarketplaceMock(), createMarketplaceMock()];
    await ask(one, '/organizations/5/campaigns/1.json', { method: 'DELETE' });
    one.clock.freeze('2030-01-01T00:00:00Z');
    expect((await ask(other, '/organizations/5/campaigns/1.json')).status).toBe(200);
    expect(other.clock.read().frozen).toBe(false);
    expect(other.requests.list()).toHaveLength(1);
  });

  test('save and restore snapshots', async () => {
    const mock = createMarketplaceMock();
    await mock.act.fundCampaign(4, 100_000);
    const snapshot = await mock.snapshot();
    await mock.reset();
    const budget = async () =>
      ((await (await ask(mock, '/organizations/5/campaigns/4.json')).json()) as { total_budget_amount: number })
        .total_budget_amount;
    const before = await budget();
    await mock.restore(JSON.parse(JSON.stringify(snapshot)));
    expect(await budget()).toBe(before + 100_000);
  });

  test('save faults in snapshots, except those with a function', async () => {
    const mock = createMarketplaceMock();
    mock.faults.add({ effect: { patch: (json: object) => json } });
    mock.faults.add({ effect: { patch: { name: 'Patched' } } });
    await mock.restore(JSON.parse(JSON.stringify(await mock.snapshot())));
    expect(mock.faults.list()).toMatchObject([{ effect: { patch: { name: 'Patched' } } }]);
  });

  test('accept only operations and methods of the API, in types as well', () => {
    const mock = createMarketplaceMock();
    // @ts-expect-error there is no such operation
    expect(() => mock.faults.add({ match: { operation: 'campaigns.lst' }, effect: 'drop' })).toThrow('operation');
    // @ts-expect-error there is no such method
    expect(() => mock.faults.add({ match: { method: 'FETCH' }, effect: 'drop' })).toThrow('method');
    // @ts-expect-error there is no such operation
    expect(() => mock.requests.list({ operation: 'campaigns.lst' })).toThrow('operation');
  });

  test('simulate what the marketplace does', async () => {
    const mock = createMarketplaceMock();
    await mock.act.fundCampaign(4, 100_000);
    await mock.act.reviewCollab(2, 'published');
    await mock.act.syncSocialAccount(2, { subscriber_count: 5 });
    const { user } = await mock.act.addMember(5, { name: 'Zoe', email: 'zoe@acme.example' });
    const { token } = await mock.createToken({ user, permission: 'write' });
    expect((await ask(mock, '/organizations/5.json', { token })).status).toBe(200);
  });

  test('change the latency, which reset() restores', async () => {
    const mock = createMarketplaceMock({ latency: [40, 60] });
    const milliseconds = async () => {
      await ask(mock, '/me/address.json');
      return mock.requests.list().at(-1)?.duration ?? 0;
    };
    const first = await milliseconds();
    expect(first).toBeGreaterThanOrEqual(39);
    mock.setLatency(120);
    expect(await milliseconds()).toBeGreaterThanOrEqual(119);
    mock.setLatency(0);
    expect(await milliseconds()).toBeLessThan(39);
    await mock.reset();
    expect(await milliseconds()).toBeGreaterThanOrEqual(39);
    expect(() => mock.setLatency(-5)).toThrow('latency must be milliseconds from 0');
  });

  test('wait for a request that was or will be sent', async () => {
    const mock = createMarketplaceMock();
    const waiting = mock.requests.waitFor({ operation: 'campaigns.create' });
    await ask(mock, '/organizations/5/campaigns.json');
    await ask(mock, '/organizations/5/campaigns.json', { method: 'POST', body: { campaign: { name: 'New' } } });
    expect(await waiting).toMatchObject({ status: 201, body: { campaign: { name: 'New' } } });
    expect(await mock.requests.waitFor({ operation: 'campaigns.list' })).toMatchObject({ status: 200 });
    await expect(mock.requests.waitFor({ operation: 'campaigns.delete' }, { timeout: 20 })).rejects.toThrow(
      'No request matched {"operation":"campaigns.delete"} in 20 ms. 2 were sent:\n  GET /organizations/5/campaigns.json -> 200',
    );
  });

  test('report each request to subscribers', async () => {
    const mock = createMarketplaceMock();
    const seen: unknown[] = [];
    const end = mock.subscribe((event) => {
      if (event.kind === 'request') seen.push([event.request.operation, event.request.status]);
    });
    await ask(mock, '/organizations/5.json');
    end();
    await ask(mock, '/organizations/5.json');
    expect(seen).toEqual([['organizations.get', 200]]);
  });

  test('report changes of faults, clock, latency, data and users to subscribers', async () => {
    const mock = createMarketplaceMock();
    let kinds = new Set<string>();
    mock.subscribe(({ kind }) => kinds.add(kind));
    const kindsOf = async (work: () => unknown) => {
      kinds = new Set();
      await work();
      return [...kinds].sort();
    };
    expect(await kindsOf(() => ask(mock, '/organizations/5.json'))).toEqual(['request']);
    expect(await kindsOf(() => mock.faults.add({ effect: 'drop', times: 1 }))).toEqual(['faults']);
    expect(await kindsOf(() => ask(mock, '/organizations/5.json').catch(() => null))).toEqual(['faults', 'request']);
    expect(await kindsOf(() => mock.faults.clear())).toEqual(['faults']);
    expect(await kindsOf(() => mock.clock.advance({ hours: 1 }))).toEqual(['clock']);
    expect(await kindsOf(() => mock.clock.freeze())).toEqual(['clock']);
    expect(await kindsOf(() => mock.setLatency(5))).toEqual(['latency']);
    expect(await kindsOf(() => ask(mock, '/organizations/5/campaigns/1.json', { method: 'DELETE' }))).toEqual([
      'data',
      'request',
    ]);
    expect(await kindsOf(() => mock.act.fundCampaign(2, 5))).toEqual(['data', 'users']);
    expect(await kindsOf(() => mock.createToken({ user: 'usr_ada', permission: 'read' }))).toContain('users');
    expect(await kindsOf(() => mock.reset())).toEqual(['clock', 'data', 'faults', 'latency', 'users']);
  });

  test('report a patch that throws on the console, and as unexpected', async () => {
    const mock = createMarketplaceMock();
    const print = vi.spyOn(console, 'error').mockReturnValue();
    const patch = () => {
      throw new Error('Oops');
    };
    const { id } = mock.faults.add({ effect: { patch } });
    expect((await ask(mock, '/organizations/5.json')).status).toBe(500);
    expect(print.mock.calls).toEqual([
      [`[mkt mock] The patch of ${id} threw for GET /organizations/5.json:`, new Error('Oops')],
    ]);
    expect(() => mock.assertNoUnexpected()).toThrow(`-> 500: The patch of ${id} threw: Oops`);
    print.mockRestore();
  });

  test('list, filter and clear requests; assertNoUnexpected() reports unexpected ones', async () => {
    const mock = createMarketplaceMock();
    await ask(mock, '/organizations/5/campaigns.json');
    await ask(mock, '/organizations/5/campaigns.json', { method: 'POST', body: { campaign: { name: 'New' } } });
    expect(mock.requests.list({ operation: 'campaigns.create' })).toMatchObject([
      { status: 201, user: 'usr_ada', body: { campaign: { name: 'New' } } },
    ]);
    mock.assertNoUnexpected();
    await mock.fetch(`${mock.baseUrl}/organizations.json`);
    await ask(mock, '/organisations.json');
    expect(() => mock.assertNoUnexpected()).toThrow(/2 unexpected.*Accept: application\/json.*no such endpoint/s);
    mock.requests.clear();
    mock.assertNoUnexpected();
  });

  test('keep the last thousand requests', async () => {
    const mock = createMarketplaceMock();
    for (let turn = 0; turn < 2050; turn++) await mock.fetch(`${mock.baseUrl}/organizations/${turn}.json`);
    const paths = mock.requests.list().map(({ path }) => path);
    expect([paths.length, paths[0], paths.at(-1)]).toEqual([
      1000,
      '/organizations/1050.json',
      '/organizations/2049.json',
    ]);
  });

  test.each([0, 1.5, Number.NaN])('a pageSize of %s is rejected immediately', (pageSize) => {
    expect(() => createMarketplaceMock({ pageSize })).toThrow('pageSize must be a whole number from 1');
  });

  test.each([
    [
      { latncy: 100 },
      'createMarketplaceMock has no option latncy. Its options: baseUrl, controlToken, cors, ids, latency, like,',
    ],
    [{ like: ['empty404'] }, "The option like must be 'document', 'live', or a list of: extra-fields, absent-null,"],
    [{ persist: 'local' }, `The option persist must be 'none' or 'session'. It is "local".`],
    [{ latency: -1 }, 'latency must be milliseconds from 0, or two of them: the least and the most.'],
    [{ latency: [9, 1] }, 'latency must be milliseconds from 0, or two of them: the least and the most.'],
  ])('rejects the options %j', (options, message) => {
    expect(() => createMarketplaceMock(options as MarketplaceMockOptions)).toThrow(message);
  });

  test('a twin has as many items per page as its source', async () => {
    const twin = {
      version: 1,
      source: 'https://api.example',
      organization: 5,
      pulled_at: '',
      masked: true,
      caller: 'ada',
    };
    const campaigns = ['One', 'Two', 'Three'].map((name) => ({ name }));
    const seed = {
      twin: { ...twin, page_size: 2, left_out: [] },
      users: { ada: { tokens: [{ permission: 'read' }] } },
      organizations: { acme: { id: 5, name: 'Acme', members: { ada: 'owner' }, campaigns } },
    };
    for (const given of [seed, JSON.stringify(seed, null, 2)]) {
      const mock = createMarketplaceMock({ seed: given });
      await mock.ready;
      const [token = ''] = Object.values(mock.tokens);
      const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
      const response = await mock.fetch(`${mock.baseUrl}/organizations/5/campaigns.json`, { headers });
      expect(await response.json()).toHaveLength(2);
    }
  });

  test('the options pageSize, latency and rateLimit work; reset() restarts the rate limit', async () => {
    const mock = createMarketplaceMock({ pageSize: 7, latency: 30, rateLimit: { requests: 2, seconds: 60 } });
    mock.clock.freeze('2030-01-01T00:00:00.700Z');
    const started = performance.now();
    const list = await ask(mock, '/organizations/5/campaigns.json');
    expect(Date.parse(String(list.headers.get('date')))).toBe(
      Math.floor(Date.parse(mock.clock.read().now) / 1000) * 1000,
    );
    expect(performance.now() - started).toBeGreaterThanOrEqual(28);
    expect(list.headers.get('page-items')).toBe('7');
    await ask(mock, '/organizations.json');
    expect((await ask(mock, '/organizations.json')).status).toBe(429);
    await mock.reset();
    expect((await ask(mock, '/organizations.json')).status).toBe(200);
  });

  test('a clock that is set to a Date says which text it takes', () => {
    const { clock } = createMarketplaceMock();
    expect(() => clock.set(new Date() as never)).toThrow(
      'moment must be an ISO 8601 time with a zone, such as 2026-06-01T00:00:00Z.',
    );
  });

  test('?website= reads only the pages of the option (D42)', async () => {
    const mock = createMarketplaceMock({
      pages: { 'https://shop.example/serum': { name: 'Night serum', countries: ['DE'] } },
    });
    const create = (website: string) =>
      ask(mock, `/organizations/5/collabs.json?website=${encodeURIComponent(website)}`, { method: 'POST' });
    expect(await (await create('https://shop.example/serum')).json()).toMatchObject({
      name: 'Night serum',
      countries: ['DE'],
      website: 'https://shop.example/serum',
    });
    expect((await create('https://shop.example/other')).status).toBe(422);
  });
});

describe('seeds', () => {
  test('large has the demo users and many more', async () => {
    const mock = createMarketplaceMock({ seed: 'large' });
    const list = await ask(mock, '/organizations/11/campaigns.json?page=500');
    expect([list.headers.get('total-count'), ((await list.json()) as object[]).length]).toEqual(['10000', 20]);
  });

  test('empty has one user, whose secret is set when the mock is ready and stays the same after reset', async () => {
    const mock = createMarketplaceMock({ seed: 'empty' });
    await mock.ready;
    const token = mock.tokens.owner_write as string;
    const list = () =>
      mock.fetch(`${mock.baseUrl}/organizations.json`, {
        headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
      });
    expect(await (await list()).json()).toEqual([]);
    await mock.reset();
    expect((await list()).status).toBe(200);
  });

  test.each([
    ['an object', { users: { zoe: { tokens: [{ secret: 'mkt_zoe_secret', permission: 'write' }] } } }],
    ['the text of a file', 'users:\n  zoe:\n    tokens: [{ secret: mkt_zoe_secret, permission: write }]\n'],
  ])('your own seed can be %s', async (_, seed) => {
    const mock = createMarketplaceMock({ seed });
    await mock.ready;
    expect(mock.tokens).toEqual({ zoe_write: 'mkt_zoe_secret' });
    const headers = { Authorization: 'Bearer mkt_zoe_secret', Accept: 'application/json' };
    expect((await mock.fetch(`${mock.baseUrl}/organizations.json`, { headers })).status).toBe(200);
    const exported = await mock.export();
    expect(exported).toContain('zoe');
  });

  test('a misspelt name does not compile, and is rejected', async () => {
    // @ts-expect-error there is no such seed
    await expect(createMarketplaceMock({ seed: 'dmeo' }).ready).rejects.toThrow('There is no seed dmeo.');
  });

  test('a seed with problems rejects `ready` and every request with its message', async () => {
    // @ts-expect-error it is name
    const mock = createMarketplaceMock({ seed: { users: { zoe: { nmae: 'Zoe' } } } });
    await expect(mock.ready).rejects.toThrow('Did you mean name?');
    await expect(mock.fetch(`${mock.baseUrl}/organizations.json`)).rejects.toThrow('Did you mean name?');
  });
});

describe('baseUrl', () => {
  test('can have a path', async () => {
    const mock = createMarketplaceMock({ baseUrl: 'https://example.com/marketplace/v2/' });
    expect(mock.baseUrl).toBe('https://example.com/marketplace/v2');
    const created = await ask(mock, '/organizations/5/campaigns.json', {
      method: 'POST',
      body: { campaign: { name: 'Under a path' } },
    });
    const { url } = (await created.json()) as { url: string };
    expect(url).toBe('https://example.com/marketplace/v2/organizations/5/campaigns/48.json');
    expect((await ask(mock, url.slice(mock.baseUrl.length))).status).toBe(200);
    await expect(mock.fetch('https://example.com/organizations.json')).rejects.toThrow('is not a URL of the mock');
  });

  test.each([
    ['https://API.Example.com', 'https://api.example.com'],
    ['https://api.example.com:443/', 'https://api.example.com'],
    ['http://localhost:80/a b//', 'http://localhost/a%20b'],
  ])('is normalized: %s', async (baseUrl, taken) => {
    const mock = createMarketplaceMock({ baseUrl });
    expect(mock.baseUrl).toBe(taken);
    const list = await ask(mock, '/organizations.json');
    expect(((await list.json()) as { url: string }[])[0]?.url).toBe(`${taken}/organizations/5.json`);
  });

  test.each(['/api', 'api.example.com', '', 'ftp://x.example', 'https://x.example/v1?key=1', 'https://x.example/#a'])(
    'rejects %j immediately with an explanation',
    (baseUrl) => {
      expect(() => createMarketplaceMock({ baseUrl })).toThrow(
        `The option baseUrl must be a URL such as https://api.example.com/v1, without a query. It is ${JSON.stringify(baseUrl)}.`,
      );
    },
  );
});

describe('create', () => {
  test('has typed fields, and results that fit them', async () => {
    const mock = createMarketplaceMock();
    const one = await mock.create.campaign({ organization: 5, status: 'finished', views: 12_000 });
    const several = await mock.create.collab({ organization: 5, state: 'published', count: 2 });
    expect([one.id, several.map(({ id }) => id)]).toEqual([48, [25, 26]]);
    // @ts-expect-error This is not a status.
    await expect(mock.create.campaign({ organization: 5, status: 'done' })).rejects.toThrow('campaign.status');
    // @ts-expect-error This is not a field.
    await expect(mock.create.user({ nmae: 'Zoe' })).rejects.toThrow('Did you mean name?');
  });

  test('is undone by reset', async () => {
    const mock = createMarketplaceMock();
    await mock.create.user({});
    await mock.reset();
    expect(await mock.create.user({})).toEqual({ id: 'usr_person_1', token: expect.stringMatching(/^mkt_/) });
  });

  test('extends a seed', async () => {
    const mock = createMarketplaceMock({
      seed: { extends: 'demo', users: [{ id: 'usr_zoe' }], members: [{ organization: 5, user: 'usr_zoe' }] },
    });
    await mock.ready;
    const token = mock.tokens.zoe_write ?? '';
    const response = await mock.fetch('/organizations.json', {
      headers: { accept: 'application/json', authorization: `Bearer ${token}` },
    });
    expect(await response.json()).toMatchObject([{ id: 5 }]);
    expect(mock.tokens.ada_write).toBe('mkt_demo_ada_write');
  });
});
