import { ConfigurationError, type Issue } from './errors.js';

/** Ends a record, or a promise of it. */
export type Awaitable<T> = T | PromiseLike<T>;

/** What a cache keeps of an answer: plain data, so that any store can hold it. */
export interface CacheEntry {
  /** The ETag with which the answer is revalidated. */
  etag: string;
  /** The body as text, so that no two callers share an object. */
  body: string;
}

/**
 * Where answers with an ETag are kept: a `Map`, Keyv, lru-cache, or the file store of `@mkt/sdk/node`. Every member may
 * be synchronous or asynchronous. A store that throws, or does not answer within 3 s, is logged and otherwise
 * ignored.
 */
export interface CacheStore {
  get(key: string): unknown;
  set(key: string, entry: CacheEntry): unknown;
  delete(key: string): unknown;
}

/** Retries beyond the first attempt (D48). Delays are in milliseconds. */
export interface RetryOptions {
  /** Extra attempts at most. Default 2. */
  limit?: number | undefined;
  /** Wait before the first retry, doubled before each further one, less up to half of it at random. Default 300. */
  minDelay?: number | undefined;
  /** Longest wait between two attempts where the server asks for none. Default 8,000. */
  maxDelay?: number | undefined;
  /** Longest `Retry-After` that is waited for; where the server asks for more, the error comes at once. Default 60,000. */
  maxRetryAfter?: number | undefined;
}

/** How answers are compared with the contract: report differences, throw them, or do not look. */
export type Validation = 'tolerant' | 'strict' | 'off';

/** An answer that differs from the contract. */
export interface Drift {
  /** `campaigns.get`, for example. */
  operation: string;
  issues: readonly Issue[];
}

/** Headers to send, as an object, a `Headers` or pairs. `null` takes a default one away. */
export type HeaderOptions = Readonly<Record<string, string | null | undefined>> | Iterable<readonly [string, string]>;

/** What a middleware is told about the attempt it surrounds. */
export interface MiddlewareContext {
  /** `campaigns.get`, for example; `request` for `mkt.request()`. */
  operation: string;
  /** 1 for the first attempt. */
  attempt: number;
}

/**
 * Surrounds each attempt, as the layers of an onion: the first of the list is the outermost. It may change the request,
 * answer in its place, measure, or throw. It must not read the body of the response it returns; `response.clone()` can
 * be read. What it throws reaches the caller as it is, and is not retried.
 */
export type Middleware = (
  request: Request,
  next: (request: Request) => Promise<Response>,
  context: MiddlewareContext,
) => Promise<Response>;

/** Takes what the SDK tells about itself; `console` is one. Neither tokens nor bodies are ever passed to it. */
export interface Logger {
  debug(message: string): void;
  warn(message: string): void;
}

/** Options of `new Marketplace()`. Times are in milliseconds. */
export interface MarketplaceOptions {
  /** Personal access token, or a function that fetches it (from a vault, a keychain) before each call. */
  token: string | (() => Awaitable<string>);
  /** Where the API is: `https://api.example.com`. A path in it is kept. */
  baseUrl: string | URL;
  /** Bound of one attempt, headers and body. Default 10,000; 60,000 where a file is sent. */
  timeout?: number | undefined;
  /** Bound of one call: all its attempts and the waits between them. Default 60,000. Walking a list is many calls. */
  totalTimeout?: number | undefined;
  /** Extra attempts: a number, details, or `false` for none. Default 2. */
  retry?: number | RetryOptions | false | undefined;
  /** A store, or `false` for none. Default: the latest 500 answers in memory, none in browsers (they revalidate by themselves). */
  cache?: CacheStore | false | undefined;
  /** Default `tolerant`. */
  validation?: Validation | undefined;
  /** Called for each answer that differs from the contract, unless `validation` is `off`. */
  onDrift?: ((drift: Drift) => void) | undefined;
  /** Sent with every request, beside the SDK's own. */
  headers?: HeaderOptions | undefined;
  /** Default the runtime's `fetch`. It is called as that one: with an address and a `RequestInit`, or, behind middleware, with the runtime's own `Request`. */
  fetch?: ((input: string | Request, init: RequestInit) => Promise<Response>) | undefined;
  middleware?: readonly Middleware[] | undefined;
  logger?: Logger | undefined;
  /** `User-Agent` to send. Not sent by default, nor in browsers. */
  userAgent?: string | undefined;
}

/** Options of one call; they go before those of the client. */
export interface CallOptions {
  /** Ends the call with an `AbortedError` when it fires. */
  signal?: AbortSignal | undefined;
  /** Bound of one attempt in milliseconds, headers and body. */
  timeout?: number | undefined;
  /** Bound of the whole call in milliseconds. */
  totalTimeout?: number | undefined;
  retry?: number | RetryOptions | false | undefined;
  /** `reload` fetches anew and keeps the answer, `no-store` neither reads nor writes the cache. */
  cache?: 'default' | 'reload' | 'no-store' | undefined;
  headers?: HeaderOptions | undefined;
}

/** Options of a list. */
export interface ListOptions extends CallOptions {
  /** The page that awaiting the list gives, and where walking it begins. Default 1; a page has 20 items (D1). */
  page?: number | undefined;
}

