import type { Issue } from './errors.js';

/** A value, or a promise of it. */
export type Awaitable<T> = T | PromiseLike<T>;

/** What a cache stores of a response: plain data, so that any store can hold it. */
export interface CacheEntry {
  /** The ETag with which the response is revalidated. */
  etag: string;
  /** The body as text, so that callers never share an object. */
  body: string;
}

/**
 * Where responses with an ETag are stored: a `Map`, Keyv, lru-cache, or the file store of `@mkt/sdk/node`. Every method
 * may be synchronous or asynchronous. A store that fails, hangs or returns something else fails no call and delays none by
 * more than 100 ms; after three failures in a row it is left out for 30 s.
 */
export interface CacheStore {
  get(key: string): unknown;
  set(key: string, entry: CacheEntry): unknown;
  delete(key: string): unknown;
}

/** An attempt that failed. */
export interface FailedAttempt {
  /** `campaigns.get`, for example; `request` for `mkt.request()`. */
  operation: string;
  method: string;
  /** 1 for the first attempt. */
  attempt: number;
  /** Status of the response; undefined if there was none. */
  status: number | undefined;
  /** A `ConnectionError` or a `TimeoutError`; undefined if there was a response. */
  error: Error | undefined;
}

/** A retry that is about to wait. */
export interface Retry extends FailedAttempt {
  /** Delay before the next attempt in milliseconds. */
  delayMs: number;
}

/** Retries beyond the first attempt. Delays are in milliseconds. */
export interface RetryOptions {
  /** How many more attempts, at most. Default 2. */
  limit?: number | undefined;
  /** Delay before the first retry, doubled for each further one, minus a random part of up to half. Default 300. */
  minDelay?: number | undefined;
  /** Longest delay between two attempts if the server does not ask for one. Default 8,000. */
  maxDelay?: number | undefined;
  /** Longest `Retry-After` that is waited for; beyond it the call fails immediately. Default 60,000. */
  maxRetryAfter?: number | undefined;
  /**
   * Statuses that are retried. Default 429, 502, 503 and 504, for reads also 408, 500 and 520 to 524. Of these, a POST is
   * retried only on 429.
   */
  statusCodes?: readonly number[] | undefined;
  /** Whether to retry after an error status or a failed connection; undefined follows the rules. The limit still applies. */
  shouldRetry?: ((failed: FailedAttempt) => Awaitable<boolean | undefined>) | undefined;
}

/** What happens if a response differs from the contract: the difference is reported, thrown, or not looked for. */
export type Validation = 'tolerant' | 'strict' | 'off';

/** A response that differs from the contract. */
export interface Drift {
  /** `campaigns.get`, for example. */
  operation: string;
  issues: readonly Issue[];
}

/** Headers to send, as an object, a `Headers` or pairs. `null` removes a default header. */
export type HeaderOptions = Readonly<Record<string, HeaderEntry[1]>> | Iterable<HeaderEntry> | Headers;
export type HeaderEntry = readonly [name: string, value: string | null | undefined];

/** The attempt that a middleware wraps. */
export interface MiddlewareContext {
  /** `campaigns.get`, for example; `request` for `mkt.request()`. */
  operation: string;
  /** 1 for the first attempt. */
  attempt: number;
}

/**
 * Wraps each attempt; the first in the list is the outermost. It may change the request, return a response of its own,
 * measure, or throw. It must not read the body of the response it returns, only that of `response.clone()`. What it throws
 * is not retried: it becomes the `cause` of a `ConfigurationError`, unless it is a `MarketplaceError`.
 */
export type Middleware = (
  request: Request,
  next: (request: Request) => Promise<Response>,
  context: MiddlewareContext,
) => Promise<Response>;

/** Importance of a log message. `debug`: each response; `info`: each retry; `warn`: what failed without failing a call. */
export type LogLevel = 'debug' | 'info' | 'warn';

/** What a log message says, as data: `operation`, `method`, `url`, `status`, `attempt`, `durationMs` and others. */
export type LogFields = Readonly<Record<string, string | number | null | undefined>>;

/** A logger as a function. */
export type LogFunction = (level: LogLevel, message: string, fields: LogFields) => void;

/** Receives log messages, as `console`, winston and pino do. They never contain tokens or bodies. */
export interface Logger {
  // biome-ignore lint/suspicious/noExplicitAny: pino takes the fields first, and its types are only for that.
  debug(message: any, fields: any): void;
  /** Without it, messages of this level go to `debug`. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  info?(message: any, fields: any): void;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  warn(message: any, fields: any): void;
}

/** What a custom `fetch` gets in addition to the URL: the fields that all implementations know, and those of `init`. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  redirect: 'follow' | 'manual';
  signal: AbortSignal;
  /** A stream is declared as iterable too, since the types of npm's undici ask for that. */
  body?: string | ArrayBuffer | URLSearchParams | (ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>);
  /** Present if the body is a stream. */
  duplex?: 'half';
}

/** What the SDK reads of the headers of a response. */
export interface ResponseHeaders {
  get(name: string): string | null;
  has(name: string): boolean;
  forEach(use: (value: string, name: string) => void): void;
}

