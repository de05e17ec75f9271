import { parse, serialize } from 'hono/utils/cookie';
import type { Exchange } from '../http/exchange.js';

/**
 * `session`: the signed-in user. `visit`: ties a form that asks for a secret to a browser. `flash`: the message for the next page.
 */
export type CookieName = 'session' | 'visit' | 'flash';

/** Cookies ignore ports: without the port in the name, two servers on a machine would sign out each other's users. */
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
  /** Empty to remove the cookie. */
  readonly value: string;
  /** Seconds. */
  readonly maxAge: number;
}

export const noCookie = (name: CookieName): NewCookie => ({ name, value: '', maxAge: 0 });

/**
 * Removes the session cookie if the browser sent it. Forms of other sites come without cookies, but the cookies of the
 * response would be stored: such a form must not sign out the user.
 */
export const noMoreSession = (exchange: Exchange): readonly NewCookie[] =>
  cookieOf(exchange, 'session') === null ? [] : [noCookie('session')];

/** Scripts cannot read the cookies, writes of other sites do not send them, and with https they are only sent over https. */
export function withCookies(response: Response, exchange: Exchange, base: string, cookies: readonly NewCookie[]) {
  // Each proxy appends to the list; the first entry is from the proxy that the browser is connected to.
  const outermost = exchange.header('x-forwarded-proto')?.split(',', 1)[0]?.trim();
  const secure = base.startsWith('https:') || outermost === 'https';
  for (const { name, value, maxAge } of cookies) {
    const options = { path: '/', httpOnly: true, sameSite: 'Lax', secure, maxAge } as const;
    response.headers.append('Set-Cookie', serialize(fullName(exchange, name), value, options));
  }
  return response;
}
