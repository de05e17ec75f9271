import type { SocialAccountFields } from '@mkt/sdk/contract';
import { Conflict } from '../store/store.js';
import { namedAccount } from './account-url.js';
import { type Context, type Input, listing, type ResourceContext } from './context.js';
import { invalid } from './errors.js';

export const list = (context: Context) => listing(context, 'social_accounts', 'byUser', [context.caller.userId]);

export const get = async ({ resource }: ResourceContext<'social_accounts'>) => resource;

/**
 * Pending and without metrics at first: the marketplace verifies and syncs it.
 * @param isStored whether a seed has it, which an earlier version may have accepted
 */
export async function create(
  { store, caller, now }: Context,
  { fields }: Input<SocialAccountFields>,
  { isStored = false }: { readonly isStored?: boolean } = {},
) {
  const { normalized, uid, example } = namedAccount(fields.account_url);
  if (example !== undefined && !isStored) throw invalid('account_url', { code: 'not_profile', example });
  if (await store.find('social_accounts', 'byNormalizedUrl', [normalized])) throw taken();
  try {
    return await store.insert('social_accounts', {
      user_id: caller.userId,
      platform_id: fields.platform_id,
      account_url: fields.account_url,
      normalized_url: normalized,
      uid,
      status: 'pending',
      created_at: now,
      updated_at: now,
    });
  } catch (error) {
    // Another request connected it after the lookup.
    throw error instanceof Conflict ? taken() : error;
  }
}

async function remove({ store, resource }: ResourceContext<'social_accounts'>): Promise<void> {
  await store.delete('social_accounts', resource.id);
}

export { remove as delete };

const taken = () => invalid('account_url', { code: 'account_taken' });
