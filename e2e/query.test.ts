import { createMarketplaceMock } from '@mkt/mock-server';
import { type Id, Marketplace } from '@mkt/sdk';
import { endpoints } from '@mkt/sdk/contract';
import { type Invalidator, type MarketplaceQueries, marketplaceQueries, type QueryKey } from '@mkt/sdk/query';
import { describe, expect, it, vi } from 'vitest';

const signal = new AbortController().signal;
const organization = 5;

/** A client of a marketplace of its own, with the demo data. */
function fixture() {
  const mock = createMarketplaceMock();
  const mkt = new Marketplace({ token: mock.tokens.ada_write, baseUrl: mock.baseUrl, fetch: mock.fetch, cache: false });
  const invalidateQueries = vi.fn<Invalidator['invalidateQueries']>(async () => undefined);
  return { mkt, queries: marketplaceQueries(mkt), client: { invalidateQueries }, invalidateQueries };
}

/** The id of the first item that passes. */
const find = <Item extends { id: Id }>(items: readonly Item[], test: (item: Item) => boolean): Id => {
  const item = items.find(test);
  if (!item) throw new Error('The demo data has no such item.');
  return item.id;
};

interface AnyQuery {
  readonly queryKey: QueryKey;
  readonly queryFn: (context: { signal: AbortSignal; pageParam: number }) => Promise<unknown>;
}

/** The query of every list of the signed-in user, and of every resource in them. */
async function allQueries(mkt: Marketplace, queries: MarketplaceQueries): Promise<AnyQuery[]> {
  const { campaigns, collabs, members, organizations, socialAccounts, accessTokens, address } = queries;
  const lists = [
    organizations.list.queryOptions(),
    organizations.list.infiniteQueryOptions(),
    socialAccounts.list.queryOptions(),
    accessTokens.list.queryOptions(),
    members.list.queryOptions(organization),
    campaigns.list.queryOptions(organization),
    campaigns.list.queryOptions(organization, { page: 2 }),
    campaigns.list.infiniteQueryOptions(organization),
    collabs.list.queryOptions(organization),
    address.get.queryOptions(),
  ];
  const items = [
    ...(await mkt.organizations.list().all()).map(({ id }) => organizations.get.queryOptions(id)),
    ...(await mkt.socialAccounts.list().all()).map(({ id }) => socialAccounts.get.queryOptions(id)),
    ...(await mkt.campaigns.list(organization).all()).map(({ id }) => campaigns.get.queryOptions(organization, id)),
    ...(await mkt.collabs.list(organization).all()).map(({ id }) => collabs.get.queryOptions(organization, id)),
  ];
  return [...lists, ...items];
}

/** What each query returns, or the status with which it fails, as JSON. */
const resultsOf = (all: readonly AnyQuery[]): Promise<string[]> =>
  Promise.all(
    all.map(({ queryFn }) =>
      queryFn({ signal, pageParam: 1 }).then(
        (data) => JSON.stringify(data),
        ({ status }: { status: number }) => `${status}`,
      ),
    ),
  );

/** As TanStack Query matches keys: `prefix` is the beginning of `key`. */
const matches = (prefix: QueryKey, key: QueryKey): boolean =>
  JSON.stringify(key.slice(0, prefix.length)) === JSON.stringify(prefix);

type Prepare = (mkt: Marketplace) => Promise<unknown[]>;
const campaignIn =
  (status: string, ...more: unknown[]): Prepare =>
  async (mkt) => [
    organization,
    find(await mkt.campaigns.list(organization).all(), (one) => one.status === status),
    ...more,
  ];
const collabIn =
  (state: string, ...more: unknown[]): Prepare =>
  async (mkt) => [
    organization,
    find(await mkt.collabs.list(organization).all(), (one) => one.state === state),
    ...more,
  ];
const other =
  (...more: unknown[]): Prepare =>
  async (mkt) => {
    const members = await mkt.members.list(organization).all();
    return [organization, find(members, ({ role }) => role === 'member'), ...more];
  };

const addressIn = (city: string) => ({
  address_one: 'Main Street 1',
  city,
  state: 'NY',
  postal_code: '10001',
  country_code: 'US',
});

