import * as z from 'zod/mini';
import { endpointsOf, wrappedIn } from './endpoint.js';
import { decimal, id, itemUrl, type KnownFields, listed, open, representation, timestamp, url } from './fields.js';
import { platforms, socialAccountStates } from './states.js';

export const socialAccount = representation({
  /** Number of the account. */
  id,
  /** Platform, such as `tiktok`. */
  platform_id: open(...platforms),
  /** Address of the account on its platform, as it was sent; unique across all users. */
  account_url: url,
  /** Identifier on the platform, taken from the address. */
  uid: z.string(),
  /** `pending`, `verified` or `failed`. */
  status: listed(...socialAccountStates),
  /** Subscribers in the latest snapshot; null before the first. */
  subscriber_count: z.nullable(z.int()),
  /** Views in the latest snapshot; null before the first. */
  view_count: z.nullable(z.int()),
  /** Videos in the latest snapshot; null before the first. */
  video_count: z.nullable(z.int()),
  /** Likes in the latest snapshot; null before the first. */
  likes_count: z.nullable(z.int()),
  /** Engagement in the latest snapshot, a decimal in a string; null before the first. */
  engagement_rate: z.nullable(decimal),
  /** When the latest snapshot was taken; null before the first. */
  last_synced_at: z.nullable(timestamp),
  /** When it was connected. */
  created_at: timestamp,
  /** When it last changed. */
  updated_at: timestamp,
  /** Address of this account's JSON representation. */
  url: itemUrl,
});
/** An account of the signed-in user on a platform. */
export interface SocialAccount extends KnownFields<z.infer<typeof socialAccount>> {}

const profiles: Readonly<Record<string, (name: string) => string>> = {
  tiktok: (name) => `https://www.tiktok.com/@${name}`,
  youtube: (name) => `https://www.youtube.com/@${name}`,
  instagram: (name) => `https://www.instagram.com/${name}`,
  twitter: (name) => `https://x.com/${name}`,
};

/** The URL of an account from what people write: `@acme` on a known platform, or a URL without its scheme. */
export function accountUrl(platform: string, text: string): string {
  const written = text.trim();
  if (/^[a-z]+:/i.test(written)) return text;
  if (written.includes('/')) return `https://${written}`;
  const profile = Object.hasOwn(profiles, platform) ? profiles[platform] : undefined;
  return profile && /^@?[\p{L}\p{N}._-]+$/u.test(written)
    ? profile(encodeURIComponent(written.replace(/^@/, '')))
    : text;
}

const { list, get, create, remove } = endpointsOf(
  'socialAccounts',
  '/me/social_accounts.json',
  '/me/social_accounts/:id.json',
);

export const socialAccounts = {
  list: list({ response: socialAccount }),
  get: get({ response: socialAccount }),
  /** Starts as pending. An account that is already connected, by any user, is rejected: 422. */
  create: create({ request: wrappedIn('social_account'), response: socialAccount }),
  delete: remove(),
};
