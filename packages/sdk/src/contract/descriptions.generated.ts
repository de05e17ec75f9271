// Generated from the doc comments of this folder by `npm run generate`. Do not edit.

/** What each field of each schema is, by the name of the schema and of the field. `descriptionText` makes one line of it. */
export const descriptions = {
  accessToken: {
    id: {
      what: 'Number of the token.',
    },
    token: {
      what: 'The secret. Only in the response to the creation.',
    },
    description: {
      what: 'Description by its owner.',
    },
    permission: {
      what: '`write` may use every method, `read` only GET and HEAD.',
    },
    created_at: {
      what: 'When it was created.',
    },
  },
  accessTokenFields: {
    description: {
      what: 'Free text that describes the token: 1 to 255 characters.',
    },
    permission: {
      what: '`read` can only look, `write` can also change.',
    },
  },
  addressRepresentation: {
    id: {
      what: 'Number of the address.',
    },
    address_one: {
      what: 'Street and number.',
    },
    address_two: {
      what: 'Flat, floor, building; null when none is given.',
    },
    city: {
      what: 'City.',
    },
    state: {
      what: 'State, province or region.',
    },
    postal_code: {
      what: 'Postal code.',
    },
    country_code: {
      what: 'Two-letter country code, such as `DE`.',
    },
    latitude: {
      what: 'Degrees north, a decimal in a string; null when unknown.',
    },
    longitude: {
      what: 'Degrees east, a decimal in a string; null when unknown.',
    },
    google_place_id: {
      what: 'Identifier of the place at Google; null when unknown.',
    },
    created_at: {
      what: 'When it was created.',
    },
    updated_at: {
      what: 'When it last changed.',
    },
  },
  addressFields: {
    address_one: {
      what: 'Street and number.',
      remarks: 'Required when there is no address yet.',
    },
    address_two: {
      what: 'Flat, floor, building.',
    },
    city: {
      what: 'City.',
      remarks: 'Required when there is no address yet.',
    },
    state: {
      what: 'State, province or region.',
      remarks: 'Required when there is no address yet.',
    },
    postal_code: {
      what: 'Postal code.',
      remarks: 'Required when there is no address yet.',
    },
    country_code: {
      what: 'Two-letter country code, such as `DE`.',
      remarks: 'Required when there is no address yet.',
    },
    latitude: {
      what: 'Degrees north, -90 to 90: a number or a decimal string, rounded to 8 decimals.',
    },
    longitude: {
      what: 'Degrees east, -180 to 180: a number or a decimal string, rounded to 8 decimals.',
    },
    google_place_id: {
      what: 'Identifier of the place at Google.',
    },
  },
  campaign: {
    id: {
      what: 'Number of the campaign.',
    },
    name: {
      what: 'Name of the campaign.',
    },
    status: {
      what: '`draft`, `active`, `paused` or `finished`.',
    },
    currency: {
      what: 'Three-letter currency code, such as `usd`.',
    },
    countries: {
      what: 'Two-letter codes of the countries it is for, such as `DE`.',
    },
    website: {
      what: 'Web address that creators promote; null when none is given.',
    },
    content_type: {
      what: 'Kind of content asked for, such as `ugc`.',
    },
    category: {
      what: 'What is promoted, such as `product`.',
    },
    platform_ids: {
      what: 'Platforms it runs on, such as `youtube` and `tiktok`.',
    },
    tiktok_music_id: {
      what: 'Identifier of a music track on TikTok; null when none is given.',
    },
    cpm_amount: {
      what: 'Payout per thousand views: an integer, no unit, no scale.',
    },
    min_payout_amount: {
      what: 'Smallest payout: an integer, no unit, no scale.',
    },
    max_payout_amount: {
      what: 'Largest payout: an integer, no unit, no scale.',
    },
    base_reward_amount: {
      what: 'Reward for taking part: an integer, no unit, no scale.',
    },
    total_budget_amount: {
      what: 'Money funded: 0 on creation; funding happens elsewhere.',
    },
    used_amount: {
      what: 'Part of the budget that is spent.',
    },
    unused_amount: {
      what: 'Part of the budget that is left.',
    },
    view_count: {
      what: 'Views of all submissions.',
    },
    submissions_count: {
      what: 'Number of submissions.',
    },
    published_at: {
      what: 'When it was published; null until then.',
    },
    paused_at: {
      what: 'When it was paused; null unless it is paused.',
    },
    created_at: {
      what: 'When it was created.',
    },
    updated_at: {
      what: 'When it last changed.',
    },
    url: {
      what: "Address of this campaign's JSON representation.",
    },
    banner_image_url: {
      what: 'Address of the banner, readable without a token; null when there is none.',
    },
    brief: {
      what: 'The brief as safe HTML; null when there is none. Not in lists.',
    },
  },
  campaignFields: {
    name: {
      what: 'Name of the campaign: 1 to 255 characters.',
    },
    website: {
      what: 'Web address that creators promote, http or https.',
      default: "the organization's",
    },
    content_type: {
      what: 'Kind of content.',
      default: '`ugc`',
    },
    category: {
      what: 'What is promoted.',
      default: '`product`',
    },
    currency: {
      what: 'Three-letter currency code.',
      default: '`usd`',
      remarks: 'Fixed once published.',
    },
    cpm_amount: {
      what: 'Payout per thousand views, 0 or more.',
      default: '500',
      remarks: 'Fixed once published.',
    },
    min_payout_amount: {
      what: 'Smallest payout, at most the largest.',
      default: '1000',
      remarks: 'Fixed once published.',
    },
    max_payout_amount: {
      what: 'Largest payout.',
      default: '10000',
      remarks: 'Fixed once published.',
    },
    base_reward_amount: {
      what: 'Reward for taking part, 0 or more.',
      default: '0',
      remarks: 'Fixed once published.',
    },
    platform_ids: {
      what: 'Platforms, such as `instagram`.',
      default: '`youtube` and `tiktok`',
    },
    countries: {
      what: 'Two-letter country codes, such as `DE`.',
      default: '`US`',
    },
    tiktok_music_id: {
      what: 'Identifier of a music track on TikTok.',
    },
    brief: {
      what: 'The brief as HTML, at most 64 KiB; unsafe markup is removed.',
      default: "the organization's template",
    },
  },
  collab: {
    id: {
      what: 'Number of the collab.',
    },
    name: {
      what: 'Name of the collab.',
    },
    state: {
      what: '`draft`, `submitted_for_review`, `published` or `paused`.',
    },
    currency: {
      what: 'Three-letter currency code, such as `usd`.',
    },
    countries: {
      what: 'Two-letter codes of the countries it is for, such as `DE`.',
    },
    website: {
      what: 'Web address of the product; null when none is given.',
    },
    require_spark_ads: {
      what: 'Whether creators must allow Spark Ads.',
    },
    requires_product_shipment: {
      what: 'Whether the product is sent to the creator.',
    },
    submissions_count: {
      what: 'Number of submissions.',
    },
    completed_count: {
      what: 'Number of completed submissions.',
    },
    published_at: {
      what: 'When it was published; absent until then.',
    },
    created_at: {
      what: 'When it was created.',
    },
    updated_at: {
      what: 'When it last changed.',
    },
    url: {
      what: "Address of this collab's JSON representation.",
    },
    banner_image_url: {
      what: 'Address of the banner, readable without a token; null when there is none.',
    },
    brief: {
      what: 'The brief as safe HTML; null when there is none. Not in lists.',
    },
  },
  collabFields: {
    name: {
      what: 'Name of the collab: 1 to 255 characters.',
      default: '`Untitled collab`',
    },
    website: {
      what: 'Web address of the product, http or https.',
      default: "the organization's",
    },
    currency: {
      what: 'Three-letter currency code.',
      default: "the organization's",
    },
    countries: {
      what: 'Two-letter country codes, such as `DE`.',
      default: "the organization's",
    },
    require_spark_ads: {
      what: 'Whether creators must allow Spark Ads.',
      default: 'false',
    },
    requires_product_shipment: {
      what: 'Whether the product is sent to the creator.',
      default: 'false',
    },
    brief: {
      what: 'The brief as HTML, at most 64 KiB; unsafe markup is removed.',
      default: "the organization's template",
    },
    purge_banner_image: {
      what: '`"1"` removes the banner.',
    },
  },
  memberUser: {
    id: {
      what: 'Opaque identifier of the user.',
    },
    name: {
      what: 'Full name.',
    },
    email: {
      what: 'E-mail address.',
    },
  },
  membership: {
    id: {
      what: 'Opaque identifier of the membership.',
    },
    role: {
      what: '`member` or `admin`.',
    },
    is_owner: {
      what: 'True for the owner of the organization, who cannot be removed or demoted.',
    },
    created_at: {
      what: 'When the user joined.',
    },
    updated_at: {
      what: 'When the role last changed.',
    },
    user: {
      what: 'The person behind the membership.',
    },
  },
  membershipChanges: {
    role: {
      what: '`member` or `admin`.',
    },
  },
  organization: {
    id: {
      what: 'Number of the organization.',
    },
    name: {
      what: 'Name of the brand.',
    },
    privacy_setting: {
      what: 'Who sees the brand: `public`, `private` or `restricted`. A private one has a logo.',
    },
    website: {
      what: 'Web address of the brand; null when none is given.',
    },
    created_at: {
      what: 'When it was created.',
    },
    updated_at: {
      what: 'When it last changed.',
    },
    url: {
      what: "Address of this organization's JSON representation.",
    },
    logo_url: {
      what: 'Address of the logo, readable without a token; absent when there is none.',
    },
  },
  organizationFields: {
    name: {
      what: 'Name of the brand: 1 to 255 characters.',
    },
    privacy_setting: {
      what: '`public` (the default), `private` (needs a logo) or `restricted`.',
    },
    website: {
      what: 'Web address of the brand, http or https.',
    },
    purge_logo: {
      what: '`"1"` removes the logo.',
    },
  },
  socialAccount: {
    id: {
      what: 'Number of the account.',
    },
    platform_id: {
      what: 'Platform, such as `tiktok`.',
    },
    account_url: {
      what: 'Address of the account on its platform, as it was sent; unique across all users.',
    },
    uid: {
      what: 'Identifier on the platform, taken from the address.',
    },
    status: {
      what: '`pending`, `verified` or `failed`.',
    },
    subscriber_count: {
      what: 'Subscribers in the latest snapshot; null before the first.',
    },
    view_count: {
      what: 'Views in the latest snapshot; null before the first.',
    },
    video_count: {
      what: 'Videos in the latest snapshot; null before the first.',
    },
    likes_count: {
      what: 'Likes in the latest snapshot; null before the first.',
    },
    engagement_rate: {
      what: 'Engagement in the latest snapshot, a decimal in a string; null before the first.',
    },
    last_synced_at: {
      what: 'When the latest snapshot was taken; null before the first.',
    },
    created_at: {
      what: 'When it was connected.',
    },
    updated_at: {
      what: 'When it last changed.',
    },
    url: {
      what: "Address of this account's JSON representation.",
    },
  },
  socialAccountFields: {
    platform_id: {
      what: 'Platform, such as `tiktok`.',
    },
    account_url: {
      what: 'Address of the account, http or https; no other user may have it.',
    },
  },
} as const;

