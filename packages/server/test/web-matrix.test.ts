import { endpoints } from '@mkt/sdk/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { demoTokens } from '../src/index.js';
import { demoSite, type Site, type Visitor } from './support/visitor.js';

let site: Site;
beforeEach(async () => {
  site = await demoSite();
});

const campaign = '/organizations/5/campaigns/1';
const bearer = { authorization: `Bearer ${demoTokens.ada_write}` };
const json = { accept: 'application/json' };
const statusOf = async (id = 1) =>
  (await (await site.json('ada_write', `/organizations/5/campaigns/${id}.json`)).json()).status;

/** Reading paths of the contract, filled in for Ada. */
const reads = endpoints
  .filter(({ method }) => method === 'GET')
  .map(({ path }) =>
    path
      .replace('/organizations/:id', '/organizations/5')
      .replace(':organization_id', '5')
      .replace(/:[a-z_]+/, path.includes('social') ? '1' : '3'),
  );

describe('a bearer token', () => {
  test('without a JSON Accept header gets pages', async () => {
    for (const path of reads) {
      const page = await site.visitor().fetch(path, { headers: bearer });
      expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
    }
  });

  test('writes without a CSRF token, and is redirected', async () => {
    const page = await site.visitor().fetch(`${campaign}/publish`, { method: 'POST', headers: bearer });
    expect([page.status, page.location]).toEqual([303, campaign]);
    expect(await statusOf()).toBe('active');

    const created = await site.visitor().fetch('/organizations/5/campaigns', {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: JSON.stringify({ campaign: { name: 'By curl' } }),
    });
    expect([created.status, created.location]).toEqual([303, '/organizations/5/campaigns/48']);

    const form = await site.visitor().fetch('/organizations/5/campaigns', {
      method: 'POST',
      headers: bearer,
      body: new URLSearchParams({ 'campaign[name]': 'By form', 'campaign[cpm_amount]': '7' }),
    });
    expect([form.status, form.location]).toEqual([303, '/organizations/5/campaigns/49']);
  });

  test('changes and deletes with PATCH and DELETE, and is redirected', async () => {
    const patch = await site.visitor().fetch(campaign, {
      method: 'PATCH',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: JSON.stringify({ campaign: { name: 'By curl' } }),
    });
    expect([patch.status, patch.location]).toEqual([303, campaign]);
    const gone = await site.visitor().fetch(campaign, { method: 'DELETE', headers: bearer });
    expect([gone.status, gone.location]).toEqual([303, '/organizations/5/campaigns']);
    expect((await site.json('ada_write', `${campaign}.json`)).status).toBe(404);
    const rejected = await site.visitor().fetch('/organizations/5/campaigns/3', { method: 'DELETE', headers: bearer });
    expect([rejected.status, rejected.find('h1')]).toEqual([422, 'Rejected']);
  });

  test('that is invalid gets a 401 page, with or without a session', async () => {
    const visitor = await site.signedIn('ada_write');
    const page = await visitor.fetch('/organizations', { headers: { authorization: 'Bearer mkt_demo_ada_revoked' } });
    expect([page.status, page.headers.get('www-authenticate')]).toEqual([401, 'Token realm="Application"']);
    expect(page.find('main')).toContain('unknown or was revoked');
  });

  test('that is read-only gets a 401 page for a write', async () => {
    const headers = { authorization: `Bearer ${demoTokens.ada_read}` };
    const page = await site.visitor().fetch(`${campaign}/publish`, { method: 'POST', headers });
    expect(page.status).toBe(401);
    expect(await statusOf()).toBe('draft');
  });
});

