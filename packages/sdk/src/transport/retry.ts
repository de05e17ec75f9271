import { ConnectionError, TimeoutError } from '../errors.js';
import type { RetryOptions } from '../options.js';

export interface RetryPolicy {
  limit: number;
  minDelay: number;
  maxDelay: number;
  maxRetryAfter: number;
}

export function retryPolicy(...given: (number | false | RetryOptions | undefined)[]): RetryPolicy {
  const policy = { limit: 2, minDelay: 300, maxDelay: 8000, maxRetryAfter: 60_000 };
  for (const retry of given) {
    if (typeof retry === 'number') policy.limit = retry;
    else if (retry === false) policy.limit = 0;
    else
      for (const [name, value] of Object.entries(retry ?? {}))
        if (value !== undefined) Object.assign(policy, { [name]: value });
  }
  return policy;
}

/** D48: which failed attempts are repeated. A POST only where it cannot have arrived. */
export function mayRepeatFailed(method: string, failure: unknown): boolean {
  if (failure instanceof ConnectionError) return method !== 'POST' || !failure.mayHaveArrived;
  return failure instanceof TimeoutError && failure.phase === 'attempt' && method !== 'POST';
}

/** D48: which answers are asked for again. After 429 a POST too, since it was not processed. */
export const mayRepeatAnswered = (method: string, status: number): boolean =>
  status === 429 || (method !== 'POST' && (status === 502 || status === 503 || status === 504));

/**
 * How long the server asks to wait, in milliseconds: `Retry-After` as seconds or as a date. Null where it is absent or
 * makes no sense (`abc` made ky wait for days).
 */
export function retryAfterMs(headers: Headers): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

/** Exponential, with the upper half left to chance, so that clients which failed together do not return together. */
export const backoff = (attempt: number, { minDelay, maxDelay }: RetryPolicy): number =>
  Math.min(maxDelay, minDelay * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
