// Imports TypeScript source of the packages as it is, without a build: generators read the same data that the programs do.
import { build } from 'esbuild';

/** The handlers of commands are not bundled: only the definitions are read. */
const withoutHandlers = {
  name: 'without-handlers',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\./ }, ({ path, kind, importer }) =>
      kind === 'dynamic-import' && /\/cli\/src\/(commands|root\/help\/command|shared\/definitions)/.test(importer)
        ? { path, external: true }
        : undefined,
    ),
};

async function load(input) {
  const { outputFiles } = await build({
    ...input,
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'error',
    conditions: ['mkt-source'],
    plugins: [withoutHandlers],
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

/**
 * A module of the packages.
 * @param {string} path From the root of the repository: `packages/sdk/src/contract/index.ts`.
 */
export const fromSource = (path) => load({ entryPoints: [path] });

/**
 * Several modules as one.
 * @param {string} folder The folder that the paths in `source` are relative to.
 * @param {string} source `export ... from` lines in TypeScript.
 */
export const fromSources = (folder, source) => load({ stdin: { contents: source, resolveDir: folder, loader: 'ts' } });
