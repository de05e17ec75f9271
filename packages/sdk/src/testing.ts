import { ApiPromise, type ApiResult, ConfigurationError, ListPromise, Marketplace, MarketplaceError } from '@mkt/sdk';
import { operations } from './contract/operations.generated.js';
import type { Awaitable, ListOptions } from './options.js';
import { createPage, type FetchPage } from './page.js';

type Operations = typeof operations;

/**
 * Does what a method does: a function with its arguments that returns the data, or a `Response` with an error status for the
 * error of that status; for a list also an array of all items.
 */
export type Fake<Method> = Method extends (...args: infer Args) => ListPromise<infer Item>
  ? readonly Item[] | ((...args: Args) => Awaitable<readonly Item[] | Response>)
  : Method extends (...args: infer Args) => PromiseLike<infer Data>
    ? (...args: Args) => Awaitable<Data | Response>
    : never;

/** Fakes by resource and method. */
export type MarketplaceFakes = {
  readonly [Resource in keyof Operations]?: {
    readonly [Name in keyof Marketplace[Resource] & keyof Operations[Resource]['operations']]?: Fake<
      Marketplace[Resource][Name]
    >;
  };
} & { readonly request?: Fake<Marketplace['request']>; readonly download?: Fake<Marketplace['download']> };

type AnyFake = readonly unknown[] | ((...args: unknown[]) => unknown);

/** Items of a page, as of the service. */
const pageSize = 20;

const meta = { status: 200, etag: null, fromCache: false, attempts: 1, requestId: null, issues: [] };

const resultOf = <T>(data: T, body: unknown = data): ApiResult<T> => ({
  data,
  meta,
  get response() {
    return body === undefined ? new Response(null, { status: 204 }) : Response.json(body);
  },
});

const options = { token: 'mkt_fake', baseUrl: 'https://marketplace.invalid' };

const nothingSent = { attempts: 0, mayHaveArrived: false };

async function run(operation: string, fake: AnyFake | undefined, args: unknown[]): Promise<unknown> {
  if (!fake) {
    const error = new ConfigurationError('it has no fake. Give one to fakeMarketplace().', { operation });
    throw Object.assign(error, nothingSent);
  }
  if (typeof fake !== 'function') return fake;
  try {
    const result = await fake(...args);
    if (!(result instanceof Response)) return result;
    const mkt = new Marketplace({ ...options, retry: 0, fetch: async () => result.clone() });
    const [method = '', resource] = operation.split('.').reverse();
    const owner = resource ? mkt[resource as keyof Operations] : mkt;
    return await (owner as unknown as Record<string, (...given: unknown[]) => unknown>)[method]?.(...args);
  } catch (cause) {
    if (cause instanceof MarketplaceError) throw Object.assign(cause, { operation });
    throw Object.assign(new ConfigurationError(`the fake threw: ${cause}`, { operation, cause }), nothingSent);
  }
}

function listOf(operation: string, fake: AnyFake | undefined, args: unknown[]): ListPromise<unknown> {
  const given = (args.find((one) => typeof one === 'object') ?? {}) as ListOptions;
  const fetch = async (number: number) => {
    const rows = (await run(operation, fake, args)) as readonly unknown[];
    const headers = new Headers({
      'total-count': `${rows.length}`,
      'total-pages': `${Math.max(1, Math.ceil(rows.length / pageSize))}`,
    });
    const items = rows.slice((number - 1) * pageSize, number * pageSize);
    return resultOf(createPage(items, number, headers, meta, next), items);
  };
  const next: FetchPage<unknown> = async (number) => (await fetch(number)).data;
  return new ListPromise({ operation, method: 'GET', path: '' }, fetch, given, next);
}

/**
 * A client for tests of code that takes a `Marketplace`. It sends nothing: each method that has a fake returns the data of
 * the fake, every other one rejects with a `ConfigurationError`. Lists, `withResponse()`, `each()` and `organization()` work
 * as those of a client do.
 *
 * ```ts
 * const mkt = fakeMarketplace({ campaigns: { get: async () => campaign, list: [campaign] } });
 * ```
 */
export function fakeMarketplace(fakes: MarketplaceFakes): Marketplace {
  const mkt = new Marketplace(options);
  const call =
    (operation: string, fake: AnyFake | undefined) =>
    (...args: unknown[]) =>
      new ApiPromise(async () => resultOf(await run(operation, fake, args)));
  for (const [resource, { operations: kinds }] of Object.entries(operations)) {
    const given = (fakes[resource as keyof Operations] ?? {}) as Record<string, AnyFake>;
    for (const [name, kind] of Object.entries(kinds)) {
      const operation = `${resource}.${name}`;
      const fake = given[name];
      const value = kind === 'list' ? (...args: unknown[]) => listOf(operation, fake, args) : call(operation, fake);
      Object.defineProperty(mkt[resource as keyof Operations], name, { value });
    }
  }
  const { request, download } = fakes as Record<string, AnyFake>;
  return Object.defineProperties(mkt, {
    request: { value: call('request', request) },
    download: { value: async (...args: unknown[]) => run('download', download, args) },
    withOptions: { value: () => mkt },
  });
}
