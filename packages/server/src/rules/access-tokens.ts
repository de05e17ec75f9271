import type { AccessTokenFields } from '@mkt/sdk/contract';
import { type Context, type Input, listing, type ResourceContext } from './context.js';

/** Contains neither secrets nor revoked tokens. */
export const list = (context: Context) => listing(context, 'access_tokens', 'byUser', [context.caller.userId]);

/** Only this response contains the secret, because only its digest is stored. */
export async function create({ store, caller, now, random, sha256 }: Context, { fields }: Input<AccessTokenFields>) {
  const token = `mkt_${random(32)}`;
  const row = await store.insert('access_tokens', {
    user_id: caller.userId,
    digest: sha256(token),
    description: fields.description,
    permission: fields.permission,
    created_at: now,
  });
  return { ...row, token };
}

/** Revokes a token, even the one in use. Later requests with it get 401. */
async function remove({ store, resource, now }: ResourceContext<'access_tokens'>): Promise<void> {
  await store.update('access_tokens', resource.id, { revoked_at: now });
}

export { remove as delete };
