/**
 * Seed files: YAML or JSON. People and organizations are named by handles, ids and everything else that is left out
 * follow the API's defaults:
 *
 *     users:
 *       ada:
 *         tokens: [{secret: mkt_for_my_tests}]
 *     organizations:
 *       acme:
 *         name: Acme Cosmetics
 *         members: {ada: owner}
 *         campaigns:
 *           - {name: Summer, status: active, total_budget_amount: 5000}
 *
 * Import this module lazily (`await import('./seed/file.js')`): it brings a YAML library that nothing else needs.
 */
export { exportSeed } from './file/export.js';
export { type ParsedSeed, parseSeed } from './file/parse.js';
export { SeedError, type SeedFault } from './seed-error.js';
