import { platform } from '#platform';
import { ApiPromise } from '../api-promise.js';
import type { Id } from '../contract/fields.js';
import { ConfigurationError } from '../errors.js';
import { log } from '../log.js';
import {
  type CallOptions,
  checkCall,
  checkToken,
  type HeaderOptions,
  headerEntries,
  isBrowser,
  mergeRetry,
  type Settings,
} from '../options.js';
import { type Encoded, encode } from './body.js';
import { Cache, hashToken, MemoryStore } from './cache.js';
import type { Call, Operation } from './call.js';
import { Deadline } from './deadline.js';
import { InflightRequests } from './in-flight.js';
import { parse, readResponse } from './read.js';
import { type OutgoingRequest, type ResponseContext, sendWithRetries } from './send.js';

/** Sends every call: token, shared reads, cache, headers, attempts, reading the response. */
export class Transport {
  readonly settings: Settings;
  readonly #cache: Cache | undefined;
  readonly #inflight = new InflightRequests<ResponseContext>();
  #hashed: { token: string; hash: Promise<string> } | undefined;

  constructor(settings: Settings) {
    this.settings = settings;
    this.#cache = settings.cache ? new Cache(settings.cache, settings) : undefined;
  }

  /** A call as a promise. A mistake in the arguments rejects it too. */
  promise<Item>(prepare: () => Call<Item>): ApiPromise<Item> {
    return new ApiPromise(async () => {
      const call = prepare();
      return readResponse(call.operation, await this.send(call), this.settings);
    });
  }

  /** Sends a call; the response may be of any status. */
  send(call: Call): Promise<ResponseContext> {
    const { options } = call;
    checkCall(options);
    const totalMs = options.totalTimeout ?? this.settings.totalTimeout ?? 60_000;
    const deadline = new Deadline(totalMs);
    return deadline.run(() => this.#send(call, deadline, totalMs), options.signal);
  }

  async #send(call: Call, deadline: Deadline, totalMs: number): Promise<ResponseContext> {
    const { operation, url, options } = call;
    const { token: given } = this.settings;
    const token = typeof given === 'string' ? given : await given();
    checkToken(token);
    const isRead = operation.method === 'GET' || operation.method === 'HEAD';
    if (isRead && !operation.etag) return this.#exchange(call, token, deadline);
    const keyOf = this.#key(isRead ? url : (call.invalidates ?? url), token);
    const key = typeof keyOf === 'string' ? keyOf : await keyOf;
    if (isRead)
      return isPlain(options)
        ? this.#inflight.join(key, totalMs, deadline, (shared) => this.#revalidate(call, token, shared, key))
        : this.#revalidate(call, token, deadline, key);
    try {
      return await this.#exchange(call, token, deadline);
    } finally {
      // Also after a failure: whether a write took effect is not always known.
      this.#inflight.forget(key);
      await this.#cache?.delete(key);
    }
  }

