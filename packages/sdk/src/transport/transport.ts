import { platform } from '#platform';
import { ApiPromise, type ApiResult } from '../api-promise.js';
import type { Id } from '../contract/types.js';
import { ConfigurationError } from '../errors.js';
import { log, logFailure } from '../log.js';
import type { CacheStore, CallOptions } from '../options.js';
import { type Encoded, encode, isStream } from './body.js';
import { MemoryCache, type ResponseCache } from './cache.js';
import { type Call, isRead, isUnauthorized, type Operation, type ResponseContext } from './call.js';
import { Deadline } from './deadline.js';
import { loadExplain } from './http-errors.js';
import { callFrom, type Progress } from './progress.js';
import { parse, type Result, readResponse, unreadable } from './read.js';
import { type OutgoingRequest, sendWithRetries } from './send.js';
import {
  callRules,
  check,
  checkHeaders,
  checkToken,
  headerEntries,
  isBrowser,
  mergeRetry,
  parseUrl,
  type Settings,
} from './settings.js';

/** Headers of a response on which it may depend: those that are the same for all requests of a cache key. */
const constantHeaders = /^(accept(-encoding)?|authorization|origin|)$/i;

/** Clients with the same store share what is known about it: pending writes, and failures. */
const guardedStores = new WeakMap<CacheStore, Promise<ResponseCache | undefined>>();

