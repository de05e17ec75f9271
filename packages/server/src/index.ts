export { type App, type AppOptions, createApp } from './app.js';
export type { CorsPolicy } from './http/cors.js';
export type { Exchange } from './http/exchange.js';
export type { Face } from './http/face.js';
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
export { forbidden, guarded, invalid, notFound, RuleError, refused } from './rules/errors.js';
export { type Rule, rules } from './rules/index.js';
export { listing } from './rules/listing.js';
export { demoSeed, demoTokens } from './seed/demo.js';
export { memoryStore } from './store/memory.js';
export type { Dump, Reader, Store, Writer } from './store/store.js';
export { Conflict, StoreUnavailable } from './store/store.js';
export { plainPages } from './web/pages.js';
