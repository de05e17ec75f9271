import type { AccessTokenFields } from '@mkt/sdk/contract';
import { type Context, type Input, listing, type ResourceContext } from './context.js';

/** Never with their secrets, never the revoked ones (D21). */
export const list = (context: Context) => listing(context, 'access_tokens', 'byUser', [context.caller.userId]);

/** The secret is in this answer alone: only its digest is kept (D21). */
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

/** Revokes it, also when it is the one in use; from then on requests with it get 401 (api.md, Authentication rule 6). */
async function remove({ store, resource, now }: ResourceContext<'access_tokens'>): Promise<void> {
  await store.update('access_tokens', resource.id, { revoked_at: now });
}

export { remove as delete };
