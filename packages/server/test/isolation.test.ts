import { type Endpoint, endpoints, parametersOf, pathsAbove, resourceAt } from '@mkt/sdk/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Dump, demoSeed } from '../src/index.js';
import { type Api, demoApi } from './support/api.js';

/**
 * Users cannot read or change resources without permission: calls every endpoint as every user on all resources (also those in
 * other organizations, deleted ones, and ones that never existed). Computes the expected results only from the rows.
 */
const people = {
  ada_write: 'usr_ada',
  ben_write: 'usr_ben',
  cleo_write: 'usr_cleo',
  dan_write: 'usr_dan',
  eve_write: 'usr_eve',
};
const { tables } = demoSeed();

const organizationIds = [...tables.organizations.map(({ id }) => id), 999];
const membershipOf = (user: string, organization: number | string) =>
  tables.memberships.find((member) => member.user_id === user && member.organization_id === organization);

interface Target {
  readonly organization: number | string | null;
  readonly id: string | null;
  /** Whether the person may learn that it exists. */
  readonly visible: (user: string) => boolean;
}

/** Everything that an endpoint's path can name, crossed with every organization. */
function targetsOf(endpoint: Endpoint): Target[] {
  const [resource] = endpoint.operation.split('.');
  const own = (rows: readonly { id: number | string; user_id: string }[]): Target[] => [
    ...rows.map(({ id, user_id }) => ({
      organization: null,
      id: String(id),
      visible: (user: string) => user === user_id,
    })),
    { organization: null, id: '999', visible: () => false },
  ];
  if (!endpoint.path.includes(':')) return [{ organization: null, id: null, visible: () => true }];
  if (resource === 'accessTokens') return own(tables.access_tokens.filter(({ revoked_at }) => revoked_at === null));
  if (resource === 'socialAccounts') return own(tables.social_accounts);
  const belongs = (organization: number | string) => (user: string) => membershipOf(user, organization) !== undefined;
  if (resource === 'organizations') {
    return organizationIds.map((id) => ({ organization: id, id: String(id), visible: belongs(id) }));
  }
  const [, parameter, ...below] = parametersOf(endpoint.path);
  if (parameter === undefined) {
    return organizationIds.map((organization) => ({ organization, id: null, visible: belongs(organization) }));
  }
  const isDraft = (row: object) => ('status' in row ? row.status : 'state' in row ? row.state : '') === 'draft';
  // What is below an item is visible where the item is; of an item below it, only one that never existed is asked for.
  const [, above] = pathsAbove(endpoint.path).map(resourceAt);
  const owner = above ?? resource;
  const rows = owner === 'members' ? tables.memberships : owner === 'campaigns' ? tables.campaigns : tables.collabs;
  return organizationIds.flatMap((organization) => [
    ...rows.map((row) => ({
      organization,
      id: String(row.id),
      visible: (user: string) =>
        below.length === 0 &&
        row.organization_id === organization &&
        belongs(organization)(user) &&
        (!isDraft(row) || membershipOf(user, organization)?.role === 'admin'),
    })),
    { organization, id: resource === 'members' ? 'mem_gone' : '999', visible: () => false },
  ]);
}

function permitted(endpoint: Endpoint, user: string, { organization, id }: Target): boolean {
  const membership = organization === null ? undefined : membershipOf(user, organization);
  if (endpoint.role === 'admin') return membership?.role === 'admin';
  if (endpoint.role === 'owner') return membership?.is_owner === true;
  if (endpoint.role === 'admin-or-self') return membership?.role === 'admin' || membership?.id === id;
  return true;
}

/** Text that belongs to a single organization or user, and must not appear in responses to others. */
const namesOf = (organization: number | string | null): string[] =>
  [...tables.campaigns, ...tables.collabs]
    .filter((row) => row.organization_id === organization)
    .map(({ name }) => name);

describe.each(endpoints)('$operation', { timeout: 30_000 }, (endpoint) => {
  let api: Api;
  let before: Dump;
  beforeAll(async () => {
    api = await demoApi();
    before = await api.store.dump();
  });

  const pathTo = ({ organization, id }: Target) =>
    endpoint.path
      .replace(':organization_id', String(organization))
      .replace(/:[a-z_]+/, id ?? '')
      .replace(/:[a-z_]+/, '999');
  const expectedOf = (user: string, target: Target): 403 | 404 | null =>
    !target.visible(user) ? 404 : permitted(endpoint, user, target) ? null : 403;
  // Where a body is taken, an unreadable one shows how far the checks came without changing anything.
  const options = endpoint.request ? { body: '{', headers: { 'content-type': 'application/json' } } : {};

  test('calls without permission are rejected, reveal nothing and change nothing', async () => {
    for (const [who, user] of Object.entries(people)) {
      for (const target of targetsOf(endpoint)) {
        const expected = expectedOf(user, target);
        if (expected === null) continue;
        const { status, text } = await api.call(who, endpoint.method, pathTo(target), options);
        expect([who, pathTo(target), status]).toEqual([who, pathTo(target), expected]);
        for (const name of namesOf(target.organization)) expect(text).not.toContain(name);
      }
    }
    expect(await api.store.dump()).toEqual(before);
  });

  test('calls with permission succeed', async () => {
    for (const [who, user] of Object.entries(people)) {
      for (const target of targetsOf(endpoint)) {
        if (expectedOf(user, target) !== null) continue;
        const { status } = await api.call(who, endpoint.method, pathTo(target), options);
        // Guards may still reject a call, and the user may have no address or list items.
        const fine = endpoint.request ? [400] : [endpoint.status, 422, 403, ...(target.id === null ? [404] : [])];
        expect([who, pathTo(target), fine.includes(status)]).toEqual([who, pathTo(target), true]);
        if (endpoint.scope === 'write' && status < 400) await api.store.load(before);
      }
    }
  });

  test('reveals nothing without a token, and rejects changes with a read token', async () => {
    for (const target of targetsOf(endpoint).slice(0, 60)) {
      expect((await api.call(null, endpoint.method, pathTo(target))).status).toBe(401);
      if (endpoint.scope === 'write')
        expect((await api.call('ada_read', endpoint.method, pathTo(target))).status).toBe(401);
    }
    expect(await api.store.dump()).toEqual(before);
  });
});

test('ids of deleted resources are gone for all users, and are never reused', async () => {
  const api = await demoApi();
  await api.call('ada_write', 'DELETE', '/organizations/5.json');
  for (const who of Object.keys(people)) {
    for (const path of [
      '/organizations/5.json',
      '/organizations/5/campaigns/3.json',
      '/organizations/5/collabs/3.json',
      '/organizations/7/campaigns/3.json',
    ]) {
      expect((await api.call(who, 'GET', path)).status).toBe(404);
    }
  }
  const { body } = await api.call('eve_write', 'POST', '/organizations.json', {
    body: { organization: { name: 'New' } },
  });
  expect(body.id).toBe(11);
  expect((await api.call('eve_write', 'GET', '/organizations/11/campaigns.json')).body).toEqual([]);
});
