import type { ResourceName } from '@mkt/sdk/contract';

/** What each resource is, for readers of the reference and of the OpenAPI document. */
export const about: Readonly<Record<ResourceName, string>> = {
  accessTokens: "The caller's own tokens. A token works in every organization of its owner. Its secret is shown once.",
  organizations: 'Brands. Users who are not members of one get 404 for it and for everything in it.',
  members: 'The people of an organization and their roles, admins first.',
  campaigns: 'Budgeted creator programs with payout rules. Members do not see drafts.',
  collabs: 'Briefs that creators can apply to. Members do not see drafts.',
  socialAccounts: "The caller's own accounts on other platforms.",
  address: "The caller's one shipping address.",
};
