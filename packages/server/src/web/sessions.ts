import { idFrom } from '../rules/policy.js';
import { Conflict, type Reader, type Store } from '../store/store.js';
import type { Row } from '../store/tables.js';
import { timestamp } from '../timestamp.js';
import { timingSafeEqual } from '../timing-safe-equal.js';
import type { Sign } from './signing.js';

export type Token = Row<'access_tokens'>;

/** Seconds that a browser stays signed in: a week. */
export const sessionSeconds = 7 * 24 * 60 * 60;

/** The maximum number of expired rows that a sign-out removes. */
const sweep = 100;

interface Session {
  readonly id: string;
  /** Seconds since 1970. */
  readonly expires: number;
  readonly token: Token;
}

/**
 * A session is a signed cookie with the id of the access token. So a session has the permissions of its
 * token, ends when the token is revoked, and works with every store. The signature covers the token's digest: after a reset,
 * the same id may belong to another token, and the session must not become that of another user. Only sessions that
 * were signed out are stored, until their cookie expires.
 */
export function sessionCookies(sign: Sign, random: (bytes: number) => string, now: () => number) {
  const cookieFor = ({ id, expires, token }: Session): string =>
    `${token.id}.${expires}.${id}.${sign('session', `${token.id}.${expires}.${id}.${token.digest}`)}`;

  const find = async (reader: Reader, cookie: string): Promise<Session | null> => {
    const [, tokenId = '', until = '', id = ''] =
      /^([\w-]{1,64})\.(\d{1,15})\.([\w-]{12})\.[\w-]{43}$/.exec(cookie) ?? [];
    const expires = Number(until);
    if (tokenId === '' || expires * 1000 < now()) return null;
    const token = await reader.get('access_tokens', idFrom(tokenId, reader));
    if (!token || token.revoked_at !== null || !timingSafeEqual(cookie, cookieFor({ id, expires, token }))) return null;
    return (await reader.get('ended_sessions', id)) ? null : { id, expires, token };
  };

  return {
    issue: (token: Token): string =>
      cookieFor({ id: random(9), expires: Math.floor(now() / 1000) + sessionSeconds, token }),

    /** The token of a cookie; null if the cookie is invalid, expired or signed out, or if the token was revoked. */
    tokenOf: async (reader: Reader, cookie: string): Promise<Token | null> =>
      (await find(reader, cookie))?.token ?? null,

    /** Ends the session of this cookie for all processes with this store, and removes expired sessions. */
    end: (store: Store, cookie: string): Promise<void> =>
      store.transact(async (writer) => {
        const expired = await writer.page('ended_sessions', 'byExpiry', [], { offset: 0, limit: sweep });
        for (const { id, expires_at } of expired)
          if (Date.parse(expires_at) < now()) await writer.delete('ended_sessions', id);
        const session = await find(writer, cookie);
        if (!session) return;
        await writer.lock('users', session.token.user_id);
        const expires_at = timestamp(session.expires * 1000);
        try {
          await writer.insert('ended_sessions', { id: session.id, expires_at });
        } catch (error) {
          // A second click was faster.
          if (!(error instanceof Conflict)) throw error;
        }
      }),
  };
}
