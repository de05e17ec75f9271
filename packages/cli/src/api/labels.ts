import {
  type ComputedField,
  computedFieldsOf,
  resources as described,
  type ResourceDescription,
  type ResourceName,
  type States,
} from '@mkt/sdk/contract/resources';
import type { SchemaName } from '../context/command.js';

/** A resource of the API: its description in the contract, with its names at the command line and its schemas. */
export interface Resource extends Omit<ResourceDescription, 'title' | 'heading' | 'about'> {
  readonly name: ResourceName;
  /** The command group: `mkt campaigns`. */
  readonly command: string;
  /** Its other names, as commands and as arguments. */
  readonly aliases: readonly string[];
  /** Names of the contract's schemas, of one resource and of an item in a list. */
  readonly schema: string;
  readonly listSchema: string;
  /** The path of the field that identifies it to users. */
  readonly title: string;
  /** Its numbers that are not in responses. Tables have them, and other formats with `--fields`: JSON has the fields of the API. */
  readonly computed: Readonly<Record<string, ComputedField>>;
  /** Whether it belongs to an organization, and not to the user. */
  readonly inOrganization: boolean;
  /** The path of its page on the web: that of the API without `.json`. */
  readonly page: string;
  /** Whether each one has a page of its own, below that path. */
  readonly hasPages: boolean;
}

/** A resource that starts as a draft and has a list, so that files can declare it. */
export interface DraftResource extends Resource {
  readonly name: 'campaigns' | 'collabs';
  readonly states: States;
  /** The contract's schemas of requests. */
  readonly creation: SchemaName;
  readonly changes: SchemaName;
}

/** `1 campaign`, `2 campaigns`. */
export const countOf = ({ singular, plural }: Pick<Resource, 'singular' | 'plural'>, count: number): string =>
  `${count} ${count === 1 ? singular : plural}`;

function resource(
  name: ResourceName,
  schema: string,
  page: string,
  { aliases = [], ...own }: Partial<Resource> = {},
): Resource {
  const inOrganization = page.includes(':organization');
  const names = { ...described[name], computed: computedFieldsOf(name), command: name, aliases };
  return { ...names, schema, listSchema: schema, inOrganization, page, hasPages: true, ...own };
}

const draft = (
  name: DraftResource['name'],
  singular: string,
  own: Pick<DraftResource, 'creation' | 'changes'>,
): DraftResource => ({
  ...resource(name, singular, `/organizations/:organization/${name}`, {
    listSchema: `${singular}ListItem`,
    aliases: [singular],
  }),
  ...own,
  name,
  states: described[name].states,
});

export const campaigns = draft('campaigns', 'campaign', { creation: 'campaignFields', changes: 'campaignChanges' });

export const collabs = draft('collabs', 'collab', { creation: 'collabFields', changes: 'collabFields' });

/** In the order of declarations. */
export const drafts = { campaigns, collabs };

export const draftsNote = 'Only admins see drafts.';

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

/** Those with a page on the web, in the order of the help of `mkt open`. */
export const allResources = [organizations, campaigns, collabs, members, socialAccounts, tokens, address];

/** Whether an argument names a resource: `orgs` is `organizations`, as in commands. */
export const isNamed = ({ command, aliases }: Resource, word: string): boolean =>
  command === word || aliases.includes(word);
