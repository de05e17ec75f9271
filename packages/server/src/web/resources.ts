import {
  contract,
  descriptions,
  type Endpoint,
  type ResourceDescription,
  type ResourceName,
  resources,
} from '@mkt/sdk/contract';
import { capitalized } from '../rules/errors.js';
import { endpointOf } from './paths.js';

/** A representation of the API. Pages only use these, so they show the same data as the JSON. */
export type Item = Readonly<Record<string, unknown>>;

/** A group of fields on a page. */
export interface Group {
  readonly title: string;
  readonly fields: readonly string[];
  /** Whether these are the most important numbers of the page. */
  readonly figures?: boolean;
}

/** The presentation of a resource on pages. */
interface Presentation {
  /** The label of an item, if the title field is not sufficient. */
  readonly labelOf?: (item: Item) => string;
  /** The columns of its list. The first one names the row; those marked `wide` are only shown in wide windows. */
  readonly columns: readonly { readonly field: string; readonly wide?: boolean }[];
  /** The fields of its page, grouped under headings. All other fields come last. */
  readonly groups: readonly Group[];
  readonly picture?: 'logo_url' | 'banner_image_url';
  /** The text of an empty list. */
  readonly empty: string;
  readonly newLabel: string;
  readonly removeLabel: string;
  /** The warning before deletion. */
  readonly removeWarning: string;
  readonly removed: string;
  readonly hints: Readonly<Record<string, string>>;
}

interface Action {
  readonly name: string;
  readonly label: string;
  /** The message after success. */
  readonly done: string;
  /** The states in which a page offers the action. The rules decide whether it is permitted (D37, D38). */
  readonly offeredIn: readonly string[];
  /** Whether fields cannot be changed afterwards, so that the action needs a confirmation. */
  readonly locks: boolean;
}

/** The contract's description of a resource, and its presentation. */
export interface Resource
  extends Presentation,
    Pick<ResourceDescription, 'name' | 'singular' | 'heading' | 'money' | 'locked' | 'defaults'> {
  readonly labelOf: (item: Item) => string;
  /** The field that holds its state. */
  readonly state: string | null;
  readonly actions: readonly Action[];
}

const text = (value: unknown): string => (typeof value === 'string' ? value : String(value));

const presentations: Readonly<Record<ResourceName, Presentation>> = {
  organizations: {
    columns: [{ field: 'name' }, { field: 'privacy_setting' }, { field: 'website', wide: true }],
    groups: [
      { title: 'Brand', fields: ['name', 'privacy_setting', 'website', 'logo_url'] },
      { title: 'Record', fields: ['id', 'created_at', 'updated_at', 'url'] },
    ],
    picture: 'logo_url',
    empty:
      'You are not a member of an organization yet. Create one. To join an existing one, ask the operator of this server: only the operator can add members.',
    newLabel: 'New organization',
    removeLabel: 'Delete',
    removeWarning: 'Its campaigns, collabs and memberships are deleted with it. This cannot be undone.',
    removed: 'Organization deleted.',
    hints: descriptions.organizationFields,
  },
  members: {
    columns: [{ field: 'user' }, { field: 'role' }, { field: 'created_at', wide: true }],
    groups: [],
    empty: 'This organization has no members.',
    newLabel: '',
    removeLabel: 'Remove',
    removeWarning: 'They lose access to the organization immediately.',
    removed: 'Member removed.',
    hints: descriptions.membershipChanges,
  },
  campaigns: {
    columns: [
      { field: 'name' },
      { field: 'status' },
      { field: 'total_budget_amount', wide: true },
      { field: 'used_amount', wide: true },
      { field: 'view_count', wide: true },
      { field: 'submissions_count', wide: true },
      { field: 'published_at', wide: true },
    ],
    groups: [
      {
        title: 'Budget and reach',
        fields: ['total_budget_amount', 'used_amount', 'unused_amount', 'view_count', 'submissions_count'],
        figures: true,
      },
      {
        title: 'Payouts',
        fields: ['currency', 'cpm_amount', 'min_payout_amount', 'max_payout_amount', 'base_reward_amount'],
      },
      {
        title: 'Program',
        fields: ['website', 'content_type', 'category', 'platform_ids', 'countries', 'tiktok_music_id'],
      },
      { title: 'Dates', fields: ['published_at', 'paused_at', 'created_at', 'updated_at'] },
      { title: 'Record', fields: ['id', 'name', 'status', 'url', 'banner_image_url'] },
    ],
    picture: 'banner_image_url',
    empty: 'There are no campaigns here yet.',
    newLabel: 'New campaign',
    removeLabel: 'Delete',
    removeWarning: 'Only drafts without funding can be deleted. This cannot be undone.',
    removed: 'Campaign deleted.',
    hints: descriptions.campaignFields,
  },
  collabs: {
    columns: [
      { field: 'name' },
      { field: 'state' },
      { field: 'submissions_count', wide: true },
      { field: 'completed_count', wide: true },
      { field: 'countries', wide: true },
      { field: 'published_at', wide: true },
    ],
    groups: [
      { title: 'Submissions', fields: ['submissions_count', 'completed_count'], figures: true },
      {
        title: 'Terms',
        fields: ['require_spark_ads', 'requires_product_shipment', 'currency', 'countries', 'website'],
      },
      { title: 'Dates', fields: ['published_at', 'created_at', 'updated_at'] },
      { title: 'Record', fields: ['id', 'name', 'state', 'url', 'banner_image_url'] },
    ],
    picture: 'banner_image_url',
    empty: 'There are no collabs here yet.',
    newLabel: 'New collab',
    removeLabel: 'Delete',
    removeWarning: 'A collab with approved submissions cannot be deleted. This cannot be undone.',
    removed: 'Collab deleted.',
    hints: descriptions.collabFields,
  },
  socialAccounts: {
    labelOf: ({ platform_id, uid }) => `${text(uid)} on ${text(platform_id)}`,
    columns: [
      { field: 'uid' },
      { field: 'platform_id' },
      { field: 'status' },
      { field: 'subscriber_count', wide: true },
      { field: 'view_count', wide: true },
      { field: 'last_synced_at', wide: true },
    ],
    groups: [
      {
        title: 'Latest snapshot',
        fields: ['subscriber_count', 'view_count', 'video_count', 'likes_count', 'engagement_rate'],
        figures: true,
      },
      { title: 'Account', fields: ['platform_id', 'account_url', 'uid', 'status', 'last_synced_at'] },
      { title: 'Record', fields: ['id', 'created_at', 'updated_at', 'url'] },
    ],
    empty: 'You have not connected a social account yet.',
    newLabel: 'Connect an account',
    removeLabel: 'Disconnect',
    removeWarning: 'It can be connected again later.',
    removed: 'Account disconnected.',
    hints: descriptions.socialAccountFields,
  },
  address: {
    labelOf: () => 'Your address',
    columns: [],
    groups: [
      {
        title: 'Postal address',
        fields: ['address_one', 'address_two', 'city', 'state', 'postal_code', 'country_code'],
      },
      { title: 'Place', fields: ['latitude', 'longitude', 'google_place_id'] },
      { title: 'Record', fields: ['id', 'created_at', 'updated_at'] },
    ],
    empty: 'You have not set an address yet. Brands send product samples to it.',
    newLabel: 'Set your address',
    removeLabel: 'Delete',
    removeWarning: 'It can be set again later.',
    removed: 'Address deleted.',
    hints: descriptions.addressFields,
  },
  accessTokens: {
    columns: [{ field: 'description' }, { field: 'permission' }, { field: 'created_at', wide: true }],
    groups: [],
    empty: 'You have no access tokens.',
    newLabel: 'New access token',
    removeLabel: 'Revoke',
    removeWarning: 'Requests with this token will get 401. A revoked token cannot be restored.',
    removed: 'Access token revoked.',
    hints: descriptions.accessTokenFields,
  },
};

