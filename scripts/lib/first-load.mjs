import { basename, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** What a browser may download at once. */
export const budgets = [
  { what: 'SDK', from: '@mkt/sdk', limit: 26_000 },
  { what: 'options for TanStack Query, next to the SDK', from: '@mkt/sdk/query', nextTo: '@mkt/sdk', limit: 1_500 },
  { what: 'mock for MSW, without msw', from: '@mkt/mock-server', limit: 60_000, external: ['msw', 'msw/*'] },
  { what: 'mock without MSW', from: '@mkt/mock-server/fetch', limit: 70_000 },
  { what: 'panel', from: '@mkt/mock-server/panel', limit: 20_000 },
];

/**
 * Bytes that a browser downloads at once for a package: the entry and what it imports statically, minified, each file compressed
 * as it is served. Also fails on any Node built-in, in our code or in a dependency's.
 * @param {string} from The module.
 * @param {{ external?: string[], nextTo?: string, resolveDir?: string }} [options] What is not counted, the module that is
 *   loaded anyway, so that only the difference counts, and where modules are looked up.
 */
export async function firstLoad(from, { external = [], nextTo, resolveDir = process.cwd() } = {}) {
  if (nextTo) {
    const both = await bytesOf([nextTo, from], external, resolveDir);
    return both - (await bytesOf([nextTo], external, resolveDir));
  }
  return bytesOf([from], external, resolveDir);
}

async function bytesOf(modules, external, resolveDir) {
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: modules.map((from) => `export * from '${from}';`).join('\n'),
      resolveDir,
      sourcefile: 'entry.js',
    },
    bundle: true,
    minify: true,
    splitting: true,
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
