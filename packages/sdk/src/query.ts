import type { DataTag, InfiniteData } from '@tanstack/query-core';
import type { ApiPromise } from './api-promise.js';
import { operations } from './contract/operations.generated.js';
import type { Id } from './contract/types.js';
import type { Marketplace } from './marketplace.js';
import type { PageData } from './page.js';
import type { ListPromise } from './pagination.js';

/** The part of TanStack's `QueryClient` that mutations use. */
export interface Invalidator {
  invalidateQueries(filters: { queryKey: QueryKey }): Promise<unknown>;
}

/** `['mkt', 'campaigns', '5', 'list', { page: 2 }]`: the resource, the organization, the operation, the rest. */
export type QueryKey = readonly unknown[];

/** A key with the type of its data: `queryClient.getQueryData(key)` knows it. */
export type TypedQueryKey<Data> = DataTag<QueryKey, Data, Error>;

/** Options of `useQuery`, `prefetchQuery` and others. */
export interface QueryOptions<Data, Key extends QueryKey = QueryKey> {
  queryKey: Key;
  queryFn: (context: { signal: AbortSignal }) => Promise<Data>;
  /** The SDK retries already. */
  retry: false;
}

/** Options of `useInfiniteQuery`. */
export interface InfiniteQueryOptions<Item, Key extends QueryKey = QueryKey> {
  queryKey: Key;
  queryFn: (context: { signal: AbortSignal; pageParam: number }) => Promise<PageData<Item>>;
  initialPageParam: number;
  getNextPageParam: (last: PageData<Item>) => number | undefined;
  getPreviousPageParam: (first: PageData<Item>) => number | undefined;
  retry: false;
}

/** Options of `useMutation`. The variables are the arguments of the method: `mutate([5, 1, { name: 'New' }])`. */
export interface MutationOptions<Variables, Data> {
  mutationKey: QueryKey;
  mutationFn: (variables: Variables) => Promise<Data>;
  /** Invalidates what the mutation changed, also after an error: it may have taken effect. */
  onSettled: (
    data: Data | undefined,
    error: Error | null,
    variables: Variables,
    onMutateResult: unknown,
    context?: { client: Invalidator },
  ) => Promise<unknown>;
}

type Operation<Call, Kind> = Call extends (...args: infer Args) => infer Result
  ? Result extends ListPromise<infer Item>
    ? {
        queryKey: (...args: Args) => TypedQueryKey<PageData<Item>>;
        /** One page. */
        queryOptions: (...args: Args) => QueryOptions<PageData<Item>, TypedQueryKey<PageData<Item>>>;
        /** All pages, one after the other. */
        infiniteQueryOptions: (
          ...args: Args
        ) => InfiniteQueryOptions<Item, TypedQueryKey<InfiniteData<PageData<Item>, number>>>;
      }
    : Result extends ApiPromise<infer Data>
      ? Kind extends 'read'
        ? {
            queryKey: (...args: Args) => TypedQueryKey<Data>;
            queryOptions: (...args: Args) => QueryOptions<Data, TypedQueryKey<Data>>;
          }
        : { mutationOptions: () => MutationOptions<Args, Data> }
      : never
  : never;

type Operations = typeof operations;

/** Factories of options for TanStack Query, by resource and operation: `queries.campaigns.list.queryOptions(5)`. */
export type MarketplaceQueries = {
  readonly [Resource in keyof Operations]: {
    readonly [Name in keyof Marketplace[Resource] & keyof Operations[Resource]['operations']]: Operation<
      Marketplace[Resource][Name],
      Operations[Resource]['operations'][Name]
    >;
  } & {
    /** The beginning of the keys of this resource; of one organization, where it belongs to one. */
    readonly queryKey: (organization?: Id) => QueryKey;
  };
};

/** Resources of an organization: its id is the first argument of their methods. */
const scoped = Object.entries(operations).flatMap(([name, { isScoped }]) => (isScoped ? [name] : []));

const keyOf = (resource: string, ids: readonly unknown[]): QueryKey => ['mkt', resource, ...ids.map(String)];

