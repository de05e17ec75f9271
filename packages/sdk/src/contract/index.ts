export {
  type AccessToken,
  type AccessTokenFields,
  accessToken,
  accessTokenFields,
  type NewAccessToken,
} from './access-tokens.js';
export { type Address, type AddressFields, addressFields, addressRepresentation } from './address.js';
export {
  type Campaign,
  type CampaignChanges,
  type CampaignFields,
  type CampaignListItem,
  campaign,
  campaignChanges,
  campaignFields,
  campaignListItem,
} from './campaigns.js';
export {
  type Collab,
  type CollabFields,
  type CollabListItem,
  collab,
  collabFields,
  collabListItem,
} from './collabs.js';
export { descriptions, operationDescriptions } from './descriptions.generated.js';
export { differences, type Issue } from './differences.js';
export {
  body,
  type Endpoint,
  endpoint,
  type Method,
  type RequestBody,
  type Role,
  type Schema,
  type Scope,
  type Transition,
} from './endpoint.js';
export { type Example, examples, type PathIds, type ResourceExamples } from './examples.js';
export { INVALID_INPUT, isBlank, isPurge, limits, type Open, ownMessages, type Purge } from './fields.js';
export { imageType, maxImageBytes } from './images.js';
export { type Membership, type MembershipChanges, membership, membershipChanges } from './members.js';
export {
  type Organization,
  type OrganizationChanges,
  type OrganizationFields,
  organization,
  organizationChanges,
  organizationFields,
} from './organizations.js';
export {
  type Locked,
  type MarketplaceTransition,
  type Money,
  type ResourceDescription,
  type ResourceName,
  resources,
  type States,
} from './resources.js';
export { type SocialAccount, type SocialAccountFields, socialAccount, socialAccountFields } from './social-accounts.js';
export { contract, endpoints, type OperationName } from './table.js';
