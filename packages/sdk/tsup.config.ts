import { defineConfig } from 'tsup';
import { declarationsOnly, library } from '../../tsup.base.js';

const entry = { index: 'src/index.ts', contract: 'src/contract/index.ts', node: 'src/node/index.ts' };
const external = [/^node:/];

export default defineConfig([
  ...declarationsOnly(entry, { tsconfig: 'tsconfig.node.json' }),
  library({ entry, external }),
  // ky is ESM only: bundled, so that loaders without require(esm) work too. zod has both formats and stays outside.
  // Without splitting: tsup splits CommonJS by way of a transform that turns class fields into assignments.
  library({ entry, external, format: ['cjs'], noExternal: ['ky'], splitting: false }),
]);
