import { parse, serialize } from 'hono/utils/cookie';
import type { Exchange } from '../http/exchange.js';

/**
 * `session`: who is signed in. `console`: who may use the operator's console. `visit`: ties a form that asks for a secret
 * to a browser. `flash`: what to say on the next page. `secret`: a new token's secret, sealed, for one page.
 */
export type CookieName = 'session' | 'console' | 'visit' | 'flash' | 'secret';

/** Cookies know no ports: without one in the name, two servers on a machine would sign each other's people out. */
const fullName = (exchange: Exchange, name: CookieName): string => {
  const { port } = exchange.url;
  return port === '' ? `mkt_${name}` : `mkt_${name}_${port}`;
};

export function cookieOf(exchange: Exchange, name: CookieName): string | null {
  const header = exchange.header('cookie');
  if (header === null) return null;
  const full = fullName(exchange, name);
  return parse(header, full)[full] || null;
}

export interface NewCookie {
  readonly name: CookieName;
  /** Empty: the cookie is taken away. */
  readonly value: string;
  /** Seconds. */
  readonly maxAge: number;
  /** By default all of them. */
  readonly path?: string;
}

export const noCookie = (name: CookieName, path = '/'): NewCookie => ({ name, value: '', maxAge: 0, path });

/**
 * Takes the session away from a browser that sent it. Another site's form comes without our cookies, and what answers it is
 * kept all the same: it must sign nobody out.
 */
export const noMoreSession = (exchange: Exchange): readonly NewCookie[] =>
  cookieOf(exchange, 'session') === null ? [] : [noCookie('session')];

/** No script reads them, no other site's request sends them along with a write, and behind https they stay behind it. */
export function withCookies(response: Response, exchange: Exchange, base: string, cookies: readonly NewCookie[]) {
  // Each proxy adds its own to the list; the first one spoke with the browser.
  const outermost = exchange.header('x-forwarded-proto')?.split(',', 1)[0]?.trim();
  const secure = base.startsWith('https:') || outermost === 'https';
  for (const { name, value, maxAge, path = '/' } of cookies) {
    const options = { path, httpOnly: true, sameSite: 'Lax', secure, maxAge } as const;
    response.headers.append('Set-Cookie', serialize(fullName(exchange, name), value, options));
  }
  return response;
}
