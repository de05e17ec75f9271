import type { ControlGuard } from '../../control/guard.js';
import type { Exchange } from '../../http/exchange.js';
import { HttpError } from '../../http/problems.js';
import { timingSafeEqual } from '../../timing-safe-equal.js';
import { cookieOf, type NewCookie } from '../cookies.js';
import type { WebContext } from '../web-context.js';

/** Seconds that a browser stays at the console: a working day. */
const seconds = 12 * 60 * 60;

/** Who may use the console: a browser on this machine that has shown the control token once. */
export interface ConsoleAccess {
  /** What the console's forms prove themselves with; null while the token is still to be shown. @throws 403 from another machine, or under a name of one */
  csrf(exchange: Exchange): string | null;
  /** The cookie for a browser that shows the token; null for another text. @throws 429 after too many wrong ones */
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