describe('a session', () => {
  let ada: Visitor;
  beforeEach(async () => {
    ada = await site.signedIn('ada_write');
  });

  test('is ignored in requests for JSON: 401', async () => {
    for (const path of reads) {
      const page = await ada.fetch(`${path}`, { headers: json });
      expect([path, page.status, page.headers.get('content-type')]).toEqual([
        path,
        401,
        'application/json; charset=utf-8',
      ]);
    }
    const write = await ada.fetch(`${campaign}/publish`, { method: 'POST', headers: json });
    expect(write.status).toBe(401);
    expect(await statusOf()).toBe('draft');
  });

  test('gets every page, with or without .json', async () => {
    for (const path of reads) {
      expect([path, (await ada.get(path)).status]).toEqual([path, 200]);
      const bare = path.replace(/\.json$/, '');
      expect([bare, (await ada.get(bare)).status]).toEqual([bare, 200]);
    }
  });

  test('writes with the CSRF token of its forms', async () => {
    const page = await ada.submit(`${campaign}/publish/confirm`, `${campaign}/publish`);
    expect([page.status, page.location]).toEqual([303, campaign]);
    expect(await statusOf()).toBe('active');
  });

  test.each([
    ['no token', {}],
    ['an empty token', { csrf_token: '' }],
    ['another text', { csrf_token: 'x'.repeat(43) }],
  ])('writes nothing with %s: 403', async (_, fields) => {
    const page = await ada.post(`${campaign}/publish`, fields);
    expect([page.status, page.find('h1')]).toEqual([403, 'Not permitted']);
    expect(await statusOf()).toBe('draft');
  });

  test("writes nothing with another user's CSRF token", async () => {
    const ben = await site.signedIn('ben_write');
    const { csrf_token = '' } = (await ben.get(`${campaign}/publish/confirm`)).form(`${campaign}/publish`);
    expect(csrf_token).toMatch(/^usr_ben\.[\w-]{43}$/);
    expect((await ada.post(`${campaign}/publish`, { csrf_token })).status).toBe(403);
    expect(await statusOf()).toBe('draft');
  });

  test('cannot write with a JSON body, which other sites could send too', async () => {
    const page = await ada.fetch('/organizations', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ organization: { name: 'Forged' } }),
    });
    expect(page.status).toBe(403);
    const text = await ada.fetch('/organizations', { method: 'POST', body: 'organization[name]=Forged' });
    expect(text.status).toBe(403);
  });
});

describe('neither a token nor a session', () => {
  test('shows the requested page after signing in', async () => {
    const visitor = site.visitor();
    for (const path of [...reads, '/organizations/5/campaigns?page=2', '/organizations/new', `${campaign}/edit`]) {
      const page = await visitor.get(path);
      expect([path, page.status, page.location]).toEqual([path, 303, `/sign_in?return_to=${encodeURIComponent(path)}`]);
    }
    const page = await visitor.signIn('ada_write', '/organizations/5/campaigns?page=2');
    expect([page.status, page.location]).toEqual([303, '/organizations/5/campaigns?page=2']);
    expect((await visitor.follow(page)).find('h1')).toBe('Campaigns');
  });

  test('redirects a write to the sign-in page and changes nothing', async () => {
    for (const path of [`${campaign}/publish`, '/organizations', '/me/access_tokens']) {
      const page = await site.visitor().post(path, { 'organization[name]': 'Unauthorized' });
      expect([path, page.status, page.location]).toEqual([path, 303, '/sign_in']);
    }
    const patch = await site.visitor().post(campaign, { _method: 'patch', 'campaign[name]': 'Changed' });
    expect([patch.status, patch.location]).toEqual([303, '/sign_in']);
    expect(await statusOf()).toBe('draft');
  });

  test('responds to JSON requests with 401 as JSON', async () => {
    for (const path of reads) {
      const page = await site.visitor().fetch(path, { headers: json });
      expect([path, page.status, Object.keys(JSON.parse(page.text))]).toEqual([path, 401, ['error']]);
    }
  });
});

describe('a web action requested with JSON', () => {
  const finished = '/organizations/5/campaigns/5';
  const post = (visitor: Visitor, path: string) =>
    visitor.fetch(path, { method: 'POST', headers: { ...bearer, ...json } });

  test('redirects to a page with the reason if it is rejected (D39)', async () => {
    const visitor = site.visitor();
    expect((await post(visitor, `${finished}/resume.json`)).location).toMatch(new RegExp(`${finished}$`));
    const page = await visitor.fetch(finished, { headers: bearer });
    expect(page.find('[role=alert]')).toBe('Campaign 5 is finished: it can be resumed only when it is paused.');
    expect((await visitor.fetch(finished, { headers: bearer })).find('[role=alert]')).toBeNull();
  });

  test('sets no cookie if it succeeds', async () => {
    expect((await post(site.visitor(), `${campaign}/publish.json`)).headers.getSetCookie()).toEqual([]);
  });
});

describe('pages that are not in the API', () => {
  test('do not exist for clients that request JSON', async () => {
    for (const path of ['/', '/sign_in', '/sign_out', '/organizations/new', `${campaign}/edit`, `${campaign}/delete`]) {
      const response = await site.json('ada_write', path);
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        404,
        'application/json; charset=utf-8',
      ]);
    }
  });

  test('unknown URLs and methods get HTML error pages', async () => {
    const ada = await site.signedIn('ada_write');
    const nowhere = await ada.get('/nowhere');
    expect([nowhere.status, nowhere.find('h1'), nowhere.find('.account summary')]).toEqual([
      404,
      'Not found',
      'Ada Okafor',
    ]);
    const put = await ada.fetch(campaign, { method: 'PUT' });
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, PATCH, DELETE']);
    const post = await ada.post(campaign, {});
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, PATCH, DELETE']);
  });
});
