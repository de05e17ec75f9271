import { defineConfig } from 'tsup';
import { declarationsOnly, library } from '../../tsup.base.js';

const entry = { index: 'src/index.ts', control: 'src/control/index.ts' };

export default defineConfig([
  ...declarationsOnly(entry),
  library({ entry }),
  // The server is ESM only, and so are some of its libraries: bundled, so that loaders without require(esm), Jest's among
  // them, work.
  library({ entry, format: ['cjs'], external: ['msw'], noExternal: [/^(?!msw$)/] }),
]);
