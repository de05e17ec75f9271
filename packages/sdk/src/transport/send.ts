import ky, { HTTPError, TimeoutError as KyTimeoutError } from 'ky';
import { platform } from '#platform';
import { failureCode } from '../connection-failure.js';
import { ConfigurationError, ConnectionError, MarketplaceError, TimeoutError } from '../errors.js';
import { log, notify } from '../log.js';
import type { Fetch, FetchInit, FetchResponse, ResponseHeaders, UploadProgress } from '../options.js';
import { type Body, isStream } from './body.js';
import { isRead, isUnauthorized, type Operation, type ResponseContext } from './call.js';
import { type Deadline, longestDelay } from './deadline.js';
import type { TracedAttempt } from './platform.js';
import type { Progress } from './progress.js';
import { followRedirects, leavesOrigin, originOf, redirectLoop, redirectsEndlessly } from './redirects.js';
import { isBrowser, isRetriedReadOnly, type RetryPolicy, type Settings } from './settings.js';

/** A request as it is sent. */
export interface OutgoingRequest {
  operation: Operation;
  url: string;
  headers: Record<string, string>;
  body: Body | undefined;
  /** Whether redirects may lead to another server. */
  allowRedirects: boolean;
  /** The caller's own fields for `fetch`. */
  init: object;
  /** Longest time of one attempt. */
  timeoutMs: number;
  retry: RetryPolicy;
  /** Mode of a browser's own HTTP cache; absent elsewhere, since some edge runtimes reject the field. */
  httpCache: RequestCache | undefined;
  onUploadProgress: ((progress: UploadProgress) => void) | undefined;
  token: string;
  /** Where redirects led. */
  finalUrl?: string;
  /** Fetches the token of a further attempt; absent if it is always the same. */
  nextToken: (() => Promise<string>) | undefined;
}

/** Retries a POST only on 429: it was not processed. */
const isRetriableStatus = (method: string, status: number, retry: RetryPolicy): boolean =>
  retry.statusCodes.includes(status) &&
  (status === 429 || (method !== 'POST' && (isRead(method) || !isRetriedReadOnly(status, retry))));

/** Retries a POST only if it cannot have reached the server. */
const isRetriableFailure = (method: string, failure: Error): boolean =>
  failure instanceof ConnectionError
    ? failure.code !== redirectLoop && (method !== 'POST' || !failure.mayHaveArrived)
    : method !== 'POST';

/**
 * How long the server asks to wait, in milliseconds: `Retry-After` as seconds, or as a date by the server's own clock.
 * Null if it is absent or cannot be read; ky would then wait as long as it ever may.
 */
export function retryAfterMs(headers: ResponseHeaders): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  const now = Date.parse(headers.get('date') ?? '') || Date.now();
  // `Date.parse` takes almost anything for a date: "in 5" is in 2001. Those of HTTP have a time.
  const date = /\d:\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : date - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

