import {
  type ComputedField,
  computedFieldsOf,
  computedValue,
  contract,
  type Endpoint,
  fieldsOfKind,
  kindsIn,
  nestedListOf,
  type ResourceDescription,
  type ResourceName,
  resources,
  type Schema,
} from '@mkt/sdk/contract';
import { fieldsOf } from '../rules/fields.js';
import { capitalized } from '../rules/problems.js';
import { computedSorts } from '../rules/selection.js';
import { platformName } from './pages/countries.js';
import { endpointOf } from './paths.js';

/** A representation of the API. Pages only use these, so they show the same data as the JSON. */
export type Item = Readonly<Record<string, unknown>>;

export interface Group {
  readonly title: string;
  readonly fields: readonly string[];
  /** Whether these are the most important numbers of the page. */
  readonly figures?: boolean;
}

/** The presentation of a resource on pages. Resources without one, such as those of tests, get the defaults. */
interface Presentation extends Pick<ResourceDescription, 'singular' | 'plural' | 'heading'> {
  /** The label of an item; by default its title field. */
  readonly labelOf: (item: Item) => string;
  /** The columns of its list. The first one names the row. */
  readonly columns: readonly string[];
  /** The fields of its page, grouped under headings. All other fields come last. */
  readonly groups: readonly Group[];
  /** The fields, other than its name and state, that its list can be filtered by. */
  readonly filters: readonly string[];
  readonly empty: string;
  /** An example of an item, below it. */
  readonly example?: string;
  /** What the API cannot do with its list, and where to go instead. */
  readonly listNote?: string;
  /** The same for one item; null where it does not matter. */
  readonly noteOf?: (item: Item) => string | null;
  readonly newLabel: string;
  readonly removeLabel: string;
  readonly removeWarning: string;
  /** The message after it. */
  readonly removed: string;
}

interface Action {
  readonly name: string;
  readonly label: string;
  /** The message after success. */
  readonly done: string;
  /** The states in which a page offers the action. The rules decide whether it is permitted. */
  readonly offeredIn: readonly string[];
  /** Whether fields cannot be changed afterwards, so that the action needs a confirmation. */
  readonly locks: boolean;
}

/** The contract's description of a resource, and its presentation. */
export interface PageDescription extends Presentation, ResourceDescription {
  readonly state: string | null;
  readonly actions: readonly Action[];
  readonly picture: string | undefined;
  /** Its numbers that are not in the JSON. They are in the first group of its page, unless another one names them. */
  readonly computed: Readonly<Record<string, ComputedField>>;
  /** Those of them that its list can be sorted by. */
  readonly computedSorts: readonly string[];
}

const text = (value: unknown): string => (typeof value === 'string' ? value : String(value));

const presentations: Readonly<Record<ResourceName, Partial<Presentation>>> = {
  organizations: {
    // Their names in the API.
    singular: 'brand',
    plural: 'brands',
    heading: 'Brands',
    columns: ['name', 'privacy_setting', 'website'],
    groups: [{ title: 'Brand', fields: ['privacy_setting', 'website'] }],
    empty:
      'You are not a member of a brand yet. Create one. To join an existing one, ask the operator of this server: only the operator can add members.',
    removeWarning: 'Its campaigns, collabs and memberships are deleted with it. This cannot be undone.',
  },
  members: {
    columns: ['user', 'role', 'created_at'],
    empty: 'This brand has no members.',
    listNote: 'To add a member, ask the operator of this server.',
    removeLabel: 'Remove',
    removeWarning: 'They lose access to the brand immediately.',
    removed: 'Member removed.',
  },
  campaigns: {
    columns: [
      ...['name', 'status', 'used_amount', 'total_budget_amount', 'used_percent'],
      ...['view_count', 'submissions_count', 'published_at'],
    ],
    filters: ['platform_ids', 'countries', 'currency', 'used_percent'],
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
    ],
    empty: 'There are no campaigns here yet.',
    example: 'For example: "Summer glow", videos about a new serum on TikTok, for people in the US and Canada.',
    noteOf: ({ total_budget_amount: budget }) =>
      budget === 0 ? 'Only the operator of this server can fund a campaign.' : null,
    removeWarning: 'Only drafts without funding can be deleted. This cannot be undone.',
  },
  collabs: {
    columns: ['name', 'state', 'submissions_count', 'completed_count', 'countries', 'published_at'],
    filters: ['countries', 'currency'],
    groups: [
      { title: 'Submissions', fields: ['submissions_count', 'completed_count'], figures: true },
      {
        title: 'Terms',
        fields: ['require_spark_ads', 'requires_product_shipment', 'currency', 'countries', 'website'],
      },
      { title: 'Dates', fields: ['published_at', 'created_at', 'updated_at'] },
    ],
    empty: 'There are no collabs here yet.',
    example: 'For example: "Serum samples", which creators get by post and show in a video.',
    noteOf: ({ submissions_count: count }) =>
      Number(count) > 0 ? 'Ask the operator of this server to see what creators submitted.' : null,
    removeWarning: 'What creators submitted is deleted too. This cannot be undone.',
  },
  socialAccounts: {
    labelOf: ({ platform_id, uid }) => `${text(uid)} on ${platformName(text(platform_id))}`,
    columns: ['uid', 'platform_id', 'status', 'subscriber_count', 'view_count', 'last_synced_at'],
    groups: [
      {
        title: 'Latest snapshot',
        fields: ['subscriber_count', 'view_count', 'video_count', 'likes_count', 'engagement_rate'],
        figures: true,
      },
      { title: 'Account', fields: ['platform_id', 'account_url', 'uid', 'last_synced_at'] },
    ],
    empty: 'You have not connected a social account yet.',
    example: 'For example: https://www.tiktok.com/@yourname',
    newLabel: 'Connect an account',
    removeLabel: 'Disconnect',
    removeWarning: 'It can be connected again later.',
    removed: 'Account disconnected.',
  },
  address: {
    labelOf: () => 'Your address',
    groups: [
      {
        title: 'Postal address',
        fields: ['address_one', 'address_two', 'city', 'state', 'postal_code', 'country_code'],
      },
    ],
    empty: 'You have not set an address yet. Brands send product samples to it.',
    newLabel: 'Set your address',
    removeWarning: 'It can be set again later.',
  },
  accessTokens: {
    columns: ['description', 'permission', 'created_at'],
    empty: 'You have no access tokens.',
    removeLabel: 'Revoke',
    removeWarning: 'Requests with this token will get 401. A revoked token cannot be restored.',
    removed: 'Access token revoked.',
  },
};

