import type { Transition } from './endpoint.js';
import { campaignStates, collabStates, socialAccountStates } from './states.js';

export { type ComputedField, computedFields, computedFieldsOf, computedValue } from './computed.js';
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
  readonly fields: readonly Field[];
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

type FieldName<Item> = keyof Item & string;

/**
 * Everything about a resource that is true wherever it appears, besides its schemas and endpoints. Rules, OpenAPI, pages,
 * the command line and the reference read it. The client does not import it, so it costs browsers nothing.
 */
export interface ResourceDescription<Item = Readonly<Record<string, unknown>>> {
  /** The first part of its operations: `campaigns`. */
  readonly name: string;
  readonly singular: string;
  readonly plural: string;
  readonly heading: string;
  /** One or two sentences for readers of the reference. */
  readonly about: string;
  /** The field that names one; `user.name` is the `name` inside `user`. */
  readonly title: FieldName<Item> | `${FieldName<Item>}.${string}`;
  readonly states?: States<FieldName<Item>>;
  /** What a new one has in fields that are left out, where that does not depend on the organization. */
  readonly defaults?: Readonly<Partial<Record<FieldName<Item>, string | number | boolean | readonly string[]>>>;
  readonly money?: Money<FieldName<Item>>;
  readonly locked?: Locked<FieldName<Item>>;
  readonly deletable?: Deletable<FieldName<Item>>;
}

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
    about: "The caller's own tokens. A token works in every organization of its owner. Its secret is shown once.",
    title: 'description',
  },
  organizations: {
    name: 'organizations',
    singular: 'organization',
    plural: 'organizations',
    heading: 'Organizations',
    about: 'Brands. Users who are not members of one get 404 for it and for everything in it.',
    title: 'name',
  },
  members: {
    name: 'members',
    singular: 'member',
    plural: 'members',
    heading: 'Members',
    about: 'The people of an organization and their roles, admins first.',
    title: 'user.name',
    deletable: { never: { field: 'is_owner', because: 'the owner always stays' } },
  },
  campaigns: {
    name: 'campaigns',
    singular: 'campaign',
    plural: 'campaigns',
    heading: 'Campaigns',
    about: 'Budgeted creator programs with payout rules. Members do not see drafts.',
    title: 'name',
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
    money: {
      currency: 'currency',
      fields: [
        'cpm_amount',
        'min_payout_amount',
        'max_payout_amount',
        'base_reward_amount',
        'total_budget_amount',
        'used_amount',
        'unused_amount',
      ],
      ranges: [{ min: 'min_payout_amount', max: 'max_payout_amount' }],
    },
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
    about: 'Briefs that creators can apply to. Members do not see drafts.',
    title: 'name',
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
    // Completed submissions were approved; responses do not count those that are only approved.
    deletable: { zero: { field: 'completed_count', otherwise: 'it has approved submissions' } },
  },
  socialAccounts: {
    name: 'socialAccounts',
    singular: 'social account',
    plural: 'social accounts',
    heading: 'Social accounts',
    about: "The caller's own accounts on other platforms.",
    title: 'account_url',
    states: { field: 'status', names: socialAccountStates, initial: 'pending', marketplace: {} },
  },
  address: {
    name: 'address',
    singular: 'address',
    plural: 'addresses',
    heading: 'Address',
    about: "The caller's one shipping address.",
    title: 'address_one',
  },
} as const;

export type ResourceName = keyof typeof resources;

/** `submission` for `submissions`, `entry` for `entries`. */
export const singularOf = (plural: string): string =>
  plural.replace(/ies$/, 'y').replace(/(?<=s|x|ch|sh)es$|(?<!s)s$/, '');