/** Options of a call that changes or deletes something. */
export interface WriteOptions extends CallOptions {
  /**
   * The ETag of the representation that the change is based on: `meta.etag` of `withResponse()`. If it has changed
   * since, the call throws a `PreconditionFailedError` and nothing is changed.
   */
  ifMatch?: string | undefined;
}

/** Options of a call that can send a file. */
export interface UploadOptions extends CallOptions {
  /**
   * Called while the body is sent. Not in browsers, whose `fetch` streams no body over HTTP/1.1.
   */
  onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** How much of a body was sent. */
export interface UploadProgress {
  sentBytes: number;
  totalBytes: number;
}

/** Options with their defaults. */
export interface Settings extends Omit<MarketplaceOptions, 'baseUrl'> {
  baseUrl: URL;
  cache: CacheStore | false;
  middleware: readonly Middleware[];
}

const isDuration = (value: unknown): boolean => value === undefined || (typeof value === 'number' && value > 0);

const isCount = (value: unknown): boolean => value === undefined || (Number.isInteger(value) && (value as number) >= 0);

const isOneOf =
  (...values: unknown[]) =>
  (value: unknown): boolean =>
    value === undefined || values.includes(value);

const isFunction = (value: unknown): boolean => value === undefined || typeof value === 'function';

const has =
  (...methods: string[]) =>
  (value: unknown): boolean =>
    methods.every((name) => typeof (value as Record<string, unknown> | null)?.[name] === 'function');
const isStore = has('get', 'set', 'delete');
const isLogger = has('debug', 'warn');

const isRetry = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return value === false || isCount(value);
  const { limit, ...delays } = value as RetryOptions;
  return isCount(limit) && Object.values(delays).every((delay) => delay === undefined || delay >= 0);
};

const milliseconds = 'a number of milliseconds above 0';

/** Options of a client or a call whose mistakes would show up as a hang, a missing retry, or not at all. */
const common: Readonly<Record<string, readonly [isMeant: (value: unknown) => boolean, takes: string]>> = {
  timeout: [isDuration, milliseconds],
  totalTimeout: [isDuration, milliseconds],
  headers: [(value) => value == null || typeof value === 'object', 'an object, a Headers or pairs'],
  retry: [isRetry, 'the number of extra attempts, { limit, minDelay, maxDelay, maxRetryAfter } or false'],
};
const callOptionRules = {
  ...common,
  cache: [isOneOf('default', 'reload', 'no-store'), "'default', 'reload' or 'no-store'"],
  signal: [(value) => value == null || typeof (value as AbortSignal).addEventListener === 'function', 'an AbortSignal'],
  onUploadProgress: [isFunction, 'a function'],
  // Null is what a service without ETags gives: the change would be made without the check that is asked for.
  ifMatch: [
    (value) => value === undefined || (typeof value === 'string' && value !== ''),
    'the ETag of a representation, which meta.etag is',
  ],
} satisfies typeof common;
const clientOptionRules = {
  ...common,
  validation: [isOneOf('tolerant', 'strict', 'off'), "'tolerant', 'strict' or 'off'"],
  onDrift: [isFunction, 'a function'],
  cache: [(value) => value == null || value === false || isStore(value), 'false, or a store with get, set and delete'],
  logger: [(value) => value == null || isLogger(value), 'an object with debug and warn, such as console'],
  fetch: [isFunction, 'a function'],
  middleware: [
    (value) => value === undefined || (Array.isArray(value) && value.every(isFunction)),
    'a list of functions',
  ],
} satisfies typeof common;

function check(options: object, checks: typeof common): void {
  for (const [name, value] of Object.entries(options)) {
    const [isMeant, takes] = checks[name] ?? [];
    if (isMeant && !isMeant(value)) throw new ConfigurationError(`The option ${name} takes ${takes}.`);
  }
}

/** Throws where the options of a call cannot be meant: programs in JavaScript give a page number alone, or null. */
export function checkCall(options: CallOptions): void {
  if (typeof options !== 'object' || options === null)
    throw new ConfigurationError('The options of a call are an object, such as { timeout: 5000 }.');
  check(options, callOptionRules);
}

function baseOf(given: string | URL): URL {
  const text = String(given ?? '');
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new ConfigurationError('The option baseUrl takes an http or https address, such as https://api.example.com.');
  const url = new URL(text);
  if (url.username || url.password)
    throw new ConfigurationError('The option baseUrl must not hold a user name or password.');
  url.search = url.hash = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

export function resolveOptions(options: MarketplaceOptions, defaultCache: () => CacheStore | false): Settings {
  const { token, cache } = options ?? {};
  if (typeof token !== 'function') checkToken(token);
  check(options, clientOptionRules);
  return {
    ...options,
    baseUrl: baseOf(options.baseUrl),
    cache: cache ?? defaultCache(),
    middleware: options.middleware ?? [],
  };
}

/** A token that no header can carry would otherwise be printed in the runtime's own error. */
export function checkToken(token: unknown): asserts token is string {
  if (typeof token !== 'string' || token === '')
    throw new ConfigurationError('The option token takes a personal access token, or a function that gives one.');
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new ConfigurationError(
      'The token holds white space or characters that no header can carry. Check how it was copied.',
    );
}
