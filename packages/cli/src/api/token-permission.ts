import { AuthenticationError, type Marketplace, NotFoundError } from '@mkt/sdk';

/**
 * Whether the token may make changes; undefined if that cannot be found out. The API does not say which of the user's
 * tokens is used. Unless all of them have the same permission, a token that does not exist is revoked: the service
 * responds with 401 to a read-only token, and with 404 to others.
 */
export async function mayWrite(client: Marketplace, signal: AbortSignal): Promise<boolean | undefined> {
  try {
    const tokens = await client.accessTokens.list({ signal }).all();
    const permissions = new Set(tokens.map(({ permission }) => permission));
    if (permissions.size === 1) return permissions.has('write');
    await client.accessTokens.delete('0', { signal });
    return undefined;
  } catch (error) {
    if (error instanceof NotFoundError) return true;
    return error instanceof AuthenticationError ? false : undefined;
  }
}
