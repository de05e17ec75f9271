import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { createMarketplaceMock, type MistakeKind } from '@mkt/mock-server';
import { createMarketplaceMock as createFetchMock } from '@mkt/mock-server/fetch';
import { endpoints } from '@mkt/sdk/contract';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

const mock = createMarketplaceMock({ strict: true });
const msw = setupServer(...mock.handlers);
beforeAll(() => msw.listen(mock.guard));
afterEach(() => mock.reset());
afterAll(() => msw.close());

const token = 'mkt_demo_ada_write';
const api = 'https://api.example.com';
const campaigns = '/organizations/5/campaigns';
const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  fetch((path.startsWith('/') ? api : '') + path, {
    method,
    headers: {
      Accept: 'application/json',
      Authorization: `Bearer ${token}`,
      ...(body && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => null);
const upload = (name: string, value: string | Blob) => {
  const body = new FormData();
  body.append('organization[name]', 'Acme');
  body.append(name, value);
  const headers = { Accept: 'application/json', Authorization: `Bearer ${token}` };
  return fetch(`${api}/organizations/5.json`, { method: 'PATCH', headers, body });
};

const cases: readonly [MistakeKind, () => Promise<unknown>, string][] = [
  [
    'unknown-field',
    () => send('POST', `${campaigns}.json`, { campaign: { name: 'A', cpmAmount: 5 } }),
    '"cpmAmount" is not a field of campaigns.create, so it is ignored. Did you mean cpm_amount?',
  ],
  [
    'unknown-field',
    () => send('PATCH', `${campaigns}/1.json`, { campaign: { contry: ['DE'], countires: ['DE'] } }),
    '"countires" is not a field of campaigns.update, so it is ignored. Did you mean countries?',
  ],
  [
    'unknown-field',
    () => send('POST', '/organizations/5/collabs.json', { name: 'A' }),
    '"name" is not a field of collabs.create, so it is ignored. Did you mean name in "collab"?',
  ],
  [
    'unknown-field',
    () => upload('organization[websiteUrl]', 'https://acme.example'),
    '"organization[websiteUrl]" is not a field of organizations.update, so it is ignored. Did you mean website in "organization"?',
  ],
  [
    'unknown-field',
    () => send('PATCH', '/organizations/5/collabs/1.json', { collab: { price: 5 } }),
    'so it is ignored. It has name, website, currency, countries, require_spark_ads, requires_product_shipment, brief, purge_banner_image.',
  ],
  ...[
    ['requireShipment', 'It has name, website,'],
    ['removeBanner', 'Did you mean purge_banner_image?'],
  ].map(([field = '', remedy]): (typeof cases)[number] => [
    'unknown-field',
    () => send('PATCH', '/organizations/5/collabs/1.json', { collab: { [field]: true } }),
    `"${field}" is not a field of collabs.update, so it is ignored. ${remedy}`,
  ]),
  [
    'read-only-field',
    () => send('PATCH', '/organizations/5/collabs/1.json', { collab: { bannerImage: 'A' } }),
    '"bannerImage" (banner_image_url) is read-only in collabs.update, so it is ignored. Leave it out.',
  ],
  [
    'unknown-field',
    () => send('POST', `${campaigns}.json`, { campaign: { name: 'A', CPM: 5 } }),
    '"CPM" is not a field of campaigns.create, so it is ignored. Did you mean cpm_amount?',
  ],
  [
    'unknown-field',
    () => send('POST', `${campaigns}.json`, { campaign: { name: 'A', min_payout_cents: 5 } }),
    '"min_payout_cents" is not a field of campaigns.create, so it is ignored. Did you mean min_payout_amount?',
  ],
  [
    'unknown-field',
    () => send('PATCH', '/organizations/5.json', { organization: { displayName: 'A' } }),
    '"displayName" is not a field of organizations.update, so it is ignored. Did you mean name?',
  ],
  ...['campaign', 'data'].map((wrapper): (typeof cases)[number] => [
    'unknown-field',
    () => send('POST', '/organizations/5/collabs.json', { [wrapper]: { name: 'A' } }),
    `"${wrapper}" is not a field of collabs.create, so it is ignored. Did you mean collab?`,
  ]),
  ...['ownerId', 'shop_url'].map((field): (typeof cases)[number] => [
    'unknown-field',
    () => send('PATCH', '/organizations/5.json', { organization: { [field]: 'A' } }),
    `"${field}" is not a field of organizations.update, so it is ignored. It has name, privacy_setting, website,`,
  ]),
  [
    'unknown-parameter',
    () => send('GET', `${campaigns}.json?per_page=5&status=draft`),
    '"per_page" is not a query parameter of campaigns.list, so it is ignored. It has only page.',
  ],
  [
    'unknown-parameter',
    () => send('GET', `${campaigns}/1.json?page=2`),
    '"page" is not a query parameter of campaigns.get, so it is ignored. It has none.',
  ],
  [
    'read-only-field',
    () => send('PATCH', `${campaigns}/1.json`, { campaign: { view_count: 7 } }),
    '"view_count" is read-only in campaigns.update, so it is ignored. Leave it out.',
  ],
  [
    'read-only-field',
    () => send('PATCH', '/organizations/5.json', { organization: { logo_url: 'https://acme.example/logo.png' } }),
    '"logo_url" is read-only in organizations.update, so it is ignored. Send a file as organization[logo].',
  ],
  [
    'read-only-field',
    () => send('PATCH', `${campaigns}/1.json`, { viewCount: 7 }),
    '"viewCount" (view_count) is read-only in campaigns.update, so it is ignored. Leave it out.',
  ],
  [
    'read-only-field',
    () => send('POST', `${campaigns}.json`, { campaign: { name: 'A', totalBudget: 7 } }),
    '"totalBudget" (total_budget_amount) is read-only in campaigns.create, so it is ignored. Leave it out.',
  ],
  [
    'read-only-field',
    () => send('PATCH', '/organizations/5.json', { organization: { logoURL: 'https://acme.example/logo.png' } }),
    '"logoURL" (logo_url) is read-only in organizations.update, so it is ignored. Send a file as organization[logo].',
  ],
  [
    'unknown-field',
    () =>
      send('POST', '/me/social_accounts.json', { social_account: { platform_id: 'tiktok', url: 'https://a.example' } }),
    '"url" is not a field of socialAccounts.create, so it is ignored. Did you mean account_url?',
  ],
  ...[{ url: 'https://a.example', account_url: 'https://a.example' }, { id: 'tiktok' }].map(
    (fields): (typeof cases)[number] => [
      'read-only-field',
      () => send('POST', '/me/social_accounts.json', { social_account: fields }),
      `"${Object.keys(fields)[0]}" is read-only in socialAccounts.create, so it is ignored. Leave it out.`,
    ],
  ),
  [
    'unknown-field',
    () => send('POST', `${campaigns}.json`, Object(JSON.stringify({ campaign: { name: 'A' } }))),
    'The body is JSON in a JSON text: it was encoded twice. Send {"campaign":{"name":"A"}}',
  ],
  [
    'unknown-field',
    () => upload('organization[websites][]', 'https://acme.example'),
    '"organization[websites][]" is not a field of organizations.update, so it is ignored. Did you mean website in',
  ],
  [
    'state-in-body',
    () => send('PATCH', `${campaigns}/1.json`, { campaign: { campaignStatus: 'PAUSED' } }),
    '"campaignStatus" cannot be set by campaigns.update, so it is ignored. Send POST /organizations/:organization_id/campaigns/:id/pause.',
  ],
  [
    'state-in-body',
    () => send('PATCH', '/organizations/5/collabs/2.json', { collab: { isPaused: true } }),
    '"isPaused" cannot be set by collabs.update, so it is ignored. Send POST /organizations/:organization_id/collabs/:id/pause.',
  ],
  [
    'state-in-body',
    () => send('PATCH', '/organizations/5/collabs/2.json', { status: 'paused' }),
    '"status" cannot be set by collabs.update, so it is ignored. Send POST /organizations/:organization_id/collabs/:id/pause.',
  ],
  [
    'state-in-body',
    () => send('PATCH', `${campaigns}/1.json`, { campaign: { status: 'published' } }),
    'Send POST /organizations/:organization_id/campaigns/:id/publish or POST',
  ],
  [
    'state-in-body',
    () => send('PATCH', `${campaigns}/1.json`, { campaign: { status: 'active' } }),
    '"status" cannot be set by campaigns.update, so it is ignored. Send POST /organizations/:organization_id/campaigns/:id/publish or POST',
  ],
  [
    'state-in-body',
    () => send('PATCH', '/organizations/5/collabs/1.json', { collab: { state: 'published' } }),
    '"state" cannot be set by collabs.update, so it is ignored. The marketplace sets it.',
  ],
  [
    'decimal-amount',
    () => send('POST', `${campaigns}.json`, { campaign: { name: 'A', cpm_amount: 12.5 } }),
    '"cpm_amount: 12.5" is a decimal, but amounts are integers, such as 1250 in hundredths.',
  ],
  [
    'decimal-amount',
    () => send('POST', `${campaigns}.json`, { campaign: { name: 'A', cpm_amount: '$12,50' } }),
    '"cpm_amount: $12,50" is a decimal, but amounts are integers, such as 1250 in hundredths.',
  ],
  [
    'decimal-amount',
    () => send('PATCH', `${campaigns}/1.json`, { maxPayoutAmount: 'US$ 1,200.00 ' }),
    '"maxPayoutAmount: US$ 1,200.00 " is a decimal, but amounts are integers, such as 120000 in hundredths.',
  ],
  [
    'undefined-in-path',
    () => send('GET', '/organizations/undefined/campaigns.json'),
    'The URL contains "undefined" as organization_id: a value was missing when it was built.',
  ],
  [
    'undefined-in-path',
    () => send('GET', `${campaigns}/${encodeURIComponent(String({}))}.json`),
    'The URL contains "[object Object]" as id: an object was put there when it was built.',
  ],
  [
    'undefined-in-path',
    () => send('GET', `${campaigns}.json?page=NaN`),
    'The URL contains "NaN" as page: a value was missing when it was built.',
  ],
  [
    'undefined-in-path',
    () => send('GET', `${campaigns}.json?${{ page: 2 }}`),
    'The URL contains "[object Object]": an object was put there when it was built.',
  ],
  ...['/organizations//campaigns.json', `${campaigns}/`].map((path): (typeof cases)[number] => [
    'undefined-in-path',
    () => send('GET', path),
    'The URL contains an empty part: a value was missing, or a slash too many was added, when it was built.',
  ]),
  ...[
    ['{organization_id}', 'a placeholder was not replaced'],
    [':id', 'a placeholder was not replaced'],
    ['$' + '{id}', 'a placeholder was not replaced'],
    ['() => 5', 'a function was not called'],
    ['Infinity', 'a value was missing'],
  ].map(([text = '', cause]): (typeof cases)[number] => [
    'undefined-in-path',
    () => send('GET', `/organizations/${text}/campaigns.json`),
    `The URL contains "${text}" as organization_id: ${cause} when it was built.`,
  ]),
  [
    'undefined-in-token',
    () => send('GET', `${campaigns}.json`, undefined, { Authorization: 'Bearer undefined' }),
    'The token is "undefined": a value was missing when the header Authorization was built.',
  ],
  [
    'undefined-in-token',
    () => send('GET', `${campaigns}.json`, undefined, { Authorization: 'Bearer [object Promise]' }),
    'The token is "[object Promise]": a promise was not awaited when the header Authorization was built.',
  ],
  [
    'undefined-in-token',
    () => send('GET', `${campaigns}.json`, undefined, { Authorization: 'Bearer ' }),
    'The token is "": a value was missing when the header Authorization was built.',
  ],
  [
    'undefined-in-token',
    () => send('GET', `${campaigns}.json`, undefined, { Authorization: `Bearer ${() => token}` }),
    'The token is "() => token": a function was not called when the header Authorization was built.',
  ],
  ...[
    [token, '***'],
    [`Token ${token}`, 'Token ***'],
    [`Bearer "${token}"`, 'Bearer "***"'],
    [`Bearer Bearer ${token}`, 'Bearer Bearer ***'],
    [`Basic ${btoa(`ada:${token}`)}`, 'Basic ***'],
  ].map(([Authorization = '', shown]): (typeof cases)[number] => [
    'malformed-token',
    () => send('GET', `${campaigns}.json`, undefined, { Authorization }),
    `The header Authorization is '${shown}'. Send 'Bearer ' and the token.`,
  ]),
  ...[
    ['GET', '/organizations5/campaigns.json', 'GET /organizations/5/campaigns.json'],
    ['GET', '/organizations/5campaigns.json', 'GET /organizations/5/campaigns.json'],
    ['GET', `${campaigns}1.json`, `GET ${campaigns}/1.json`],
    ['POST', `${campaigns}/1publish`, `POST ${campaigns}/1/publish`],
    ['PUT', `${campaigns}/1/publish`, `POST ${campaigns}/1/publish`],
    ['PATCH', `${campaigns}/1/pause.json`, `POST ${campaigns}/1/pause`],
    ['patch', `${campaigns}/1.json`, `PATCH ${campaigns}/1.json?`],
    ['PUT', `${campaigns}/1.json`, `GET ${campaigns}/1.json or PATCH ${campaigns}/1.json or DELETE`],
    ['POST', `${campaigns}/1/activate`, `POST ${campaigns}/1/publish or POST ${campaigns}/1/pause or POST`],
    ['GET', '/me/socialAccounts.json', 'GET /me/social_accounts.json'],
    ['GET', '/organization/5/campaigns/1.json', 'GET /organizations/5/campaigns/1.json'],
    ['GET', '/campaigns/1.json', 'GET /organizations/:organization_id/campaigns/1.json'],
    ['GET', `${campaigns}.xml`, `GET ${campaigns}.json?`],
    ['GET', '/organizations/5/campaign.json', `GET ${campaigns}.json?`],
    ['POST', '/organizations/5/members.json', 'GET /organizations/5/members.json?'],
    ['GET', '/organizations/5/socialAccounts.json', 'GET /me/social_accounts.json?'],
    ['PATCH', '/organizations/5/address.json', 'PATCH /me/address.json?'],
    ['GET', '/me/campaigns/1.json', 'GET /organizations/:organization_id/campaigns/1.json?'],
  ].map(([method = '', path = '', meant]): (typeof cases)[number] => [
    'unknown-endpoint',
    () => send(method, path),
    `The API has no such endpoint. Did you mean ${meant}`,
  ]),
  [
    'foreign-id',
    () => send('GET', `${campaigns}/46.json`),
    'Campaign 46 exists, but not for this request, which needs organization 6 in the path.',
  ],
  [
    'foreign-id',
    () => send('GET', '/organizations/5/members.json', undefined, { Authorization: 'Bearer mkt_demo_eve_write' }),
    'Organization 5 exists, but not for this request, which needs a token of one of its members, not of usr_eve.',
  ],
  [
    'missing-accept',
    () => send('GET', `${campaigns}.json`, undefined, { Accept: '*/*' }),
    'The header Accept: application/json is missing, so the response is a page.',
  ],
  [
    'wrong-host',
    () => send('GET', 'https://api.exmaple.com/organizations.json'),
    'It was not sent to https://api.exmaple.com: the mock is at https://api.example.com.',
  ],
  [
    'wrong-host',
    () => send('GET', `${api}organizations/5/campaigns.json`),
    'It was not sent to https://api.example.comorganizations: the mock is at https://api.example.com.',
  ],
  [
    'wrong-host',
    () => send('GET', `/api/v1${campaigns}.json`),
    `The API is not below /api/v1. Send the request to ${campaigns}.json.`,
  ],
];

describe('strict', () => {
  test.each(cases)('lists %s', async (kind, request, text) => {
    vi.spyOn(console, 'error').mockReturnValue();
    await request();
    const [logged] = mock.requests.list();
    expect(logged?.unexpected).toContain(text);
    expect(logged?.mistakes.map((mistake) => mistake.kind)).toContain(kind);
    expect(() => mock.assertNoUnexpected()).toThrow(text);
    expect(logged?.call).toMatch(/strict\.test\.ts:\d+:\d+$/);
  });

  test.each(cases)('with allow does not list %s', async (kind, request) => {
    vi.spyOn(console, 'error').mockReturnValue();
    const tolerant = createMarketplaceMock({ strict: { allow: [kind] } });
    const network = setupServer(...tolerant.handlers);
    msw.close();
    network.listen(tolerant.guard);
    await request();
    const requests = tolerant.requests.list();
    network.close();
    msw.listen(mock.guard);
    const found = requests.flatMap(({ mistakes }) => mistakes);
    expect(found.filter((mistake) => mistake.kind === kind)).toEqual([]);
    if (found.length === 0) expect(requests.map(({ unexpected }) => unexpected).filter(Boolean)).toEqual([]);
  });

  test('does not list what the contract allows, and 404, 403 and 422 for other reasons', async () => {
    await send('GET', `${campaigns}.json?page=2`);
    await upload('organization[logo]', new Blob(['text']));
    await upload('purge_logo', '1');
    await send('PATCH', '/organizations/5/collabs/1.json', { collab: { purge_banner_image: true } });
    await send('POST', '/organizations/5/collabs.json?website=https://shop.example');
    await send('GET', `${campaigns}/9999.json`);
    await send('GET', `${campaigns}/1.json`, undefined, { Authorization: 'Bearer mkt_demo_cleo_write' });
    await send('POST', `${campaigns}.json`, { campaign: { name: '' } });
    await send('DELETE', '/organizations/5.json', undefined, { Authorization: 'Bearer mkt_demo_cleo_write' });
    expect(mock.requests.list().map(({ status }) => status)).toEqual([200, 422, 200, 200, 422, 404, 404, 422, 403]);
    expect(() => mock.assertNoUnexpected()).not.toThrow();
  });

  test.each(endpoints)('does not list a 404 of $operation', async ({ method, path }) => {
    for (const id of ['9999', 'usr_eve', 'acme-cosmetics', '1.json'])
      await send(method, path.replace(/:\w+/g, id), method === 'PATCH' || method === 'POST' ? {} : undefined);
    for (const id of ['9999', 'usr_eve']) await send(method, path.replace(':organization_id', '5').replace(/:\w+/, id));
    expect(mock.requests.list().map(({ unexpected }) => unexpected)).toEqual(Array(6).fill(null));
  });

  test('a body of a type that an endpoint does not take is unexpected', async () => {
    const body = new FormData();
    body.append('campaign[name]', 'A');
    const headers = { Accept: 'application/json', Authorization: `Bearer ${token}` };
    await fetch(`${api}${campaigns}/1.json`, { method: 'PATCH', headers, body });
    expect(() => mock.assertNoUnexpected()).toThrow(
      /-> 415: The content type of the body is not supported\. Send .+\n {4}at \S+strict\.test\.ts:/,
    );
  });

  test('responds as without it', async () => {
    const response = await send('PATCH', `${campaigns}/1.json`, { campaign: { status: 'active' } });
    expect(response?.status).toBe(200);
    expect(await response?.json()).toMatchObject({ status: 'draft' });
  });

  test.each([
    'docs/guides/stacks.md',
    'docs/guides/testing.md',
    'packages/mock-server/README.md',
    'examples/vitest-with-mock/test/launch.test.ts',
    'examples/vitest-with-mock/test/budget-report.test.ts',
  ])('is on in the tests of %s', (path) => {
    const text = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
    const programs = path.endsWith('.md') ? (text.match(/^```[jt]s\n.*?^```$/gms) ?? []) : [text];
    const tests = programs.filter((code) => /^(test|beforeAll)\b/m.test(code));
    const mocks = tests.flatMap((code) => code.match(/(?:createMarketplaceMock|withMock)\(.+/g) ?? []);
    expect(mocks.length).toBeGreaterThan(0);
    expect(mocks.filter((call) => !call.includes('strict: true'))).toEqual([]);
  });

  test('is off by default, and rejects kinds that do not exist', async () => {
    const plain = createFetchMock();
    const headers = { Accept: 'application/json', Authorization: `Bearer ${token}` };
    await plain.fetch(`${campaigns}.json?per_page=5`, { headers });
    expect(plain.requests.list()).toMatchObject([{ unexpected: null, mistakes: [], call: null }]);
    expect(() => createFetchMock({ strict: { allow: ['unknown' as MistakeKind] } })).toThrow(
      'The option strict must be true, false, or { allow: [...] } with some of: unknown-field, unknown-parameter',
    );
  });
});

describe('the line of a call', () => {
  const lineOf = (error: Error) => /strict\.test\.ts:(\d+)/.exec(error.stack ?? '')?.[1];

  test('is that of fetch, also without await', async () => {
    const expected = lineOf(new Error());
    const sent = fetch(`${api}/organizations.json?a=1`).then(() => undefined);
    await vi.waitFor(() => expect(mock.requests.list()).toHaveLength(1));
    await sent;
    expect(mock.requests.list()[0]?.call).toMatch(new RegExp(`strict\\.test\\.ts:${Number(expected) + 1}:`));
  });

  test('is that of fetch with a method in lowercase, and of the next request to that URL', async () => {
    const expected = Number(lineOf(new Error()));
    await fetch(`${api}${campaigns}/1.json?a=1`, { method: 'patch' });
    await fetch(`${api}${campaigns}/1.json?a=1`, { method: 'PATCH' });
    const lines = mock.requests.list().map(({ call }) => Number(/:(\d+):\d+$/.exec(call ?? '')?.[1]));
    expect(lines).toEqual([expected + 1, expected + 2]);
  });

  test('has the callers of a function that sends all requests, too', async () => {
    const request = (path: string) => fetch(api + path);
    const list = () => request('/organizations.json?a=1');
    const expected = Number(lineOf(new Error()));
    await list();
    expect(mock.requests.list()[0]?.call).toMatch(
      new RegExp(`^\\S+:${expected - 2}:\\d+ < \\S+:${expected - 1}:\\d+ < \\S+:${expected + 1}:\\d+$`),
    );
  });

  test('is that of the call of a client that sends its requests later', async () => {
    const own = createFetchMock({ strict: true });
    const later = (path: string, send: typeof fetch = fetch) => {
      const init = (globalThis as { mktAt?: () => RequestInit }).mktAt?.() ?? {};
      return new Promise((sent) => setTimeout(() => sent(send(path, init)), 0));
    };
    const expected = Number(lineOf(new Error()));
    const sent = [later(`${api}/organizations.json?a=1`)];
    sent.push(later('/organizations.json?a=1', own.fetch));
    await Promise.all(sent);
    for (const [index, { requests }] of [mock, own].entries())
      expect((await requests.waitFor()).call).toMatch(
        new RegExp(`^\\S+:${expected - 3}:\\d+ < \\S+:${expected + 1 + index}:\\d+$`),
      );
  });

  test('is that of node:http, and without a bracket that belongs to a name', async () => {
    const rawFormat = () => https.request(`${api}/organizations.json?a=1`).end();
    const expected = Number(lineOf(new Error())) - 1;
    await once(rawFormat(), 'response');
    const { call } = await mock.requests.waitFor({ path: '/organizations' });
    expect(call).toMatch(new RegExp(`^[^(]*strict\\.test\\.ts:${expected}:\\d+ < [^(]*:${expected + 2}:\\d+$`));
  });

  test('is that of the fetch of the mock, which also lists what it cannot reach', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    const own = createFetchMock({ strict: true });
    const expected = lineOf(new Error());
    await own.fetch('/organizations.json?a=1');
    await expect(own.fetch('https://api.exmaple.com/me')).rejects.toThrow('fetch failed');
    expect(() => own.assertNoUnexpected()).toThrow(`strict.test.ts:${Number(expected) + 1}:`);
    expect(() => own.assertNoUnexpected()).toThrow(`strict.test.ts:${Number(expected) + 2}:`);
  });
});
