import type { ApiPromise } from './api-promise.js';
import { AccessTokens } from './clients/access-tokens.js';
import { UserAddress } from './clients/address.js';
import { type BoundOrganization, bind } from './clients/bound.js';
import { Campaigns } from './clients/campaigns.js';
import { Collabs } from './clients/collabs.js';
import { Members } from './clients/members.js';
import { bindMethods } from './clients/methods.js';
import { Organizations } from './clients/organizations.js';
import { SocialAccounts } from './clients/social-accounts.js';
import type { Id } from './contract/types.js';
import { ConfigurationError, errorOf, ResponseValidationError } from './errors.js';
import type { CallOptions, MarketplaceOptions } from './options.js';
import { parse, type StandardSchema } from './schema.js';
import { type Body, jsonBody } from './transport/body.js';
import { type Call, isRead, type Operation } from './transport/call.js';
import { onAbort } from './transport/deadline.js';
import { describing } from './transport/progress.js';
import {
  check,
  eachRules,
  mergeOptions,
  parseUrl,
  requestRules,
  resolveOptions,
  type Settings,
} from './transport/settings.js';
import { Transport } from './transport/transport.js';

/** Options of `mkt.request()`. */
export interface RequestOptions<T = unknown> extends CallOptions {
  /** Checks and converts the response: a schema of zod, valibot, arktype or any other library with Standard Schema. */
  schema?: StandardSchema<T> | undefined;
  /** A plain value is sent as JSON; `FormData`, a `Blob`, bytes, text and a stream are sent as they are. A stream is never retried. */
  body?: unknown;
  /** Added to the URL. */
  query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
}

/** Options of `mkt.each()`. */
export interface EachOptions {
  /** When it aborts, no further call is made: the other items of an array are rejected with an `AbortedError`. */
  signal?: AbortSignal | undefined;
  /** How many calls run at the same time, at most, within `maxConcurrency`. Default 8. */
  concurrency?: number | undefined;
}

const isRaw = (body: unknown): body is Body =>
  typeof body === 'string' ||
  ArrayBuffer.isView(body) ||
  [FormData, Blob, URLSearchParams, ReadableStream, ArrayBuffer].some((type) => body instanceof type);

