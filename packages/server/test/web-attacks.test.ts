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

  test.each(['GET', 'HEAD'])('is nothing that %s does', async (method) => {
    const before = await site.store.dump();
    const csrf_token = await proofOf(ada);
    for (const path of [`${campaigns}/1/publish`, `${campaigns}/1`, '/sign_out', '/me/access_tokens/2/delete'])
      await ada.fetch(`${path}?${new URLSearchParams({ csrf_token, _method: 'delete' })}`, { method });
    expect(await site.store.dump()).toEqual(before);
    expect((await ada.get('/organizations')).status).toBe(200);
  });
});

describe('fields that are none', () => {
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

describe('text that is no UTF-8', () => {
  const send = async (name: string) =>
    ada.fetch(campaigns, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `csrf_token=${await proofOf(ada)}&campaign%5Bname%5D=${name}`,
    });

  test('is refused (D19)', async () => {
    expect((await send('a%FF%FEb')).status).toBe(400);
  });

  test('but a replacement character that was meant is text', async () => {
    expect((await send('a%ef%bf%BDb')).status).toBe(303);
  });
});

test('a read-only session is led to signing in anew, and back to where it was', async () => {
  const reader = await site.signedIn('ada_read');
  const link = 'main .actions a[href^="/sign_in"]';
  const asked = await reader.get(`${campaigns}/new`);
  expect([asked.status, asked.attribute(link, 'href')]).toEqual([
    401,
    `/sign_in?return_to=${encodeURIComponent(`${campaigns}/new`)}`,
  ]);
  const sent = await reader.post(`${campaigns}/4/pause`, { csrf_token: await proofOf(reader) });
  expect([sent.status, sent.attribute(link, 'href')]).toEqual([
    401,
    `/sign_in?return_to=${encodeURIComponent(campaigns)}`,
  ]);
});

describe('addresses', () => {
  test('written in another way lead to the same page, forms included', async () => {
    const page = await ada.get('/organizations/%35/campaigns');
    expect([page.find('.head a'), page.find('.crumbs a:last-child')]).toEqual(['New campaign', 'Organizations']);
    expect((await ada.get('/organizations/%35/edit')).find('h1')).toBe('Edit Acme Cosmetics');
  });

  test.each([
    ['/sign_in', 'PUT', 'GET, HEAD, POST'],
    ['/sign_out', 'GET', 'POST'],
    [`${campaigns}/new`, 'PUT', 'GET, HEAD'],
    [`${campaigns}/1/edit`, 'POST', 'GET, HEAD'],
    ['/', 'POST', 'GET, HEAD'],
  ])('%s has no %s: 405 (D7)', async (path, method, allow) => {
    const page = await ada.fetch(path, { method });
    expect([page.status, page.headers.get('allow')]).toEqual([405, allow]);
  });
});

describe('a form that is sent twice', () => {
  test('creates one thing: the second answer is the first once more', async () => {
    const form = (await ada.get('/me/access_tokens/new')).form('/me/access_tokens');
    const sent = { ...form, 'access_token[description]': 'CI', 'access_token[permission]': 'read' };
    const secrets = [];
    for (let time = 0; time < 2; time += 1)
      secrets.push((await ada.follow(await ada.post('/me/access_tokens', sent))).find('.secret'));
    expect(secrets[0]).toMatch(/^mkt_/);
    expect(secrets[1]).toBe(secrets[0]);
    expect((await ada.get('/me/access_tokens')).all('tbody th').filter((name) => name === 'CI')).toHaveLength(1);
  });

  test('is another one with other words in it, as after going back', async () => {
    const form = (await ada.get(`${campaigns}/new`)).form(campaigns);
    for (const [name, id] of [
      ['A', 48],
      ['B', 49],
      ['A', 48],
    ])
      expect((await ada.post(campaigns, { ...form, 'campaign[name]': String(name) })).location).toBe(
        `${campaigns}/${id}`,
      );
  });

  test('says nothing once the session has ended', async () => {
    const form = (await ada.get('/me/access_tokens/new')).form('/me/access_tokens');
    const sent = { ...form, 'access_token[description]': 'CI', 'access_token[permission]': 'read' };
    await ada.post('/me/access_tokens', sent);
    ada.cookies.delete('mkt_flash_4010');
    await site.json('ada_write', '/me/access_tokens/1.json', { method: 'DELETE' });
    expect((await ada.post('/me/access_tokens', sent)).location).toBe('/sign_in');
    expect([...ada.cookies.keys()]).toEqual([]);
  });

  test('is another one in another session, and after it was refused', async () => {
    const form = (await ada.get(`${campaigns}/new`)).form(campaigns);
    expect((await ada.post(campaigns, { ...form, 'campaign[name]': '' })).status).toBe(422);
    expect((await ada.post(campaigns, { ...form, 'campaign[name]': 'A' })).location).toBe(`${campaigns}/48`);
    const ben = await site.signedIn('ben_write');
    const copied = { ...form, csrf_token: await proofOf(ben), 'campaign[name]': 'B' };
    expect((await ben.post(campaigns, copied)).location).toBe(`${campaigns}/49`);
  });
});
