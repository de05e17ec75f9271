import type { PendingRequest } from '@mkt/server';
import { HttpError, invalidFields } from '@mkt/server/extend';
import type { Fault, FaultEffect, Milliseconds } from './fault-rules.js';

/** The part of 1 that spreads delays evenly: the n-th multiple of the golden ratio. */
const spread = (n: number): number => (n * 0.618_033_988_749_895) % 1;

export const nthDelay = (delay: Milliseconds, n: number): number =>
  typeof delay === 'number' ? delay : Math.round(delay[0] + (delay[1] - delay[0]) * spread(n));

function rejection({ status, retryAfter, message, errors }: Extract<FaultEffect, { status: number }>): Error {
  const text = message ?? `This is an injected fault: the request was rejected with ${status}.`;
  if (status === 422) return invalidFields(errors ?? { base: [text] });
  return new HttpError(status, text, {
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
    // Every 401 names the authentication scheme.
    ...(status === 401 ? { 'WWW-Authenticate': 'Token realm="Application"' } : {}),
  });
}

/** Applies a fault to a request. `cleared` aborts when faults are cleared. */
export async function applyEffect(
  { effect: provided, hits }: Fault,
  request: PendingRequest,
  cleared: AbortSignal,
): Promise<Response> {
  // `hang` is short for `{ hang: true }`.
  const effect =
    typeof provided === 'string' ? ({ [provided]: true } as object as Exclude<FaultEffect, string>) : provided;
  const { exchange } = request;
  const { signal } = exchange.request;
  if (effect.delay !== undefined) await pause(nthDelay(effect.delay, hits), [signal]);
  if ('status' in effect) return request.reject(rejection(effect));
  if ('hang' in effect) {
    await pause(Number.POSITIVE_INFINITY, [signal, cleared]);
    return exchange.drop();
  }
  if ('drop' in effect) return exchange.drop();
  const response = await request.respond();
  const isEmpty = response.type === 'error' || [204, 303, 304].includes(response.status);
  if (isEmpty || exchange.method === 'HEAD') return response;
  return (await import('./response-effects.js')).changedResponse(effect, response, exchange, pause);
}

/** The maximum delay of a timer: 24 days. */
const longest = 2 ** 31 - 1;

/**
 * Waits `milliseconds`, or until one of the signals fires. It never rejects.
 * The timer keeps a Node process alive: a test that waits for a missing response must not end as if it had passed.
 */
export function pause(milliseconds: number, signals: readonly AbortSignal[]): Promise<void> {
  if (signals.some(({ aborted }) => aborted)) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(milliseconds, longest));
    for (const signal of signals) signal.addEventListener('abort', end, { once: true });
  });
}
