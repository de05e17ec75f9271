import { accessTokenResource } from './access-tokens.js';
import { addressResource } from './address.js';
import { campaignResource } from './campaigns.js';
import { collabResource } from './collabs.js';
import { memberResource } from './members.js';
import { organizationResource } from './organizations.js';
import type { ResourceDescription } from './resource.js';
import { socialAccountResource } from './social-accounts.js';
import type { contract } from './table.js';

export type ResourceName = keyof typeof contract;

/** The description of every resource of the contract, in its order. */
export const resources = {
  accessTokens: accessTokenResource,
  organizations: organizationResource,
  members: memberResource,
  campaigns: campaignResource,
  collabs: collabResource,
  socialAccounts: socialAccountResource,
  address: addressResource,
} as const satisfies Readonly<Record<ResourceName, ResourceDescription>>;
