import { isLoopbackAddress } from '../http/cors.js';
import type { Exchange } from '../http/exchange.js';
import { tooManyRequests } from '../http/problems.js';
import { rateLimiter } from '../http/rate-limit.js';
import { timingSafeEqual } from '../timing-safe-equal.js';

/** Wrong tokens per address. */
const attempts = { requests: 20, seconds: 60 };

/** Protects the control API and its console: only programs and browsers on this machine with the control token have access. */
export interface ControlGuard {
  /**
   * Whether the request names this machine, so that no web page gets access with a name of its own, and comes from it, so that
   * no other machine gets access with a Host header.
   */
  isLocal(exchange: Exchange): boolean;
  /** @throws 429 after too many wrong tokens from the same address, even for the right one */
  admits(exchange: Exchange, token: string | null): boolean;
  /** Changes with the token. */
  readonly digest: string;
}

export function controlGuard(token: string, sha256: (text: string) => string): ControlGuard {
  // Digests have a fixed length, so comparing them does not reveal the length of the token.
  const digest = sha256(token);
  const wrong = rateLimiter(attempts, () => Date.now());
  return {
    digest,
    isLocal: ({ url, peer }) => isLoopbackAddress(url.hostname) && (peer === null || isLoopbackAddress(peer)),
    admits({ peer }, given) {
      const caller = peer ?? '';
      const mayEnter = wrong.count(caller, 0) === 0 && given !== null && timingSafeEqual(sha256(given), digest);
      const wait = mayEnter ? 0 : wrong.count(caller);
      if (wait > 0) throw tooManyRequests(wait);
      return mayEnter;
    },
  };
}
