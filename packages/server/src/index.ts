export { type App, type AppOptions, createApp } from './app.js';
export { actsBy, factoriesBy } from './control/act-names.js';
export type {
  AccountSnapshot,
  Acts,
  CampaignResults,
  CollabResults,
  CreatedToken,
  NewMember,
  NewToken,
} from './control/acts.js';
export type { Clock, ClockState, Duration } from './control/clock.js';
export { type Control, type ControlOptions, type ControlRoot, createControl } from './control/control.js';
export type {
  Created,
  CreatedMember,
  CreatedUser,
  Factories,
  NewCampaign,
  NewCollab,
  NewMembership,
  NewOrganization,
  NewUser,
  PartialSeed,
} from './control/create.js';
export { ControlError } from './control/errors.js';
export type { Fault, FaultEffect, FaultMatch, FaultRule, Milliseconds, Patch } from './control/fault-rules.js';
export type { Faults } from './control/faults.js';
export type { AnySeed, CheckedSeed, OpenedSeed, SeedSource } from './control/other-seeds.js';
export type { LoggedRequest, RequestFilter, Requests } from './control/request-log.js';
export { idsOfSeed, openSeed, pageSizeOfSeed } from './control/seeds.js';
export type { Snapshot } from './control/snapshot.js';
export type { CorsPolicy } from './http/cors.js';
export type { Exchange } from './http/exchange.js';
export type { HtmlRenderer } from './http/html-renderer.js';
export { differencesIn, type Like, type ServiceDifference, serviceDifferences } from './http/like.js';
export type { RateLimit } from './http/rate-limit.js';
export type {
  Caller,
  Context,
  Image,
  Input,
  Listing,
  MemberContext,
  MemberResourceContext,
  Prefill,
  ResourceContext,
} from './rules/context.js';
export { listing } from './rules/context.js';
export { forbidden, invalid, notFound, RuleError, refused, unprocessable } from './rules/errors.js';
export { type Rule, rules } from './rules/index.js';
export { type DemoUser, demoSeed, demoTokens } from './seed/demo.js';
export { type MemoryStore, memoryStore } from './store/memory.js';
export type { Dump, Reader, Store, Writer } from './store/store.js';
export { Conflict, StorageFailure, StoreUnavailable } from './store/store.js';
export type { IdFormat, NewRow, TableName } from './store/tables.js';
