import type { Exchange } from './exchange.js';
import { tooManyRequests } from './problems.js';

/** At most `requests` in each window of `seconds`, for each token (D15). A simulation, so the simplest kind: fixed windows. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

export function rateLimiter({ requests, seconds }: RateLimit, clock: () => number, sha256: (text: string) => string) {
  let window = -1;
  let used = new Map<string, number>();
  return {
    /** @throws 429 with the seconds until the next window */
    count(exchange: Exchange): void {
      const now = clock() / 1000;
      const current = Math.floor(now / seconds);
      if (current !== window) {
        window = current;
        used = new Map();
      }
      const who = sha256(exchange.header('authorization') ?? '');
      const count = (used.get(who) ?? 0) + 1;
      used.set(who, count);
      if (count > requests) throw tooManyRequests(Math.max(1, Math.ceil((current + 1) * seconds - now)));
    },
    /** Everybody starts anew. */
    forget(): void {
      used = new Map();
    },
  };
}
