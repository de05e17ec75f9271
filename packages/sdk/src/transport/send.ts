import ky, { HTTPError, TimeoutError as KyTimeoutError } from 'ky';
import { platform } from '#platform';
import { failureCode } from '../connection-failure.js';
import { ConfigurationError, ConnectionError, MarketplaceError, TimeoutError } from '../errors.js';
import { log, notify } from '../log.js';
import type { FetchInit, FetchResponse, ResponseHeaders, UploadProgress } from '../options.js';
import { type Body, isStream } from './body.js';
import type { ResponseContext } from './call.js';
import { type Deadline, longestDelay } from './deadline.js';
import type { TracedAttempt } from './platform.js';
import { isBrowser, type RetryPolicy, type Settings } from './settings.js';

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
  token: string;
  /** Fetches the token of a further attempt; absent if it is always the same. */
  nextToken: (() => Promise<string>) | undefined;
  /** Masks the token in a text, for errors and logs. */
  redact: (text: string) => string;
}

/** Retries a POST only on 429: it was not processed. */
const isRetriableStatus = (method: string, status: number, { statusCodes }: RetryPolicy): boolean =>
  statusCodes.includes(status) && (status === 429 || method !== 'POST');

/** Retries a POST only if it cannot have reached the server. */
const isRetriableFailure = (method: string, failure: Error): boolean =>
  method !== 'POST' || (failure instanceof ConnectionError && !failure.mayHaveArrived);

/**
 * How long the server asks to wait, in milliseconds: `Retry-After` as seconds, or as a date by the server's own clock.
 * Null if it is absent or cannot be read; ky would then wait as long as it ever may.
 */
export function retryAfterMs(headers: ResponseHeaders): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  const now = Date.parse(headers.get('date') ?? '') || Date.now();
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

/** Exponential, the upper half random, so that clients that failed together do not return together. */
const backoff = (retryCount: number, { minDelay, maxDelay }: RetryPolicy): number =>
  Math.min(maxDelay, minDelay * 2 ** (retryCount - 1)) * (0.5 + Math.random() / 2);

/** Waits until requests with a token may be sent and fewer than the limit run. The turn ends with `concurrency.done`. */
async function turn(token: string, { concurrency, pauses }: Settings, deadline: Deadline): Promise<void> {
  for (;;) {
    const pauseMs = pauses.remainingMs(token);
    // One that would end too late gets the server's own response.
    if (pauseMs > 0 && pauseMs < deadline.remainingMs) await deadline.wait(pauseMs);
    else {
      await concurrency.turn(deadline);
      if (pauses.remainingMs(token) <= pauseMs) return;
      concurrency.done();
    }
  }
}

/**
 * Sends a request until there is a response, of whatever status, or no attempt is left.
 *
 * ky makes the request, runs the attempts with their timeouts, and waits between them. Ours are the rules of what is
 * retried, and the `fetch`: it reads the body before it resolves, so that the timeout covers the body and a connection
 * that breaks inside it is retried.
 */
