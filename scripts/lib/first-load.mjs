import { basename, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const sdkPages = ['README.md', 'packages/sdk/README.md'];

/** What a browser may download, and the pages that name the limit. */
export const budgets = [
  { what: 'SDK, first load', from: '@mkt/sdk', limit: 29_000, pages: sdkPages },
  { what: 'SDK, all in one file', from: '@mkt/sdk', splitting: false, limit: 32_000, pages: sdkPages },
  { what: 'options for TanStack Query', from: '@mkt/sdk/query', limit: 1_500, pages: ['docs/guides/sdk.md'] },
  { what: 'mock for MSW, without msw', from: '@mkt/mock-server', limit: 65_000, external: ['msw', 'msw/*'] },
  { what: 'mock without MSW', from: '@mkt/mock-server/fetch', limit: 64_000 },
  { what: 'panel', from: '@mkt/mock-server/panel', limit: 19_200, pages: ['packages/mock-server/README.md'] },
];

/**
 * Bytes that a browser downloads at once for a package: the entry and what it imports statically, minified, each file compressed
 * as it is served. Without `splitting` everything that it imports on demand is in the same file. Also fails on any Node
 * built-in, in our code or in a dependency's.
 * @param {string} from The module.
 * @param {{ external?: string[], splitting?: boolean, resolveDir?: string }} [options] What is not counted, and where modules are
 *   looked up.
 */
export async function firstLoad(from, { external = [], splitting = true, resolveDir = process.cwd() } = {}) {
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: `export * from '${from}';`,
      resolveDir,
      sourcefile: 'entry.js',
    },
    bundle: true,
    minify: true,
    splitting,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    external,
    metafile: true,
    write: false,
    outdir: 'out',
    logLevel: 'silent',
  });
  const sizes = new Map(outputFiles.map(({ path, contents }) => [path, gzipSync(contents, { level: 9 }).length]));
  const seen = new Set();
  const visit = (output) => {
    if (seen.has(output)) return 0;
    seen.add(output);
    const statically = metafile.outputs[output].imports.filter(
      ({ kind, external }) => kind === 'import-statement' && !external,
    );
    return statically.reduce((sum, { path }) => sum + visit(path), sizes.get(resolve(output)));
  };
  // What is imported on demand is an entry point too.
  return visit(Object.keys(metafile.outputs).find((output) => basename(output) === 'stdin.js'));
}
