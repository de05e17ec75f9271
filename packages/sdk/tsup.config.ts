import { readFileSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';
import { declarationsOnly, library } from '../../tsup.base.js';

const client = { index: 'src/index.ts', node: 'src/node/index.ts', query: 'src/query.ts' };
const contract = { contract: 'src/contract/index.ts', 'contract/resources': 'src/contract/resources.ts' };
const external = [/^node:/, '#platform'];
/** What `#platform` in package.json refers to. */
const platforms = { platform: 'src/transport/platform.ts', 'platform-node': 'src/node/platform.ts' };

/**
 * The client sends requests and leaves judging them to the server. No bundler can drop what only the server needs, since
 * the endpoints refer to it, so the client's build leaves it out: a browser then loads 2 kB less.
 */
const withoutServerParts: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'without-server-parts',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]contract[\\/].*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const contents = source
        .replaceAll(/^export const \w+ = z\.(object|partial)\([\s\S]*?\);\n/gm, '')
        .replaceAll(/\bbody\(('\w+'), \w+/g, 'body($1, undefined')
        .replaceAll(/^export const purge = .*\n/gm, '')
        .replaceAll(/,\s*(role|query|status|multipart|done|label|purge): ('[^']*'|\d+|true|false|null|\{[^}]*\})/g, '')
        // What zod's own function for it would bring takes 350 bytes.
        .replaceAll(/z\.omit\((\w+), \{ (\w+): true \}\)/g, 'representation((({ $2, ...shape }) => shape)($1.shape))')
        .replaceAll(/\bfrom: \[[^\]]*\],\s+/g, '')
        .replace(/\bscope: entry.*\n/, '');
      return { contents, loader: 'ts' };
    });
  },
};

export default defineConfig([
  ...declarationsOnly({ ...client, ...contract }, { tsconfig: 'tsconfig.node.json' }),
  ...[
    { entry: client, esbuildPlugins: [...(library({}).esbuildPlugins ?? []), withoutServerParts] },
    { entry: contract },
    { entry: platforms },
  ].flatMap((options) => [
    library({ ...options, external }),
    // ky is ESM only: bundled, so that loaders without require(esm) work too. zod has both formats and stays outside.
    // Without splitting: tsup splits CommonJS by way of a transform that turns class fields into assignments.
    library({ ...options, external, format: ['cjs'], noExternal: ['ky'], splitting: false }),
  ]),
]);
