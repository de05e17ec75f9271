import ky from 'ky';
import { ConfigurationError } from '../errors.js';
import type { Settings, UploadProgress } from '../options.js';
import { type Answer, attempt } from './attempt.js';
import { backoff, mayRetry, type RetryPolicy, retryAfterMs } from './retry.js';
import type { Scope } from './scope.js';

/** A request as it goes out. */
export interface Outgoing {
  operation: string;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: BodyInit | undefined;
  /** `manual`: a redirect is an answer. */
  redirect: 'follow' | 'manual';
  timeout: number;
  retry: RetryPolicy;
  /** How a browser's own HTTP cache is asked; absent elsewhere, since some edge runtimes refuse the field. */
  httpCache: RequestCache | undefined;
  onUploadProgress: ((progress: UploadProgress) => void) | undefined;
}

/** ky would retry by its own lists of methods and statuses; ours decide (D48). */
const everyMethod = ['get', 'head', 'post', 'put', 'patch', 'delete'] as never;

/**
 * Sends a request until there is an answer, of whatever status, or no attempt is left.
 *
 * ky builds and repeats the request. Timeouts, waits and the reading of bodies are ours: ky's timeout ends at the
 * headers, and its waits follow any `Retry-After`. Errors are mapped outside ky: it retries an error class of ours.
 */
export async function exchange(
  outgoing: Outgoing,
  settings: Settings,
  scope: Scope,
): Promise<Answer & { attempts: number }> {
  const { operation, method, url, body, retry, timeout, onUploadProgress, httpCache } = outgoing;
  const limit = body instanceof ReadableStream ? 0 : retry.limit;
  let attempts = 0;
  let answer: Answer | undefined;

  const send = (request: Request): Promise<Response> => {
    attempts += 1;
    answer = undefined;
    return scope.attempt(async (signal) => {
      const result = await attempt(request, signal, settings, { operation, attempt: attempts });
      answer = result.answer;
      return result.response;
    }, timeout);
  };

  const shouldRetry = async ({ error }: { error: Error }): Promise<boolean> => {
    const outcome = answer ?? error;
    if (!mayRetry(method, outcome)) return false;
    const asked = answer ? retryAfterMs(answer.headers) : null;
    const wait = asked ?? backoff(attempts, retry);
    if (wait > scope.remaining || (asked !== null && asked > retry.maxRetryAfter)) return false;
    const why = answer ? `status ${answer.status}` : error.message;
    settings.logger?.debug(`${operation}: attempt ${attempts} failed (${why}); the next in ${Math.round(wait)} ms`);
    await scope.wait(wait);
    return true;
  };

  try {
    await ky(url, {
      method,
      headers: outgoing.headers,
      redirect: outgoing.redirect,
      ...(body === undefined ? {} : { body }),
      ...(httpCache && { cache: httpCache }),
      ...(onUploadProgress && {
        onUploadProgress: ({ transferredBytes, totalBytes }) =>
          onUploadProgress({ sentBytes: transferredBytes, totalBytes: Math.max(totalBytes, transferredBytes) }),
      }),
      fetch: send as typeof fetch,
      timeout: false,
      throwHttpErrors: (status) => status >= 400,
      retry: { limit, methods: everyMethod, shouldRetry, delay: () => 0 },
    });
  } catch (error) {
    if (attempts === 0)
      throw new ConfigurationError(
        `${operation}: the request cannot be made. Check the headers: names and values must be plain ASCII.`,
      );
    if (!answer) throw error;
  }
  if (!answer) throw new ConfigurationError(`${operation}: the fetch in use gave no answer.`);
  return { ...(answer as Answer), attempts };
}
