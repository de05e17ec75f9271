/**
 * Seed files and rows as JSON, for programs that extend the server. An entry of its own, because it needs the YAML library: import it lazily.
 * Like those of `@mkt/server/extend`, its names may change with every release.
 */

import type { campaign, collab, file, organization, socialAccount, user } from './seed/file/schema.js';

export { type StoredList, storedLists } from './seed/file/lists.js';
export { nearest } from './seed/file/nearest.js';
export { changeSeed, exportSeed, parseSeed, pathText, SeedError } from './seed/file.js';
export { personName, times } from './seed/large.js';
export { openSeed, type SeedServices } from './seed/open.js';
export { creationOf } from './seed/timeline.js';
export { misfit } from './store/misfit.js';

/** Schemas of a seed file and its rows. */
export interface SeedSchemas {
  readonly file: typeof file;
  readonly campaign: typeof campaign;
  readonly collab: typeof collab;
  readonly organization: typeof organization;
  readonly socialAccount: typeof socialAccount;
  readonly user: typeof user;
}