export async function sendWithRetries(
  request: OutgoingRequest,
  settings: Settings,
  deadline: Deadline,
): Promise<ResponseContext> {
  const { operation, method, url, headers, body, redirect, retry, timeoutMs, nextToken } = request;
  const { concurrency } = settings;
  checkSendable(request);
  let { token } = request;
  let delayMs = 0;
  let received: ResponseContext | undefined;
  let hasTurn = true;
  await turn(token, settings, deadline);

  /** An error of ky as ours: ky's own holds the request, and so the token. */
  const asOurs = (error: Error): Error =>
    error instanceof KyTimeoutError ? new TimeoutError('attempt', timeoutMs) : error;

  const shouldRetry = async ({ error, retryCount }: { error: Error; retryCount: number }): Promise<boolean> => {
    const response = error instanceof HTTPError ? received : undefined;
    const failure = asOurs(error);
    if (deadline.signal.aborted) return false;
    if (!response && !(failure instanceof ConnectionError || failure instanceof TimeoutError)) return false;
    const failed = {
      operation,
      method,
      attempt: deadline.progress.attempt,
      status: response?.status,
      error: response ? undefined : failure,
    };
    const byRules = response ? isRetriableStatus(method, response.status, retry) : isRetriableFailure(method, failure);
    if (!((await retry.shouldRetry?.(failed)) ?? byRules)) return false;
    const askedMs = response ? retryAfterMs(response.headers) : null;
    delayMs = askedMs ?? backoff(retryCount, retry);
    if (delayMs > deadline.remainingMs || (askedMs !== null && askedMs > retry.maxRetryAfter)) return false;
    const why = response ? `status ${response.status}` : failure.message;
    const next = `${operation}: attempt ${failed.attempt} failed (${why}); the next in ${Math.round(delayMs)} ms`;
    log(settings, 'info', next, { ...failed, error: failed.error?.message, delayMs });
    notify(settings, 'onRetry', settings.onRetry, { ...failed, delayMs });
    hasTurn = false;
    concurrency.done();
    return true;
  };

  try {
    await ky(url, {
      method,
      headers,
      // A stream is sent once. ky would copy it for further attempts, and so hold all of it in memory.
      body: body === undefined || isStream(body) ? null : body,
      redirect,
      ...(request.httpCache && { cache: request.httpCache }),
      signal: deadline.signal,
      timeout: timeoutMs > longestDelay ? false : timeoutMs,
      throwHttpErrors: (status) => status >= 400 && (!!retry.shouldRetry || retry.statusCodes.includes(status)),
      retry: {
        limit: isStream(body) ? 0 : retry.limit,
        methods: [method.toLowerCase() as 'get'],
        shouldRetry,
        delay: () => delayMs,
      },
      hooks: {
        beforeRetry: [
          async ({ request: next }) => {
            if (nextToken && next.headers.get('authorization') === `Bearer ${token}`) {
              token = await nextToken();
              headers.authorization = `Bearer ${token}`;
              next.headers.set('authorization', headers.authorization);
            }
            await turn(token, settings, deadline);
            hasTurn = true;
          },
        ],
      },
      fetch: async (attempt) => {
        const { response, ...context } = await sendOnce(attempt as Request, { ...request, token }, settings, deadline);
        received = context;
        // ky reads only its status.
        return response as Response;
      },
    });
  } catch (error) {
    if (error instanceof HTTPError) return received as ResponseContext;
    if (error instanceof MarketplaceError || error instanceof KyTimeoutError) throw asOurs(error);
    throw deadline.signal.aborted ? deadline.signal.reason : error;
  } finally {
    if (hasTurn) concurrency.done();
  }
  return received as ResponseContext;
}

/** Throws for requests on which `fetch` would fail with an error like that of a broken connection. */
function checkSendable({ operation, method, headers, body }: OutgoingRequest): void {
  if (body !== undefined && (method === 'GET' || method === 'HEAD'))
    throw new ConfigurationError(`a ${method} request cannot have a body.`, { operation });
  for (const name in headers)
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(`${headers[name]}`))
      throw new ConfigurationError('headers take only plain ASCII.', { operation });
}

/** One attempt: tracing and the middleware around `fetch`, and the whole body of the response. */
async function sendOnce(
  given: Request,
  request: OutgoingRequest,
  settings: Settings,
  deadline: Deadline,
): Promise<ResponseContext & { response: FetchResponse }> {
  const { operation, method, path, token, retry, redact } = request;
  const { middleware, pauses } = settings;
  const { progress } = deadline;
  const { signal } = given;
  deadline.check();
  const maybeRepeated = progress.mayHaveArrived;
  progress.attempts += 1;
  progress.mayHaveArrived = true;
  const { attempt } = progress;
  const send = (changed: Request) => fetchOnce(given, changed, request, settings);
  const layered = middleware.reduceRight<(changed: Request) => Promise<FetchResponse>>(
    (next, layer) => async (changed) => layer(changed, next as typeof fetch, { operation, attempt }),
    send,
  );
  let response!: FetchResponse;
  let text = '';
  const traced: TracedAttempt = { operation, method, path, attempt, headers: {} };
  const run = async (): Promise<void> => {
    for (const [name, value] of Object.entries(traced.headers)) {
      request.headers[name.toLowerCase()] = value;
      given.headers.set(name, value);
    }
    try {
      response = await layered(given);
    } catch (cause) {
      if (signal.aborted || cause instanceof MarketplaceError) throw cause;
      const reason = cause instanceof Error ? redact(`: ${cause.message}`) : '';
      throw new ConfigurationError(`a middleware failed${reason}`, { operation, cause });
    }
    if (!response) throw new ConfigurationError('fetch returned no response.', { operation });
    const { bodyUsed, body } = response as Partial<Response>;
    if (bodyUsed || body?.locked)
      throw new ConfigurationError('a middleware has read the response. Let it read response.clone().', { operation });
    // To its end, whatever the status: an unread body of 20 kB costs a socket.
    text = await response.text().catch((cause) => {
      throw new ConnectionError('The connection ended before the whole response had arrived.', { cause });
    });
    traced.status = response.status;
  };
  try {
    await (platform.trace ? platform.trace(traced, run) : run());
  } catch (error) {
    if (error instanceof ConnectionError && !error.mayHaveArrived) progress.mayHaveArrived = maybeRepeated;
    throw error;
  }
  // A `fetch` that ignores signals may finish during a later attempt.
  signal.throwIfAborted();
  const { status, headers, redirected, type, url } = response;
  // The server has rejected it.
  if (status >= 400 && status < 500) progress.mayHaveArrived = maybeRepeated;
  if (status === 429) {
    const pauseMs = retryAfterMs(headers) ?? 0;
    if (pauseMs <= retry.maxRetryAfter) pauses.pause(token, pauseMs);
  }
  const finalUrl = url || request.url;
  const leftOrigin = redirected && originOf(finalUrl) !== originOf(request.url) ? originOf(request.url) : undefined;
  const opaque = type === 'opaqueredirect';
  return {
    ...{ response, status, headers, text, url: finalUrl, leftOrigin, opaque, attempts: attempt },
    ...{ maybeRepeated, token, fromCache: false, redact },
  };
}

