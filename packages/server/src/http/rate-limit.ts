import type { Store } from '../store/store.js';
import { bearerCaller, bearerOf } from './bearer.js';
import type { Exchange } from './exchange.js';
import type { HtmlRenderer } from './html-renderer.js';
import { HttpError, tooManyRequests } from './problems.js';

/** At most `requests` in each window of `seconds`, for each caller. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** Maximum number of counted callers; beyond that, the count of the oldest one restarts. */
const maxCallers = 10_000;

export function rateLimiter({ requests, seconds }: RateLimit, clock: () => number) {
  let window = -1;
  const used = new Map<string, number>();
  return {
    /**
     * Counts a request of `caller`, or only checks the limit with 0.
     * @returns 0, or the seconds until the next window if the limit is exceeded
     */
    count(caller: string, more = 1): number {
      const now = clock() / 1000;
      const current = Math.floor(now / seconds);
      if (current !== window) {
        window = current;
        used.clear();
      }
      const count = (used.get(caller) ?? 0) + more;
      if (!used.has(caller) && used.size >= maxCallers) used.delete(used.keys().next().value ?? '');
      used.set(caller, count);
      return count > requests ? Math.max(1, Math.ceil((current + 1) * seconds - now)) : 0;
    },
    forget: (): void => used.clear(),
  };
}

interface Callers {
  readonly clock: () => number;
  readonly store: Store;
  readonly renderer: HtmlRenderer;
  readonly sha256: (text: string) => string;
}

/**
 * Counts requests by access token, by the user of the session, or otherwise by the address of the client, so that invalid
 * tokens and cookies do not get a limit of their own.
 */
export function requestLimiter(rateLimit: RateLimit, { clock, store, renderer, sha256 }: Callers) {
  const { count, forget } = rateLimiter(rateLimit, clock);
  const callerOf = (exchange: Exchange): Promise<string> =>
    store.read(async (reader) => {
      const address = `address ${exchange.clientAddress ?? ''}`;
      const secret = bearerOf(exchange);
      try {
        if (secret !== null) {
          await bearerCaller(reader, exchange, sha256);
          return `token ${sha256(secret)}`;
        }
        const user = exchange.wantsJson ? null : await renderer.identify?.(reader, exchange);
        return user ? `user ${user.userId}` : address;
      } catch (error) {
        if (error instanceof HttpError) return address;
        throw error;
      }
    });
  return {
    /** @throws 429 */
    async check(exchange: Exchange): Promise<void> {
      const wait = count(await callerOf(exchange));
      if (wait > 0) throw tooManyRequests(wait);
    },
    forget,
  };
}
