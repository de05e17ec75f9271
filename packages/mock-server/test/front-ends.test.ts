import { createMarketplaceMock } from '@mkt/mock-server';
import { routeNamespace } from '@mkt/mock-server/control';
import { createMarketplaceMock as createFetchMock } from '@mkt/mock-server/fetch';
import { afterEach, describe, expect, test, vi } from 'vitest';

const headers = { Accept: 'application/json', Authorization: 'Bearer mkt_demo_ada_write' };
const campaigns = '/organizations/5/campaigns.json';
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

// From Node 24 on, fetch itself uses these globals: its own formData() fails with those of jsdom.
const fetchNeedsThem = Number(process.versions.node.split('.')[0]) >= 24;

test.skipIf(fetchNeedsThem)('reads a form with a file where Blob is not that of fetch, as in jsdom', async () => {
  const mock = createMarketplaceMock();
  const body = new FormData();
  body.append('organization[name]', 'From jsdom');
  const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0, 0, 0, 0];
  body.append('organization[logo]', new File([Uint8Array.from(png)], 'a.png'));
  vi.stubGlobal('Blob', class {});
  vi.stubGlobal('File', class {});
  const response = await mock.fetch('/organizations.json', { method: 'POST', headers, body });
  expect(response.status).toBe(201);
  expect(await response.json()).toMatchObject({ name: 'From jsdom', logo_url: expect.stringContaining('/images/') });
});

describe('verifyAndReset', () => {
  test('resets, and does not throw after expected requests', async () => {
    const mock = createMarketplaceMock();
    await mock.fetch('/organizations/5/campaigns/9999.json', { headers });
    await mock.verifyAndReset();
    expect(mock.requests.list()).toEqual([]);
  });

  test('throws with the last ten requests and the texts of their errors, and resets as well', async () => {
    const mock = createMarketplaceMock();
    await mock.create.campaign({ organization: 5 });
    await mock.fetch(campaigns, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ campaign: { name: '' } }),
    });
    for (let count = 0; count < 9; count += 1) await mock.fetch('/organizations.json', { headers });
    await mock.fetch('/organisations.json', { headers });
    expect(mock.requests.list({ status: 422 })).toMatchObject([{ error: 'Name must not be blank.' }]);
    const error = await mock.verifyAndReset().catch(({ message }: Error) => message);
    expect(error).toMatch(
      /^1 unexpected request\(s\):\n {2}GET \/organisations.json -> 404: The API has no such endpoint./,
    );
    expect(error).toMatch(/GET \/organisations.json -> 404: There is nothing at this URL\. Check the path/);
    expect(String(error).split('The last requests:')[1]?.trim().split('\n')).toHaveLength(10);
    const list = await mock.fetch(campaigns, { headers });
    expect(list.headers.get('total-count')).toBe('45');
  });
});

test('a listener that throws is reported, and ends neither the request nor a control method', async () => {
  const printed = vi.spyOn(console, 'error').mockReturnValue();
  const mock = createMarketplaceMock();
  mock.subscribe(() => {
    throw new Error('mine');
  });
  expect((await mock.fetch(campaigns, { headers })).status).toBe(200);
  mock.clock.advance({ hours: 1 });
  await mock.reset();
  expect(printed).toHaveBeenCalledWith('[mkt mock] A listener threw:', expect.objectContaining({ message: 'mine' }));
});

test('errors by field need the status 422', () => {
  const mock = createMarketplaceMock();
  expect(() => mock.faults.add({ effect: { status: 503, errors: { name: ['is taken'] } } })).toThrow(
    'has errors by field, which need the status 422',
  );
});

test('a key that exists already is named', async () => {
  const { create } = createMarketplaceMock();
  await expect(create.user({ name: 'Ada', email: 'ada@acme.example' })).rejects.toThrow(
    'A row of users with the same email ada@acme.example already exists.',
  );
});

