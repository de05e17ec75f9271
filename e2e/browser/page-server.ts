import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { build as buildSite, defaultClientConditions, preview } from 'vite';

export interface ServedPage {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Serves the page in `page/`, bundled from source, and MSW's worker of the version that is installed. */
export async function servePage(): Promise<ServedPage> {
  const { outputFiles } = await build({
    entryPoints: [here('page/main.ts')],
    bundle: true,
    splitting: true,
    minify: true,
    sourcemap: true,
    write: false,
    outdir: '/',
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: ['mkt-source', ...defaultClientConditions],
  });
  const worker = readFileSync(createRequire(import.meta.url).resolve('msw/mockServiceWorker.js'), 'utf8');
  const scripts = new Map([
    ...outputFiles.map(({ path, text }) => [`/${basename(path)}`, text] as const),
    ['/mockServiceWorker.js', worker],
  ]);
  const html = readFileSync(here('page/index.html'), 'utf8');
  const server = createHttpServer(({ url = '' }, response) => {
    const script = scripts.get(url);
    response.setHeader('Content-Type', script === undefined ? 'text/html' : 'text/javascript').end(script ?? html);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/**
 * Builds an example by its own configuration, but from our sources, and serves it. React is the one for development, whose
 * warnings the tests collect. A development server would send hundreds of modules at each load.
 * @param modules Of its `src/`, which tests import as `/<name>.js`: the same instances as the page's.
 * @param apiUrl A server in the place of the mock, as its environment variable names it.
 */
export async function serveExample(
  name: string,
  { modules = [], apiUrl }: { readonly modules?: readonly string[]; readonly apiUrl?: string },
): Promise<ServedPage> {
  const example = here(`../../examples/${name}`);
  const caches = here('../../node_modules/.cache/mkt-e2e');
  mkdirSync(caches, { recursive: true });
  const outDir = mkdtempSync(join(caches, 'example-'));
  const shared = { root: example, configFile: join(example, 'vite.config.ts'), logLevel: 'error' } as const;
  await buildSite({
    ...shared,
    define: {
      'process.env.NODE_ENV': '"development"',
      ...(apiUrl !== undefined && { 'import.meta.env.VITE_API_URL': JSON.stringify(apiUrl) }),
    },
    resolve: { conditions: ['mkt-source', ...defaultClientConditions] },
    build: {
      outDir,
      minify: false,
      reportCompressedSize: false,
      rollupOptions: {
        input: [join(example, 'index.html'), ...modules.map((module) => join(example, 'src', `${module}.ts`))],
        preserveEntrySignatures: 'allow-extension',
        output: { entryFileNames: '[name].js' },
      },
    },
  });
  const server = await preview({ ...shared, build: { outDir }, preview: { host: '127.0.0.1', port: 0 } });
  const url = server.resolvedUrls?.local[0];
  if (url === undefined) throw new Error('Vite does not say where it listens.');
  const close = async (): Promise<void> => {
    await server.close();
    rmSync(outDir, { recursive: true, force: true });
  };
  return { url, close };
}
