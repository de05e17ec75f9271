import type { Caller } from '../rules/context.js';
import type { Reader } from '../store/store.js';
import type { Exchange } from './exchange.js';
import { unauthorized } from './problems.js';

export const bearerOf = (exchange: Exchange): string | null =>
  /^Bearer +(\S+) *$/i.exec(exchange.header('authorization') ?? '')?.[1] ?? null;

/**
 * The owner of the bearer token. The secret is never compared: its digest is looked up through a unique index (D21).
 * @throws 401
 */
export async function bearerCaller(
  reader: Reader,
  exchange: Exchange,
  sha256: (text: string) => string,
): Promise<Caller> {
  const secret = bearerOf(exchange);
  if (secret === null)
    throw unauthorized('An access token is missing. Send the header Authorization: Bearer <ACCESS_TOKEN>.');
  const token = await reader.find('access_tokens', 'byDigest', [sha256(secret)]);
  if (!token || token.revoked_at !== null)
    throw unauthorized('This access token is unknown or was revoked. Use another one.');
  return { userId: token.user_id, permission: token.permission, tokenId: token.id };
}
