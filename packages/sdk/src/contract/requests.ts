// What requests may hold. The client sends them as they are, so it does not import this file; the service checks them.
import * as z from 'zod/mini';
import {
  amount,
  check,
  countryCode,
  countryCodes,
  currencyCode,
  filled,
  filledWebAddress,
  purge,
  richText,
  slug,
  slugs,
  text,
  webAddress,
} from './fields.js';
import { platforms, privacySettings, roles } from './states.js';

export const accessTokenFields = z.object({
  /** Free text that describes the token: 1 to 255 characters. */
  description: filled(),
  /** `read` can only look, `write` can also change. */
  permission: z.enum(['read', 'write']),
});
export interface AccessTokenFields extends z.input<typeof accessTokenFields> {}

export const organizationFields = z.object({
  /** Name of the brand: 1 to 255 characters. */
  name: filled(),
  /** `public` (the default), `private` (needs a logo) or `restricted`. */
  privacy_setting: z.optional(z.enum(privacySettings)),
  /** Web address of the brand, http or https. */
  website: z.optional(z.nullable(webAddress())),
  /** `"1"` removes the logo. */
  purge_logo: purge(),
});
export const organizationChanges = z.partial(organizationFields);
/** What `POST /organizations.json` takes besides the logo. */
export interface OrganizationFields extends z.input<typeof organizationFields> {}
/** What `PATCH /organizations/:id.json` takes besides the logo: any subset. */
export interface OrganizationChanges extends z.input<typeof organizationChanges> {}

export const membershipChanges = z.object({
  /** `member` or `admin`. */
  role: z.enum(roles),
});
export interface MembershipChanges extends z.input<typeof membershipChanges> {}

export const campaignFields = z.object({
  /** Name of the campaign: 1 to 255 characters. */
  name: filled(),
  /** Web address that creators promote, http or https. @default the organization's */
  website: z.optional(z.nullable(webAddress())),
  /** Kind of content. @default `ugc` */
  content_type: z.optional(slug('ugc')),
  /** What is promoted. @default `product` */
  category: z.optional(slug('product')),
  /** Three-letter currency code. @default `usd` @remarks Fixed once published. */
  currency: z.optional(currencyCode()),
  /** Payout per thousand views, 0 or more. @default 500 @remarks Fixed once published. */
  cpm_amount: z.optional(amount()),
  /** Smallest payout, at most the largest. @default 1000 @remarks Fixed once published. */
  min_payout_amount: z.optional(amount()),
  /** Largest payout. @default 10000 @remarks Fixed once published. */
  max_payout_amount: z.optional(amount()),
  /** Reward for taking part, 0 or more. @default 0 @remarks Fixed once published. */
  base_reward_amount: z.optional(amount()),
  /** Platforms, such as `instagram`. @default `youtube` and `tiktok` */
  platform_ids: z.optional(slugs('youtube', 'tiktok')),
  /** Two-letter country codes, such as `DE`. @default `US` */
  countries: z.optional(countryCodes()),
  /** Identifier of a music track on TikTok. */
  tiktok_music_id: z.optional(z.nullable(text())),
  /** The brief as HTML, at most 64 KiB; unsafe markup is removed. @default the organization's template */
  brief: z.optional(z.nullable(richText())),
});
export const campaignChanges = z.partial(campaignFields);
/** Fields of a new campaign; omitted ones get their defaults. */
export interface CampaignFields extends z.input<typeof campaignFields> {}
/** What a change of a campaign takes: any subset. */
export interface CampaignChanges extends z.input<typeof campaignChanges> {}

export const collabFields = z.object({
  /** Name of the collab: 1 to 255 characters. @default `Untitled collab` */
  name: z.optional(filled()),
  /** Web address of the product, http or https. @default the organization's */
  website: z.optional(z.nullable(webAddress())),
  /** Three-letter currency code. @default the organization's */
  currency: z.optional(currencyCode()),
  /** Two-letter country codes, such as `DE`. @default the organization's */
  countries: z.optional(countryCodes()),
  /** Whether creators must allow Spark Ads. @default false */
  require_spark_ads: z.optional(z.boolean()),
  /** Whether the product is sent to the creator. @default false */
  requires_product_shipment: z.optional(z.boolean()),
  /** The brief as HTML, at most 64 KiB; unsafe markup is removed. @default the organization's template */
  brief: z.optional(z.nullable(richText())),
  /** `"1"` removes the banner. */
  purge_banner_image: purge(),
});
/** What a new collab, or a change of one, takes; all of it optional. */
export interface CollabFields extends z.input<typeof collabFields> {}

export const socialAccountFields = z.object({
  /** Platform, such as `tiktok`. */
  platform_id: slug(...platforms),
  /** Address of the account, http or https; no other user may have it. */
  account_url: filledWebAddress(),
});
export interface SocialAccountFields extends z.input<typeof socialAccountFields> {}

/** Only for other types: the checks have sentences of their own. */
const typeError = {
  error: ({ code }: { readonly code: string }) =>
    code === 'invalid_union' ? 'must be a number or a decimal string' : undefined,
};

/** Degrees within ±`bound`, as a number or a plain decimal string. */
const degrees = (bound: number) =>
  z.union([z.number(), text(32)], typeError).check(
    check({ code: 'not_decimal' }, (value) => typeof value === 'number' || /^-?\d{1,3}(\.\d+)?$/.test(value), {
      abort: true,
    }),
    check({ code: 'out_of_bounds', bound }, (value) => Math.abs(Number(value)) <= bound),
  );

export const addressFields = z.object({
  /** Street and number. @remarks Required when there is no address yet. */
  address_one: z.optional(filled()),
  /** Flat, floor, building. */
  address_two: z.optional(z.nullable(text())),
  /** City. @remarks Required when there is no address yet. */
  city: z.optional(filled()),
  /** State, province or region. @remarks Required when there is no address yet. */
  state: z.optional(filled()),
  /** Postal code. @remarks Required when there is no address yet. */
  postal_code: z.optional(filled()),
  /** Two-letter country code, such as `DE`. @remarks Required when there is no address yet. */
  country_code: z.optional(countryCode()),
  /** Degrees north, -90 to 90: a number or a decimal string, rounded to 8 decimals. */
  latitude: z.optional(z.nullable(degrees(90))),
  /** Degrees east, -180 to 180: a number or a decimal string, rounded to 8 decimals. */
  longitude: z.optional(z.nullable(degrees(180))),
  /** Identifier of the place at Google. */
  google_place_id: z.optional(z.nullable(text())),
});
/** What `PATCH /me/address.json` takes: everything required the first time, any subset later. */
export interface AddressFields extends z.input<typeof addressFields> {}
