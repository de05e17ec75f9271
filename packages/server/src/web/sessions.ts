import { Conflict, type Reader, type Store } from '../store/store.js';
import type { Row } from '../store/tables.js';
import { timestamp } from '../timestamp.js';
import { timingSafeEqual } from '../timing-safe-equal.js';
import type { Sign } from './signing.js';

export type Token = Row<'access_tokens'>;

/** Seconds that a browser stays signed in: a week. */
export const sessionSeconds = 7 * 24 * 60 * 60;

/** How many expired rows a sign-out removes at most. */
const sweep = 100;

interface Session {
  readonly id: string;
  /** Seconds since 1970. */
  readonly expires: number;
  readonly token: Token;
}

/**
 * Sessions are in their cookies: the access token that the person signed in with, signed. So a session may do what its
 * token may, ends when the token is revoked, and lives on any store. The signature covers the token's digest: after a reset
 * to other data the same number is another token, and the session does not become somebody else's. Only sessions that
 * were signed out are stored, until their cookie expires.
 */
export function sessionKeeper(sign: Sign, random: (bytes: number) => string, now: () => number) {
  const cookieFor = ({ id, expires, token }: Session): string =>
    `${token.id}.${expires}.${id}.${sign('session', `${token.id}.${expires}.${id}.${token.digest}`)}`;

  const find = async (reader: Reader, cookie: string): Promise<Session | null> => {
    const [, tokenId = '', until = '', id = ''] = /^(\d{1,15})\.(\d{1,15})\.([\w-]{12})\.[\w-]{43}$/.exec(cookie) ?? [];
    const expires = Number(until);
    if (tokenId === '' || expires * 1000 < now()) return null;
    const token = await reader.get('access_tokens', Number(tokenId));
    if (!token || token.revoked_at !== null || !timingSafeEqual(cookie, cookieFor({ id, expires, token }))) return null;
    return (await reader.get('ended_sessions', id)) ? null : { id, expires, token };
  };

  return {
    /** A new session's cookie. */
    issue: (token: Token): string =>
      cookieFor({ id: random(9), expires: Math.floor(now() / 1000) + sessionSeconds, token }),

    /** The token behind a cookie; null when it is not ours, has expired or was signed out, or its token was revoked. */
    tokenOf: async (reader: Reader, cookie: string): Promise<Token | null> =>
      (await find(reader, cookie))?.token ?? null,

    /** Ends the session of this cookie for every process on the store, and removes those that have expired. */
    end: (store: Store, cookie: string): Promise<void> =>
      store.transact(async (writer) => {
        const expired = await writer.page('ended_sessions', 'byExpiry', [], { offset: 0, limit: sweep });
        for (const { id, expires_at } of expired)
          if (Date.parse(expires_at) < now()) await writer.delete('ended_sessions', id);
        const session = await find(writer, cookie);
        if (!session) return;
        const expires_at = timestamp(session.expires * 1000);
        try {
          await writer.insert('ended_sessions', { id: session.id, expires_at });
        } catch (error) {
          // The other of two clicks was faster.
          if (!(error instanceof Conflict)) throw error;
        }
      }),
  };
}
