import { setTimeout } from 'node:timers/promises';
import { type Endpoint, endpoints } from '@mkt/sdk/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../src/digest.js';
import { demoSeed, demoTokens } from '../src/index.js';
import { disableUser, revokeToken } from '../src/node/accounts.js';
import { openPersistentStore } from '../src/node/open-store.js';
import type { PersistentStore, Store, Writer } from '../src/store/store.js';
import { type Everything, everythingIn } from './support/everything.js';
import { openTestStore, storeKinds, type TestStore } from './support/stores.js';
import { demoSite, origin, type Page, type Site } from './support/visitor.js';

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
  /** Happens once, before the first change of the next transaction. */
  let inside: (() => Promise<unknown>) | null = null;
  /** Of another process with the same data. */
  let otherStore: PersistentStore;
  let elsewhere: Site;
  beforeAll(async () => {
    opened = await openTestStore(kind);
    everything = await everythingIn(opened);
    const store: Store = Object.assign(Object.create(opened.store), {
      transact: async (work: Parameters<Store['transact']>[0]) => {
        const change = between;
        between = null;
        await change?.();
        return opened.store.transact((writer) => work(heldBeforeChanges(writer)));
      },
    });
    const heldBeforeChanges = (writer: Writer): Writer =>
      new Proxy(writer, {
        get: (_, name) => {
          const member: unknown = Reflect.get(writer, name, writer);
          if (typeof member !== 'function') return member;
          return async (...values: unknown[]) => {
            const held = /^(insert|update|delete)/.test(String(name)) ? inside : null;
            if (held) inside = null;
            await held?.();
            return member.apply(writer, values);
          };
        },
      });
    const renderer = { sessionSecret: 'the same in both' };
    site = await demoSite(renderer, { store });
    const sharesMemory = opened.db === 'memory:';
    otherStore = sharesMemory ? (opened.store as PersistentStore) : await openPersistentStore(opened.db);
    elsewhere = await demoSite(renderer, { store: otherStore });
  });
  afterAll(async () => {
    await everything?.close();
    if (otherStore !== opened?.store) await otherStore?.close();
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

  test.skipIf(kind === 'memory')('a user with very many tokens is disabled as fast as one with few', async () => {
    await opened.store.transact(async (writer) => {
      const token = {
        user_id: 'usr_ben',
        description: 'Many',
        permission: 'write',
        created_at: '2026-06-01T12:00:00Z',
      };
      for (let count = 0; count < 300; count += 1)
        await writer.insert('access_tokens', { ...token, digest: sha256(`mkt_many_${count}`) });
    });
    let calls = 0;
    const counted = (writer: Writer): Writer =>
      new Proxy(writer, {
        get(target, name) {
          calls += 1;
          const value = Reflect.get(target, name);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    const store = {
      ...otherStore,
      transact: <T>(work: (writer: Writer) => Promise<T>) => otherStore.transact((writer) => work(counted(writer))),
    };
    expect(await disableUser(store, 'ben@acme.example')).toBeGreaterThan(300);
    expect(calls).toBeLessThan(10);
    expect(await otherStore.read((reader) => reader.count('access_tokens', 'byUser', ['usr_ben']))).toBe(0);
  });

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

  const json = (body: object) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  const bensToken = async () => {
    const key = [sha256(demoTokens.ben_write)];
    return `${(await otherStore.read((reader) => reader.find('access_tokens', 'byDigest', key)))?.id}`;
  };
  const asAda = async (init: RequestInit) => {
    const { status } = await elsewhere.json('ada_write', `/organizations/5/members/${member}.json`, init);
    expect(status).toBeLessThan(300);
  };
  /** Ends a right of Ben's, an admin of organization 5, in another process. */
  const endings: Readonly<Record<string, (cookies: ReadonlyMap<string, string>) => Promise<unknown>>> = {
    'his token is revoked by the API': async () => {
      const path = `/me/access_tokens/${await bensToken()}.json`;
      expect((await elsewhere.json('mkt_other_token', path, { method: 'DELETE' })).status).toBe(204);
    },
    'he signs out': async (cookies) => {
      const visitor = elsewhere.visitor();
      for (const [name, value] of cookies) visitor.cookies.set(name, value);
      expect((await visitor.submit('/organizations', '/sign_out')).location).toMatch('/sign_in');
    },
    'he becomes a member': () => asAda({ method: 'PATCH', ...json({ membership: { role: 'member' } }) }),
    'he is removed': () => asAda({ method: 'DELETE' }),
    ...(kind !== 'memory' && {
      'his token is revoked by an operator': async () => revokeToken(otherStore, await bensToken()),
      'he is disabled by an operator': () => disableUser(otherStore, 'ben@acme.example'),
    }),
  };
  const begunWrites = ['campaigns.create', 'campaigns.update', 'accessTokens.create', 'organizations.create', 'many'];
  const begunCases = Object.entries(endings).flatMap(([ending, end]) =>
    begunWrites
      .filter((operation) => !/member|removed/.test(ending) || !/^(acc|org)/.test(operation))
      .map((operation) => ({ ending, end, operation })),
  );
  test.each(begunCases)('$operation has begun when $ending: it changes nothing after the end', async (given) => {
    const { ending, end, operation } = given;
    await opened.store.transact(async (writer) => {
      await writer.update('memberships', member, { role: 'admin' });
      const other = { description: 'Other', permission: 'write', created_at: '2026-06-01T12:00:00Z' };
      await writer.insert('access_tokens', { user_id: 'usr_ben', digest: sha256('mkt_other_token'), ...other });
    });
    const ben = await site.signedIn('ben_write');
    const actions = '/organizations/5/campaigns/actions';
    // Without what pages store after a write, to take it back or to show its result again.
    const rows = async () => JSON.stringify(await otherStore.dump());
    const form = (await ben.get(`${actions}?action=pause&id=3&id=6`)).form(actions);
    const endpoint = writes.find((each) => each.operation === operation);
    const write = async (): Promise<Pick<Page, 'status' | 'location'>> => {
      if (!endpoint) return ben.post(actions, form);
      const { method, request } = endpoint;
      const body = bodies[operation];
      if (ending !== 'he signs out') {
        const { status } = await site.json('ben_write', pathOf(endpoint), { method, ...(body && json(body)) });
        return { status, location: null };
      }
      const fields = Object.values(body ?? {}).flatMap((values) =>
        Object.entries(values).map(([name, value]) => [`${request?.wrapper}[${name}]`, String(value)]),
      );
      const { csrf_token = '' } = form;
      const sent = { csrf_token, ...(method !== 'POST' && { _method: method }), ...Object.fromEntries(fields) };
      return ben.post(pathOf(endpoint).replace('.json', ''), sent);
    };
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const begun = new Promise<void>((resolve) => {
      inside = () => {
        resolve();
        return released;
      };
    });
    const written = write();
    await Promise.race([begun, written]);
    const ended = end(ben.cookies).then(rows);
    await Promise.race([ended, setTimeout(50)]).finally(release);
    const { status, location } = await written;
    const atTheEnd = await ended;
    expect(await rows()).toBe(atTheEnd);
    // Its response says whether it has happened.
    const campaign = await otherStore.read((reader) => reader.get('campaigns', 6));
    const hasHappened = endpoint ? atTheEnd.includes('Late') : campaign?.status === 'paused';
    expect(hasHappened).toBe(status < 400 && !location?.includes('/sign_in'));
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
