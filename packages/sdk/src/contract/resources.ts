import type { AccessToken } from './access-tokens.js';
import type { Address } from './address.js';
import type { Campaign } from './campaigns.js';
import type { Collab } from './collabs.js';
import type { Membership } from './members.js';
import type { Organization } from './organizations.js';
import type { ResourceDescription } from './resource.js';
import { accessTokens } from './resources/access-tokens.js';
import { address } from './resources/address.js';
import { campaigns } from './resources/campaigns.js';
import { collabs } from './resources/collabs.js';
import { members } from './resources/members.js';
import { organizations } from './resources/organizations.js';
import { socialAccounts } from './resources/social-accounts.js';
import type { SocialAccount } from './social-accounts.js';
import type { contract } from './table.js';

type Contract = typeof contract;

export type { ResourceDescription, States } from './resource.js';
export type ResourceName = keyof Contract;

/**
 * The description of every resource of the contract, in its order. These files import no schemas, so that the command
 * line can print its help without loading them.
 */
export const resources = {
  accessTokens,
  organizations,
  members,
  campaigns,
  collabs,
  socialAccounts,
  address,
} satisfies {
  readonly accessTokens: ResourceDescription<AccessToken>;
  readonly organizations: ResourceDescription<Organization>;
  readonly members: ResourceDescription<Membership>;
  readonly campaigns: ResourceDescription<Campaign>;
  readonly collabs: ResourceDescription<Collab>;
  readonly socialAccounts: ResourceDescription<SocialAccount>;
  readonly address: ResourceDescription<Address>;
};
