/**
 * Seed files and rows as JSON, for programs that extend the server. An entry of its own, because it needs the YAML library: import it lazily.
 * Like those of `@mkt/server/extend`, its names may change with every release.
 */

export { type StoredList, storedLists } from './seed/file/lists.js';
export { nearest } from './seed/file/nearest.js';
export type * as seedSchema from './seed/file/schema.js';
export { changeSeed, exportSeed, parseSeed, pathText, SeedError } from './seed/file.js';
export { personName, times } from './seed/large.js';
export { openSeed, type SeedServices } from './seed/open.js';
export { misfit } from './store/misfit.js';
