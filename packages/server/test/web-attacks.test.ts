import { endpoints } from '@mkt/sdk/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { campaigns } from './support/forms.js';
import { demoSite, type Site, type Visitor } from './support/visitor.js';

const unexpected: unknown[] = [];
let site: Site;
let ada: Visitor;
beforeEach(async () => {
  unexpected.length = 0;
  site = await demoSite({}, { onError: (error) => unexpected.push(error) });
  ada = await site.signedIn('ada_write');
});

const proofOf = async (visitor: Visitor): Promise<string> =>
  (await visitor.get('/organizations')).form('/sign_out').csrf_token ?? '';

/** A write of every endpoint, by the method that its form stands for. */
const writes = endpoints
  .filter(({ scope }) => scope === 'write')
  .map(({ method, path }) => {
    const id = path.includes('members') ? 'mem_5_ben' : '2';
    const target = path.replace('.json', '').replace('/organizations/:id', '/organizations/5');
    const fields = method === 'POST' ? {} : { _method: method };
    return [target.replace(':organization_id', '5').replace(':id', id), fields] as const;
  });

describe('a write', () => {
  test.each(writes)(
    '%s %j needs the proof of this session: none, a wrong one, another session’s',
    async (path, way) => {
      const before = await site.store.dump();
      const of = await proofOf(await site.signedIn('ben_write'));
      for (const proof of [{}, { csrf_token: 'x' }, { csrf_token: '' }, { csrf_token: of }])
        expect([proof, (await ada.post(path, { ...way, ...proof })).status]).toEqual([proof, 403]);
      expect((await ada.post(`${path}?csrf_token=${await proofOf(ada)}`, way)).status).toBe(403);
      expect(await site.store.dump()).toEqual(before);
    },
  );

  test.each(['get', 'HEAD', 'put', 'constructor'])('is not made of a form with _method=%s', async (method) => {
    const page = await ada.post(`${campaigns}/1`, { csrf_token: await proofOf(ada), _method: method });
    expect([page.status, page.headers.get('allow')]).toEqual([405, 'GET, HEAD, PATCH, DELETE']);
  });

  test.each(['GET', 'HEAD'])('is not possible with %s', async (method) => {
    const before = await site.store.dump();
    const csrf_token = await proofOf(ada);
    for (const path of [`${campaigns}/1/publish`, `${campaigns}/1`, '/sign_out', '/me/access_tokens/2/delete'])
      await ada.fetch(`${path}?${new URLSearchParams({ csrf_token, _method: 'delete' })}`, { method });
    expect(await site.store.dump()).toEqual(before);
    expect((await ada.get('/organizations')).status).toBe(200);
  });
});

describe('a form of another site, which browsers send without cookies', () => {
  test.each(['/organizations', `${campaigns}/1/publish`, '/sign_out'])(
    'does not sign out the user: %s',
    async (path) => {
      const page = await site.visitor().fetch(path, {
        method: 'POST',
        body: new URLSearchParams(),
        headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      });
      expect([page.status, page.location, page.headers.getSetCookie()]).toEqual([303, '/sign_in', []]);
    },
  );
});

describe('invalid fields', () => {
  test.each(['constructor', '__proto__', '', 'name]['])('campaign[%s] is left out', async (field) => {
    const sent = { csrf_token: await proofOf(ada), 'campaign[name]': 'Plain', [`campaign[${field}]`]: 'x' };
    expect([(await ada.post(campaigns, sent)).location, unexpected]).toEqual([`${campaigns}/48`, []]);
  });

  test.each(['constructor', '__proto__'])('a file in organization[%s] is left out', async (field) => {
    const form = new FormData();
    form.set('csrf_token', await proofOf(ada));
    form.set(`organization[${field}]`, new File(['x'], 'x.png'));
    form.set('organization[name]', 'Plain');
    expect([(await ada.post('/organizations', form)).location, unexpected]).toEqual(['/organizations/11', []]);
    const body = new FormData();
    for (const [name, value] of form) body.set(name, value);
    expect((await site.json('ada_write', '/organizations.json', { method: 'POST', body })).status).toBe(201);
  });
});

test('the key of another form, which its sender can compute, is not that of a file', async () => {
  const form = { ...(await ada.get(`${campaigns}/new`)).form(campaigns), 'campaign[name]': 'x' };
  expect((await ada.post(campaigns, form)).status).toBe(303);
  const stored = await site.store.read((reader) =>
    reader.page('processed_forms', 'byExpiry', [], { offset: 0, limit: 9 }),
  );
  expect(stored).toHaveLength(1);
  const key = String(stored[0]?.id);
  const own = (await ada.get('/organizations/new')).form('/organizations');
  const page = await ada.post('/organizations', { ...own, 'organization[name]': 'x', uploaded_file: key });
  expect([page.status, page.text]).toEqual([422, expect.stringContaining('The file is no longer stored')]);
  expect(unexpected).toEqual([]);
});

describe('text that is not UTF-8', () => {
  const send = async (name: string) =>
    ada.fetch(campaigns, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `csrf_token=${await proofOf(ada)}&campaign%5Bname%5D=${name}`,
    });

  test('is rejected (D19)', async () => {
    expect((await send('a%FF%FEb')).status).toBe(400);
  });

  test('may contain a replacement character', async () => {
    expect((await send('a%ef%bf%BDb')).status).toBe(303);
  });
});

test('a read-only session sees that its token can only read, with a link to sign in and come back', async () => {
  const reader = await site.signedIn('ada_read');
  const link = 'main .actions a[href^="/sign_in"]';
  const asked = await reader.get(`${campaigns}/new`);
  expect([asked.status, asked.find('h1'), asked.attribute(link, 'href')]).toEqual([
    401,
    'Read-only token',
    `/sign_in?return_to=${encodeURIComponent(`${campaigns}/new`)}`,
  ]);
  const sent = await reader.post(`${campaigns}/4/pause`, { csrf_token: await proofOf(reader) });
  for (const page of [asked, sent])
    expect(page.find('.problem p')).toBe(
      'You are signed in with a read-only token. Sign in with a token that has write permission.',
    );
  expect([sent.status, sent.find('h1'), sent.attribute(link, 'href')]).toEqual([
    401,
    'Read-only token',
    `/sign_in?return_to=${encodeURIComponent(campaigns)}`,
  ]);
});

describe('unusual URLs', () => {
  test('lead to the same page, with working forms', async () => {
    const page = await ada.get('/organizations/%35/campaigns');
    expect([page.find('.head a'), page.find('.crumbs a:last-child')]).toEqual(['New campaign', 'Brands']);
    expect((await ada.get('/organizations/%35/edit')).find('h1')).toBe('Edit Acme Cosmetics');
  });

  test.each([
    ['/sign_in', 'PUT', 'GET, HEAD, POST'],
    ['/sign_out', 'GET', 'POST'],
    [`${campaigns}/new`, 'PUT', 'GET, HEAD, POST'],
    [`${campaigns}/1/delete`, 'POST', 'GET, HEAD'],
    ['/', 'POST', 'GET, HEAD'],
  ])('%s has no %s: 405 (D7)', async (path, method, allow) => {
    const page = await ada.fetch(path, { method });
    expect([page.status, page.headers.get('allow')]).toEqual([405, allow]);
  });
});
