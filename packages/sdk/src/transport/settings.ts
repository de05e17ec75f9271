import { platform } from '#platform';
import { ConfigurationError } from '../errors.js';
import { isObject } from '../is-object.js';
import type {
  CacheStore,
  HeaderEntry,
  HeaderOptions,
  MarketplaceOptions,
  Middleware,
  RetryOptions,
} from '../options.js';
import type { StandardSchema } from '../schema.js';
import { unknownOption } from '../unknown.js';
import { MemoryCache } from './cache.js';
import type { ResponseContext } from './call.js';
import { InflightRequests } from './in-flight.js';
import { ConcurrencyLimit, Pauses } from './limit.js';

/** Retries as they are made. */
export type RetryPolicy = RetryOptions & { [Name in keyof typeof defaultRetry]: NonNullable<RetryOptions[Name]> };

/** The client's options, with defaults filled in. */
export interface Settings extends Omit<MarketplaceOptions, 'baseUrl' | 'cache'> {
  token: NonNullable<MarketplaceOptions['token']>;
  baseUrl: URL;
  retry: RetryPolicy;
  /** These three are shared by the clients that `withOptions` makes. */
  concurrency: ConcurrencyLimit;
  pauses: Pauses;
  inflight: InflightRequests<ResponseContext>;
  /** Clients of a group share reads in flight: their requests are the same. */
  group: number;
  cache: CacheStore | MemoryCache | false;
  middleware: readonly Middleware[];
}

/**
 * Whether this is a browser: a page or one of its workers. Browsers revalidate by their own HTTP cache, hide redirects,
 * and ask the server first (CORS) about every header beyond the simplest.
 */
export const isBrowser: boolean =
  'document' in globalThis || typeof (globalThis as { importScripts?: unknown }).importScripts === 'function';

const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;

const isFunction = (value: unknown): boolean => typeof value === 'function';

const has =
  (...methods: string[]) =>
  (value: unknown): boolean =>
    methods.every((name) => typeof (value as Record<string, unknown> | null)?.[name] === 'function');

type Rule = readonly [isValid: (value: unknown) => boolean, takes?: string];

const anything: Rule = [() => true];
/** The values are those in quotes. */
const oneOf = (takes: string): Rule => [(value) => takes.includes(`'${value}'`), takes];
const callback: Rule = [isFunction, 'a function'];
const duration: Rule = [(value) => typeof value === 'number' && value > 0, 'a number of milliseconds above 0'];
const delay: Rule = [(value) => (value as number) >= 0];
const positive: Rule = [(value) => value !== 0 && isCount(value), 'a whole number from 1'];

const retryRules: Readonly<Record<string, Rule>> = {
  limit: [isCount],
  statusCodes: [Array.isArray],
  shouldRetry: [isFunction],
  minDelay: delay,
  maxDelay: delay,
  maxRetryAfter: delay,
};