/** What the SDK reads of a response. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly url: string;
  readonly redirected: boolean;
  readonly type: string;
  text(): Promise<string>;
}

/** A `fetch`: the platform's, undici's with a dispatcher, a mock's, or `(url) => Promise<Response>`. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** For which request a token is needed. */
export interface TokenContext {
  /** `campaigns.get`, for example; `request` for `mkt.request()`. */
  operation: string;
  /** 1 for the first attempt. */
  attempt: number;
  /** Whether the server has rejected the last token with 401: fetch a new one. If it differs, the request is sent once more. */
  rejected: boolean;
}

/** Options of `new Marketplace()`. Times are in milliseconds. */
export interface MarketplaceOptions {
  /** Personal access token, or a function that fetches it (from a vault, a keychain) for each attempt. Default on Node: `MKT_TOKEN`. */
  token?: string | ((context: TokenContext) => Awaitable<string>) | undefined;
  /** URL of the API: `https://api.example.com`. It may have a path. Default on Node: `MKT_BASE_URL`. */
  baseUrl?: string | URL | undefined;
  /** Time limit of one attempt, headers and body. Default 10,000; 60,000 if a file is sent. */
  timeout?: number | undefined;
  /** Time limit of one call: all its attempts and the delays between them. Default 60,000. Reading a whole list makes many calls. */
  totalTimeout?: number | undefined;
  /** Retries: their number, details, or `false` for none. Default 2. */
  retry?: number | RetryOptions | false | undefined;
  /** Called before each retry. */
  onRetry?: ((retry: Retry) => void) | undefined;
  /** A store, or `false` for none. Default: the latest 500 responses in memory; none in browsers, which revalidate themselves. */
  cache?: CacheStore | false | undefined;
  /** Bytes that the cache in memory may take. Default 16,777,216. */
  cacheBytes?: number | undefined;
  /** Default `tolerant`. */
  validation?: Validation | undefined;
  /** Called for each response that differs from the contract, unless `validation` is `off`. */
  onDrift?: ((drift: Drift) => void) | undefined;
  /** Sent with every request to the service, in addition to the SDK's own. For `Authorization` use `token`. */
  headers?: HeaderOptions | undefined;
  /**
   * Whether a read follows redirects to other origins. The token is not sent there, nor are your headers, except by browsers,
   * which follow redirects themselves. Default false.
   */
  allowRedirects?: boolean | undefined;
  /** Default the runtime's `fetch`. Always called with a URL and a plain object. */
  fetch?: Fetch | undefined;
  /** More fields for the second argument of `fetch`: `dispatcher`, `next`, `cf`, `keepalive`. */
  init?: object | undefined;
  middleware?: readonly Middleware[] | undefined;
  /** A function, or an object like `console`, winston or pino; pino and bunyan get the fields first. What it throws is ignored. */
  logger?: Logger | LogFunction | undefined;
  /** The least important level that is logged. Default `debug`. */
  logLevel?: LogLevel | undefined;
  /** Requests with the same token that run at the same time, at most; the others wait in order. Default 50. */
  maxConcurrency?: number | undefined;
  /** `User-Agent` to send. Default on Node: the name and version of this package. Not sent in browsers. */
  userAgent?: string | undefined;
}

/** Options of one call. They override those of the client. */
export interface CallOptions {
  /** The token of this call. Cache, pauses, limits and shared reads are separate for each token. */
  token?: MarketplaceOptions['token'];
  /** Ends the call with an `AbortedError`, or with a `TimeoutError` if it is an `AbortSignal.timeout()`. */
  signal?: AbortSignal | undefined;
  /** Time limit of one attempt in milliseconds, headers and body. */
  timeout?: number | undefined;
  /** Time limit of the whole call in milliseconds. */
  totalTimeout?: number | undefined;
  retry?: number | RetryOptions | false | undefined;
  /** `reload` ignores the cached response and stores the new one; `no-store` neither reads nor writes the cache. */
  cache?: 'default' | 'reload' | 'no-store' | undefined;
  /** Sends `If-None-Match`, past the cache. If the ETag is current, the call throws an `HttpError` with the status 304. */
  ifNoneMatch?: string;
  headers?: HeaderOptions | undefined;
  /** Whether a read follows redirects to other origins. */
  allowRedirects?: boolean | undefined;
  /** More fields for the second argument of `fetch`, in addition to those of the client. */
  init?: object | undefined;
}

/** Options of a list. */
export interface ListOptions extends CallOptions {
  /** The page that awaiting the list returns, and where iterating begins. Default 1; a page has 20 items. */
  page?: number | undefined;
}

/** Options of a call that changes or deletes a resource. */
export interface WriteOptions extends CallOptions {
  /**
   * The ETag of the representation that the change is based on: `meta.etag` of `withResponse()`. If it has changed
   * since, the call throws a `PreconditionFailedError` and nothing is changed. Null and undefined are refused, since the
   * change would be made unchecked; `'any'` asks for that.
   */
  ifMatch?: string | null | undefined;
}

/** Options of a call that can send a file. */
export interface UploadOptions extends CallOptions {
  /**
   * Called while the body is sent, in chunks and without a `Content-Length`. Not in browsers, whose `fetch` streams no body
   * over HTTP/1.1.
   */
  onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** How much of a body was sent. */
export interface UploadProgress {
  sentBytes: number;
  totalBytes: number;
}
