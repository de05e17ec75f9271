import { type ResourceName, resources } from '@mkt/sdk/contract/resources';

/** A resource of the API: its names in messages, and its schemas in the contract. */
export interface Resource {
  /** In the contract. */
  readonly name: ResourceName;
  readonly singular: string;
  readonly plural: string;
  /** The command group: `mkt campaigns`. */
  readonly command: string;
  /** Names of the contract's schemas, of one resource and of an item in a list. */
  readonly schema: string;
  readonly listSchema: string;
  /** The path of the field that identifies it to users. */
  readonly title: string;
  /** Whether it belongs to an organization, and not to the user. */
  readonly inOrganization: boolean;
  /** The path of its page on the web: that of the API without `.json`. */
  readonly page: string;
  /** Whether each one has a page of its own, below that path. */
  readonly hasPages: boolean;
}

function resource(
  name: ResourceName,
  own: Omit<Resource, 'name' | 'singular' | 'plural' | 'title'> & Partial<Resource>,
): Resource {
  const { singular, plural, title } = resources[name];
  return { name, singular, plural, title, ...own };
}

export const campaigns = resource('campaigns', {
  command: 'campaigns',
  schema: 'campaign',
  listSchema: 'campaignListItem',
  inOrganization: true,
  page: '/organizations/:organization/campaigns',
  hasPages: true,
});

export const collabs = resource('collabs', {
  command: 'collabs',
  schema: 'collab',
  listSchema: 'collabListItem',
  inOrganization: true,
  page: '/organizations/:organization/collabs',
  hasPages: true,
});

export const members = resource('members', {
  command: 'members',
  schema: 'membership',
  listSchema: 'membership',
  inOrganization: true,
  page: '/organizations/:organization/members',
  hasPages: false,
});

export const organizations = resource('organizations', {
  command: 'organizations',
  schema: 'organization',
  listSchema: 'organization',
  inOrganization: false,
  page: '/organizations',
  hasPages: true,
});

export const socialAccounts = resource('socialAccounts', {
  command: 'social-accounts',
  schema: 'socialAccount',
  listSchema: 'socialAccount',
  inOrganization: false,
  page: '/me/social_accounts',
  hasPages: true,
});

export const tokens = resource('accessTokens', {
  singular: 'token',
  plural: 'tokens',
  command: 'tokens',
  schema: 'accessToken',
  listSchema: 'accessToken',
  inOrganization: false,
  page: '/me/access_tokens',
  hasPages: false,
});

export const address = resource('address', {
  command: 'address',
  schema: 'addressRepresentation',
  listSchema: 'addressRepresentation',
  inOrganization: false,
  page: '/me/address',
  hasPages: false,
});

/** Other names of resources, as commands and as arguments. */
export const otherNames = {
  organizations: ['orgs', 'organization', 'org'],
  members: ['member'],
  campaigns: ['campaign'],
  collabs: ['collab'],
  'social-accounts': ['social', 'social-account'],
  tokens: ['token'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The resource that an argument names: `orgs` is `organizations`, as in commands. */
export const resourceNamed = (word: string): string =>
  Object.entries<readonly string[]>(otherNames).find(([, names]) => names.includes(word))?.[0] ?? word;