/** The value of a title field. `user.name` is the field `name` of `user`. */
const valueAt = (item: Item, path: string): unknown =>
  path.split('.').reduce<unknown>((value, field) => (value as Item | undefined)?.[field], item);

function resourceFrom(
  description: ResourceDescription,
  endpoints: Readonly<Record<string, Endpoint>>,
  presentation: Presentation,
): Resource {
  const { name, singular, heading, title, states } = description;
  const actions = Object.entries(endpoints).flatMap(([action, { transition }]) =>
    transition
      ? {
          name: action,
          label: transition.label ?? capitalized(action),
          done: `${capitalized(singular)} ${transition.done}.`,
          offeredIn: transition.from,
          locks: description.locked !== undefined && transition.from.includes(states?.initial ?? ''),
        }
      : [],
  );
  const { money, locked, defaults } = description;
  const labelOf = (item: Item) => text(valueAt(item, title) ?? `this ${singular}`);
  return {
    name,
    singular,
    heading,
    state: states?.field ?? null,
    actions,
    labelOf,
    ...(money && { money }),
    ...(locked && { locked }),
    ...(defaults && { defaults }),
    ...presentation,
  };
}

const all: readonly Resource[] = (Object.keys(presentations) as ResourceName[]).map((name) =>
  resourceFrom(resources[name], contract[name], presentations[name]),
);

const byName: ReadonlyMap<string, Resource> = new Map(all.map((resource) => [resource.name, resource] as const));

/** Its name inside a sentence: `Edit your address`. */
export const nameInSentence = (resource: Resource, item: Item): string =>
  resource.name === 'address' ? 'your address' : resource.labelOf(item);

/** The presentation of the operation's resource. Endpoints that are not in the contract get a default. */
export function resourceOf(operation: string): Resource {
  const [name = operation] = operation.split('.', 1);
  return byName.get(name) ?? plainResource(name);
}

const plainResource = (name: string): Resource => ({
  name,
  heading: name,
  singular: name,
  state: null,
  labelOf: (item) => text(item.name ?? item.id ?? name),
  columns: [],
  groups: [],
  empty: 'There is nothing here yet.',
  newLabel: '',
  removeLabel: 'Delete',
  removeWarning: 'This cannot be undone.',
  removed: 'Deleted.',
  actions: [],
  hints: {},
});

/** An endpoint of a resource. The deletion of `members` is called `remove`, all others `delete`. */
export function endpointFor(resource: Resource, action: 'list' | 'get' | 'create' | 'update' | 'delete') {
  const found = endpointOf(`${resource.name}.${action}`);
  return found ?? (action === 'delete' ? endpointOf(`${resource.name}.remove`) : null);
}

export { all as resources };
