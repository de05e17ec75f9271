/**
 * Seed files: YAML or JSON, keyed by handles. Import this module lazily (`await import('./seed/file.js')`): it brings a
 * YAML library along, which nothing else needs.
 */
export { exportSeed } from './file/export.js';
export { type ParsedSeed, parseSeed } from './file/parse.js';
export { SeedError, type SeedFault } from './seed-error.js';