/** The variables of each mutation. */
const mutations: Record<string, Prepare> = {
  'organizations.create': async () => [{ name: 'New', privacy_setting: 'public' }],
  'organizations.update': async () => [organization, { name: 'New' }],
  'organizations.delete': async (mkt) => {
    const { id } = await mkt.organizations.create({ name: 'Old', privacy_setting: 'public' });
    return [id];
  },
  'members.update': other({ role: 'admin' }),
  'members.remove': other(),
  'campaigns.create': async () => [organization, { name: 'New' }],
  'campaigns.update': async () => [organization, 1, { name: 'New' }],
  'campaigns.delete': campaignIn('draft'),
  'campaigns.publish': campaignIn('draft'),
  'campaigns.pause': campaignIn('active'),
  'campaigns.resume': campaignIn('paused'),
  'collabs.create': async () => [organization, { name: 'New' }],
  'collabs.update': collabIn('draft', { name: 'New' }),
  'collabs.delete': collabIn('draft'),
  'collabs.submit': collabIn('draft'),
  'collabs.pause': collabIn('published'),
  'collabs.unpause': collabIn('paused'),
  'socialAccounts.create': async () => [{ platform_id: 'tiktok', account_url: 'https://www.tiktok.com/@new' }],
  'socialAccounts.delete': async (mkt) => [(await mkt.socialAccounts.list().first())?.id],
  'address.update': async () => [addressIn('New')],
  'address.delete': async (mkt) => {
    await mkt.address.update(addressIn('Old'));
    return [];
  },
  'accessTokens.create': async () => [{ description: 'New', permission: 'read' }],
  'accessTokens.delete': async (mkt) => [
    (await mkt.accessTokens.create({ description: 'Old', permission: 'read' })).id,
  ],
};

interface AnyMutation {
  mutationFn: (variables: unknown[]) => Promise<unknown>;
  onSettled: (...given: unknown[]) => Promise<unknown>;
}

const mutationOf = (queries: MarketplaceQueries, operation: string): AnyMutation => {
  const [resource = '', method = ''] = operation.split('.');
  const operations = queries[resource as keyof MarketplaceQueries] as unknown as Record<
    string,
    { mutationOptions: () => AnyMutation }
  >;
  return operations[method]?.mutationOptions() as AnyMutation;
};

