import type { ControlGuard } from '../../control/guard.js';
import type { Exchange } from '../../http/exchange.js';
import { HttpError } from '../../http/problems.js';
import { timingSafeEqual } from '../../timing-safe-equal.js';
import { cookieOf, type NewCookie } from '../cookies.js';
import type { WebContext } from '../web-context.js';

/** Seconds until a browser must enter the control token again. */
const seconds = 12 * 60 * 60;

/** Access to the console, for browsers on this machine that have sent the control token once. */
export interface ConsoleAccess {
  /** The CSRF token of the console's forms; null if the control token is still needed. @throws 403 from or via another machine */
  csrf(exchange: Exchange): string | null;
  /** The cookie for a browser that has sent the token; null for a wrong token. @throws 429 after too many attempts */
  cookieFor(exchange: Exchange, token: string): NewCookie | null;
}

export function consoleAccess(web: WebContext, guard: ControlGuard): ConsoleAccess {
  const proof = (expires: string): string => web.sign('console', `${expires}.${guard.digest}`);
  return {
    csrf(exchange) {
      if (!guard.isLocal(exchange))
        throw new HttpError(
          403,
          "The console answers only on this machine and under this machine's own name, such as 127.0.0.1.",
        );
      const cookie = cookieOf(exchange, 'console') ?? '';
      const [, expires = '', signature = ''] = /^(\d{1,15})\.([\w-]{43})$/.exec(cookie) ?? [];
      const holds = Number(expires) * 1000 > Date.now() && timingSafeEqual(signature, proof(expires));
      return holds ? web.csrfFor(cookie) : null;
    },
    cookieFor(exchange, given) {
      if (!guard.admits(exchange, given)) return null;
      const expires = String(Math.floor(Date.now() / 1000) + seconds);
      return { name: 'console', value: `${expires}.${proof(expires)}`, maxAge: seconds };
    },
  };
}