/** An object whose values are its own fields: a Map, a `FormData` or an instance of a class keeps them elsewhere. */
export function hasFields(value: unknown): boolean {
  if (!isObject(value) || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return Object.keys(value).length > 0 || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A symbol, like an object or a function, has no text to send. */
const isScalar = (value: unknown): boolean => Object(value) !== value && typeof value !== 'symbol';

/** An iterator, which iterates over itself, would be empty for the second request. */
const isHeaders = (value: unknown): boolean =>
  value == null ||
  (isObject(value) &&
    !Object.is((value as Partial<Iterable<unknown>>)[Symbol.iterator]?.(), value) &&
    [...headerEntries(value as HeaderOptions)].every(
      (entry: unknown) => Array.isArray(entry) && typeof entry[0] === 'string' && isScalar(entry[1]),
    ));

const isTag = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Options that are checked, since a wrong value would cause a hang, a missing retry, or nothing visible at all. */
const common: Readonly<Record<string, Rule>> = {
  timeout: duration,
  totalTimeout: duration,
  headers: [isHeaders, 'an object, a Headers or pairs, with texts as values'],
  init: [isObject, 'an object'],
  allowRedirects: [(value) => typeof value === 'boolean', 'true or false'],
  retry: [
    (value) => isObject(value) || value === false || isCount(value),
    'the number of extra attempts, false, or an object with limit, minDelay, maxDelay and others',
  ],
};
/** The options of a call. */
export const callRules = {
  ...common,
  page: positive,
  website: anything,
  cache: oneOf("'default', 'reload' or 'no-store'"),
  signal: [(value) => value == null || typeof (value as AbortSignal).addEventListener === 'function', 'an AbortSignal'],
  onUploadProgress: callback,
  // Null is the ETag of a service without ETags: the change would be made without the requested check.
  ifMatch: [isTag, "the ETag of a representation, which meta.etag is, or 'any' to make the change unchecked"],
  ifNoneMatch: [isTag, 'an ETag'],
  token: [(value) => isFunction(value) || isTag(value), 'a personal access token, or a function that returns one'],
} satisfies typeof common;
const clientRules = {
  ...common,
  token: anything,
  baseUrl: anything,
  userAgent: anything,
  validation: oneOf("'tolerant', 'strict' or 'off'"),
  onDrift: callback,
  cache: [
    (value) => value === null || value === false || has('get', 'set', 'delete')(value),
    'false, or a store with get, set and delete',
  ],
  onRetry: callback,
  logLevel: oneOf("'debug', 'info' or 'warn'"),
  maxConcurrency: positive,
  cacheBytes: [isCount, 'a number of bytes'],
  logger: [
    (value) => value === null || isFunction(value) || has('debug', 'warn')(value),
    'a function, or an object with debug and warn, such as console',
  ],
  fetch: callback,
  middleware: [(value) => Array.isArray(value) && value.every(isFunction), 'a list of functions'],
} satisfies typeof common;

/** Undefined is a mistake: the call would be made unchecked, or with the token of the client, which is another user's. */
const needsValue = /^(ifMatch|ifNoneMatch|token)$/;

/** Throws for an invalid option: programs in JavaScript may pass a token, a page number, or null instead of options. */
export function check(options: object, rules: typeof common, message?: string): void {
  if (!isObject(options)) throw new ConfigurationError('The options are an object, such as { timeout: 5000 }.');
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined && !needsValue.test(name)) continue;
    const [isValid, takes] = rules[name] ?? [];
    if (!isValid) throw new ConfigurationError(unknownOption(name, Object.keys(rules)));
    const problem = message ?? `The option ${name} takes ${takes}.`;
    if (!isValid(value)) throw new ConfigurationError(problem);
    if (name === 'retry' && isObject(value)) check(value, retryRules, problem);
  }
}

/** Headers that the client sets: a value of the caller's would bypass what is done for that token or ETag. */
const ownHeaders: Readonly<Record<string, string>> = {
  authorization: 'the option token, of the client or of one call',
  'if-none-match': "the option ifNoneMatch, or cache: 'no-store'",
};

/** Throws for headers that have an option of their own. */
export function checkHeaders(headers: HeaderOptions | undefined): void {
  for (const [name, value] of headerEntries(headers)) {
    const instead = value != null && ownHeaders[name.toLowerCase()];
    if (instead) throw new ConfigurationError(`Use ${instead}, instead of the header ${name}.`);
  }
}

/** The options of `pages()`. */
export const rangeRules: typeof common = { from: positive, to: positive, concurrency: positive };

/** The options of `all()`. */
export const allRules: typeof common = {
  ...rangeRules,
  limit: [(value) => value === Number.POSITIVE_INFINITY || isCount(value), 'a whole number from 0'],
};

/** The options of `mkt.each()`. */
export const eachRules: typeof common = { concurrency: positive, signal: callRules.signal };

/** The options of `mkt.request()`. */
export const requestRules: typeof common = {
  ...callRules,
  body: anything,
  query: [
    (value) => hasFields(value) && Object.values(value as object).every(isScalar),
    'an object of texts and numbers',
  ],
  schema: [
    (value) => has('validate')((value as Partial<StandardSchema<unknown>> | null)?.['~standard']),
    'a Standard Schema, such as one of zod',
  ],
};

/** Undefined if it is not a URL. `URL.canParse` is missing in older jsdom. */
export function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

