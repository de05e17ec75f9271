// What a browser downloads, minified and gzipped, from the built packages. Bundling for a browser also fails on any Node
// built-in, in our code or in a dependency's.
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const budgets = [
  { what: 'SDK, everything that a browser loads', from: '@mkt/sdk', limit: 26_000, external: [] },
  { what: 'SDK, options for TanStack Query', from: '@mkt/sdk/query', limit: 1_500, external: [] },
  {
    what: 'mock for MSW, first chunk, without msw',
    from: '@mkt/mock-server',
    limit: 60_000,
    external: ['msw', 'msw/*'],
  },
  { what: 'panel of the mock', from: '@mkt/mock-server/panel', limit: 20_000, external: [] },
  { what: 'mock without MSW, first chunk', from: '@mkt/mock-server/fetch', limit: 70_000, external: [] },
];

/** Bytes that are loaded at once: the entry and what it imports statically, each compressed as it is served. */
async function firstLoad({ from, external }) {
  const { metafile, outputFiles } = await build({
    stdin: { contents: `export * from '${from}';`, resolveDir: process.cwd(), sourcefile: 'entry.js' },
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
  const sizeOf = (output) => [...sizes].find(([path]) => path.replaceAll('\\', '/').endsWith(`/${output}`))[1];
  const seen = new Set();
  const visit = (output) => {
    if (seen.has(output)) return 0;
    seen.add(output);
    const statically = metafile.outputs[output].imports.filter(
      ({ kind, external }) => kind === 'import-statement' && !external,
    );
    return statically.reduce((sum, { path }) => sum + visit(path), sizeOf(output));
  };
  return visit(Object.keys(metafile.outputs).find((output) => metafile.outputs[output].entryPoint));
}

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

for (const budget of budgets) {
  const bytes = await firstLoad(budget).catch((error) => {
    process.stderr.write(`${budget.what} does not bundle for a browser:\n${error.message}\n`);
    return Number.NaN;
  });
  const line = `${budget.what}: ${kilobytes(bytes)} of ${kilobytes(budget.limit)} (min+gzip)`;
  if (bytes <= budget.limit) process.stdout.write(`${line}\n`);
  else {
    if (!Number.isNaN(bytes)) process.stderr.write(`Over its budget: ${line}\n`);
    process.exitCode = 1;
  }
}