/** Exponential, the upper half random, so that clients that failed together do not return together. */
const backoff = (retryCount: number, { minDelay, maxDelay }: RetryPolicy): number =>
  Math.min(maxDelay, minDelay * 2 ** (retryCount - 1)) * (0.5 + Math.random() / 2);

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
  const { operation: endpoint, url, headers, body, retry, timeoutMs, nextToken } = request;
  const { operation, method } = endpoint;
  const { concurrency, pauses } = settings;
  const { progress } = deadline;
  // `fetch` would fail with an error like that of a broken connection.
  for (const name in headers)
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(`${headers[name]}`))
      throw new ConfigurationError('headers take only plain ASCII.', endpoint);
  let { token } = request;
  let delayMs = 0;
  let received: ResponseContext | undefined;
  /**
   * Waits until requests with the token may be sent and fewer than the limit run. The turn ends with `concurrency.done`. If
   * the server wants none for longer than the call can wait, the result is the response that says so.
   */
  const waitForTurn = async (): Promise<ResponseContext | undefined> => {
    for (;;) {
      const pauseMs = pauses.remainingMs(token);
      if (pauseMs > 0) {
        if (pauseMs > retry.maxRetryAfter || pauseMs > deadline.remainingMs)
          return { ...pauses.response(token), url, attempts: progress.attempt, redact: progress.redact };
        await deadline.wait(pauseMs);
      } else {
        await concurrency.turn(token, deadline);
        if (pauses.remainingMs(token) === 0) return undefined;
        concurrency.done(token);
      }
    }
  };
  const paused = await waitForTurn();
  if (paused) return paused;
  let hasTurn = true;

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
      attempt: progress.attempt,
      status: response?.status,
      error: response ? undefined : failure,
    };
    const byRules = response ? isRetriableStatus(method, response.status, retry) : isRetriableFailure(method, failure);
    let decided: boolean | undefined;
    try {
      decided = await retry.shouldRetry?.(failed);
    } catch (cause) {
      throw progress.failed(cause, 'shouldRetry failed: ');
    }
    if (!(decided ?? byRules)) return false;
    const askedMs = response ? retryAfterMs(response.headers) : null;
    delayMs = askedMs ?? backoff(retryCount, retry);
    if (delayMs > deadline.remainingMs || (askedMs !== null && askedMs > retry.maxRetryAfter)) return false;
    const why = response ? `status ${response.status}` : failure.message;
    const next = `${operation}: attempt ${failed.attempt} failed (${why}); the next in ${Math.round(delayMs)} ms`;
    log(settings, 'info', next, { ...failed, error: failed.error?.message, delayMs });
    notify(settings, 'onRetry', settings.onRetry, { ...failed, delayMs });
    hasTurn = false;
    concurrency.done(token);
    return true;
  };

  try {
    await ky(url, {
      method,
      headers,
      // A stream is sent once. ky would copy it for further attempts, and so hold all of it in memory.
      body: body === undefined || isStream(body) ? null : body,
      // A redirect of a write would be followed by a GET, whose response would be taken for that of the write.
      redirect: isRead(method) ? 'follow' : 'manual',
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
            const pausedMeanwhile = await waitForTurn();
            hasTurn = !pausedMeanwhile;
            received = pausedMeanwhile ?? received;
            return pausedMeanwhile && ky.stop;
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
    if (deadline.signal.aborted) throw deadline.signal.reason;
    throw new ConfigurationError(
      `this environment's Request, AbortSignal and fetch do not fit together (${(error as Error).message}). In jsdom, use the environment of Node, or happy-dom.`,
      { operation, cause: error },
    );
  } finally {
    if (hasTurn) concurrency.done(token);
  }
  return received as ResponseContext;
}

/** One attempt: tracing and the middleware around `fetch`, and the whole body of the response. */
async function sendOnce(
  given: Request,
  request: OutgoingRequest,
  settings: Settings,
  deadline: Deadline,
): Promise<ResponseContext & { response: FetchResponse }> {
  const { operation: endpoint, token } = request;
  const { operation, method, path } = endpoint;
  const { middleware, pauses } = settings;
  const { progress } = deadline;
  const { signal } = given;
  deadline.check();
  const maybeRepeated = progress.mayHaveArrived;
  const attempt = progress.attempt + 1;
  /** Not before, since a middleware may fail or hang. */
  const count = () => {
    progress.attempts += attempt - progress.attempt;
  };
  const send = (changed: Request) => {
    count();
    progress.mayHaveArrived = true;
    return fetchOnce(given, changed, request, settings, progress);
  };
  const layered = middleware.reduceRight<(changed: Request) => Promise<FetchResponse>>(
    (next, layer) => async (changed) => layer(changed, next as typeof fetch, { operation, attempt }),
    send,
  );
  let response!: FetchResponse;
  let text = '';
  let unread: Response | Blob | undefined;
  const traced: TracedAttempt = { operation, method, path, attempt, headers: {} };
  const run = async (): Promise<void> => {
    for (const [name, value] of Object.entries(traced.headers)) {
      request.headers[name.toLowerCase()] = value;
      given.headers.set(name, value);
    }
    try {
      response = await layered(given);
      count();
    } catch (cause) {
      if (signal.aborted || cause instanceof MarketplaceError) throw cause;
      throw progress.failed(cause, 'A middleware failed: ');
    }
    // `Response.error()`, and what the mode `no-cors` hides.
    if (/^(error|opaque)$/.test(response?.type)) throw connectionFailed(request.url, undefined, progress);
    if (typeof response?.status !== 'number') throw new ConfigurationError('fetch returned no response.', endpoint);
    const { bodyUsed, body } = response as Partial<Response>;
    if (bodyUsed || body?.locked)
      throw new ConfigurationError('a middleware has read the response. Let it read response.clone().', endpoint);
    traced.status = response.status;
    const reads = response.status < 300 ? progress.reads : 'text';
    const cut = (cause: unknown) => {
      throw new ConnectionError('The response is incomplete or damaged.', { cause });
    };
    if (reads === 'nothing') unread = response as Response;
    else if (reads === 'blob') unread = await (response as Response).blob().catch(cut);
    // To its end, whatever the status: an unread body of 20 kB costs a socket.
    else text = await response.text().catch(cut);
  };
  try {
    await (platform.trace ? platform.trace(traced, run) : run());
  } catch (error) {
    if (error instanceof ConnectionError && !error.mayHaveArrived) progress.mayHaveArrived = maybeRepeated;
    throw error;
  }
  // A `fetch` that ignores signals may finish during a later attempt.
  signal.throwIfAborted();
  const { status, headers, redirected, url } = response;
  const finalUrl = request.finalUrl ?? (url || request.url);
  const hasLeft = (redirected || request.finalUrl !== undefined) && originOf(finalUrl) !== originOf(request.url);
  // Only in browsers, which follow redirects themselves.
  if (hasLeft && !request.allowRedirects) throw leavesOrigin(request, finalUrl);
  const leftOrigin = hasLeft ? originOf(request.url) : undefined;
  const sent = { attempts: attempt, maybeRepeated, token, fromCache: false, redact: progress.redact };
  const context = { ...sent, status, headers, text, body: unread, url: finalUrl, leftOrigin };
  // The server has rejected it. With 408 a gateway may only have stopped waiting for it.
  if ((status >= 400 && status < 500 && status !== 408) || isUnauthorized(context))
    progress.mayHaveArrived = maybeRepeated;
  if (status === 429) pauses.pause(token, retryAfterMs(headers) ?? 0, context);
  return { ...context, response };
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
  progress: Progress,
): Promise<FetchResponse> {
  const { init: more, httpCache, onUploadProgress } = request;
  const { signal } = given;
  const { method } = changed;
  // A middleware may want none to be followed.
  const follows = changed.redirect === 'follow' && !isBrowser;
  const redirect = follows ? 'manual' : (changed.redirect as 'follow' | 'manual');
  const isUnchanged = changed === given;
  const follow = (response: FetchResponse, headers: Record<string, string>) =>
    follows
      ? followRedirects(response, headers, request, (next, init) =>
          (fetch ?? (globalThis.fetch as unknown as Fetch))(next, { ...more, method, redirect, signal, ...init }),
        )
      : response;
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
      return await follow(
        await globalThis.fetch(body === undefined ? changed : new Request(changed, sent), {
          ...more,
          redirect,
          signal,
        }),
        Object.fromEntries(changed.headers),
      );
    // The headers of the request include the type of its body. Reading them is slow.
    const isPlain = middleware.length === 0 && body === undefined;
    const headers = isPlain ? request.headers : Object.fromEntries(changed.headers);
    const init = { ...more, method, headers, redirect, signal, ...sent, ...(httpCache && { cache: httpCache }) };
    // The global is looked up for every call: test tools replace it after a client was made.
    return await follow(await (fetch ? fetch(url, init as FetchInit) : globalThis.fetch(url, init)), headers);
  } catch (cause) {
    if (cause instanceof MarketplaceError) throw cause;
    throw signal.aborted ? signal.reason : connectionFailed(url, cause, progress);
  }
}

/** The body of a request that a middleware made. A stream is not in ky's request, and so not in a copy of it. */
async function bodyOf(changed: Request, body: Body | undefined): Promise<Body | undefined> {
  if (isStream(body) && !changed.body) return body;
  const bytes = await changed.arrayBuffer();
  return bytes.byteLength > 0 ? bytes : undefined;
}

/** What the innermost error says: the outer one of Node is "fetch failed". */
const reasonOf = (error: Error): string => (error.cause instanceof Error ? reasonOf(error.cause) : error.message);

function connectionFailed(url: string, cause: unknown, { redact }: Progress): ConnectionError {
  const origin = originOf(url);
  const message = cause instanceof Error ? reasonOf(cause) : '';
  // Runtimes follow a redirect 20 times, then fail. Their messages share only this word; a browser's has none.
  if (/redirect/i.test(message)) return redirectsEndlessly(url, cause);
  const code = failureCode(cause) ?? redact(message);
  // A browser does not say why it withheld a response.
  const cors = isBrowser ? " It may also reject this page's origin or a header (CORS)." : '';
  return new ConnectionError(
    `No response from ${origin}${code ? ` (${code})` : ''}. Check the option baseUrl, and that the server can be reached.${cors}`,
    { cause },
  );
}