function baseOf(given: string | URL | undefined): URL {
  const text = String(given ?? '');
  const url = parseUrl(text);
  if (!url || !/^https?:/.test(text))
    throw new ConfigurationError('The option baseUrl takes an http or https URL, such as https://api.example.com.');
  if (url.username || url.password)
    throw new ConfigurationError('The option baseUrl must not hold a user name or password.');
  url.search = url.hash = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

const defaultRetry = {
  limit: 2,
  minDelay: 300,
  maxDelay: 8000,
  maxRetryAfter: 60_000,
  statusCodes: [408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524] as readonly number[],
};

/** Of the default, those after which only reads are retried: the server may have processed a change. */
export const isRetriedReadOnly = (status: number, { statusCodes }: RetryPolicy): boolean =>
  statusCodes === defaultRetry.statusCodes && !/^(429|50[234])$/.test(String(status));

/** What `retry` changes; a field that is undefined stays as it is. */
export function mergeRetry(policy: RetryPolicy, retry: MarketplaceOptions['retry']): RetryPolicy {
  if (retry === undefined) return policy;
  return Object.assign({ ...policy }, typeof retry === 'object' ? defined(retry) : { limit: Number(retry) });
}

/** A `Headers` has no properties of its own: its values would be lost silently. */
export const headerEntries = (headers: HeaderOptions | null | undefined): Iterable<HeaderEntry> =>
  headers && Symbol.iterator in headers ? headers : Object.entries(headers ?? {});

const defined = <T extends object>(options: T): T =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;

let groups = 0;

/** Options that change the request or where its response is stored. */
const groupOptions = ['headers', 'fetch', 'middleware', 'init', 'cache', 'cacheBytes'] as const;

/** Later options over earlier ones, headers, retries and fields for `fetch` one by one, as those of a call. */
export function mergeOptions(settings: Settings, options: Partial<MarketplaceOptions>): Settings {
  check(options, clientRules);
  const { token = settings.token, baseUrl = settings.baseUrl, ...given } = defined(options);
  const { cache, cacheBytes, maxConcurrency, ...others } = given;
  const headers = [...headerEntries(options.headers)];
  checkHeaders(headers);
  // Undefined is a mistake too: calls would be made with the token of this client, which is another user's.
  if ('token' in options && typeof options.token !== 'function') checkToken(options.token);
  return {
    ...settings,
    ...others,
    token,
    baseUrl: baseOf(baseUrl),
    cache: cache ?? (cacheBytes && settings.cache ? new MemoryCache(cacheBytes) : settings.cache),
    concurrency: maxConcurrency === undefined ? settings.concurrency : new ConcurrencyLimit(maxConcurrency),
    group: groupOptions.some((name) => options[name] !== undefined) ? ++groups : settings.group,
    middleware: options.middleware ?? settings.middleware,
    headers: [...headerEntries(settings.headers), ...headers],
    retry: mergeRetry(settings.retry, options.retry),
    init: { ...settings.init, ...options.init },
  };
}

export function resolveOptions(options: MarketplaceOptions): Settings {
  check(options, clientRules);
  const defaults = {
    retry: defaultRetry,
    concurrency: new ConcurrencyLimit(50),
    pauses: new Pauses(),
    inflight: new InflightRequests<ResponseContext>(),
    group: ++groups,
    // Browsers revalidate by their own cache.
    cache: isBrowser ? (false as const) : new MemoryCache(),
    middleware: [],
  };
  // Not for an option that is given but undefined: that is a mistake, which the program's own token would hide.
  const own = { token: platform.env?.('MKT_TOKEN'), baseUrl: platform.env?.('MKT_BASE_URL') };
  return mergeOptions(defaults as unknown as Settings, { ...own, ...options });
}

/** A token that is not valid in a header would otherwise be printed in the runtime's own error. */
export function checkToken(token: unknown): asserts token is string {
  if (typeof token !== 'string' || token === '')
    throw new ConfigurationError(
      'The option token (or MKT_TOKEN) takes a personal access token, or a function that returns one.',
    );
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new ConfigurationError('The token contains characters that a header cannot have. Check how it was copied.');
}
