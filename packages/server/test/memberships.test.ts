import { beforeEach, expect, test } from 'vitest';
import { type Api, demoApi } from './support/api.js';

let api: Api;
beforeEach(async () => {
  api = await demoApi();
});

const members = (organization: number) => `/organizations/${organization}/members.json`;
const one = (organization: number, id: string) => `/organizations/${organization}/members/${id}.json`;
const setRole = (who: string, organization: number, id: string, role: unknown) =>
  api.call(who, 'PATCH', one(organization, id), { body: { membership: { role } } });
const remove = (who: string, organization: number, id: string) => api.call(who, 'DELETE', one(organization, id));

test('admins first, then by joining order; people with name and e-mail (D4)', async () => {
  const { status, body } = await api.call('cleo_write', 'GET', members(5));
  expect(status).toBe(200);
  expect(body.map(({ id }: { id: string }) => id)).toEqual(['mem_5_ada', 'mem_5_ben', 'mem_5_cleo']);
  expect(body[2]).toEqual({
    id: 'mem_5_cleo',
    role: 'member',
    is_owner: false,
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
    user: { id: 'usr_cleo', name: 'Cleo Martin', email: 'cleo@acme.example' },
  });
});

test('a promoted member moves up, behind the admins who joined before', async () => {
  const { status, body } = await setRole('ada_write', 5, 'mem_5_cleo', 'admin');
  expect([status, body.role, body.updated_at, body.user.name]).toEqual([
    200,
    'admin',
    '2026-06-01T12:00:00Z',
    'Cleo Martin',
  ]);
  expect((await setRole('ada_write', 5, 'mem_5_ben', 'member')).status).toBe(200);
  const { body: after } = await api.call('ada_write', 'GET', members(5));
  expect(after.map(({ id }: { id: string }) => id)).toEqual(['mem_5_ada', 'mem_5_cleo', 'mem_5_ben']);
});

test('rule 1: the only remaining admin cannot be demoted', async () => {
  const { status, body } = await setRole('ben_write', 8, 'mem_8_ben', 'member');
  expect([status, Object.keys(body.errors)]).toEqual([422, ['base']]);
  await setRole('ben_write', 8, 'mem_8_cleo', 'admin');
  expect((await setRole('ben_write', 8, 'mem_8_ben', 'member')).status).toBe(200);
});

test('rule 2: the owner cannot be demoted: 403, before the last-admin guard (D25)', async () => {
  expect((await setRole('ben_write', 5, 'mem_5_ada', 'member')).status).toBe(403);
  expect((await setRole('ada_write', 7, 'mem_7_ada', 'member')).status).toBe(403);
});

test('rule 3: the owner cannot be removed: 403', async () => {
  expect((await remove('ben_write', 5, 'mem_5_ada')).status).toBe(403);
  expect((await remove('ada_write', 5, 'mem_5_ada')).status).toBe(403);
});

test('rule 4: the only remaining admin cannot be removed, all other members can', async () => {
  const { status, body } = await remove('ben_write', 8, 'mem_8_ben');
  expect([status, Object.keys(body.errors)]).toEqual([422, ['base']]);
  expect((await remove('ben_write', 8, 'mem_8_cleo')).status).toBe(204);
});

test('rule 5: a sole member cannot remove themself: 422, before the owner guard (D25)', async () => {
  for (const [who, organization, id] of [
    ['ada_write', 7, 'mem_7_ada'],
    ['ben_write', 10, 'mem_10_ben'],
  ] as const) {
    const { status, body } = await remove(who, organization, id);
    expect([status, Object.keys(body.errors)]).toEqual([422, ['base']]);
  }
});

test('rule 6: a member who removes themself has left', async () => {
  expect((await remove('cleo_write', 5, 'mem_5_cleo')).status).toBe(204);
  expect((await api.call('cleo_write', 'GET', '/organizations/5.json')).status).toBe(404);
  expect((await remove('ben_write', 5, 'mem_5_ben')).status).toBe(204);
});

test('removing other members and changing roles need the admin role', async () => {
  expect((await remove('cleo_write', 5, 'mem_5_ben')).status).toBe(403);
  expect((await setRole('cleo_write', 5, 'mem_5_cleo', 'admin')).status).toBe(403);
  expect((await remove('ben_write', 5, 'mem_5_cleo')).status).toBe(204);
});

test('the role that a member already has is a no-op, for the owner too (D25)', async () => {
  const before = (await api.call('ada_write', 'GET', members(5))).body;
  for (const [id, role] of [
    ['mem_5_ada', 'admin'],
    ['mem_5_cleo', 'member'],
  ] as const) {
    expect((await setRole('ben_write', 5, id, role)).status).toBe(200);
  }
  expect((await api.call('ada_write', 'GET', members(5))).body).toEqual(before);
});

test('an invalid role is 422 on role before any guard (D25)', async () => {
  for (const role of ['owner', '', null, undefined, 5, 'Admin']) {
    const { status, body } = await setRole('ben_write', 5, 'mem_5_ada', role);
    expect([status, Object.keys(body.errors)]).toEqual([422, ['role']]);
  }
});

test('memberships are found in their own organization only (D9)', async () => {
  for (const id of ['mem_6_dan', 'mem_8_ben', 'unknown', '1', 'mem_5_ada%00', '..']) {
    expect((await setRole('ada_write', 5, id, 'admin')).status).toBe(404);
    expect((await remove('ada_write', 5, id)).status).toBe(404);
  }
  expect((await api.call('eve_write', 'GET', members(5))).status).toBe(404);
});