/** What the contract does not have: its response is not checked. */
const operationOf = <T>(operation: string, method: string, url: unknown): Operation<T> => ({
  operation,
  method: method as Operation['method'],
  path: String(url).replace(/[?#].*/, ''),
  response: null,
  paginated: false,
  etag: method === 'GET',
});

/** Settings of variants, by the options that stand for them. */
const variants = new WeakMap<MarketplaceOptions, Settings>();

/** Not in the class: the build renames a class that refers to itself, and `console.log` prints its name. */
function createVariant(settings: Settings): Marketplace {
  const options = {};
  variants.set(options, settings);
  return new Marketplace(options);
}

/**
 * A client of the API. It holds no connection and needs no closing.
 *
 * ```ts
 * const mkt = new Marketplace({ token, baseUrl: 'https://api.example.com' });
 * for await (const campaign of mkt.campaigns.list(5)) console.log(campaign.name);
 * ```
 */
export class Marketplace {
  readonly organizations: Organizations;
  readonly members: Members;
  readonly campaigns: Campaigns;
  readonly collabs: Collabs;
  readonly socialAccounts: SocialAccounts;
  readonly address: UserAddress;
  readonly accessTokens: AccessTokens;
  readonly #transport: Transport;

  /** @throws ConfigurationError for a missing token or base URL, and for invalid options. */
  constructor(options: MarketplaceOptions = {}) {
    const transport = new Transport(variants.get(options) ?? resolveOptions(options));
    this.#transport = transport;
    this.organizations = new Organizations(transport);
    this.members = new Members(transport);
    this.campaigns = new Campaigns(transport);
    this.collabs = new Collabs(transport);
    this.socialAccounts = new SocialAccounts(transport);
    this.address = new UserAddress(transport);
    this.accessTokens = new AccessTokens(transport);
    bindMethods(this);
  }

  /**
   * A client with some options changed; headers, `retry` and `init` are merged as those of a call are. It shares the cache
   * of this one unless `cache` or `cacheBytes` is among them, reads in flight unless its requests differ, and the limit of
   * requests unless `maxConcurrency` is among them.
   */
  withOptions(options: Partial<MarketplaceOptions>): Marketplace {
    return createVariant(mergeOptions(this.#transport.settings, options));
  }

  /** The resources of one organization: `mkt.organization(5).campaigns.list()`. Nothing is sent. */
  organization(id: Id): BoundOrganization {
    return {
      id,
      members: bind(this.members, id),
      campaigns: bind(this.campaigns, id),
      collabs: bind(this.collabs, id),
    };
  }

  /**
   * Makes a call for each item of an array, a list or any other iterable, eight at a time. When the server asks to wait
   * (429), for `retry.maxRetryAfter` at most, it waits, and runs the function again, up to ten times, unless `retry` is 0:
   * make one call in it. It makes no more calls than `maxConcurrency` allows, since the time limits of a call begin when it is made.
   *
   * ```ts
   * const results = await mkt.each(names, (name) => mkt.campaigns.create(5, { name }));
   * ```
   *
   * @returns what `Promise.allSettled` returns, in the order of the items. If the iterable fails after a call was made, its
   * error is the last result.
   */
  async each<Item, T>(
    items: Iterable<Item> | AsyncIterable<Item>,
    call: (item: Item, index: number) => PromiseLike<T>,
    options: EachOptions = {},
  ): Promise<PromiseSettledResult<T>[]> {
    return describing({ operation: 'each' } as Operation, async (progress) => {
      check(options, eachRules);
      const { concurrency = 8, signal } = options;
      const { each } = await import('./each.js');
      const aborted = () => progress.describe(errorOf(signal as AbortSignal, 0, false));
      return each(items, call, { concurrency, signal, aborted, onAbort, transport: this.#transport });
    });
  }

  /**
   * The bytes of an image of the service, by the URL that a resource has: `logo_url`, `banner_image_url`. It follows
   * redirects to other hosts. The token and the headers of the client are sent only to the client's own server; browsers
   * follow redirects themselves, with the headers.
   */
  async download(url: string, options: CallOptions = {}): Promise<Blob> {
    const transport = this.#transport;
    const operation = operationOf<Blob>('download', 'GET', url);
    return transport.promise(operation, async (progress) => {
      const { baseUrl } = transport.settings;
      const target = parseUrl(url, String(url).startsWith('/') ? baseUrl : undefined);
      if (!target || !/^https?:$/.test(target.protocol))
        throw new ConfigurationError(`${url} is not a URL to download, such as logo_url.`);
      progress.reads = 'blob';
      const call = { operation, url: target.href, isForeign: target.origin !== baseUrl.origin };
      const headers = { accept: '*/*' };
      return transport.read({ ...call, headers, options: { allowRedirects: true, ...options } }, progress);
    });
  }

  /**
   * Any request, for what the SDK does not cover, with the same token, retries, timeouts, cache and errors.
   *
   * @param method - `GET`, `HEAD`, `POST`, `PUT`, `PATCH` or `DELETE`.
   * @param path - a path under `baseUrl` that begins with `/`, or a URL on the same server, such as the `url` of a
   * resource. The token is never sent to another server.
   * @throws ResponseValidationError if the response does not match `schema`.
   * @returns the body parsed as JSON; text if the response is not JSON; undefined if it has no body.
   */
  request<T = unknown>(method: string, path: string, given: RequestOptions<T> = {}): ApiPromise<T> {
    const { body, query, schema, ...options } = given ?? {};
    const transport = this.#transport;
    const verb = String(method).toUpperCase();
    const operation = operationOf<T>('request', verb, path);
    const prepare = (): Call<T> => {
      check(given, requestRules);
      if (!/^(GET|HEAD|POST|PUT|PATCH|DELETE)$/.test(verb))
        throw new ConfigurationError('A request takes GET, HEAD, POST, PUT, PATCH or DELETE, and then a path.');
      if (body !== undefined && isRead(verb))
        throw new ConfigurationError(`a ${verb} request cannot have a body.`, operation);
      const url = transport.resolve(path);
      for (const [name, value] of Object.entries(query ?? {}))
        if (value !== undefined) url.searchParams.set(name, String(value));
      const call = { operation, url: url.href, invalidates: url.origin + url.pathname, options };
      if (body === undefined) return call;
      if (isRaw(body)) return { ...call, body: () => body };
      return { ...call, ...jsonBody('request', body) };
    };
    return transport.promise(operation, async (progress) => {
      const result = await transport.read(prepare(), progress);
      if (!schema || progress.reads === 'nothing') return result;
      const { value, issues } = await parse(schema, result.data).catch((cause) => {
        throw progress.failed(cause, 'The schema failed: ');
      });
      if (issues) throw new ResponseValidationError('request', issues, result.data);
      return { data: value, meta: result.meta, response: result.response };
    });
  }
}
