import type { Marketplace } from '@mkt/sdk';

/**
 * What the token in use may do; undefined if that is not known. The API does not say which of the user's tokens is used, so it
 * is known only if all of them have the same permission.
 */
export async function tokenPermission(client: Marketplace, signal: AbortSignal): Promise<string | undefined> {
  const tokens = await client.accessTokens
    .list({ signal })
    .all()
    .catch(() => []);
  const permissions = new Set(tokens.map(({ permission }) => permission));
  return permissions.size === 1 ? [...permissions][0] : undefined;
}
