import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.js';

const typed = { index: 'src/index.ts', node: 'src/node/index.ts' };

export default defineConfig(
  library(
    {
      entry: { ...typed, bin: 'src/bin.ts' },
      // An optional dependency is not external of itself: it may be absent, and is loaded when a file database is opened.
      external: [/^node:/, 'better-sqlite3'],
    },
    typed,
  ),
);
