export { ApiPromise, type ApiResult, type Meta } from './api-promise.js';
export type * from './clients/access-tokens.js';
export type * from './clients/address.js';
export type { Bound, BoundOrganization } from './clients/bound.js';
export type * from './clients/campaigns.js';
export type * from './clients/collabs.js';
export type * from './clients/members.js';
export type * from './clients/organizations.js';
export type * from './clients/social-accounts.js';
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
  HeaderOptions,
  ListOptions,
  LogFields,
  Logger,
  LogLevel,
  MarketplaceOptions,
  Middleware,
  MiddlewareContext,
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
