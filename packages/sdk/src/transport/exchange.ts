import { ConfigurationError } from '../errors.js';
import type { Logger, Settings, UploadProgress } from '../options.js';
import { type Answer, attempt } from './attempt.js';
import type { Body } from './call.js';
import { counted } from './progress.js';
import { backoff, mayRepeatAnswered, mayRepeatFailed, type RetryPolicy, retryAfterMs } from './retry.js';
import type { Scope } from './scope.js';

/** A request as it goes out. */
export interface Outgoing {
  operation: string;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: Body | undefined;
  /** `manual`: a redirect is an answer. */
  redirect: 'follow' | 'manual';
  timeout: number;
  retry: RetryPolicy;
  /** How a browser's own HTTP cache is asked; absent elsewhere, since some edge runtimes refuse the field. */
  httpCache: RequestCache | undefined;
  onUploadProgress: ((progress: UploadProgress) => void) | undefined;
}

/** Asked of objects alone: on Node 20 the mere name of a web class loads the code of all of them. */
const isStream = (body: Body | undefined): boolean => typeof body === 'object' && body instanceof ReadableStream;

/** Throws what `fetch` would fail on with an error that looks like a broken connection's. */
function checkSendable({ operation, method, headers, body }: Outgoing): void {
  if (body !== undefined && (method === 'GET' || method === 'HEAD'))
    throw new ConfigurationError(`${operation}: a ${method} request cannot have a body.`);
  for (const name in headers)
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(`${headers[name]}`))
      throw new ConfigurationError(
        `${operation}: the request cannot be made. Check the headers: names and values must be plain ASCII.`,
      );
}

/** What `fetch` takes. A stream of an upload is made anew for each attempt. */
async function initOf(
  outgoing: Outgoing,
  signal: AbortSignal,
  logger: Logger | undefined,
): Promise<RequestInit & { signal: AbortSignal }> {
  const { method, headers, redirect, httpCache, body, onUploadProgress } = outgoing;
  const init = { method, headers, redirect, signal, ...(httpCache && { cache: httpCache }) };
  if (body === undefined) return init;
  const sent = onUploadProgress ? await counted(body, onUploadProgress, logger) : body;
  // `duplex` is asked of whoever sends a stream.
  return { ...init, body: sent, ...(isStream(sent) && { duplex: 'half' }) };
}

/**
 * Sends a request until there is an answer, of whatever status, or no attempt is left. What may be repeated, when, and
 * how long it may take is decided here and in `retry.ts` and `scope.ts`, nowhere else.
 */
export async function exchange(
  outgoing: Outgoing,
  settings: Settings,
  scope: Scope,
): Promise<Answer & { attempts: number }> {
  const { operation, method, url, body, retry, timeout } = outgoing;
  const limit = isStream(body) ? 0 : retry.limit;
  checkSendable(outgoing);

  /** Milliseconds to wait for the next attempt; undefined where this outcome is the last. */
  const waitAfter = (attempts: number, answer: Answer | undefined, failure: unknown): number | undefined => {
    // What a middleware throws may have a status too: it is no answer, and not repeated.
    const mayRepeat = answer ? mayRepeatAnswered(method, answer.status) : mayRepeatFailed(method, failure);
    if (attempts > limit || !mayRepeat) return undefined;
    const asked = answer ? retryAfterMs(answer.headers) : null;
    const wait = asked ?? backoff(attempts, retry);
    return wait > scope.remaining || (asked !== null && asked > retry.maxRetryAfter) ? undefined : wait;
  };

  for (let attempts = 1; ; attempts += 1) {
    let answer: Answer | undefined;
    let failure: unknown;
    try {
      const context = { operation, attempt: attempts };
      answer = await scope.attempt(
        async (signal) => attempt(url, await initOf(outgoing, signal, settings.logger), settings, context),
        timeout,
      );
      if (answer.status < 400) return { ...answer, attempts };
    } catch (error) {
      failure = error;
    }
    const wait = waitAfter(attempts, answer, failure);
    if (wait === undefined) {
      if (answer) return { ...answer, attempts };
      throw failure;
    }
    const why = answer ? `status ${answer.status}` : (failure as Error).message;
    settings.logger?.debug(`${operation}: attempt ${attempts} failed (${why}); the next in ${Math.round(wait)} ms`);
    await scope.wait(wait);
  }
}
