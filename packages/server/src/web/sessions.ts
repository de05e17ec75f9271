import { sameText } from '../same-text.js';
import type { Reader } from '../store/store.js';
import type { Row } from '../store/tables.js';
import type { Sign } from './signing.js';

export type Token = Row<'access_tokens'>;

/** Seconds that a browser stays signed in: a week. */
export const sessionSeconds = 7 * 24 * 60 * 60;

/**
 * Sessions without a table: the cookie names the access token that the person signed in with, and is signed. So a session
 * may do what its token may, ends when the token is revoked, and lives on any store. The signature covers the token's
 * digest: after a reset to other data the same number is another token, and the session does not become somebody else's.
 */
export function sessionKeeper(sign: Sign, now: () => number) {
  const proof = (token: Token, expires: number): string => sign('session', `${token.id}.${expires}.${token.digest}`);
  return {
    issue(token: Token): string {
      const expires = Math.floor(now() / 1000) + sessionSeconds;
      return `${token.id}.${expires}.${proof(token, expires)}`;
    },

    /** The token behind a cookie; null when the cookie is not ours or too old, or the token is gone or revoked. */
    async find(reader: Reader, cookie: string): Promise<Token | null> {
      const [, id = '', until = '', signature = ''] = /^(\d{1,15})\.(\d{1,15})\.([\w-]{43})$/.exec(cookie) ?? [];
      if (id === '' || Number(until) * 1000 < now()) return null;
      const token = await reader.get('access_tokens', Number(id));
      if (!token || token.revoked_at !== null) return null;
      return sameText(signature, proof(token, Number(until))) ? token : null;
    },
  };
}
