// Imports TypeScript source of the packages as it is, without a build: generators read the same data that the programs do.
import { build } from 'esbuild';

/** What commands do stays outside: only what they are is read. */
const withoutActions = {
  name: 'without-actions',
  setup: ({ onResolve }) => onResolve({ filter: /\/actions\// }, ({ path }) => ({ path, external: true })),
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
    plugins: [withoutActions],
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
 * @param {string} folder Where `source` would stand.
 * @param {string} source `export ... from` lines in TypeScript.
 */
export const fromSources = (folder, source) => load({ stdin: { contents: source, resolveDir: folder, loader: 'ts' } });
