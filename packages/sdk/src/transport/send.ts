import ky, { HTTPError, TimeoutError as KyTimeoutError, type Options } from 'ky';
import { platform } from '#platform';
import { failureCode } from '../connection-failure.js';
import { ConfigurationError, ConnectionError, TimeoutError } from '../errors.js';
import { log, notify } from '../log.js';
import {
  type FetchInit,
  type FetchResponse,
  isBrowser,
  type MiddlewareContext,
  type ResponseHeaders,
  type RetryPolicy,
  type Settings,
  type UploadProgress,
} from '../options.js';
import type { TracedAttempt } from '../platform.js';
import { type Body, isStream, withProgress } from './body.js';
import { type Deadline, longestDelay } from './deadline.js';

/** A request as it is sent. */
export interface OutgoingRequest {
  operation: string;
  method: string;
  url: string;
  /** The path of the contract, without ids. */
  path: string;
  headers: Record<string, string>;
  body: Body | undefined;
  /** `manual`: a redirect is a response. */
  redirect: 'follow' | 'manual';
  /** The caller's own fields for `fetch`. */
  init: object | undefined;
  /** Longest time of one attempt. */
  timeoutMs: number;
  retry: RetryPolicy;
  /** Mode of a browser's own HTTP cache; absent elsewhere, since some edge runtimes reject the field. */
  httpCache: RequestCache | undefined;
  onUploadProgress: ((progress: UploadProgress) => void) | undefined;
  /** Masks the token in a text, for errors and logs. */
  redact: (text: string) => string;
}

/** A response whose body has been read. */
export interface ResponseContext {
  status: number;
  headers: ResponseHeaders;
  text: string;
  /** Where the response came from, after redirects. */
  url: string;
  /** The origin of the request, where redirects led to another one: `fetch` sends the token only to the first. */
  leftOrigin: string | undefined;
  /** A redirect that a browser hides: no status, no headers. */
  opaque: boolean;
  attempts: number;
  fromCache: boolean;
  redact: (text: string) => string;
}

/** Retries a POST only on 429: it was not processed. */
const isRetriableStatus = (method: string, status: number, { statusCodes }: RetryPolicy): boolean =>
  statusCodes.includes(status) && (status === 429 || method !== 'POST');

/** Retries a POST only if it cannot have reached the server. */
const isRetriableFailure = (method: string, failure: unknown): boolean =>
  method !== 'POST' || (failure instanceof ConnectionError && !failure.mayHaveArrived);

/** Errors of middleware and the end of the call are final. */
const isFailedAttempt = (failure: unknown): boolean =>
  failure instanceof ConnectionError || (failure instanceof TimeoutError && failure.phase === 'attempt');

/**
 * How long the server asks to wait, in milliseconds: `Retry-After` as seconds or as a date. Null if it is absent or
 * cannot be read; ky would then wait as long as it ever may.
 */
export function retryAfterMs(headers: ResponseHeaders): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

/** ky's own delay, which it waits after ours. */
const noDelay = (): number => 0;

/** Exponential, the upper half random, so that clients that failed together do not return together. */
const backoff = (attempt: number, { minDelay, maxDelay }: RetryPolicy): number =>
  Math.min(maxDelay, minDelay * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);

/**
 * Sends a request until there is a response, of whatever status, or no attempt is left.
 *
 * ky runs the attempts and their timeouts. The `fetch` that it is given reads the body before it resolves, so that the
 * timeout covers the body and a connection that breaks inside it is retried. ky never sees method, headers, body or signal:
 * its errors hold the request, it copies streams, and it combines signals by the slow `AbortSignal.any`.
 */