/**
 * Calls the `fetch` in use. One that was given gets a URL and a plain object: others than the runtime's take no `Request` of
 * the runtime. The runtime's gets what the middleware made of the request.
 */
async function fetchOnce(
  given: Request,
  changed: Request,
  request: OutgoingRequest,
  { fetch, middleware, ...settings }: Settings,
): Promise<FetchResponse> {
  const { init: more, httpCache, onUploadProgress } = request;
  const { signal } = given;
  const { method, redirect } = changed;
  const isUnchanged = changed === given;
  const url = isUnchanged ? request.url : changed.url;
  let body = isUnchanged ? request.body : await bodyOf(changed, request.body);
  if (body !== undefined && onUploadProgress) {
    const { withProgress } = await import('./files.js');
    // An error of the callback would end the body and look like a broken connection.
    body = withProgress(body, (event) => notify(settings, 'onUploadProgress', onUploadProgress, event));
  }
  if (body !== undefined && method === 'POST') body = platform.postBody?.(body) ?? body;
  // `fetch` demands `duplex` with a stream.
  const sent = body === undefined ? {} : isStream(body) ? { body, duplex: 'half' } : { body };
  try {
    if (!fetch && middleware.length > 0)
      // A middleware may have read the body, to sign it.
      return await globalThis.fetch(body === undefined ? changed : new Request(changed, sent), { ...more, signal });
    // The headers of the request include the type of its body. Reading them is slow.
    const isPlain = middleware.length === 0 && body === undefined;
    const headers = isPlain ? request.headers : Object.fromEntries(changed.headers);
    const init = { ...more, method, headers, redirect, signal, ...sent, ...(httpCache && { cache: httpCache }) };
    // The global is looked up for every call: test tools replace it after a client was made.
    return await (fetch ? fetch(url, init as FetchInit) : globalThis.fetch(url, init));
  } catch (cause) {
    throw signal.aborted ? signal.reason : connectionFailed(url, cause);
  }
}

/** The body of a request that a middleware made. A stream is not in ky's request, and so not in a copy of it. */
async function bodyOf(changed: Request, body: Body | undefined): Promise<Body | undefined> {
  if (isStream(body) && !changed.body) return body;
  const bytes = await changed.arrayBuffer();
  return bytes.byteLength > 0 ? bytes : undefined;
}

const originOf = (url: string): string => new URL(url).origin;

/** Runtimes follow a redirect 20 times, then fail. Their messages share only this word; a browser's has none. */
const isRedirectLoop = (cause: unknown): boolean =>
  cause instanceof Error && (/redirect/i.test(cause.message) || isRedirectLoop(cause.cause));

function connectionFailed(url: string, cause: unknown): ConnectionError {
  const origin = originOf(url);
  if (isRedirectLoop(cause))
    return new ConnectionError(`${origin} redirects endlessly. Check the option baseUrl.`, {
      cause,
      code: 'REDIRECT_LOOP',
    });
  const code = failureCode(cause);
  // A browser does not say why it withheld a response.
  const cors = isBrowser ? " It may also reject this page's origin or a header (CORS)." : '';
  return new ConnectionError(
    `No response from ${origin}${code ? ` (${code})` : ''}. Check the option baseUrl, and that the server can be reached.${cors}`,
    { cause },
  );
}
