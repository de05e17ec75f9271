import type { Exchange } from '../http/exchange.js';
import { cookieOf, type NewCookie } from './cookies.js';
import type { Sealer } from './signing.js';

/** A message that is shown once, on the page after a redirect. */
export interface Flash {
  readonly tone: 'good' | 'bad';
  readonly text: string;
  /** The secret of a new token: shown only on the next page, and only in the session that created it. */
  readonly secret?: string;
  /** The key of the form that takes back what was done, for the same session. */
  readonly undo?: string;
  /** The key of the processed form whose result it is. */
  readonly form?: string;
}

/** A form that takes an update back. Like any form, it does not overwrite what was changed since. */
export interface Undo {
  readonly fields: Readonly<Record<string, string>>;
  readonly action: string;
  readonly label: 'Undo' | 'Redo';
  /** The path of the page that offers it: a form on another page would lose what is typed. */
  readonly page: string;
}

interface Sealed extends Flash {
  /** Milliseconds since 1970. */
  readonly until: number;
  /** The session cookie, if there is a secret or an undo. */
  readonly session?: string | null;
}

/** Seconds. */
const maxAge = 60;
/** Longer messages would exceed the maximum size of a cookie. */
const maxLength = 1000;

/** Encrypted, because it may contain a secret, and because other servers on the same host could set cookies too. */
export function flashCookie({ seal }: Sealer, exchange: Exchange, flash: Flash): NewCookie {
  const sealed: Sealed = {
    ...flash,
    text: flash.text.length > maxLength ? `${flash.text.slice(0, maxLength)}…` : flash.text,
    until: Date.now() + maxAge * 1000,
    ...((flash.secret ?? flash.undo) !== undefined && { session: cookieOf(exchange, 'session') }),
  };
  return { name: 'flash', value: seal(sealed), maxAge };
}

export function flashIn({ open }: Sealer, exchange: Exchange): Flash | null {
  const opened = open<Sealed>(cookieOf(exchange, 'flash'));
  if (opened === null || opened.until < Date.now()) return null;
  const { until: _, session, secret, undo, ...flash } = opened;
  if (session === undefined || session !== cookieOf(exchange, 'session')) return flash;
  return { ...flash, ...(secret !== undefined && { secret }), ...(undo !== undefined && { undo }) };
}
