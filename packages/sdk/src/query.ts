import type { ApiPromise } from './api-promise.js';
import type { Id } from './contract/fields.js';
import type { Marketplace } from './marketplace.js';
import type { PageData } from './page.js';
import type { ListPromise } from './pagination.js';

/** The part of TanStack's `QueryClient` that mutations use. */
export interface Invalidator {
  invalidateQueries(filters: { queryKey: QueryKey }): Promise<unknown>;
}

/** `['mkt', 'campaigns', '5', 'list', { page: 2 }]`: the resource, the organization, the operation, the rest. */
export type QueryKey = readonly unknown[];

/** Options of `useQuery`, `prefetchQuery` and others. */
export interface QueryOptions<Data> {
  queryKey: QueryKey;
  queryFn: (context: { signal: AbortSignal }) => Promise<Data>;
  /** The SDK retries already. */
  retry: false;
}

/** Options of `useInfiniteQuery`. */
export interface InfiniteQueryOptions<Item> {
  queryKey: QueryKey;
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
  /** Invalidates what the mutation changed, also after an error: whether it took effect is not always known. */
  onSettled: (
    data: Data | undefined,
    error: Error | null,
    variables: Variables,
    onMutateResult: unknown,
    context?: { client: Invalidator },
  ) => Promise<unknown>;
}

type Operation<Method> = Method extends (...given: infer Given) => infer Result
  ? Result extends ListPromise<infer Item>
    ? {
        queryKey: (...given: Given) => QueryKey;
        /** One page. */
        queryOptions: (...given: Given) => QueryOptions<PageData<Item>>;
        /** All pages, one after the other. */
        infiniteQueryOptions: (...given: Given) => InfiniteQueryOptions<Item>;
      }
    : Result extends ApiPromise<infer Data>
      ? { mutationOptions: () => MutationOptions<Given, Data> }
      : never
  : never;

type Read<Method> = Method extends (...given: infer Given) => ApiPromise<infer Data>
  ? { queryKey: (...given: Given) => QueryKey; queryOptions: (...given: Given) => QueryOptions<Data> }
  : never;

type ResourceName = {
  [Name in keyof Marketplace]: Marketplace[Name] extends (...given: never[]) => unknown ? never : Name;
}[keyof Marketplace];

/** Factories of options for TanStack Query, by resource and operation: `queries.campaigns.list.queryOptions(5)`. */
export type MarketplaceQueries = {
  readonly [Name in ResourceName]: {
    readonly [Method in keyof Marketplace[Name]]: Method extends 'get'
      ? Read<Marketplace[Name][Method]>
      : Operation<Marketplace[Name][Method]>;
  } & {
    /** The beginning of the keys of this resource; of one organization, where it belongs to one. */
    readonly queryKey: (organization?: Id) => QueryKey;
  };
};

/** Resources of an organization: its id is the first argument of their methods. */
const scoped = ['members', 'campaigns', 'collabs'];

const keyOf = (resource: string, ids: readonly unknown[]): QueryKey => ['mkt', resource, ...ids.map(String)];

/** The beginnings of all keys whose data a mutation may change. */
function changedKeys(resource: string, method: string, [organization]: readonly unknown[]): QueryKey[] {
  const inOrganization = () => scoped.map((name) => keyOf(name, [organization]));
  // What the members of an organization see of it depends on their roles.
  if (resource === 'members') return [keyOf('organizations', []), ...inOrganization()];
  if (scoped.includes(resource)) return [keyOf(resource, [organization])];
  return [keyOf(resource, []), ...(resource === 'organizations' && method === 'delete' ? inOrganization() : [])];
}

type AnyMethod = (...given: unknown[]) => Promise<unknown>;

function operationOf(resource: string, method: string, call: AnyMethod, queryClient: Invalidator | undefined): object {
  const mutationOptions = (): MutationOptions<unknown[], unknown> => ({
    mutationKey: ['mkt', resource, method],
    mutationFn: (given) => call(...given),
    onSettled: (_data, _error, given, _result, context) => {
      const client = queryClient ?? context?.client;
      if (!client) throw new Error('TanStack Query before 5.89: pass the QueryClient to marketplaceQueries.');
      return Promise.all(
        changedKeys(resource, method, given).map((queryKey) => client.invalidateQueries({ queryKey })),
      );
    },
  });
  if (method !== 'get' && method !== 'list') return { mutationOptions };

  const parse = (given: readonly unknown[]) => {
    const ids = given.filter((one) => typeof one !== 'object' && one !== undefined);
    const options = given[ids.length] as { page?: number } | undefined;
    return { ids, options };
  };
  const queryKey = (given: readonly unknown[], kind = method): QueryKey => {
    const { ids, options } = parse(given);
    const organization = scoped.includes(resource) ? ids.splice(0, 1) : [];
    const page = kind === 'list' ? [{ page: options?.page ?? 1 }] : [];
    return [...keyOf(resource, organization), kind, ...ids.map(String), ...page];
  };
  const read = (given: readonly unknown[], more: object): Promise<never> => {
    const { ids, options } = parse(given);
    return call(...ids, { ...options, ...more }) as Promise<never>;
  };
  return {
    queryKey: (...given: unknown[]) => queryKey(given),
    queryOptions: (...given: unknown[]): QueryOptions<unknown> => ({
      queryKey: queryKey(given),
      queryFn: ({ signal }) => read(given, { signal }),
      retry: false,
    }),
    ...(method === 'list' && {
      infiniteQueryOptions: (...given: unknown[]): InfiniteQueryOptions<unknown> => ({
        queryKey: queryKey(given, 'pages'),
        queryFn: ({ signal, pageParam }) => read(given, { signal, page: pageParam }),
        initialPageParam: parse(given).options?.page ?? 1,
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
  const resources = Object.entries(mkt).map(([resource, methods]: [string, Record<string, AnyMethod>]) => {
    const names = Object.getOwnPropertyNames(Object.getPrototypeOf(methods)).filter((name) => name !== 'constructor');
    const operations = names.map((name) => {
      const call: AnyMethod = (...given) => (methods[name] as AnyMethod).apply(methods, given);
      return [name, operationOf(resource, name, call, queryClient)];
    });
    const queryKey = (...organization: [id?: Id]) => keyOf(resource, organization);
    return [resource, { ...Object.fromEntries(operations), queryKey }];
  });
  return Object.fromEntries(resources) as MarketplaceQueries;
}
