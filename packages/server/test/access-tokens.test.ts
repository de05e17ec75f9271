import { beforeEach, expect, test } from 'vitest';
import { type Api, demoApi } from './support/api.js';

let api: Api;
beforeEach(async () => {
  api = await demoApi();
});

const create = (who: string, access_token: unknown) =>
  api.call(who, 'POST', '/me/access_tokens.json', { body: { access_token } });

test('the secret of a created token is shown once, and works', async () => {
  const { status, body, headers } = await create('eve_write', { description: 'CI', permission: 'read' });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: 8,
    token: expect.stringMatching(/^mkt_[\w-]{43}$/),
    description: 'CI',
    permission: 'read',
    created_at: '2026-06-01T12:00:00Z',
  });
  expect(headers.get('location')).toBe('http://localhost:4010/me/access_tokens/8.json');
  expect((await api.call(body.token, 'GET', '/organizations.json')).status).toBe(200);
});

test('no cache stores the response that holds a secret', async () => {
  const fields = { access_token: { description: 'Stored nowhere', permission: 'read' } };
  const { status, headers } = await api.call('ada_write', 'POST', '/me/access_tokens.json', { body: fields });
  expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
});

test('the list has no secrets and no revoked tokens (D21)', async () => {
  const { body, headers } = await api.call('ada_read', 'GET', '/me/access_tokens.json');
  expect(body.map((token: { id: number }) => token.id)).toEqual([1, 2]);
  expect(Object.keys(body[0])).toEqual(['id', 'description', 'permission', 'created_at']);
  expect(headers.get('total-count')).toBe('2');
});

test('only the digest of a secret is at rest (D21)', async () => {
  const { body } = await create('ada_write', { description: 'x', permission: 'write' });
  const dump = JSON.stringify(await api.store.dump());
  expect(dump).not.toContain(body.token);
  expect(dump).not.toContain('mkt_demo_ada_write');
});

test('description and permission are required and checked (D21)', async () => {
  expect((await create('ada_write', {})).body.errors).toEqual({
    description: ['Description is required.'],
    permission: ['Permission is required.'],
  });
  for (const description of [' ', '', 5, null, 'x'.repeat(256)]) {
    const { status, body } = await create('ada_write', { description, permission: 'read' });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['description']]);
  }
  for (const permission of ['admin', '', 'READ', null, 1]) {
    const { status, body } = await create('ada_write', { description: 'x', permission });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['permission']]);
  }
  expect((await create('ada_write', { description: '😀'.repeat(255), permission: 'read' })).status).toBe(201);
});

test('a read token cannot create tokens (api.md, Authentication rule 4)', async () => {
  const { status, headers } = await create('ada_read', { description: 'x', permission: 'write' });
  expect(status).toBe(401);
  expect(headers.get('www-authenticate')).toBe('Token realm="Application"');
});

test('revoking returns 204, and the token gets 401 from then on (api.md, Authentication rule 6)', async () => {
  expect((await api.call('ada_write', 'DELETE', '/me/access_tokens/2.json')).status).toBe(204);
  const after = await api.call('ada_read', 'GET', '/organizations.json');
  expect(after.status).toBe(401);
  expect(after.headers.get('www-authenticate')).toBe('Token realm="Application"');
  expect((await api.call('ada_write', 'DELETE', '/me/access_tokens/2.json')).status).toBe(404);
});

test('the token in use can revoke itself (D21)', async () => {
  expect((await api.call('ben_write', 'DELETE', '/me/access_tokens/3.json')).status).toBe(204);
  expect((await api.call('ben_write', 'GET', '/organizations.json')).status).toBe(401);
});

test("another user's token, a revoked one and a made-up one are 404 (D21)", async () => {
  for (const id of ['3', '7', '99', '0', '-1', '1.5', 'x', '99999999999999999999']) {
    expect((await api.call('ada_write', 'DELETE', `/me/access_tokens/${id}.json`)).status).toBe(404);
  }
  expect((await api.call('ben_write', 'GET', '/me/access_tokens.json')).body).toHaveLength(1);
});

test('tokens cannot be read singly or edited (api.md, Authentication rule 5)', async () => {
  for (const method of ['GET', 'PATCH', 'PUT']) {
    const { status, headers } = await api.call('ada_write', method, '/me/access_tokens/1.json');
    expect([status, headers.get('allow')]).toEqual([405, 'DELETE']);
  }
});
