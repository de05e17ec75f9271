import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.js';

// Entries of their own for briefs and seed files: the mock in a browser loads their libraries only when it needs them.
const typed = {
  index: 'src/index.ts',
  extend: 'src/extend.ts',
  node: 'src/node/index.ts',
  sqlite: 'src/store/sql/sqlite-driver.ts',
  'brief-html': 'src/rules/brief-html.ts',
  'rich-text': 'src/rules/rich-text.ts',
  seeds: 'src/seeds.ts',
  codes: 'src/rules/codes.ts',
  durations: 'src/rules/durations.ts',
};

// An optional dependency is not external of itself: it may be absent, and is loaded when a file database is opened.
const external = [/^node:/, 'better-sqlite3'];

/** Imported with ?raw, as vitest reads them. */
const loader = { '.sql': 'text' } as const;

export default defineConfig([
  library({ entry: typed, external, loader }, typed),
  // The command takes in what comes as many small ES modules: to find and open them is half of its start.
  {
    ...library({ entry: { bin: 'src/bin.ts' }, external, loader, noExternal: [/^(hono|@hono|zod|@noble|@mkt)(\/|$)/] }),
    esbuildOptions(options) {
      options.conditions = ['mkt-source', 'module'];
      options.chunkNames = 'bin/[name]-[hash]';
    },
  },
]);
