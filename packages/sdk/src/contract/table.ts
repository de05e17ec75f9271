import { accessTokens } from './access-tokens.js';
import { address } from './address.js';
import { campaigns } from './campaigns.js';
import { collabs } from './collabs.js';
import type { Endpoint } from './endpoint.js';
import { members } from './members.js';
import { organizations } from './organizations.js';
import { socialAccounts } from './social-accounts.js';

/** Every endpoint of the API, by resource and operation: `contract.campaigns.list`. */
export const contract = { accessTokens, organizations, members, campaigns, collabs, socialAccounts, address };

type Contract = typeof contract;

/** The name of an operation, as in the SDK: `campaigns.create`. */
export type OperationName = {
  [Resource in keyof Contract]: `${Resource}.${string & keyof Contract[Resource]}`;
}[keyof Contract];

/** The same endpoints in the document's order. */
export const endpoints: readonly Endpoint[] = Object.values(contract).flatMap(
  (resource) => Object.values(resource) as Endpoint[],
);
