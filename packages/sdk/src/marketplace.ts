import type { ApiPromise } from './api-promise.js';
import type { Id } from './contract/fields.js';
import { ConfigurationError } from './errors.js';
import {
  type CacheStore,
  type CallOptions,
  isBrowser,
  type MarketplaceOptions,
  mergeOptions,
  resolveOptions,
} from './options.js';
import { AccessTokens } from './resources/access-tokens.js';
import { UserAddress } from './resources/address.js';
import { type BoundOrganization, bind } from './resources/bound.js';
import { Campaigns } from './resources/campaigns.js';
import { Collabs } from './resources/collabs.js';
import { Members } from './resources/members.js';
import { Organizations } from './resources/organizations.js';
import { SocialAccounts } from './resources/social-accounts.js';
import { type Body, jsonBody } from './transport/body.js';
import { MemoryStore } from './transport/cache.js';
import type { Operation } from './transport/call.js';
import { Transport } from './transport/transport.js';

/** Options of `mkt.request()`. */
export interface RequestOptions extends CallOptions {
  /** A plain value is sent as JSON; `FormData`, a `Blob`, bytes, text and a stream are sent as they are. A stream is never retried. */
  body?: unknown;
  /** Added to the URL. */
  query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
}

const isRaw = (body: unknown): body is Body =>
  typeof body === 'string' ||
  body instanceof FormData ||
  body instanceof Blob ||
  body instanceof URLSearchParams ||
  body instanceof ReadableStream ||
  body instanceof ArrayBuffer ||
  ArrayBuffer.isView(body);

/** How many responses the default cache stores. */
const cacheSize = 500;

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
  constructor(options: MarketplaceOptions) {
    const defaultCache = (): CacheStore | false => (isBrowser ? false : new MemoryStore(cacheSize));
    const transport = new Transport(resolveOptions(options, defaultCache));
    this.#transport = transport;
    this.organizations = new Organizations(transport);
    this.members = new Members(transport);
    this.campaigns = new Campaigns(transport);
    this.collabs = new Collabs(transport);
    this.socialAccounts = new SocialAccounts(transport);
    this.address = new UserAddress(transport);
    this.accessTokens = new AccessTokens(transport);
  }

  /**
   * A client with some options changed; headers, `retry` and `init` are merged as those of a call are. It shares the cache
   * of this one unless `cache` is among them.
   */
  withOptions(options: Partial<MarketplaceOptions>): Marketplace {
    return new Marketplace(mergeOptions(this.#transport.settings, options));
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
   * Any request, for what the SDK does not cover, with the same token, retries, timeouts, cache and errors.
   *
   * @param method - `GET`, `HEAD`, `POST`, `PUT`, `PATCH` or `DELETE`.
   * @param path - a path under `baseUrl` that begins with `/`, or a URL on the same server, such as the `url` of a
   * resource. The token is never sent to another server.
   * @returns the body parsed as JSON; text if the response is not JSON; undefined if it has no body.
   */
  request<T = unknown>(method: string, path: string, { body, query, ...options }: RequestOptions = {}): ApiPromise<T> {
    const transport = this.#transport;
    return transport.promise(() => {
      const verb = String(method).toUpperCase();
      if (!/^(GET|HEAD|POST|PUT|PATCH|DELETE)$/.test(verb))
        throw new ConfigurationError(`${method} is not a method that the client sends.`);
      const operation: Operation<T> = {
        operation: 'request',
        method: verb as Operation['method'],
        path,
        response: null,
        paginated: false,
        etag: verb === 'GET',
      };
      const url = transport.resolve(path);
      for (const [name, value] of Object.entries(query ?? {}))
        if (value !== undefined) url.searchParams.set(name, String(value));
      const call = { operation, url: url.href, invalidates: url.origin + url.pathname, options };
      if (body === undefined) return call;
      if (isRaw(body)) return { ...call, body: () => body };
      return { ...call, ...jsonBody('request', body) };
    });
  }
}
