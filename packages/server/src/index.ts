export { type App, type AppHooks, type AppOptions, createApp } from './app.js';
export { type Audit, type AuditEntry, AuditedRequest } from './http/audit.js';
export type { CorsPolicy } from './http/cors.js';
export { Exchange, type PendingRequest } from './http/exchange.js';
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
export type { SeedProblem } from './seed/file/source.js';
export type { OpenedSeed } from './seed/open.js';
export { freeName, idsOfSeed, pageSizeOfSeed } from './seed/source-options.js';
export { type MemoryStore, storeInMemory } from './store/memory.js';
export { memoryStore } from './store/memory-lists.js';
export type { Dump, Reader, Store, Writer } from './store/store.js';
export { Conflict, StorageFailure, StoreUnavailable } from './store/store.js';
export type { IdFormat, NewRow, TableName } from './store/tables.js';
