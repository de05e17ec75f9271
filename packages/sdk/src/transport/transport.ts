import { ApiPromise } from '../api-promise.js';
import { ConfigurationError } from '../errors.js';
import { type CacheEntry, type CallOptions, checkCall, checkToken, type Settings } from '../options.js';
import { Cache, nameOfToken } from './cache.js';
import type { Call, Received } from './call.js';
import { exchange } from './exchange.js';
import { Flights } from './flights.js';
import { mergeHeaders } from './headers.js';
import { MemoryStore } from './memory-store.js';
import { fillPath, type Id, type Operation } from './operation.js';
import { read } from './reading.js';
import { type RetryPolicy, retryPolicy } from './retry.js';
import { isBrowser } from './runtime.js';
import { Scope } from './scope.js';

/** Whether nothing but a signal tells this call from others of its kind. */
function isPlain(options: CallOptions): boolean {
  for (const name in options) if (name !== 'signal' && options[name as keyof CallOptions] !== undefined) return false;
  return true;
}

/** The path of every call: token, shared reads, cache, attempts. */
export class Transport {
  readonly settings: Settings;
  readonly #cache: Cache | undefined;
  readonly #retry: RetryPolicy;
  readonly #flights = new Flights<Received>();
  #named: { token: string; name: string } | undefined;

  constructor(settings: Settings) {
    this.settings = settings;
    this.#retry = retryPolicy(settings.retry);
    this.#cache = settings.cache ? new Cache(settings.cache, settings.logger) : undefined;
  }

  /** The address of an operation, its ids and query filled in. */
  url(operation: Operation, ids: readonly Id[], query?: Readonly<Record<string, string | undefined>>): string {
    const given = Object.entries(query ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const search = given.length > 0 ? `?${new URLSearchParams(given)}` : '';
    return this.settings.baseUrl.href + fillPath(operation, ids).slice(1) + search;
  }

  /** The address of a path under `baseUrl`, or of a resource on the same server: no other origin ever gets the token. */
  address(path: string): URL {
    const { baseUrl } = this.settings;
    const relative = String(path).startsWith('/') ? `.${path}` : path;
    if (typeof path !== 'string' || !URL.canParse(relative, baseUrl.href))
      throw new ConfigurationError(`${path} is neither a path nor an address. Give a path that begins with /.`);
    const url = new URL(relative, baseUrl);
    if (url.origin !== baseUrl.origin)
      throw new ConfigurationError(`${url.origin} is not the server of this client: the token is not sent there.`);
    return url;
  }

  /** A call as a promise that starts when it is awaited. A mistake in the arguments rejects it too. */
  promise<Item>(prepare: () => Call<Item>): ApiPromise<Item> {
    return new ApiPromise(async () => {
      const call = prepare();
      return read(call.operation, await this.send(call), this.settings);
    });
  }

  /** Sends a call; the answer may be of any status. */
  send(call: Call): Promise<Received> {
    const { operation, url, options } = call;
    checkCall(options);
    const totalTimeout = options.totalTimeout ?? this.settings.totalTimeout ?? 60_000;
    const scope = new Scope(totalTimeout);
    return scope.run(async () => {
      const { token: given } = this.settings;
      const token = typeof given === 'string' ? given : await given();
      checkToken(token);
      if (operation.method === 'GET') return this.#get(call, token, scope, totalTimeout);
      if (operation.method === 'HEAD') return this.#exchange(call, token, scope);
      const key = await this.#key(call.outdates ?? url, token);
      try {
        return await this.#exchange(call, token, scope);
      } finally {
        // Also after a failure: whether a write took effect is not always known.
        this.#flights.forget(key);
        await this.#cache?.delete(key);
      }
    }, options.signal);
  }

  async #get(call: Call, token: string, scope: Scope, totalTimeout: number): Promise<Received> {
    const { operation, url, options } = call;
    if (!operation.etag) return this.#exchange(call, token, scope);
    const key = await this.#key(url, token);
    if (!isPlain(options)) return this.#revalidate(call, token, scope, key);
    return this.#flights.join(key, totalTimeout, scope, (flight) => this.#revalidate(call, token, flight, key));
  }

  /** A read by way of the cache. */
  async #revalidate(call: Call, token: string, scope: Scope, key: string): Promise<Received> {
    const mode = call.options.cache;
    const cache = mode === 'no-store' ? undefined : this.#cache;
    const entry = mode === 'reload' ? undefined : await cache?.get(key);
    const received = await this.#exchange(call, token, scope, entry);
    const etag = received.headers.get('etag');
    if (received.status === 200 && etag && !received.fromCache) await cache?.set(key, { etag, body: received.text });
    return received;
  }

  async #exchange(call: Call, token: string, scope: Scope, entry?: CacheEntry): Promise<Received> {
    const { operation, url, options } = call;
    const { settings } = this;
    const { userAgent } = settings;
    const given = await call.body?.();
    // Written out here, where it is known: a `fetch` of npm's undici would send no form but one of its own class.
    const form = typeof given === 'object' && given instanceof FormData ? new Response(given) : undefined;
    const body = form ? await form.arrayBuffer() : given;
    const answer = await exchange(
      {
        operation: operation.operation,
        method: operation.method,
        url,
        body,
        headers: mergeHeaders(
          { accept: 'application/json', authorization: `Bearer ${token}` },
          userAgent !== undefined && !isBrowser ? { 'user-agent': userAgent } : undefined,
          call.headers,
          settings.headers,
          options.headers,
          entry && { 'if-none-match': entry.etag },
          // Goes before any other, since it holds the boundary of the parts.
          form && { 'content-type': form.headers.get('content-type') },
        ),
        // A redirect of a write would be followed by a GET, and whatever that answers taken for the write's answer.
        redirect: operation.method === 'GET' || operation.method === 'HEAD' ? 'follow' : 'manual',
        timeout: options.timeout ?? settings.timeout ?? (form ? 60_000 : 10_000),
        retry: options.retry === undefined ? this.#retry : retryPolicy(settings.retry, options.retry),
        httpCache: isBrowser && options.cache !== 'default' ? options.cache : undefined,
        onUploadProgress: isBrowser ? undefined : options.onUploadProgress,
      },
      settings,
      scope,
    );
    const redact = (text: string) => text.replaceAll(token, '[token]').replaceAll(encodeURIComponent(token), '[token]');
    settings.logger?.debug(redact(`${operation.operation}: ${operation.method} ${url} answered ${answer.status}`));
    if (answer.status === 304 && entry) return { ...answer, status: 200, text: entry.body, fromCache: true, redact };
    return { ...answer, fromCache: false, redact };
  }

  async #key(url: string, token: string): Promise<string> {
    // Where a key stays in this program the token stands for itself: hashing loads web crypto, and waits for its thread.
    const { cache } = this.settings;
    if (!cache || cache instanceof MemoryStore) return `${token} ${url}`;
    if (this.#named?.token !== token) this.#named = { token, name: await nameOfToken(token) };
    return `mkt:${this.#named.name}:GET:${url}`;
  }
}