/** What an operation does beyond its summary, by its name; of those that need more words. */
export const operationDescriptions: Readonly<Record<string, string>> = {
  'accessTokens.list': 'Without their secrets, and without the revoked ones.',
  'accessTokens.create': 'The secret, `token`, is only in this response.',
  'accessTokens.delete': 'Revokes the token, also when it is the one in use. Requests with it get 401 from then on.',
  'address.get': '404 when none is set yet.',
  'address.update':
    'Creates it when there is none; then the street, city, state, postal code and country are required.',
  'address.delete': 'It can be created again later. 404 when none is set.',
  'campaigns.create': 'Starts as a draft. What is left out is filled from defaults.',
  'campaigns.update': 'Any subset. Once published, financial fields cannot be changed: 422.',
  'campaigns.delete': 'Only a draft without fundings: otherwise 422.',
  'collabs.create':
    "Starts as a draft. The body is optional: what is left out comes from the page of `website` in the query, then from the organization's defaults.",
  'collabs.update': 'Any subset. `purge_banner_image` removes the banner.',
  'collabs.delete': 'A collab with approved submissions stays: 422.',
  'members.update':
    'Only the role changes. The owner (403) and the last admin (422) cannot be demoted. The same role again is fine.',
  'members.remove':
    'Admins remove members; anyone may remove themself, which leaves the organization. The owner (403), the last admin and the only member (422) stay.',
  'organizations.create': 'The caller becomes its owner. A private organization needs a logo, sent as multipart.',
  'organizations.update': 'A multipart request carries a new logo. `purge_logo` removes it.',
  'organizations.delete': 'Deletes all that it holds too. An organization with an active subscription stays: 422.',
  'socialAccounts.create': 'Starts as pending. An account that is already connected, by any user, is rejected: 422.',
};
