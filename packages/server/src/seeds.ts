/**
 * Seed files and rows as JSON, for programs that extend the server. An entry of its own, because it needs the YAML library: import it lazily.
 * Like those of `@mkt/server/extend`, its names may change with every release.
 */

import type { campaign, collab, organization, user } from './seed/file/schema.js';

export { type StoredList, storedLists } from './seed/file/lists.js';
export { nearest } from './seed/file/nearest.js';
export { changeSeed, exportSeed, parseSeed, pathText, SeedError } from './seed/file.js';
export { personName, times } from './seed/large.js';
export { openSeed, type SeedServices } from './seed/open.js';
export { misfit } from './store/misfit.js';

/** Schemas of rows of a seed file. */
export interface SeedSchemas {
  readonly campaign: typeof campaign;
  readonly collab: typeof collab;
  readonly organization: typeof organization;
  readonly user: typeof user;
}
