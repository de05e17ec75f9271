import { type RollupLog, rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { defineConfig, type Options } from 'tsup';
import { library } from '../../tsup.base.js';

const entry = {
  index: 'src/index.ts',
  fetch: 'src/fetch.ts',
  control: 'src/connect-control.ts',
  panel: 'src/panel/index.ts',
  playwright: 'src/playwright.ts',
};

const node = { node: 'src/node/index.ts' };

/** A hint, of types that an entry uses and does not name; leaving them unnamed is meant. */
const isHint = ({ message }: RollupLog) => message.includes('no public re-export');

/**
 * The declarations hold what they use of the server's. Referring to `@mkt/server`, which is ESM only, would be an error
 * for who imports from CommonJS (TS1479). tsup's own declarations refer to every dependency.
 */
const wholeDeclarations: NonNullable<Options['plugins']>[number] = {
  name: 'whole-declarations',
  async buildEnd() {
    const server = '../server/src';
    const bundle = await rollup({
      input: entry,
      external: ['msw'],
      plugins: [
        dts({
          tsconfig: 'tsconfig.browser.json',
          // Without `paths` each of the server's files is taken for a library and compiled by itself: eight times as long.
          compilerOptions: {
            incremental: false,
            noCheck: true,
            paths: {
              '@mkt/server': [`${server}/index.ts`],
              '@mkt/server/extend': [`${server}/extend.ts`],
              '@mkt/server/seeds': [`${server}/seeds.ts`],
            },
          },
        }),
      ],
      onwarn: (warning, warn) => (isHint(warning) ? undefined : warn(warning)),
    });
    for (const extension of ['d.ts', 'd.cts']) {
      await bundle.write({
        dir: this.options.outDir,
        entryFileNames: `[name].${extension}`,
        chunkFileNames: `shared-[hash].${extension}`,
      });
    }
    await bundle.close();
  },
};

const declares = process.env.MKT_BUILD !== 'js';

export default defineConfig([
  // The server's app is bundled: as a dependency it would install the libraries of the Node server, 80 MB, as well.
  library({
    // A file of its own, so that it runs before `msw`: in a bundle all imports of other packages come first.
    entry: { ...entry, 'node-storage': 'src/node-storage.ts' },
    external: ['msw', '@msw/playwright', /^@mkt\/sdk/, /^zod/],
    noExternal: [/^(?!msw$|@msw\/|@mkt\/sdk|zod)/],
    plugins: declares ? [wholeDeclarations] : [],
  }),
  // ESM-only libraries are bundled too, so that loaders without require(esm), Jest's among them, work. Without splitting: tsup
  // splits CommonJS by way of a transform that turns class fields into assignments.
  library({
    entry,
    format: ['cjs'],
    external: ['msw', '@msw/playwright'],
    noExternal: [/^(?!msw$|@msw\/)/],
    splitting: false,
  }),
  // For programs that run the server: they have it. ESM only, as it is.
  library({ entry: node, external: [/^@mkt\//, /^zod/], platform: 'node' }, node),
]);
