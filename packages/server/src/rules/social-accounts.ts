import type { SocialAccountFields } from '@mkt/sdk/contract';
import { Conflict } from '../store/store.js';
import type { Context, Input, ResourceContext } from './context.js';
import { invalid } from './errors.js';
import { listing } from './listing.js';

export const list = (context: Context) => listing(context, 'social_accounts', 'byUser', [context.caller.userId]);

export const get = async ({ resource }: ResourceContext<'social_accounts'>) => resource;

/** Pending and without metrics at first: verification and sync are the platform's own acts (D45). */
export async function create({ store, caller, now }: Context, { fields }: Input<SocialAccountFields>) {
  const normalized = normalizedUrl(fields.account_url);
  if (await store.find('social_accounts', 'byNormalizedUrl', [normalized])) throw taken();
  try {
    return await store.insert('social_accounts', {
      user_id: caller.userId,
      platform_id: fields.platform_id,
      account_url: fields.account_url,
      normalized_url: normalized,
      uid: handleOf(fields.account_url) ?? normalized,
      status: 'pending',
      subscriber_count: null,
      view_count: null,
      video_count: null,
      likes_count: null,
      engagement_rate: null,
      last_synced_at: null,
      created_at: now,
      updated_at: now,
    });
  } catch (error) {
    // Somebody else connected it between the look and the insert: the unique index has the last word.
    throw error instanceof Conflict ? taken() : error;
  }
}

export async function remove({ store, resource }: ResourceContext<'social_accounts'>): Promise<void> {
  await store.delete('social_accounts', resource.id);
}

const taken = () =>
  invalid(
    'account_url',
    'Account url is connected already, by you or by somebody else. Each account can be connected once.',
  );

/**
 * Scheme, case of the host, `www.`, trailing slash, query and fragment make no difference; the path's case does (D45).
 * Nor do other spellings of the same host and path: the dot of the root, escapes that are not needed.
 */
export function normalizedUrl(address: string): string {
  const { host } = new URL(address);
  return host.replace(/^www\./, '').replace(/\.(?=:|$)/, '') + pathOf(address).replace(/\/+$/, '');
}

/** The last part of the path without its `@`: `acme` of `https://www.tiktok.com/@acme`. */
function handleOf(address: string): string | null {
  const last = pathOf(address).split('/').filter(Boolean).at(-1)?.replace(/^@+/, '');
  return last ? last : null;
}

/** The path with its escapes in one form: `@acme` of `/%40%61cme`. What needs its escape keeps it. */
const pathOf = (address: string): string =>
  new URL(address).pathname.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~@-]/.test(character) ? character : code.toUpperCase();
  });