  /** A read through the cache. */
  async #revalidate(call: Call, token: string, deadline: Deadline, key: string): Promise<ResponseContext> {
    const mode = call.options.cache;
    const cache = mode === 'no-store' ? undefined : this.#cache;
    const found = mode === 'reload' ? undefined : cache?.get(key);
    const entry = found instanceof Promise ? await found : found;
    const response = await this.#exchange(call, token, deadline, entry?.etag);
    const { status, headers, text } = response;
    if (status === 304 && entry) return { ...response, status: 200, text: entry.body, fromCache: true };
    const etag = headers.get('etag');
    if (cache && status === 200 && etag) {
      // Throws for a damaged body: stored, it would fail every later call, which the server answers with a 304.
      parse(call.operation, response);
      await cache.set(key, { etag, body: text });
    }
    return response;
  }

  async #exchange(call: Call, token: string, deadline: Deadline, ifNoneMatch?: string): Promise<ResponseContext> {
    const { operation } = call;
    const { settings } = this;
    const request = this.#request(call, token, call.body && (await encode(await call.body())), ifNoneMatch);
    const startedAt = performance.now();
    await settings.concurrency.turn(deadline);
    let response: ResponseContext;
    try {
      response = await sendWithRetries(request, settings, deadline);
    } finally {
      settings.concurrency.done();
    }
    if (settings.logger) {
      const { status, attempts } = response;
      const safeUrl = request.redact(request.url);
      log(settings, 'debug', `${operation.operation}: ${operation.method} ${safeUrl} returned ${status}`, {
        operation: operation.operation,
        method: operation.method,
        url: safeUrl,
        status,
        attempts,
        durationMs: Math.round(performance.now() - startedAt),
        requestId: response.headers.get('x-request-id'),
      });
    }
    return response;
  }

  #request(
    { operation, url, headers: given, options }: Call,
    token: string,
    encoded: Encoded | undefined,
    ifNoneMatch: string | undefined,
  ): OutgoingRequest {
    const { settings } = this;
    const { method } = operation;
    const headers: Record<string, string> = { accept: 'application/json', authorization: `Bearer ${token}` };
    const userAgent = settings.userAgent ?? platform.userAgent;
    if (!isBrowser && userAgent) headers['user-agent'] = userAgent;
    for (const more of [given, settings.headers, options.headers]) if (more) setHeaders(headers, more);
    if (ifNoneMatch) headers['if-none-match'] = ifNoneMatch;
    if (options.ifMatch) headers['if-match'] = options.ifMatch;
    // Overrides all others, since it holds the boundary of the parts.
    if (encoded?.formType) headers['content-type'] = encoded.formType;
    return {
      operation: operation.operation,
      method,
      url,
      path: operation.path,
      headers,
      body: encoded?.body,
      // A redirect of a write would be followed by a GET, whose response would be taken for that of the write.
      redirect: method === 'GET' || method === 'HEAD' ? 'follow' : 'manual',
      init: options.init ? { ...settings.init, ...options.init } : settings.init,
      timeoutMs: options.timeout ?? settings.timeout ?? (encoded?.formType ? 60_000 : 10_000),
      retry: mergeRetry(settings.retry, options.retry),
      httpCache: isBrowser && options.cache !== 'default' ? options.cache : undefined,
      onUploadProgress: isBrowser ? undefined : options.onUploadProgress,
      redact: (text) => text.replaceAll(token, '[token]').replaceAll(encodeURIComponent(token), '[token]'),
    };
  }

  #key(url: string, token: string): string | Promise<string> {
    // Keys that stay in this program may hold the token itself: hashing loads web crypto, and waits for its thread.
    const { cache } = this.settings;
    if (!cache || cache instanceof MemoryStore) return `${token} ${url}`;
    // biome-ignore lint/plugin/secrets: the caller's own token and the one it used before, in its process: there is no guess.
    if (this.#hashed?.token !== token) this.#hashed = { token, hash: hashToken(token) };
    return this.#hashed.hash.then((hash) => `mkt:${hash}:GET:${url}`);
  }

  /** The URL of an operation, its ids and query filled in. */
  url({ operation, path }: Operation, ids: readonly Id[], query?: Record<string, string | undefined>): string {
    let url = this.settings.baseUrl.href;
    const parts = path.slice(1).split(/:(\w+)/);
    for (let index = 0; index < parts.length; index += 1) {
      const part = parts[index] as string;
      url += index % 2 === 0 ? part : segment(operation, part, ids[(index - 1) / 2]);
    }
    const given = query && Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return given?.length ? `${url}?${new URLSearchParams(given)}` : url;
  }

  /** The URL of a path under `baseUrl`, or of a resource on the same server: the token is never sent to another origin. */
  resolve(path: string): URL {
    const { baseUrl } = this.settings;
    const relative = String(path).startsWith('/') ? `.${path}` : path;
    if (typeof path !== 'string' || !URL.canParse(relative, baseUrl.href))
      throw new ConfigurationError(`${path} is neither a path nor a URL. Give a path that begins with /.`);
    const url = new URL(relative, baseUrl);
    if (url.origin !== baseUrl.origin)
      throw new ConfigurationError(`${url.origin} is not the server of this client: the token is not sent there.`);
    return url;
  }
}

/** Whether only a signal distinguishes this call from others of its operation. */
function isPlain(options: CallOptions): boolean {
  for (const name in options) if (name !== 'signal' && options[name as keyof CallOptions] !== undefined) return false;
  return true;
}

/** An id as one percent-encoded segment of a path. */
function segment(operation: string, name: string, id: unknown): string {
  if (Number.isSafeInteger(id)) return String(id);
  const isText = typeof id === 'string';
  if (!isText || /^(\s*|\.\.?)$/.test(id)) {
    const shown = isText ? JSON.stringify(id) : typeof id === 'bigint' ? `${id}n` : String(id);
    throw new ConfigurationError(
      `${operation}: ${shown} is not a valid ${name}. Give an integer or a non-empty string.`,
    );
  }
  try {
    return encodeURIComponent(id);
  } catch (cause) {
    throw new ConfigurationError(`${operation}: ${name} holds half of a surrogate pair.`, { cause });
  }
}

/** Adds headers, whatever the case of their names, over those that are there; `null` removes one. */
function setHeaders(headers: Record<string, string>, more: HeaderOptions): void {
  for (const [name, value] of headerEntries(more)) {
    const key = name.toLowerCase();
    if (value === null) delete headers[key];
    else if (value !== undefined) headers[key] = value;
  }
}
