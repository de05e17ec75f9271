export * from './access-tokens.js';
export * from './address.js';
export * from './campaigns.js';
export * from './collabs.js';
export { type ComputedField, computedFields, computedFieldsOf, computedValue } from './computed.js';
export { definitionOf } from './definition.js';
export { descriptions, operationDescriptions } from './descriptions.generated.js';
export { type Description, descriptionsOf, descriptionText } from './descriptions.js';
export { differences } from './differences.js';
export {
  body,
  type Endpoint,
  endpoint,
  type RequestBody,
  type Role,
  type Schema,
  type Scope,
  type Transition,
} from './endpoint.js';
export { type Example, examples, type PathIds, type ResourceExamples } from './examples.js';
export {
  isBlank,
  isPurge,
  itemUrl,
  limits,
  timestamp,
} from './fields.js';
export { imageType, maxImageBytes } from './images.js';
export { type FieldKind, type FieldKinds, type FieldOfKind, fieldsOfKind, hasKind, type Kind } from './kinds.js';
export { exampleIdsOf, type NestedList, nestedListOf, nestedListsOf, resourceAt } from './lists.js';
export * from './members.js';
export * from './organizations.js';
export { collectionOf, parametersOf, pathsAbove, shapeOf } from './paths.js';
export { codesOnly, type FieldProblem, problemOf, problemText } from './problems.js';
export * from './requests.js';
export {
  kindsIn,
  type Locked,
  type MarketplaceTransition,
  type Money,
  type ResourceDescription,
  type ResourceDescriptions,
  type ResourceName,
  resources,
  type States,
  singularOf,
} from './resources.js';
export { kindsOf } from './schema-kinds.js';
export * from './social-accounts.js';
export { contract, endpoints, type OperationName } from './table.js';
// In place of those inferred from the schemas, whose fields have no comments in declarations.
export type {
  AccessToken,
  AccessTokenFields,
  Address,
  AddressFields,
  Campaign,
  CampaignChanges,
  CampaignFields,
  CampaignListItem,
  Collab,
  CollabFields,
  CollabListItem,
  Membership,
  MembershipChanges,
  MemberUser,
  NewAccessToken,
  Organization,
  OrganizationChanges,
  OrganizationFields,
  SocialAccount,
  SocialAccountFields,
} from './types.generated.js';
export type { Issue, Method, Open, Purge } from './types.js';