/** The beginnings of all keys whose data a mutation may change. */
function changedKeys(resource: string, method: string, [organization]: readonly unknown[]): QueryKey[] {
  const inOrganization = () => scoped.map((name) => keyOf(name, [organization]));
  // What the members of an organization see of it depends on their roles.
  if (resource === 'members') return [keyOf('organizations', []), ...inOrganization()];
  if (scoped.includes(resource)) return [keyOf(resource, [organization])];
  return [keyOf(resource, []), ...(resource === 'organizations' && method === 'delete' ? inOrganization() : [])];
}

type AnyMethod = (...args: unknown[]) => Promise<unknown>;

function operationOf(
  resource: string,
  method: string,
  kind: 'list' | 'read' | 'write',
  call: AnyMethod,
  queryClient: Invalidator | undefined,
): object {
  const mutationOptions = (): MutationOptions<unknown[], unknown> => ({
    mutationKey: ['mkt', resource, method],
    mutationFn: (args) => call(...args),
    onSettled: (_data, _error, args, _result, context) => {
      const client = queryClient ?? context?.client;
      if (!client) throw new Error('TanStack Query before 5.89: pass the QueryClient to marketplaceQueries.');
      return Promise.all(changedKeys(resource, method, args).map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
  if (kind === 'write') return { mutationOptions };

  const parse = (args: readonly unknown[]) => {
    const ids = args.filter((arg) => typeof arg !== 'object' && arg !== undefined);
    const options = args[ids.length] as { page?: number } | undefined;
    return { ids, options };
  };
  const keyWith = (args: readonly unknown[], last: readonly unknown[], name = method): QueryKey => {
    const { ids } = parse(args);
    const organization = scoped.includes(resource) ? ids.splice(0, 1) : [];
    return [...keyOf(resource, organization), name, ...ids.map(String), ...last];
  };
  const queryKey = (args: readonly unknown[]): QueryKey =>
    keyWith(args, kind === 'list' ? [{ page: parse(args).options?.page ?? 1 }] : []);
  const read = (args: readonly unknown[], more: object): Promise<never> => {
    const { ids, options } = parse(args);
    return call(...ids, { ...options, ...more }) as Promise<never>;
  };
  return {
    queryKey: (...args: unknown[]) => queryKey(args),
    queryOptions: (...args: unknown[]): QueryOptions<unknown> => ({
      queryKey: queryKey(args),
      queryFn: ({ signal }) => read(args, { signal }),
      retry: false,
    }),
    ...(kind === 'list' && {
      infiniteQueryOptions: (...args: unknown[]): InfiniteQueryOptions<unknown> => ({
        // Those of the resource's own list have no name of an operation.
        queryKey: method === 'list' ? keyWith(args, [], 'pages') : keyWith(args, ['pages']),
        queryFn: ({ signal, pageParam }) => read(args, { signal, page: pageParam }),
        initialPageParam: parse(args).options?.page ?? 1,
        getNextPageParam: ({ items, number, totalPages }) =>
          items.length > 0 && number < (totalPages ?? Number.POSITIVE_INFINITY) ? number + 1 : undefined,
        getPreviousPageParam: ({ number }) => (number > 1 ? number - 1 : undefined),
        retry: false,
      }),
    }),
  };
}

/**
 * Options for TanStack Query (React, Vue, Solid, Svelte, Angular): queries, infinite queries, mutations and their keys.
 *
 * ```ts
 * const queries = marketplaceQueries(mkt);
 * useQuery(queries.campaigns.get.queryOptions(5, 1));
 * useMutation(queries.campaigns.publish.mutationOptions()).mutate([5, 1]);
 * ```
 *
 * @param queryClient - needed before TanStack Query 5.89, whose mutations don't get their client.
 */
export function marketplaceQueries(mkt: Marketplace, queryClient?: Invalidator): MarketplaceQueries {
  const resources = Object.entries(operations).map(([resource, { operations }]) => {
    const methods = mkt[resource as keyof Operations] as unknown as Record<string, AnyMethod>;
    const factories = Object.entries(operations).map(([name, kind]) => {
      const call: AnyMethod = (...args) => (methods[name] as AnyMethod).apply(methods, args);
      return [name, operationOf(resource, name, kind, call, queryClient)];
    });
    const queryKey = (...organization: [id?: Id]) => keyOf(resource, organization);
    return [resource, { ...Object.fromEntries(factories), queryKey }];
  });
  return Object.fromEntries(resources) as MarketplaceQueries;
}
