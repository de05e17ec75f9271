import type { Transition } from './endpoint.js';
import type { FieldKinds, KindsOf, OtherFields, OwnFields } from './kinds.js';
import { campaignStates, collabStates, socialAccountStates } from './states.js';
import type { contract } from './table.js';

export { type ComputedField, computedFields, computedFieldsOf, computedValue } from './computed.js';
export { fieldsOfKind, hasKind } from './kinds.js';
export { platforms } from './states.js';

/** A state change that the marketplace makes itself. No client can make it. */
export interface MarketplaceTransition<State extends string = string> extends Transition<State> {
  /** Whether clients wait for it: the expected outcome of what they started. */
  readonly awaited?: boolean;
}

export interface States<Field extends string = string, State extends string = string> {
  /** The field that holds the state. */
  readonly field: Field;
  readonly names: readonly State[];
  /** The state of a new one. */
  readonly initial: State;
  readonly marketplace: Readonly<Record<string, MarketplaceTransition<State>>>;
}

export interface Money<Field extends string = string> {
  /** The field with the currency of all these amounts. */
  readonly currency: Field;
  /** Pairs of amounts: the first may not exceed the second. */
  readonly ranges: readonly { readonly min: Field; readonly max: Field }[];
}

export interface Locked<Field extends string = string> {
  /** The field that locks the others once it is not null. */
  readonly since: Field;
  readonly fields: readonly Field[];
}

/** What the API refuses to delete, as far as responses show it. */
export interface Deletable<Field extends string = string> {
  /** The only state in which it can be deleted. */
  readonly state?: string;
  /** A field that has to be 0, and what it means if it is not. */
  readonly zero?: { readonly field: Field; readonly otherwise: string };
  /** A field that may not be true, and what it means if it is. */
  readonly never?: { readonly field: Field; readonly because: string };
}

type FieldName<Fields> = keyof Fields & string;

/**
 * Everything about a resource that is true wherever it appears, besides its schemas and endpoints. Rules, OpenAPI, pages,
 * the command line and the reference read it. The client does not import it, so it costs browsers nothing.
 */
export interface ResourceDescription<Fields = Readonly<Record<string, unknown>>> {
  /** The first part of its operations: `campaigns`. */
  readonly name: string;
  readonly singular: string;
  readonly plural: string;
  readonly heading: string;
  /** The field that names one; `user.name` is the `name` inside `user`. */
  readonly title: FieldName<Fields> | `${FieldName<Fields>}.${string}`;
  /** What each field is, in responses and requests. Everything that treats some fields in another way asks here. */
  readonly fields: string extends keyof Fields ? FieldKinds : KindsOf<Fields>;
  /** The same for the rows of lists below an item, by operation. */
  readonly rows?: Readonly<Record<string, FieldKinds>>;
  readonly states?: States<FieldName<Fields>>;
  /** What a new one has in fields that are left out, where that does not depend on the organization. */
  readonly defaults?: Readonly<Partial<Record<FieldName<Fields>, string | number | boolean | readonly string[]>>>;
  /** The fields that a new one has from its organization if they are left out, and their names there. */
  readonly inherited?: Readonly<Partial<Record<FieldName<Fields>, string>>>;
  readonly money?: Money<FieldName<Fields>>;
  readonly locked?: Locked<FieldName<Fields>>;
  readonly deletable?: Deletable<FieldName<Fields>>;
}

/** A description of every resource, with kinds for all its fields and for those of its other operations. */
export type ResourceDescriptions<Resources> = {
  readonly [Name in keyof Resources]: ResourceDescription<OwnFields<Resources[Name]>> &
    (keyof OtherFields<Resources[Name]> extends never ? unknown : { rows: KindsOf<OtherFields<Resources[Name]>> });
};

/**
 * The description of every resource of the contract, in its order. This file imports no schemas, so that the command
 * line can print its help without loading them.
 */
