import { ApiPromise } from '../api-promise.js';
import {
  type AnswerDetails,
  ConfigurationError,
  type Issue,
  ResponseParseError,
  ResponseValidationError,
} from '../errors.js';
import { type CallOptions, checkTimes, checkToken, type Settings, type UploadOptions } from '../options.js';
import type { Answer } from './attempt.js';
import { Cache, nameOfToken } from './cache.js';
import { exchange } from './exchange.js';
import { Flights } from './flights.js';
import { mergeHeaders } from './headers.js';
import type { Operation } from './operation.js';
import { problem, signInRequired } from './problems.js';
import { Result } from './result.js';
import { retryPolicy } from './retry.js';
import { isBrowser } from './runtime.js';
import { Scope } from './scope.js';
import { differences } from './validation.js';

/** A call of an operation: where it goes and what it carries. */
export interface Call<Item = unknown> {
  operation: Operation<Item>;
  /** Whole address, query included. */
  url: string;
  /** Makes the body, when the call starts. */
  body?: (() => BodyInit | Promise<BodyInit>) | undefined;
  headers?: Record<string, string>;
  /** Address whose kept answer is out of date once this call has been made. */
  outdates?: string;
  options: CallOptions & UploadOptions;
}

/** An answer with how it came about. */
export interface Received extends Answer {
  attempts: number;
  fromCache: boolean;
  /** Takes the token out of a text, for errors and logs. */
  redact: (text: string) => string;
}

/** Statuses and methods that make a failed answer a success after all (D48). */
function isDone({ operation, method }: Operation, { status, attempts }: Received): boolean {
  if (method !== 'DELETE' || attempts < 2) return false;
  return status === 404 || (status === 401 && operation === 'accessTokens.delete');
}

const isSignIn = ({ pathname }: URL): boolean => /\/sign_in\/?$/.test(pathname);

/** The path of every call: token, cache, attempts, and the reading of the answer. */
export class Transport {
  readonly settings: Settings;
  readonly #cache: Cache | undefined;
  readonly #flights = new Flights<Received>();
  #named: { token: string; name: Promise<string> } | undefined;

  constructor(settings: Settings) {
    this.settings = settings;
    this.#cache = settings.cache ? new Cache(settings.cache, settings.logger) : undefined;
  }

  /** A call as a promise that starts when it is awaited. A mistake in the arguments rejects it too. */
  promise<Item>(prepare: () => Call<Item>): ApiPromise<Item> {
    return new ApiPromise(async () => {
      const call = prepare();
      return this.read(call, await this.send(call));
    });
  }

  /** Sends a call; the answer may be of any status. */
  send(call: Call): Promise<Received> {
    const { options } = call;
    checkTimes(options);
    const totalTimeout = options.totalTimeout ?? this.settings.totalTimeout ?? 60_000;
    const scope = new Scope(totalTimeout);
    return scope.run(async () => {
      const token = await this.#token();
      const shared =
        call.operation.etag &&
        !(options.timeout ?? options.totalTimeout ?? options.retry ?? options.cache ?? options.headers);
      if (!shared) return this.#perform(call, token, scope);
      const key = await this.#key(call.url, token);
      return this.#flights.join(key, totalTimeout, scope, (flight) => this.#perform(call, token, flight));
    }, options.signal);
  }

