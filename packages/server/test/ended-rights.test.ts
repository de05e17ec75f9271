import { type Endpoint, endpoints } from '@mkt/sdk/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../src/digest.js';
import { demoSeed, demoTokens } from '../src/index.js';
import type { Store, Writer } from '../src/store/store.js';
import { type Everything, everythingIn } from './support/everything.js';
import { openTestStore, storeKinds, type TestStore } from './support/stores.js';
import { demoSite, origin, type Site } from './support/visitor.js';

// A request that has begun when its sender loses a right: the change happens after all that is checked before the body, and
// before the transaction of the write.

const writes = endpoints.filter(({ scope }) => scope === 'write');
const member = 'mem_5_ben';

const bodies: Readonly<Record<string, object>> = {
  'accessTokens.create': { access_token: { description: 'Late', permission: 'write' } },
  'organizations.create': { organization: { name: 'Late' } },
  'organizations.update': { organization: { name: 'Late' } },
  'members.update': { membership: { role: 'admin' } },
  'campaigns.create': { campaign: { name: 'Late' } },
  'campaigns.update': { campaign: { name: 'Late' } },
  'collabs.create': { collab: { title: 'Late' } },
  'collabs.update': { collab: { title: 'Late' } },
  'socialAccounts.create': {
    social_account: { platform_id: 'youtube', account_url: 'https://www.youtube.com/@late', uid: 'late' },
  },
  'address.update': { address: { city: 'Late' } },
};

/** Ends a right of Ada's: everything that she may do in organization 5, or at all. */
const changes = {
  'the token is revoked': async (writer: Writer) => {
    const token = await writer.find('access_tokens', 'byDigest', [sha256(demoTokens.ada_write)]);
    await writer.update('access_tokens', token?.id ?? 0, { revoked_at: '2026-06-01T12:00:00Z' });
  },
  'the token becomes read-only': async (writer: Writer) => {
    const token = await writer.find('access_tokens', 'byDigest', [sha256(demoTokens.ada_write)]);
    await writer.update('access_tokens', token?.id ?? 0, { permission: 'read' });
  },
  'the admin becomes a member': async (writer: Writer) => {
    await writer.update('memberships', 'mem_5_ada', { role: 'member', is_owner: false });
  },
  'the member is removed': async (writer: Writer) => {
    await writer.delete('memberships', 'mem_5_ada');
  },
} satisfies Readonly<Record<string, (writer: Writer) => Promise<void>>>;
type Change = keyof typeof changes;

/** The status of a rejected request; null for an endpoint that does not need the right. */
function rejection(change: Change, { role }: Endpoint): number | null {
  if (change.startsWith('the token')) return 401;
  if (role === 'none') return null;
  if (change === 'the member is removed') return 404;
  return role === 'member' ? null : 403;
}

const pathOf = ({ operation, path }: Endpoint): string =>
  path
    .replace(':organization_id', '5')
    .replace('/organizations/:id', '/organizations/5')
    .replace(':id', operation.startsWith('members') ? member : operation.startsWith('accessTokens') ? '2' : '3');

describe.each(storeKinds)('on %s', (kind) => {
  let opened: TestStore;
  let everything: Everything;
  let site: Site;
  /** Happens once, before the next transaction. */
  let between: (() => Promise<unknown>) | null = null;
  beforeAll(async () => {
    opened = await openTestStore(kind);
    everything = await everythingIn(opened);
    const store: Store = Object.assign(Object.create(opened.store), {
      transact: async (work: Parameters<Store['transact']>[0]) => {
        const change = between;
        between = null;
        await change?.();
        return opened.store.transact(work);
      },
    });
    site = await demoSite({}, { store });
  });
  afterAll(async () => {
    await everything?.close();
    await opened?.dispose();
  });
  beforeEach(() => opened.store.load(demoSeed()));

  const meanwhile = (change: () => Promise<unknown>) => {
    const ended = { everything: 'The transaction did not begin.' };
    between = async () => {
      await change();
      ended.everything = await everything.read();
    };
    return ended;
  };

  const cases = (Object.keys(changes) as Change[]).flatMap((change) =>
    writes.flatMap((endpoint) => {
      const status = rejection(change, endpoint);
      return status === null ? [] : [{ change, endpoint, status, operation: endpoint.operation }];
    }),
  );
  test.each(cases)('$operation is rejected when $change meanwhile', async ({ change, endpoint, status }) => {
    const ended = meanwhile(() => opened.store.transact(changes[change]));
    const body = bodies[endpoint.operation];
    const response = await site.json('ada_write', pathOf(endpoint), {
      method: endpoint.method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining('error')]);
    expect(await everything.read()).toBe(ended.everything);
  });

  const others: readonly Change[] = ['the token is revoked', 'the member is removed'];
  test.each([...others, 'the session is signed out'] as const)('a download ends when %s meanwhile', async (change) => {
    const dump = demoSeed();
    const { campaigns } = dump.tables;
    // More than two parts.
    const copies = Array.from({ length: 2100 }, (_, place) => ({ ...campaigns[0], id: 1000 + place }));
    await opened.store.load({
      ...dump,
      tables: { ...dump.tables, campaigns: [...campaigns, ...copies] as typeof campaigns },
    });
    const ada = await site.signedIn('ada_write');
    const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const download = () =>
      site.app.fetch(new Request(`${origin}/organizations/5/campaigns.csv`, { headers: { cookie } }));
    expect((await (await download()).text()).split('\r\n')).toHaveLength(2 + 45 + 2100);
    const reader = (await download()).body?.getReader();
    expect((await reader?.read())?.value?.length).toBeGreaterThan(1000);
    if (change !== 'the session is signed out') await opened.store.transact(changes[change]);
    else await ada.submit('/organizations', '/sign_out');
    await expect(reader?.read()).rejects.toThrow();
    expect((await download()).status).not.toBe(200);
  });

  test.each(Object.keys(changes) as Change[])(
    'an action on several items is rejected when %s meanwhile',
    async (change) => {
      const ada = await site.signedIn('ada_write');
      const path = '/organizations/5/campaigns/actions';
      const form = (await ada.get(`${path}?action=pause&id=3&id=6`)).form(path);
      const ended = meanwhile(() => opened.store.transact(changes[change]));
      await ada.post(path, form);
      expect(ended.everything).not.toMatch(/did not begin/);
      expect(await everything.read()).toBe(ended.everything);
    },
  );

  test.each(writes)('the form of $operation is rejected when its session is signed out meanwhile', async (endpoint) => {
    const ada = await site.signedIn('ada_write');
    const { csrf_token = '' } = (await ada.get('/organizations')).form('/sign_out');
    const elsewhere = site.visitor();
    for (const [name, value] of ada.cookies) elsewhere.cookies.set(name, value);
    const ended = meanwhile(() => elsewhere.post('/sign_out', { csrf_token }));
    const { request, operation, method } = endpoint;
    const fields = Object.values(bodies[operation] ?? {}).flatMap((values) =>
      Object.entries(values as Readonly<Record<string, string>>).map(([name, value]) => [
        `${request?.wrapper}[${name}]`,
        value,
      ]),
    );
    const page = await ada.post(pathOf(endpoint).replace('.json', ''), {
      csrf_token,
      ...Object.fromEntries(fields),
      ...(method !== 'POST' && { _method: method }),
      ...(operation === 'organizations.delete' && { confirmation: 'Acme Cosmetics' }),
    });
    // The sign-in page holds what was typed.
    const signIn = page.status === 401 ? page : await ada.follow(page);
    expect(signIn.find('h1')).toBe('Sign in');
    expect(await everything.read()).toBe(ended.everything);
  });
});
