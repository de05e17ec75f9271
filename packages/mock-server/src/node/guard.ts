import type { Exchange } from '@mkt/server';
import { HttpError, isLoopbackAddress, rateLimiter, timingSafeEqual, tooManyRequests } from '@mkt/server/extend';

/** Wrong tokens per address. */
const attempts = { requests: 20, seconds: 60 };

/**
 * Rejects requests that do not name this machine, so that no web page gets access with a name of its own, or do not come
 * from it, so that no other machine gets access with a Host header. @throws 403
 */
export function checkLocal({ url, peer }: Exchange): void {
  if (isLoopbackAddress(url.hostname) && (peer === null || isLoopbackAddress(peer))) return;
  throw new HttpError(
    403,
    "The control API and its console answer only on this machine and under this machine's own name, such as 127.0.0.1.",
  );
}

/**
 * Whether a request has the control token.
 * @throws 429 after too many wrong tokens from the same address; the right one is always admitted
 */
export type ControlGuard = (exchange: Exchange, token: string | null) => boolean;

/** Protects the control API: only programs and browsers on this machine with the control token have access. */
export function controlGuard(token: string, sha256: (text: string) => string): ControlGuard {
  // Digests have a fixed length, so comparing them does not reveal the length of the token.
  const digest = sha256(token);
  const wrong = rateLimiter(attempts, () => Date.now());
  return ({ peer }, given) => {
    // Web pages can send requests without a token, which must not use up the limit of those with one.
    if (given === null) return false;
    if (timingSafeEqual(sha256(given), digest)) return true;
    const wait = wrong.count(peer ?? '');
    if (wait > 0) throw tooManyRequests(wait);
    return false;
  };
}
