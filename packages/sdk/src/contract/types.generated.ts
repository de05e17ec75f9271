// Generated from the schemas of this folder by `npm run generate`. Do not edit.
import type { Changes, Id, Open, Purge } from './types.js';

/** A personal access token. */
export interface AccessToken {
  /** Number of the token. */
  id: Id;
  /** Description by its owner. */
  description: string;
  /** `write` may use every method, `read` only GET and HEAD. */
  permission: 'read' | 'write';
  /** When it was created. */
  created_at: string;
  /** The secret. Only in the response to the creation. */
  token?: string | undefined;
}

/** A new access token, with its secret. */
export interface NewAccessToken extends AccessToken {
  token: string;
}

/** The signed-in user's shipping address, at most one. */
export interface Address {
  /** Number of the address. */
  id: Id;
  /** Street and number. */
  address_one: string;
  /** Flat, floor, building; null when none is given. */
  address_two: string | null;
  /** City. */
  city: string;
  /** State, province or region. */
  state: string;
  /** Postal code. */
  postal_code: string;
  /** Two-letter country code, such as `DE`. */
  country_code: string;
  /** Degrees north, a decimal in a string; null when unknown. */
  latitude: string | null;
  /** Degrees east, a decimal in a string; null when unknown. */
  longitude: string | null;
  /** Identifier of the place at Google; null when unknown. */
  google_place_id: string | null;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** A budgeted creator program. */
export interface Campaign {
  /** Number of the campaign. */
  id: Id;
  /** Name of the campaign. */
  name: string;
  /** `draft`, `active`, `paused` or `finished`. */
  status: 'draft' | 'active' | 'paused' | 'finished';
  /** Three-letter currency code, such as `usd`. */
  currency: string;
  /** Two-letter codes of the countries it is for, such as `DE`. */
  countries: string[];
  /** Web address that creators promote; null when none is given. */
  website: string | null;
  /** Kind of content asked for, such as `ugc`. */
  content_type: Open<'ugc'>;
  /** What is promoted, such as `product`. */
  category: Open<'product'>;
  /** Platforms it runs on, such as `youtube` and `tiktok`. */
  platform_ids: Open<'youtube' | 'tiktok'>[];
  /** Identifier of a music track on TikTok; null when none is given. */
  tiktok_music_id: string | null;
  /** Payout per thousand views: an integer, no unit, no scale. */
  cpm_amount: number;
  /** Smallest payout: an integer, no unit, no scale. */
  min_payout_amount: number;
  /** Largest payout: an integer, no unit, no scale. */
  max_payout_amount: number;
  /** Reward for taking part: an integer, no unit, no scale. */
  base_reward_amount: number;
  /** Money funded: 0 on creation; funding happens elsewhere. */
  total_budget_amount: number;
  /** Part of the budget that is spent. */
  used_amount: number;
  /** Part of the budget that is left. */
  unused_amount: number;
  /** Views of all submissions. */
  view_count: number;
  /** Number of submissions. */
  submissions_count: number;
  /** When it was published; null until then. */
  published_at: string | null;
  /** When it was paused; null unless it is paused. */
  paused_at: string | null;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** Address of this campaign's JSON representation. */
  url: string;
  /** Address of the banner, readable without a token; null when there is none. */
  banner_image_url: string | null;
  /** The brief as safe HTML; null when there is none. Not in lists. */
  brief: string | null;
}

/** A campaign as lists have it: without its brief. */
export interface CampaignListItem extends Omit<Campaign, 'brief'> {}

/** A brand brief that creators apply to. */
export interface Collab {
  /** Number of the collab. */
  id: Id;
  /** Name of the collab. */
  name: string;
  /** `draft`, `submitted_for_review`, `published` or `paused`. */
  state: 'draft' | 'paused' | 'submitted_for_review' | 'published';
  /** Three-letter currency code, such as `usd`. */
  currency: string;
  /** Two-letter codes of the countries it is for, such as `DE`. */
  countries: string[];
  /** Web address of the product; null when none is given. */
  website: string | null;
  /** Whether creators must allow Spark Ads. */
  require_spark_ads: boolean;
  /** Whether the product is sent to the creator. */
  requires_product_shipment: boolean;
  /** Number of submissions. */
  submissions_count: number;
  /** Number of completed submissions. */
  completed_count: number;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** Address of this collab's JSON representation. */
  url: string;
  /** Address of the banner, readable without a token; null when there is none. */
  banner_image_url: string | null;
  /** The brief as safe HTML; null when there is none. Not in lists. */
  brief: string | null;
  /** When it was published; absent until then. */
  published_at?: string | undefined;
}

/** A collab as lists have it: without its brief. */
export interface CollabListItem extends Omit<Collab, 'brief'> {}

/** The person behind a membership. */
export interface MemberUser {
  /** Opaque identifier of the user. */
  id: string;
  /** Full name. */
  name: string;
  /** E-mail address. */
  email: string;
}

/** A person's place in an organization. */
export interface Membership {
  /** Opaque identifier of the membership. */
  id: string;
  /** `member` or `admin`. */
  role: 'member' | 'admin';
  /** True for the owner of the organization, who cannot be removed or demoted. */
  is_owner: boolean;
  /** When the user joined. */
  created_at: string;
  /** When the role last changed. */
  updated_at: string;
  /** The person behind the membership. */
  user: MemberUser;
}

/** A brand. */
export interface Organization {
  /** Number of the organization. */
  id: Id;
  /** Name of the brand. */
  name: string;
  /** Who sees the brand: `public`, `private` or `restricted`. A private one has a logo. */
  privacy_setting: 'public' | 'private' | 'restricted';
  /** Web address of the brand; null when none is given. */
  website: string | null;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** Address of this organization's JSON representation. */
  url: string;
  /** Address of the logo, readable without a token; absent when there is none. */
  logo_url?: string | undefined;
}

export interface AccessTokenFields {
  /** Free text that describes the token: 1 to 255 characters. */
  description: string;
  /** `read` can only look, `write` can also change. */
  permission: 'read' | 'write';
}

/** What `POST /organizations.json` takes besides the logo. */
export interface OrganizationFields {
  /** Name of the brand: 1 to 255 characters. */
  name: string;
  /** `public` (the default), `private` (needs a logo) or `restricted`. */
  privacy_setting?: 'public' | 'private' | 'restricted' | undefined;
  /** Web address of the brand, http or https. */
  website?: string | null | undefined;
  /** `"1"` removes the logo. */
  purge_logo?: Purge | undefined;
}

/** What `PATCH /organizations/:id.json` takes besides the logo: any subset. */
export interface OrganizationChanges extends Changes<OrganizationFields> {}

export interface MembershipChanges {
  /** `member` or `admin`. */
  role: 'member' | 'admin';
}

/** Fields of a new campaign; omitted ones get their defaults. */
export interface CampaignFields {
  /** Name of the campaign: 1 to 255 characters. */
  name: string;
  /** Web address that creators promote, http or https. By default the organization's. */
  website?: string | null | undefined;
  /** Kind of content. By default `ugc`. */
  content_type?: Open<'ugc'> | undefined;
  /** What is promoted. By default `product`. */
  category?: Open<'product'> | undefined;
  /** Three-letter currency code. By default `usd`. Fixed once published. */
  currency?: string | undefined;
  /** Payout per thousand views, 0 or more. By default 500. Fixed once published. */
  cpm_amount?: number | undefined;
  /** Smallest payout, at most the largest. By default 1000. Fixed once published. */
  min_payout_amount?: number | undefined;
  /** Largest payout. By default 10000. Fixed once published. */
  max_payout_amount?: number | undefined;
  /** Reward for taking part, 0 or more. By default 0. Fixed once published. */
  base_reward_amount?: number | undefined;
  /** Platforms, such as `instagram`. By default `youtube` and `tiktok`. */
  platform_ids?: Open<'youtube' | 'tiktok'>[] | undefined;
  /** Two-letter country codes, such as `DE`. By default `US`. */
  countries?: string[] | undefined;
  /** Identifier of a music track on TikTok. */
  tiktok_music_id?: string | null | undefined;
  /** The brief as HTML, at most 64 KiB; unsafe markup is removed. By default the organization's template. */
  brief?: string | null | undefined;
}

/** What a change of a campaign takes: any subset. */
export interface CampaignChanges extends Changes<CampaignFields> {}

/** What a new collab, or a change of one, takes; all of it optional. */
export interface CollabFields {
  /** Name of the collab: 1 to 255 characters. By default `Untitled collab`. */
  name?: string | undefined;
  /** Web address of the product, http or https. By default the organization's. */
  website?: string | null | undefined;
  /** Three-letter currency code. By default the organization's. */
  currency?: string | undefined;
  /** Two-letter country codes, such as `DE`. By default the organization's. */
  countries?: string[] | undefined;
  /** Whether creators must allow Spark Ads. By default false. */
  require_spark_ads?: boolean | undefined;
  /** Whether the product is sent to the creator. By default false. */
  requires_product_shipment?: boolean | undefined;
  /** The brief as HTML, at most 64 KiB; unsafe markup is removed. By default the organization's template. */
  brief?: string | null | undefined;
  /** `"1"` removes the banner. */
  purge_banner_image?: Purge | undefined;
}

export interface SocialAccountFields {
  /** Platform, such as `tiktok`. */
  platform_id: Open<'youtube' | 'tiktok' | 'instagram' | 'twitter'>;
  /** Address of the account, http or https; no other user may have it. */
  account_url: string;
}

/** What `PATCH /me/address.json` takes: everything required the first time, any subset later. */
export interface AddressFields {
  /** Street and number. Required when there is no address yet. */
  address_one?: string | undefined;
  /** Flat, floor, building. */
  address_two?: string | null | undefined;
  /** City. Required when there is no address yet. */
  city?: string | undefined;
  /** State, province or region. Required when there is no address yet. */
  state?: string | undefined;
  /** Postal code. Required when there is no address yet. */
  postal_code?: string | undefined;
  /** Two-letter country code, such as `DE`. Required when there is no address yet. */
  country_code?: string | undefined;
  /** Degrees north, -90 to 90: a number or a decimal string, rounded to 8 decimals. */
  latitude?: string | number | null | undefined;
  /** Degrees east, -180 to 180: a number or a decimal string, rounded to 8 decimals. */
  longitude?: string | number | null | undefined;
  /** Identifier of the place at Google. */
  google_place_id?: string | null | undefined;
}

/** An account of the signed-in user on a platform. */
export interface SocialAccount {
  /** Number of the account. */
  id: Id;
  /** Platform, such as `tiktok`. */
  platform_id: Open<'youtube' | 'tiktok' | 'instagram' | 'twitter'>;
  /** Address of the account on its platform, as it was sent; unique across all users. */
  account_url: string;
  /** Identifier on the platform, taken from the address. */
  uid: string;
  /** `pending`, `verified` or `failed`. */
  status: 'pending' | 'verified' | 'failed';
  /** Subscribers in the latest snapshot; null before the first. */
  subscriber_count: number | null;
  /** Views in the latest snapshot; null before the first. */
  view_count: number | null;
  /** Videos in the latest snapshot; null before the first. */
  video_count: number | null;
  /** Likes in the latest snapshot; null before the first. */
  likes_count: number | null;
  /** Engagement in the latest snapshot, a decimal in a string; null before the first. */
  engagement_rate: string | null;
  /** When the latest snapshot was taken; null before the first. */
  last_synced_at: string | null;
  /** When it was connected. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** Address of this account's JSON representation. */
  url: string;
}