describe('marketplaceQueries()', () => {
  it.each(endpoints)('has $operation of the contract', ({ operation, method, paginated, path }) => {
    const [resource = '', name = ''] = operation.split('.');
    const { queries } = fixture();
    const factories = (queries as unknown as Record<string, Record<string, Record<string, (id: Id) => QueryKey>>>)[
      resource
    ]?.[name];
    const names =
      method !== 'GET'
        ? ['mutationOptions']
        : ['queryKey', 'queryOptions', ...(paginated ? ['infiniteQueryOptions'] : [])];
    expect(Object.keys(factories ?? {})).toEqual(names);
    if (method === 'GET')
      expect(factories?.queryKey?.(organization).slice(1, 3)).toEqual(
        path.includes(':organization_id') ? [resource, '5'] : [resource, name],
      );
  });

  it('tests each mutation of the contract', () => {
    const writes = endpoints.filter(({ method }) => method !== 'GET').map(({ operation }) => operation);
    expect(Object.keys(mutations).sort(), 'Add its variables to "mutations" above.').toEqual(writes.sort());
  });

  it.each(Object.entries(mutations))('invalidates everything that %s changes', async (operation, prepare) => {
    const { mkt, queries, client, invalidateQueries } = fixture();
    const variables = await prepare(mkt);
    const all = await allQueries(mkt, queries);
    const before = await resultsOf(all);
    const { mutationFn, onSettled } = mutationOf(queries, operation);
    const data = await mutationFn(variables);
    await onSettled(data, null, variables, undefined, { client });
    const after = await resultsOf(all);
    const invalidated = invalidateQueries.mock.calls.map(([{ queryKey }]) => queryKey);
    const changed = all.filter((_, index) => before[index] !== after[index]).map(({ queryKey }) => queryKey);
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.filter((key) => !invalidated.some((prefix) => matches(prefix, key)))).toEqual([]);
    // Nothing of another resource, apart from what members may see.
    const [resource] = operation.split('.');
    if (resource !== 'members' && operation !== 'organizations.delete')
      expect(invalidated.map(([, name]) => name)).toEqual([resource]);
  });

  it('invalidates all of an organization when it is deleted, and when its members change', async () => {
    const { queries, client, invalidateQueries } = fixture();
    const inOrganizations = endpoints.filter(({ path }) => path.includes(':organization_id'));
    const names = new Set(inOrganizations.map(({ operation }) => operation.split('.')[0]));
    const scoped = [...names].map((name) => ['mkt', name, '7']);
    await queries.organizations.delete.mutationOptions().onSettled(undefined, null, [7], undefined, { client });
    expect(invalidateQueries.mock.calls.map(([{ queryKey }]) => queryKey)).toEqual([
      ['mkt', 'organizations'],
      ...scoped,
    ]);
    invalidateQueries.mockClear();
    await queries.members.remove.mutationOptions().onSettled(undefined, null, ['7', 'm1'], undefined, { client });
    expect(invalidateQueries.mock.calls.map(([{ queryKey }]) => queryKey)).toEqual([
      ['mkt', 'organizations'],
      ...scoped,
    ]);
  });

  it('uses the client that it was given, and explains that one is missing', async () => {
    const { mkt, queries, client, invalidateQueries } = fixture();
    const { mutationFn, onSettled } = marketplaceQueries(mkt, client).campaigns.pause.mutationOptions();
    // A failed action may have taken effect, or show that the state is another one than the cached.
    const [{ reason }] = (await Promise.allSettled([mutationFn([organization, 999])])) as [PromiseRejectedResult];
    await onSettled(undefined, reason, [organization, 999], undefined);
    expect(invalidateQueries).toHaveBeenCalledWith({ queryKey: ['mkt', 'campaigns', '5'] });
    expect(() => queries.address.delete.mutationOptions().onSettled(undefined, null, [], undefined)).toThrow('5.89');
  });

  it('has keys that distinguish operations and pages, but not the kind of an id', () => {
    const { campaigns, organizations, address } = fixture().queries;
    expect(campaigns.queryKey()).toEqual(['mkt', 'campaigns']);
    expect(campaigns.queryKey(5)).toEqual(['mkt', 'campaigns', '5']);
    expect(campaigns.get.queryKey('5', 1)).toEqual(campaigns.get.queryKey(5, '1', { timeout: 5000 }));
    expect(campaigns.list.queryKey(5)).toEqual(campaigns.list.queryKey(5, { page: 1 }));
    const keys = [
      campaigns.list.queryKey(5),
      campaigns.list.queryKey(5, { page: 2 }),
      campaigns.list.infiniteQueryOptions(5).queryKey,
      campaigns.get.queryKey(5, 1),
      organizations.list.queryKey(),
      organizations.get.queryKey(5),
      address.get.queryKey(),
    ].map((key) => JSON.stringify(key));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('reads pages as plain data, with the signal and the options of the call', async () => {
    const { queries } = fixture();
    const options = queries.campaigns.list.queryOptions(organization, { page: 3 });
    const page = await options.queryFn({ signal });
    expect(structuredClone(page)).toMatchObject({ number: 3, totalCount: 45, totalPages: 3 });
    await expect(options.queryFn({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    const late = queries.campaigns.get.queryOptions(organization, 1, { timeout: -1 });
    await expect(late.queryFn({ signal })).rejects.toMatchObject({ name: 'ConfigurationError' });
  });

  it('walks infinite queries in both directions', async () => {
    const { queries } = fixture();
    const { queryFn, initialPageParam, getNextPageParam, getPreviousPageParam } =
      queries.campaigns.list.infiniteQueryOptions(organization);
    const sizes: number[] = [];
    for (let pageParam: number | undefined = initialPageParam; pageParam; ) {
      const page: Awaited<ReturnType<typeof queryFn>> = structuredClone(await queryFn({ signal, pageParam }));
      sizes.push(page.items.length);
      expect(getPreviousPageParam(page)).toBe(pageParam > 1 ? pageParam - 1 : undefined);
      pageParam = getNextPageParam(page);
    }
    expect(sizes).toEqual([20, 20, 5]);
    expect(getNextPageParam({ items: [], number: 1, totalCount: null, totalPages: null })).toBeUndefined();
  });
});
