import { type FailedAttempt, type MarketplaceOptions, type Retry, TimeoutError } from '@mkt/sdk';
import type { Context } from '../../context/context.js';
import type { Io } from '../../io/io.js';
import { timeZone, upcoming } from '../../text/local-time.js';

/** How long a service that gets too many requests (429) may ask to wait, unless --wait is given. Then the command ends. */
const LONGEST_WAIT_MS = 600_000;
/** The longest delay of a timer. */
const LONGEST_MS = 2 ** 31 - 1;
/** How often a request is sent if there is another failure. */
const ATTEMPTS = 3;
/** The same for reading whole lists, which takes long and begins again after a failure. */
export const LIST_ATTEMPTS = 7;

/** How long the service may ask to wait. */
export const longestWaitMs = ({ options }: Context): number => (options.wait ? LONGEST_MS : LONGEST_WAIT_MS);

/**
 * When requests are sent again: after too many of them as often as the service asks, after other failures a few times.
 * Ctrl-C ends it. A program that runs a command cannot show a countdown, so its requests are retried only briefly.
 */
export function retryOptions(
  context: Context,
  attempts = ATTEMPTS,
): Pick<MarketplaceOptions, 'retry' | 'totalTimeout'> {
  const { io, options } = context;
  if (io.isBrief) return options.timeout === undefined ? {} : { totalTimeout: options.timeout };
  const shouldRetry = ({ status, attempt, error }: FailedAttempt): boolean | undefined => {
    if (io.interrupted.aborted) return false;
    if (status === 429) return true;
    const isOver = attempt >= attempts || (options.timeout !== undefined && error instanceof TimeoutError);
    return isOver ? false : undefined;
  };
  return {
    totalTimeout: LONGEST_MS,
    retry: { limit: Number.MAX_SAFE_INTEGER, maxRetryAfter: longestWaitMs(context), shouldRetry },
  };
}

export const secondsText = (ms: number): string => (ms === 1000 ? '1 second' : `${ms / 1000} seconds`);

/** What the user reads if a command does not wait; `retryAfterMs` is null if the service does not say how long. */
export function tooManyRequests(retryAfterMs: number | null, io: Io) {
  const code = 'rate_limited' as const;
  if (retryAfterMs !== null && retryAfterMs > LONGEST_WAIT_MS) {
    const when = upcoming(retryAfterMs, io.now());
    const message = `Too many requests. The service accepts more ${when} (${timeZone()}).`;
    const hint = `Continue ${when}${io.isBrief ? '' : '. With --wait, mkt waits until then'}`;
    return { code, message, hints: [hint] };
  }
  const wait = retryAfterMs === null ? 'a while' : secondsText(Math.ceil(retryAfterMs / 1000) * 1000);
  const message = 'Too many requests. The service asks you to slow down.';
  return { code, message, hints: [`Wait ${wait}, then try again`] };
}

/** Shows the time before another attempt; after other failures only on a terminal. */
export function showRetry(context: Context, { delayMs, status }: Retry): void {
  if (status === 429) context.countDown('Too many requests.', delayMs);
  else if (context.io.stderr.isTTY) context.countDown('The request failed.', delayMs);
}
