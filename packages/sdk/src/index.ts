import type * as accessTokens from './clients/access-tokens.js';
import type * as address from './clients/address.js';
import type * as campaigns from './clients/campaigns.js';
import type * as collabs from './clients/collabs.js';
import type * as members from './clients/members.js';
import type * as organizations from './clients/organizations.js';
import type * as socialAccounts from './clients/social-accounts.js';

// Named types of their own: in bundled declarations the name of a class would be that of a value too, which does not exist.
export interface AccessTokens extends accessTokens.AccessTokens {}
export interface Campaigns extends campaigns.Campaigns {}
export interface Collabs extends collabs.Collabs {}
export interface Members extends members.Members {}
export interface Organizations extends organizations.Organizations {}
export interface SocialAccounts extends socialAccounts.SocialAccounts {}
export interface UserAddress extends address.UserAddress {}

export { ApiPromise, type ApiResult, type Meta } from './api-promise.js';
export type { Bound, BoundOrganization } from './clients/bound.js';
export type { CollabCreateOptions } from './clients/collabs.js';
export type { LogoField } from './clients/organizations.js';
export type * from './contract/types.generated.js';
export type { Id, Open, Purge, SetByServer, Writable } from './contract/types.js';
export {
  AbortedError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  ConnectionError,
  HttpError,
  type Issue,
  MarketplaceError,
  NotFoundError,
  PermissionError,
  PreconditionFailedError,
  RateLimitError,
  type ResponseDetails,
  ResponseParseError,
  ResponseValidationError,
  ServerError,
  TimeoutError,
  TransitionError,
  ValidationError,
} from './errors.js';
export { type EachOptions, Marketplace, type RequestOptions } from './marketplace.js';
export type {
  Awaitable,
  CacheEntry,
  CacheStore,
  CallOptions,
  Drift,
  FailedAttempt,
  Fetch,
  FetchInit,
  FetchResponse,
  HeaderEntry,
  HeaderOptions,
  ListOptions,
  LogFields,
  LogFunction,
  Logger,
  LogLevel,
  MarketplaceOptions,
  Middleware,
  MiddlewareContext,
  ResponseHeaders,
  Retry,
  RetryOptions,
  TokenContext,
  UploadOptions,
  UploadProgress,
  Validation,
  WriteOptions,
} from './options.js';
export type { Page, PageData } from './page.js';
export { type AllOptions, ListPromise, type PageRange, type PagesOptions } from './pagination.js';
export type { StandardSchema } from './schema.js';
export type { FileInput, NamedFile } from './transport/files.js';
export type { TracedAttempt } from './transport/platform.js';
