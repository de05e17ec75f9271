import { accessTokens } from './access-tokens.js';
import { address } from './address.js';
import { campaigns } from './campaigns.js';
import { collabs } from './collabs.js';
import type { ClientEndpoint, Endpoint, Schema } from './endpoint.js';
import { filledWebAddress } from './fields.js';
import { members } from './members.js';
import { organizations } from './organizations.js';
import * as requests from './requests.js';
import { socialAccounts } from './social-accounts.js';

type Endpoints = Readonly<Record<string, ClientEndpoint>>;
/** A schema for each request that has a body. */
type Bodies<Table extends Endpoints> = {
  readonly [Name in keyof Table as null extends Table[Name]['request'] ? never : Name]: Schema;
};
type ItemOf<E> = E extends ClientEndpoint<infer Item> ? Item : never;
type Complete<Table extends Endpoints, Given> = {
  readonly [Name in keyof Table]: Pick<Table[Name], 'method' | 'transition'> &
    Endpoint<
      ItemOf<Table[Name]>,
      Name extends keyof Given ? (Given[Name] extends Schema<infer Fields> ? Fields : never) : never
    >;
};

/** The endpoints of a resource with the schemas of their requests. */
const withBodies = <Table extends Endpoints, Given extends Bodies<Table>>(table: Table, bodies: Given) =>
  Object.fromEntries(
    Object.entries(table).map(([name, { request, ...endpoint }]) => [
      name,
      { ...endpoint, request: request && { ...request, fields: bodies[name as keyof Given] } },
    ]),
  ) as unknown as Complete<Table, Given>;

/** Every endpoint of the API, by resource and operation: `contract.campaigns.list`. */
export const contract = {
  accessTokens: withBodies(accessTokens, { create: requests.accessTokenFields }),
  organizations: withBodies(organizations, {
    create: requests.organizationFields,
    update: requests.organizationChanges,
  }),
  members: withBodies(members, { update: requests.membershipChanges }),
  campaigns: withBodies(campaigns, { create: requests.campaignFields, update: requests.campaignChanges }),
  collabs: withBodies(
    { ...collabs, create: { ...collabs.create, query: { website: filledWebAddress() } } },
    { create: requests.collabFields, update: requests.collabFields },
  ),
  socialAccounts: withBodies(socialAccounts, { create: requests.socialAccountFields }),
  address: withBodies(address, { update: requests.addressFields }),
};

type Contract = typeof contract;

/** The name of an operation, as in the SDK: `campaigns.create`. */
export type OperationName = {
  [Resource in keyof Contract]: `${Resource}.${string & keyof Contract[Resource]}`;
}[keyof Contract];

/** The same endpoints in the document's order. */
export const endpoints: readonly Endpoint[] = Object.values(contract).flatMap(
  (resource) => Object.values(resource) as Endpoint[],
);
