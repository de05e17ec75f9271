import { defineConfig } from 'tsup';
import { declarationsOnly, library } from '../../tsup.base.js';

const client = {
  index: 'src/index.ts',
  node: 'src/node/index.ts',
  query: 'src/query.ts',
  once: 'src/once.ts',
  testing: 'src/testing.ts',
};
const contract = { contract: 'src/contract/index.ts', 'contract/resources': 'src/contract/resources.ts' };
// The fakes are clients of the class that a program imports.
const external = [/^node:/, '#platform', '@mkt/sdk'];
/** What `#platform` in package.json refers to. */
const platforms = { platform: 'src/transport/platform.ts', 'platform-node': 'src/node/platform.ts' };

export default defineConfig([
  ...declarationsOnly({ ...client, ...contract }, { tsconfig: 'tsconfig.node.json' }),
  ...[client, contract, platforms].flatMap((entry) => [
    library({ entry, external }),
    // ky is ESM only: bundled, so that loaders without require(esm) work too. zod has both formats and stays outside.
    // Without splitting: tsup splits CommonJS by way of a transform that turns class fields into assignments.
    library({ entry, external, format: ['cjs'], noExternal: ['ky'], splitting: false }),
  ]),
]);