export async function sendWithRetries(
  request: OutgoingRequest,
  settings: Settings,
  deadline: Deadline,
): Promise<ResponseContext> {
  const { operation, method, url, body, retry, timeoutMs } = request;
  checkSendable(request);
  let attempts = 0;
  let controller: AbortController | undefined;
  let response!: ResponseContext;
  let thrown: unknown;

  const fetch = async (): Promise<{ ok: boolean }> => {
    attempts += 1;
    const attempt = new AbortController();
    controller = attempt;
    deadline.onEnd((reason) => attempt.abort(reason));
    try {
      attempt.signal.throwIfAborted();
      const traced: TracedAttempt = { operation, method, path: request.path, attempt: attempts, headers: {} };
      const run = async (): Promise<void> => {
        const headers = { ...request.headers, ...traced.headers };
        const unread = await sendOnce(request, headers, attempt.signal, settings, {
          operation,
          attempt: traced.attempt,
        });
        if (!unread) throw new ConfigurationError(`${operation}: the fetch in use returned no response.`);
        // To its end, whatever the status: an unread body of 20 kB costs a socket.
        const text = await unread.text().catch((cause) => {
          throw new ConnectionError('The connection ended before the whole response had arrived.', { cause });
        });
        // A `fetch` that ignores signals may finish during a later attempt.
        attempt.signal.throwIfAborted();
        response = contextOf(unread, text, request, attempts);
        traced.status = response.status;
      };
      await (platform.trace ? platform.trace(traced, run) : run());
      const { status } = response;
      const mayRetry = retry.shouldRetry !== undefined || isRetriableStatus(method, status, retry);
      // All that ky has to know of a response. For one that is not ok it makes an error, and asks `shouldRetry`.
      return { ok: !mayRetry || (status >= 200 && status < 300) };
    } catch (error) {
      thrown = attempt.signal.aborted ? attempt.signal.reason : error;
      throw thrown;
    }
  };
  /** Our error for a timeout of ky. A middleware may use ky too: what it throws stays as it is. */
  const asOurs = (error: unknown): unknown => {
    if (!(error instanceof KyTimeoutError) || error === thrown) return error;
    const timeout = new TimeoutError('attempt', timeoutMs);
    controller?.abort(timeout);
    return timeout;
  };
  const isStatusError = (error: unknown): boolean => error instanceof HTTPError && error !== thrown;

  /** Waits here and not in ky, whose waits only a signal ends. */
  const shouldRetry = async ({ error }: { error: Error }): Promise<boolean> => {
    const failure = asOurs(error) as Error;
    const hasResponse = isStatusError(error);
    if (!hasResponse && !isFailedAttempt(failure)) return false;
    const status = hasResponse ? response.status : undefined;
    const failed = { operation, method, attempt: attempts, status, error: hasResponse ? undefined : failure };
    const isRetriable =
      status === undefined ? isRetriableFailure(method, failure) : isRetriableStatus(method, status, retry);
    if (!((await retry.shouldRetry?.(failed)) ?? isRetriable)) return false;
    const askedMs = hasResponse ? retryAfterMs(response.headers) : null;
    const delayMs = askedMs ?? backoff(attempts, retry);
    if (delayMs > deadline.remainingMs || (askedMs !== null && askedMs > retry.maxRetryAfter)) return false;
    const why = hasResponse ? `status ${status}` : failure.message;
    const next = `${operation}: attempt ${attempts} failed (${why}); the next in ${Math.round(delayMs)} ms`;
    log(settings, 'info', next, { ...failed, error: failed.error?.message, delayMs });
    notify(settings, 'onRetry', settings.onRetry, { ...failed, delayMs });
    await deadline.wait(delayMs);
    return true;
  };

  // Two options: given a third, V8 11 (Node 20) makes new hidden classes in ky for each call, 4 kB and a tenth of its CPU time
  // (docs/benchmarks.md). So `timeout` is given only if it is not ky's own default of 10 s, which is the SDK's too.
  const options: Options = {
    fetch: fetch as () => Promise<never>,
    retry: { limit: isStream(body) ? 0 : retry.limit, shouldRetry, delay: noDelay },
  };
  if (timeoutMs !== 10_000) options.timeout = timeoutMs > longestDelay ? false : timeoutMs;
  try {
    await ky(url, options);
  } catch (error) {
    if (!isStatusError(error)) throw asOurs(error);
  }
  return response;
}

/** Throws for requests on which `fetch` would fail with an error like that of a broken connection. */
function checkSendable({ operation, method, headers, body }: OutgoingRequest): void {
  if (body !== undefined && (method === 'GET' || method === 'HEAD'))
    throw new ConfigurationError(`${operation}: a ${method} request cannot have a body.`);
  for (const name in headers)
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(`${headers[name]}`))
      throw new ConfigurationError(
        `${operation}: the request cannot be made. Check the headers: names and values must be plain ASCII.`,
      );
}