export const resources = {
  accessTokens: {
    name: 'accessTokens',
    singular: 'access token',
    plural: 'access tokens',
    heading: 'Access tokens',
    title: 'description',
    fields: {
      id: ['id', 'identity'],
      token: 'secret',
      description: ['text', 'personal'],
      permission: 'choice',
      created_at: ['timestamp', 'identity'],
    },
  },
  organizations: {
    name: 'organizations',
    singular: 'organization',
    plural: 'organizations',
    heading: 'Organizations',
    title: 'name',
    fields: {
      id: ['id', 'identity'],
      name: 'text',
      privacy_setting: 'choice',
      website: 'url',
      created_at: ['timestamp', 'identity'],
      updated_at: ['timestamp', 'derived'],
      url: ['url', 'identity'],
      logo_url: 'image',
      purge_logo: 'purge',
    },
  },
  members: {
    name: 'members',
    singular: 'member',
    plural: 'members',
    heading: 'Members',
    title: 'user.name',
    fields: {
      id: ['id', 'identity'],
      role: 'choice',
      is_owner: 'flag',
      created_at: ['timestamp', 'identity'],
      updated_at: ['timestamp', 'derived'],
      user: { id: ['id', 'identity'], name: ['text', 'personal'], email: 'email' },
    },
    deletable: { never: { field: 'is_owner', because: 'the owner always stays' } },
  },
  campaigns: {
    name: 'campaigns',
    singular: 'campaign',
    plural: 'campaigns',
    heading: 'Campaigns',
    title: 'name',
    fields: {
      id: ['id', 'identity'],
      name: 'text',
      status: 'state',
      currency: 'currency',
      countries: 'country',
      website: 'url',
      content_type: 'slug',
      category: 'slug',
      platform_ids: 'platform',
      tiktok_music_id: 'text',
      cpm_amount: 'amount',
      min_payout_amount: 'amount',
      max_payout_amount: 'amount',
      base_reward_amount: 'amount',
      total_budget_amount: 'amount',
      used_amount: ['amount', 'counter'],
      unused_amount: ['amount', 'derived'],
      view_count: ['number', 'counter'],
      submissions_count: ['number', 'counter'],
      published_at: ['timestamp', 'derived'],
      paused_at: ['timestamp', 'derived'],
      created_at: ['timestamp', 'identity'],
      updated_at: ['timestamp', 'derived'],
      url: ['url', 'identity'],
      banner_image_url: 'image',
      brief: 'richText',
    },
    states: {
      field: 'status',
      names: campaignStates,
      initial: 'draft',
      marketplace: { finish: { from: ['active', 'paused'], to: 'finished', done: 'finished' } },
    },
    defaults: {
      countries: ['US'],
      currency: 'usd',
      cpm_amount: 500,
      min_payout_amount: 1000,
      max_payout_amount: 10_000,
      base_reward_amount: 0,
      content_type: 'ugc',
      category: 'product',
      platform_ids: ['youtube', 'tiktok'],
    },
    inherited: { website: 'website', brief: 'brief_template' },
    money: { currency: 'currency', ranges: [{ min: 'min_payout_amount', max: 'max_payout_amount' }] },
    locked: {
      since: 'published_at',
      fields: ['cpm_amount', 'min_payout_amount', 'max_payout_amount', 'base_reward_amount', 'currency'],
    },
    deletable: { state: 'draft', zero: { field: 'total_budget_amount', otherwise: 'it has a budget' } },
  },
  collabs: {
    name: 'collabs',
    singular: 'collab',
    plural: 'collabs',
    heading: 'Collabs',
    title: 'name',
    fields: {
      id: ['id', 'identity'],
      name: 'text',
      state: 'state',
      currency: 'currency',
      countries: 'country',
      website: 'url',
      require_spark_ads: 'flag',
      requires_product_shipment: 'flag',
      submissions_count: ['number', 'counter'],
      completed_count: ['number', 'counter'],
      published_at: ['timestamp', 'derived'],
      created_at: ['timestamp', 'identity'],
      updated_at: ['timestamp', 'derived'],
      url: ['url', 'identity'],
      banner_image_url: 'image',
      brief: 'richText',
      purge_banner_image: 'purge',
    },
    states: {
      field: 'state',
      names: collabStates,
      initial: 'draft',
      marketplace: {
        approve: { from: ['submitted_for_review'], to: 'published', done: 'approved', awaited: true },
        reject: { from: ['submitted_for_review'], to: 'draft', done: 'rejected' },
      },
    },
    defaults: { name: 'Untitled collab', require_spark_ads: false, requires_product_shipment: false },
    inherited: {
      website: 'website',
      brief: 'brief_template',
      currency: 'default_currency',
      countries: 'default_countries',
    },
    // Completed submissions were approved; responses do not count those that are only approved.
    deletable: { zero: { field: 'completed_count', otherwise: 'it has approved submissions' } },
  },
  socialAccounts: {
    name: 'socialAccounts',
    singular: 'social account',
    plural: 'social accounts',
    heading: 'Social accounts',
    title: 'account_url',
    fields: {
      id: ['id', 'identity'],
      platform_id: 'platform',
      account_url: 'url',
      uid: ['text', 'derived'],
      status: 'state',
      subscriber_count: ['number', 'counter'],
      view_count: ['number', 'counter'],
      video_count: ['number', 'counter'],
      likes_count: ['number', 'counter'],
      engagement_rate: ['decimal', 'counter'],
      last_synced_at: ['timestamp', 'derived'],
      created_at: ['timestamp', 'identity'],
      updated_at: ['timestamp', 'derived'],
      url: ['url', 'identity'],
    },
    states: { field: 'status', names: socialAccountStates, initial: 'pending', marketplace: {} },
  },
  address: {
    name: 'address',
    singular: 'address',
    plural: 'addresses',
    heading: 'Address',
    title: 'address_one',
    fields: {
      id: ['id', 'identity'],
      address_one: ['text', 'place'],
      address_two: 'text',
      city: ['text', 'place'],
      state: ['text', 'place'],
      postal_code: ['text', 'place'],
      country_code: ['country', 'place'],
      latitude: ['decimal', 'position'],
      longitude: ['decimal', 'position'],
      google_place_id: ['text', 'position'],
      created_at: ['timestamp', 'identity'],
      updated_at: ['timestamp', 'derived'],
    },
  },
} as const satisfies ResourceDescriptions<typeof contract>;

export type ResourceName = keyof typeof resources;

/** What the fields of an operation are, in its request and its response. Operations that are not in the contract have none. */
export function kindsIn(operation: string): FieldKinds {
  const [resource = '', name = ''] = operation.split('.');
  const all: Readonly<Record<string, ResourceDescription>> = resources;
  return all[resource]?.rows?.[name] ?? all[resource]?.fields ?? {};
}

/** `submission` for `submissions`, `entry` for `entries`. */
export const singularOf = (plural: string): string =>
  plural.replace(/ies$/, 'y').replace(/(?<=s|x|ch|sh)es$|(?<!s)s$/, '');
