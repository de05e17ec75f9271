/**
 * Parts of the server for programs that extend it, such as the test controls of `@mkt/mock-server`. They run in browsers too.
 * Unlike the names of `@mkt/server`, they may change with every release.
 */
export { sha256 } from './digest.js';
export { Exchange } from './http/exchange.js';
export { masked } from './http/masked.js';
export { HttpError, tooManyRequests } from './http/problems.js';
export { rateLimiter } from './http/rate-limit.js';
export { mountRoute, pathIn } from './http/routes.js';
export { formObject } from './http/wrapper.js';
export { isLoopbackAddress } from './loopback.js';
export { randomText } from './random.js';
export { definedFields, transitionError } from './rules/changes.js';
export { invalidFields } from './rules/errors.js';
export { fieldsOf } from './rules/fields.js';
export { idFrom, membershipId } from './rules/policy.js';
export { capitalized, sentencesOf } from './rules/problems.js';
export { jsonRow, rowOfJson } from './store/json-rows.js';
export { baseTypeOf, type TableDefinition } from './store/table-definition.js';
export { type AnyRow, type DataTableName, definitionOf, type Id, type Row, tableNames } from './store/tables.js';
export { timestamp } from './timestamp.js';
export { timingSafeEqual } from './timing-safe-equal.js';