/** Sends every call: token, shared reads, cache, headers, attempts, reading the response. */
export class Transport {
  readonly settings: Settings;
  #latestToken = '';

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** Where responses are stored. */
  #cache(): MemoryCache | undefined | Promise<ResponseCache | undefined> {
    const { settings } = this;
    const { cache } = settings;
    if (!cache || cache instanceof MemoryCache) return cache || undefined;
    const logged = (what: string, error: unknown) => logFailure(settings, what, error);
    let store = guardedStores.get(cache);
    if (!store) {
      store = import('./stores.js').then(
        ({ GuardedStore }) => new GuardedStore(cache, logged),
        (error) => void logged('The cache did not load', error),
      );
      guardedStores.set(cache, store);
    }
    return store;
  }

  /** A call as a promise. Its errors say which call it was. */
  promise<Item>(operation: Operation, start: (progress: Progress) => Promise<ApiResult<Item>>): ApiPromise<Item> {
    return new ApiPromise(callFrom(operation)(start));
  }

  /** Sends a request and reads its response, which may not be an error. */
  async read<Item>(call: Call<Item>, progress: Progress): Promise<Result<Item>> {
    return readResponse(call.operation, await this.send(call, progress), this.settings);
  }

  /** Sends a request; the response may be of any status. */
  async send(call: Call, progress: Progress): Promise<ResponseContext> {
    const { options } = call;
    check(options, callRules);
    progress.earlierAttempts = progress.attempts;
    // In time for an error response, whatever happens to the connection until then.
    if (isBrowser) loadExplain().catch(() => undefined);
    const totalMs = options.totalTimeout ?? this.settings.totalTimeout ?? 60_000;
    const deadline = new Deadline(totalMs, progress);
    return deadline.run(() => this.#send(call, deadline, totalMs), options.signal);
  }

  async #send(call: Call, deadline: Deadline, totalMs: number): Promise<ResponseContext> {
    const { operation, url, options } = call;
    const { inflight, group } = this.settings;
    const { progress } = deadline;
    const token = await this.#token(options, progress, 1, false);
    const body = call.body && (await encode(await call.body()));
    if (!isRead(operation.method)) {
      const target = call.invalidates ?? url;
      const tokens = [token];
      try {
        return await this.#renewing(token, options, deadline, isStream(body?.body), (used) => {
          tokens.push(used);
          return this.#exchange(call, used, deadline, body);
        });
      } finally {
        // Also after a failure: whether a write took effect is not always known. Nothing waits for the store: a later read
        // revalidates what it still has.
        inflight.forget(target);
        const cache = Promise.resolve(this.#cache());
        for (const used of new Set(tokens)) void cache.then((store) => store?.delete(used, target));
      }
    }
    const isCached = operation.etag && progress.reads === 'text' && options.ifNoneMatch === undefined;
    const read = (within: Deadline) =>
      this.#renewing(token, options, within, false, (used) =>
        isCached ? this.#revalidate(call, used, within, body) : this.#exchange(call, used, within, body),
      );
    // Only a signal and a token do not distinguish it from others of its operation.
    const isShared = Object.entries(options).every(
      ([name, value]) => value === undefined || /^(signal|token)$/.test(name),
    );
    return isCached && isShared
      ? inflight.join({ key: `${group} ${token} ${url}`, url, totalMs }, deadline, read)
      : read(deadline);
  }

  /** The token of an attempt. */
  async #token({ token: given }: CallOptions, progress: Progress, attempt: number, rejected: boolean): Promise<string> {
    let token = given ?? this.settings.token;
    if (typeof token !== 'string') {
      try {
        token = await token({ operation: progress.operation.operation, attempt, rejected });
      } catch (cause) {
        throw progress.failed(cause, 'The token function failed: ');
      }
    }
    checkToken(token);
    progress.addToken(token);
    if (given === undefined) this.#latestToken = token;
    return token;
  }

  /** How long the server wants no requests of this client. */
  pauseMs(): number {
    const { token, pauses } = this.settings;
    return pauses.remainingMs(typeof token === 'string' ? token : this.#latestToken);
  }

  /** Sends once more with a new token if the server does not accept the one in use. A stream cannot be sent again. */
  async #renewing(
    token: string,
    options: CallOptions,
    deadline: Deadline,
    once: boolean,
    send: (token: string) => Promise<ResponseContext>,
  ): Promise<ResponseContext> {
    const { progress } = deadline;
    progress.addToken(token);
    const response = await send(token);
    if (once || typeof (options.token ?? this.settings.token) === 'string' || !isUnauthorized(response))
      return response;
    const renewed = await this.#token(options, progress, progress.attempt + 1, true);
    // biome-ignore lint/plugin/secrets: both are the caller's own, in its process: there is no guess.
    return renewed === response.token ? response : send(renewed);
  }

  /** A read through the cache. */
  async #revalidate(
    call: Call,
    token: string,
    deadline: Deadline,
    body: Encoded | undefined,
  ): Promise<ResponseContext> {
    const { operation, url } = call;
    const mode = call.options.cache;
    const cache = mode === 'no-store' ? undefined : await this.#cache();
    if (!cache) return this.#exchange(call, token, deadline, body);
    const entry = mode === 'reload' ? undefined : await cache.get(token, url, deadline.remainingMs / 2);
    const response = await this.#exchange(call, token, deadline, body, entry?.etag);
    const { status, headers, text } = response;
    if (status === 304 && entry) {
      const revalidated = { ...response, status: 200, text: entry.body, etag: entry.etag, fromCache: true };
      if (parse(operation, revalidated) !== unreadable) return revalidated;
      cache.delete(token, url);
      return this.#revalidate({ ...call, options: { ...call.options, cache: 'reload' } }, token, deadline, body);
    }
    const etag = headers.get('etag');
    const isConstant = (headers.get('vary') ?? '').split(/\s*,\s*/).every((name) => constantHeaders.test(name));
    // biome-ignore lint/plugin/secrets: both are the caller's own, in its process: there is no guess.
    const isStorable = status === 200 && etag && isConstant && response.token === token;
    // A damaged body would fail every later call, which the server answers with a 304.
    if (/\bno-store\b/i.test(headers.get('cache-control') ?? '')) cache.delete(token, url);
    else if (isStorable && parse(operation, response) !== unreadable)
      await cache.set(token, url, { etag, body: text }, deadline.remainingMs / 2);
    return response;
  }

  async #exchange(
    call: Call,
    token: string,
    deadline: Deadline,
    body: Encoded | undefined,
    etag?: string,
  ): Promise<ResponseContext> {
    const { operation, method } = call.operation;
    const { settings } = this;
    const { progress } = deadline;
    const request = this.#request(call, token, progress, body, etag);
    const startedAt = performance.now();
    const response = await sendWithRetries(request, settings, deadline);
    if (settings.logger) {
      const { status, attempts } = response;
      const url = progress.redact(request.url);
      const durationMs = Math.round(performance.now() - startedAt);
      const requestId = progress.redact(response.headers.get('x-request-id') ?? '') || null;
      const fields = { operation, method, url, status, attempts, durationMs, requestId };
      log(settings, 'debug', `${operation}: ${method} ${url} returned ${status}`, fields);
    }
    return response;
  }

  #request(
    { operation, url, headers: given, isForeign, options }: Call,
    token: string,
    progress: Progress,
    body: Encoded | undefined,
    etag: string | undefined,
  ): OutgoingRequest {
    const { settings } = this;
    const headers: Record<string, string> = { accept: 'application/json', authorization: `Bearer ${token}` };
    const userAgent = settings.userAgent ?? platform.userAgent;
    if (!isBrowser && userAgent) headers['user-agent'] = userAgent;
    checkHeaders(options.headers);
    for (const more of [given, settings.headers, options.headers])
      for (const [name, value] of headerEntries(more)) {
        if (value === null) delete headers[name.toLowerCase()];
        else if (value !== undefined) headers[name.toLowerCase()] = value;
      }
    const known = etag ?? options.ifNoneMatch;
    if (known) headers['if-none-match'] = known;
    if (options.ifMatch && options.ifMatch !== 'any') headers['if-match'] = options.ifMatch;
    // Overrides all others, since it holds the boundary of the parts.
    if (body?.formType) headers['content-type'] = body.formType;
    return {
      operation,
      url,
      headers: isForeign ? { accept: '*/*' } : headers,
      body: body?.body,
      allowRedirects: options.allowRedirects ?? settings.allowRedirects ?? false,
      init: { ...settings.init, ...options.init, ...progress.operation.site },
      timeoutMs: options.timeout ?? settings.timeout ?? (body?.formType ? 60_000 : 10_000),
      retry: mergeRetry(settings.retry, options.retry),
      httpCache: isBrowser && options.cache !== 'default' ? options.cache : undefined,
      onUploadProgress: isBrowser ? undefined : options.onUploadProgress,
      token,
      nextToken:
        typeof (options.token ?? settings.token) === 'string'
          ? undefined
          : () => this.#token(options, progress, progress.attempt + 1, false),
    };
  }

  /** The URL of an operation, its ids and query filled in. */
  url({ operation, path }: Operation, ids: readonly Id[], query?: Record<string, string>): string {
    const [...left] = ids;
    const filled = path.slice(1).replaceAll(/:(\w+)/g, (_, name: string) => segment(operation, name, left.shift()));
    const url = this.settings.baseUrl.href + filled;
    return query ? `${url}?${new URLSearchParams(query)}` : url;
  }

  /** The URL of a path under `baseUrl`, or of a resource on the same server: the token is never sent to another origin. */
  resolve(path: string): URL {
    const { baseUrl } = this.settings;
    const relative = String(path).startsWith('/') ? `.${path}` : path;
    const url = typeof path === 'string' && parseUrl(relative, baseUrl);
    if (!url || url.username || url.password)
      throw new ConfigurationError(
        'A request takes a path that begins with /, or a URL without user name or password.',
      );
    if (url.origin !== baseUrl.origin)
      throw new ConfigurationError(`${url.origin} is not the server of this client: the token is not sent there.`);
    return url;
  }
}

/** An id as one percent-encoded segment of a path. */
function segment(operation: string, name: string, id: unknown): string {
  if (Number.isSafeInteger(id)) return String(id);
  const isText = typeof id === 'string';
  // Half of a surrogate pair cannot be encoded.
  if (isText && !/^(\s*|\.\.?)$|\p{Surrogate}/u.test(id)) return encodeURIComponent(id);
  const shown = isText ? JSON.stringify(id) : typeof id === 'bigint' ? `${id}n` : String(id);
  throw new ConfigurationError(`${shown} is not a valid ${name}. Give an integer or a non-empty string.`, {
    operation,
  });
}
