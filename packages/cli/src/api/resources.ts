/** A resource of the API: what sentences call it, and where the contract describes it. */
export interface Resource {
  readonly noun: string;
  readonly plural: string;
  /** The command group: `mkt campaigns`. */
  readonly command: string;
  /** Names of the contract's schemas, of one resource and of an item in a list. */
  readonly schema: string;
  readonly listSchema: string;
  /** The path of the field that people know it by. */
  readonly title: string;
  /** Whether it belongs to an organization, and not to the user. */
  readonly inOrganization: boolean;
}

export const campaigns: Resource = {
  noun: 'campaign',
  plural: 'campaigns',
  command: 'campaigns',
  schema: 'campaign',
  listSchema: 'campaignListItem',
  title: 'name',
  inOrganization: true,
};

export const collabs: Resource = {
  noun: 'collab',
  plural: 'collabs',
  command: 'collabs',
  schema: 'collab',
  listSchema: 'collabListItem',
  title: 'name',
  inOrganization: true,
};

export const members: Resource = {
  noun: 'member',
  plural: 'members',
  command: 'members',
  schema: 'membership',
  listSchema: 'membership',
  title: 'user.name',
  inOrganization: true,
};

export const organizations: Resource = {
  noun: 'organization',
  plural: 'organizations',
  command: 'organizations',
  schema: 'organization',
  listSchema: 'organization',
  title: 'name',
  inOrganization: false,
};

export const socialAccounts: Resource = {
  noun: 'social account',
  plural: 'social accounts',
  command: 'social-accounts',
  schema: 'socialAccount',
  listSchema: 'socialAccount',
  title: 'account_url',
  inOrganization: false,
};

export const tokens: Resource = {
  noun: 'token',
  plural: 'tokens',
  command: 'tokens',
  schema: 'accessToken',
  listSchema: 'accessToken',
  title: 'description',
  inOrganization: false,
};

export const address: Resource = {
  noun: 'address',
  plural: 'addresses',
  command: 'address',
  schema: 'addressRepresentation',
  listSchema: 'addressRepresentation',
  title: 'address_one',
  inOrganization: false,
};