/** The value of a title field. `user.name` is the field `name` of `user`. */
const valueAt = (item: Item, path: string): unknown =>
  path.split('.').reduce<unknown>((value, field) => (value as Item | undefined)?.[field], item);

function pageDescription(
  description: ResourceDescription,
  endpoints: Readonly<Record<string, Endpoint>>,
  presentation: Partial<Presentation>,
): PageDescription {
  const { name, title, fields, states, locked } = description;
  const { singular } = { ...description, ...presentation };
  const computed = computedFieldsOf(name);
  const { groups = [] } = presentation;
  const named = new Set(groups.flatMap(({ fields }) => fields));
  const unnamed = Object.keys(computed).filter((field) => !named.has(field));
  const actions = Object.entries(endpoints).flatMap(([action, { transition }]) =>
    transition
      ? {
          name: action,
          label: transition.label ?? capitalized(action),
          done: `${capitalized(singular)} ${transition.done}.`,
          offeredIn: transition.from,
          locks: locked !== undefined && transition.from.includes(states?.initial ?? ''),
        }
      : [],
  );
  return {
    ...description,
    state: states?.field ?? null,
    actions,
    picture: fieldsOfKind(fields, 'image')[0],
    computed,
    computedSorts: computedSorts(name),
    labelOf: (item) => text(valueAt(item, title) ?? `this ${singular}`),
    columns: [],
    filters: [],
    empty: 'There is nothing here yet.',
    newLabel: `New ${singular}`,
    removeLabel: 'Delete',
    removeWarning: 'This cannot be undone.',
    removed: `${capitalized(singular)} deleted.`,
    ...presentation,
    groups: groups.map((group, at) => (at === 0 ? { ...group, fields: [...group.fields, ...unnamed] } : group)),
  };
}

export const pageDescriptions: readonly PageDescription[] = (Object.keys(presentations) as ResourceName[]).map((name) =>
  pageDescription(resources[name], contract[name], presentations[name]),
);

const byName: ReadonlyMap<string, PageDescription> = new Map(
  pageDescriptions.map((resource) => [resource.name, resource] as const),
);

/** The value of a field of the API, or of a computed one. */
export function valueIn({ computed }: PageDescription, item: Item, field: string): unknown {
  const { [field]: definition } = computed;
  return definition ? computedValue(definition, item) : item[field];
}

/** Its name inside a sentence: `Edit your address`. */
export const nameInSentence = (resource: PageDescription, item: Item): string =>
  resource.name === 'address' ? 'your address' : resource.labelOf(item);

/** The presentation of the operation's resource. Endpoints that are not in the contract get a default. */
export function pageDescriptionOf(operation: string): PageDescription {
  const [name = operation] = operation.split('.', 1);
  const plain = { name, singular: name, plural: name, heading: name, about: '', title: 'name', fields: {} };
  return byName.get(name) ?? pageDescription(plain, {}, {});
}

/** The presentation of what an endpoint returns: the items of a list may be in no other response. */
export function pageDescriptionOfItems(endpoint: Endpoint): PageDescription {
  const list = nestedListOf(endpoint);
  if (!list || list.resource) return pageDescriptionOf(endpoint.operation);
  const { singular, plural } = list;
  const { operation: name } = endpoint;
  const names = { name, singular, plural, heading: capitalized(plural), about: '', title: 'name' };
  // The first column names the row, which an id does not.
  const columns = Object.keys(fieldsOf(endpoint.response as Schema)).filter((field) => field !== 'id');
  const presentation = { columns: columns.slice(0, 6), empty: `There are no ${plural} here yet.` };
  return pageDescription({ ...names, fields: kindsIn(name) }, { list: endpoint }, presentation);
}

/** An endpoint of a resource. The deletion of `members` is called `remove`, all others `delete`. */
export function endpointFor(resource: PageDescription, action: 'list' | 'get' | 'create' | 'update' | 'delete') {
  const found = endpointOf(`${resource.name}.${action}`);
  return found ?? (action === 'delete' ? endpointOf(`${resource.name}.remove`) : null);
}
