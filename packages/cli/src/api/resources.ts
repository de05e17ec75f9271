import { resources as described, type ResourceName } from '@mkt/sdk/contract/resources';

/** A resource of the API: its names in messages, and its schemas in the contract. */
export interface Resource {
  /** In the contract. */
  readonly name: ResourceName;
  readonly singular: string;
  readonly plural: string;
  /** The command group: `mkt campaigns`. */
  readonly command: string;
  /** Its other names, as commands and as arguments. */
  readonly aliases: readonly string[];
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
  schema: string,
  page: string,
  { aliases = [], ...own }: Partial<Resource> = {},
): Resource {
  const { singular, plural, title } = described[name];
  const inOrganization = page.includes(':organization');
  const names = { name, singular, plural, title, command: name, aliases };
  return { ...names, schema, listSchema: schema, inOrganization, page, hasPages: true, ...own };
}

export const campaigns = resource('campaigns', 'campaign', '/organizations/:organization/campaigns', {
  listSchema: 'campaignListItem',
  aliases: ['campaign'],
});

export const collabs = resource('collabs', 'collab', '/organizations/:organization/collabs', {
  listSchema: 'collabListItem',
  aliases: ['collab'],
});

export const members = resource('members', 'membership', '/organizations/:organization/members', {
  hasPages: false,
  aliases: ['member'],
});

export const organizations = resource('organizations', 'organization', '/organizations', {
  aliases: ['orgs', 'organization', 'org'],
});

export const socialAccounts = resource('socialAccounts', 'socialAccount', '/me/social_accounts', {
  command: 'social-accounts',
  aliases: ['social', 'social-account'],
});

export const tokens = resource('accessTokens', 'accessToken', '/me/access_tokens', {
  singular: 'token',
  plural: 'tokens',
  command: 'tokens',
  hasPages: false,
  aliases: ['token'],
});

export const address = resource('address', 'addressRepresentation', '/me/address', { hasPages: false });

/** Whether an argument names a resource: `orgs` is `organizations`, as in commands. */
export const isNamed = ({ command, aliases }: Resource, word: string): boolean =>
  command === word || aliases.includes(word);