test.each(['demo', 'large'] as const)('the tokens of additions to %s are there at once', async (name) => {
  const mock = createFetchMock({ seed: { extends: name, users: [{ id: 'usr_zoe' }] } });
  expect(mock.tokens.ada_write).toBe('mkt_demo_ada_write');
  await mock.ready;
  expect(mock.tokens).toMatchObject({ ada_write: 'mkt_demo_ada_write', zoe_write: expect.stringMatching(/^mkt_/) });
});

const own = {
  users: { mia: { tokens: [{}, { permission: 'read' }, {}, { revoked_at: '2026-01-06T00:00:00Z' }] }, ben: null },
};
const twice = { secret: 'mkt_of_mia', permission: 'write' } as const;
test.each([
  ['empty', ['owner_write']],
  [{ extends: 'empty', organizations: [{ name: 'Only' }] }, ['owner_write']],
  [own, ['mia_write', 'mia_read', 'mia_write_2']],
  [{ users: { mia: { tokens: [twice] }, ben: {} } }, ['mia_write']],
] as const)('the tokens of the seed %j are there at once', async (seed, names) => {
  const mock = createFetchMock<string>({ seed: seed as never });
  const tokens = { ...mock.tokens };
  expect(Object.keys(tokens)).toEqual(names);
  for (const token of Object.values(tokens))
    expect(
      (await mock.fetch('/organizations.json', { headers: { ...headers, Authorization: `Bearer ${token}` } })).status,
    ).toBe(200);
  expect(mock.tokens).toEqual(tokens);
  await mock.reset();
  expect(mock.tokens).toEqual(tokens);
});

test.each([
  [{ rateLimit: 5 }, 'The option rateLimit must be such as { requests: 60, seconds: 60 }. It is 5.'],
  [{ rateLimit: { requests: 0, seconds: 1 } }, 'The option rateLimit must be such as'],
  [{ pages: { x: {} } }, 'The option pages must be pages by their URL'],
])('rejects the options %j', (options, message) => {
  expect(() => createMarketplaceMock(options as object)).toThrow(message);
});

test('says which globals it needs that an environment lacks, such as React Native', () => {
  vi.stubGlobal('structuredClone', undefined);
  vi.stubGlobal('TextDecoder', undefined);
  expect(() => createFetchMock()).toThrow('This environment lacks structuredClone, TextDecoder. Add polyfills.');
});

test('on the origin of the page only images of the API are taken', async () => {
  vi.stubGlobal('location', new URL('http://localhost:5173/'));
  const mock = createFetchMock({ baseUrl: 'http://localhost:5173' });
  await expect(mock.fetch('/images/hero.png')).rejects.toThrow('is not a URL of the mock');
  const { logo_url } = await mock.fetch('/organizations/5.json', { headers }).then((response) => response.json());
  expect((await mock.fetch(logo_url)).headers.get('content-type')).toBe('image/png');
});

test('routeNamespace moves requests to the server, but not those that are in the namespace already', async () => {
  const baseUrl = 'http://127.0.0.1:4010/__mkt/namespaces/worker-0';
  const moved: string[] = [];
  let matches = (_: URL): boolean => false;
  const page = {
    async route(
      isMoved: (url: URL) => boolean,
      handler: (route: { request(): { url(): string }; continue(to: { url: string }): Promise<void> }) => Promise<void>,
    ) {
      matches = isMoved;
      const request = () => ({ url: () => 'http://127.0.0.1:4010/organizations.json?page=2' });
      await handler({ request, continue: async ({ url }) => void moved.push(url) });
    },
  };
  await routeNamespace(page, { baseUrl });
  expect(moved).toEqual([`${baseUrl}/organizations.json?page=2`]);
  const images = ['http://127.0.0.1:4010/images/a', `${baseUrl}/images/a`, 'http://127.0.0.1:5173/images/a'];
  expect(images.map((url) => matches(new URL(url)))).toEqual([true, false, false]);
});