  /** What an answer says, or the error that it is. */
  read<Item>({ operation }: Call<Item>, received: Received): Result<Item> {
    const { status, headers, attempts, fromCache } = received;
    const done = isDone(operation, received);
    if (!done && (status < 200 || status > 299)) throw problem(this.#details(operation, received));
    const reads = !done && (operation.shape !== undefined || operation.operation === 'request');
    const data = reads ? this.#parse(operation, received) : undefined;
    const meta = {
      status: done ? 204 : status,
      etag: headers.get('etag'),
      fromCache,
      attempts,
      requestId: headers.get('x-request-id'),
      issues: this.#compare(operation, data, received),
    };
    return new Result(data as Item, meta, received);
  }

  /** Whether a web action was answered as it should be: by a redirect to anywhere but the sign-in page (D40). */
  checkAction({ operation }: Call, received: Received): void {
    const { status, opaque, headers, url } = received;
    const location = headers.get('location');
    if (location && isSignIn(new URL(location, url))) throw signInRequired(this.#details(operation, received));
    if (!opaque && status >= 400) throw problem(this.#details(operation, received));
  }

  /** What an error tells of an answer, without the token. */
  #details({ method }: Operation, { status, headers, text, url, attempts, redact }: Received): AnswerDetails {
    const clean = new Headers();
    headers.forEach((value, name) => {
      clean.append(name, redact(value));
    });
    return {
      status,
      method,
      url: redact(url),
      headers: clean,
      bodyText: redact(text),
      requestId: clean.get('x-request-id'),
      attempts,
    };
  }

  async #token(): Promise<string> {
    const { token } = this.settings;
    const given = typeof token === 'function' ? await token() : token;
    checkToken(given);
    return given;
  }

  async #key(url: string, token: string): Promise<string> {
    if (this.#named?.token !== token) this.#named = { token, name: nameOfToken(token) };
    return `mkt:${await this.#named.name}:GET:${url}`;
  }

  async #perform(call: Call, token: string, scope: Scope): Promise<Received> {
    const { operation, url, options } = call;
    const { settings } = this;
    const reads = operation.method === 'GET';
    const cache = (reads ? operation.etag && options.cache !== 'no-store' : true) ? this.#cache : undefined;
    const key = await this.#key(reads ? url : (call.outdates ?? url), token);
    const entry = reads && options.cache !== 'reload' ? await cache?.get(key) : undefined;
    const body = await call.body?.();
    const { userAgent } = settings;
    const received = await exchange(
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
          // The runtime alone knows the boundary of a multipart body.
          body instanceof FormData ? { 'content-type': null } : undefined,
        ),
        redirect: reads || operation.method === 'HEAD' ? 'follow' : 'manual',
        timeout: options.timeout ?? settings.timeout ?? (body instanceof FormData ? 60_000 : 10_000),
        retry: retryPolicy(settings.retry, options.retry),
        httpCache: isBrowser && options.cache !== 'default' ? options.cache : undefined,
        onUploadProgress: isBrowser ? undefined : options.onUploadProgress,
      },
      settings,
      scope,
    );
    const redact = (text: string) => text.replaceAll(token, '[token]');
    settings.logger?.debug(redact(`${operation.operation}: ${operation.method} ${url} answered ${received.status}`));
    const fromCache = received.status === 304 && entry !== undefined;
    if (reads) {
      const etag = received.headers.get('etag');
      if (received.status === 200 && etag) await cache?.set(key, { etag, body: received.text });
    } else {
      // Also after a failure: whether a write took effect is not always known.
      this.#flights.forget(key);
      await cache?.delete(key);
    }
    return {
      ...received,
      ...(fromCache && { status: 200, text: entry.body }),
      fromCache,
      redact,
    };
  }

  #parse(operation: Operation, received: Received): unknown {
    const { status, text, headers } = received;
    if (operation.operation === 'request' && text === '') return undefined;
    if (isSignIn(new URL(received.url))) throw signInRequired(this.#details(operation, received));
    try {
      const data: unknown = JSON.parse(text);
      if (!operation.list || Array.isArray(data)) return data;
      throw new TypeError('The answer is no array.');
    } catch (cause) {
      if (operation.operation === 'request' && !/json/.test(headers.get('content-type') ?? '')) return text;
      const type = headers.get('content-type') ?? 'no content type';
      const got = text === '' ? 'without a body' : `with ${type} that is no JSON ${operation.list ? 'array' : 'text'}`;
      throw new ResponseParseError(
        `${operation.operation}: the answer ${status} came ${got}. Check that the option baseUrl names the API itself.`,
        this.#details(operation, received),
        text === '' ? {} : { cause },
      );
    }
  }

  #compare({ operation, shape, list }: Operation, data: unknown, { text, redact }: Received): readonly Issue[] {
    const { validation, onDrift, logger } = this.settings;
    if (!shape || validation === 'off' || data === undefined) return [];
    const issues = list
      ? (data as unknown[]).flatMap((item, index) => differences(shape, item, [index]))
      : differences(shape, data);
    if (issues.length === 0) return issues;
    try {
      onDrift?.({ operation, issues });
    } catch (error) {
      logger?.warn(`onDrift threw: ${error instanceof Error ? error.message : error}`);
    }
    if (validation === 'strict') throw new ResponseValidationError(operation, issues, JSON.parse(redact(text)));
    return issues;
  }

  /** An absolute address of the API; a path is taken from `baseUrl`, and no other origin ever gets the token. */
  address(path: string): URL {
    const { baseUrl } = this.settings;
    const url = new URL(path.startsWith('/') ? `.${path}` : path, baseUrl);
    if (url.origin !== baseUrl.origin)
      throw new ConfigurationError(`${url.origin} is not the server of this client: the token is not sent there.`);
    return url;
  }
}