/** One attempt: the middleware around `fetch`. Only middleware gets a `Request`: the runtime's `fetch` makes its own. */
function sendOnce(
  { method, url, redirect, init: extra, httpCache, body, onUploadProgress }: OutgoingRequest,
  headers: Record<string, string>,
  signal: AbortSignal,
  settings: Settings,
  context: MiddlewareContext,
): Promise<FetchResponse | undefined> {
  const { fetch, middleware } = settings;
  const own = { method, headers, redirect, signal };
  const init: RequestInit = extra ? { ...extra, ...own } : own;
  if (httpCache) init.cache = httpCache;
  if (body !== undefined) {
    init.body = onUploadProgress ? withProgress(body, onUploadProgress, settings) : body;
    if (platform.repeatsPosts && method === 'POST') {
      const streamed = new Response(init.body);
      init.headers = { ...Object.fromEntries(streamed.headers), ...headers };
      // Piped, since Deno recognizes the stream of a body that it has in memory.
      init.body = (streamed.body as ReadableStream).pipeThrough(new TransformStream());
    }
    // `fetch` demands `duplex` with a stream.
    if (isStream(init.body)) Object.assign(init, { duplex: 'half' });
  }
  const send = async (request?: Request): Promise<FetchResponse> => {
    try {
      if (fetch)
        return await fetch(request?.url ?? url, (request ? await plainInit(request, init) : init) as FetchInit);
      // The global is looked up for every call: test tools replace it after a client was made.
      return await (request ? globalThis.fetch(request, { ...extra, signal }) : globalThis.fetch(url, init));
    } catch (cause) {
      throw signal.aborted ? signal.reason : connectionFailed(url, cause);
    }
  };
  if (middleware.length === 0) return send();
  const layered = middleware.reduceRight(
    (next: (request: Request) => Promise<Response>, layer) => async (given) => layer(given, next, context),
    (given) => send(given) as Promise<Response>,
  );
  return layered(new Request(url, init));
}

/** A `Request` as a plain object: other implementations of `fetch` take neither the runtime's `Request` nor its `Headers`. */
async function plainInit(request: Request, init: RequestInit): Promise<RequestInit> {
  const { method, headers, redirect } = request;
  const { body: given, ...rest } = init;
  const body = isStream(given ?? undefined) ? request.body : await request.arrayBuffer();
  const plain: RequestInit = { ...rest, method, headers: Object.fromEntries(headers), redirect };
  return body instanceof ArrayBuffer && body.byteLength === 0 ? plain : { ...plain, body };
}

function contextOf(
  response: FetchResponse,
  text: string,
  { url, redact }: OutgoingRequest,
  attempts: number,
): ResponseContext {
  const { status, headers, redirected, type } = response;
  const finalUrl = response.url || url;
  const leftOrigin = redirected && originOf(finalUrl) !== originOf(url) ? originOf(url) : undefined;
  const opaque = type === 'opaqueredirect';
  return { status, headers, text, url: finalUrl, leftOrigin, opaque, attempts, fromCache: false, redact };
}

const originOf = (url: string): string => new URL(url).origin;

/** Runtimes follow a redirect 20 times, then fail. Their messages share only this word; a browser's has none. */
const isRedirectLoop = (cause: unknown): boolean =>
  cause instanceof Error && (/redirect/i.test(cause.message) || isRedirectLoop(cause.cause));

function connectionFailed(url: string, cause: unknown): ConnectionError {
  const origin = originOf(url);
  if (isRedirectLoop(cause))
    return new ConnectionError(
      `${origin} redirects the request endlessly. Check that the option baseUrl is the API itself.`,
      { cause },
    );
  const code = failureCode(cause);
  // A browser does not say why it withheld a response.
  const cors = isBrowser ? " It may also reject this page's origin or a header of the request (CORS)." : '';
  return new ConnectionError(
    `No response from ${origin}${code ? ` (${code})` : ''}. Check the option baseUrl, and that the server can be reached.${cors}`,
    { cause },
  );
}
