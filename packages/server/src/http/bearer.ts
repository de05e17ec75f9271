import type { Reader } from '../store/store.js';
import type { Exchange } from './exchange.js';
import { unauthorized } from './problems.js';

export const bearerOf = (exchange: Exchange): string | null =>
  /^Bearer +(\S+) *$/i.exec(exchange.header('authorization') ?? '')?.[1] ?? null;

/** The access token with this secret; null if it is unknown or revoked. */
export async function tokenWith(reader: Reader, secret: string, sha256: (text: string) => string) {
  const token = await reader.find('access_tokens', 'byDigest', [sha256(secret)]);
  return token?.revoked_at === null ? token : null;
}

/**
 * The owner of the bearer token. The secret is never compared: its digest is looked up through a unique index.
 * @throws 401
 */
export async function bearerCaller(reader: Reader, exchange: Exchange, sha256: (text: string) => string) {
  const secret = bearerOf(exchange);
  if (secret === null)
    throw unauthorized('An access token is missing. Send the header Authorization: Bearer <ACCESS_TOKEN>.');
  const token = await tokenWith(reader, secret, sha256);
  if (!token) throw unauthorized('This access token is unknown or was revoked. Use another one.');
  return { userId: token.user_id, permission: token.permission, tokenId: token.id };
}
