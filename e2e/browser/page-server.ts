import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createServer, defaultClientConditions } from 'vite';

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
 * Serves an example by its own configuration, but from our sources: it needs no build.
 * @param apiUrl A server in the place of the mock, as its environment variable names it.
 */
export async function serveExample(name: string, apiUrl?: string): Promise<ServedPage> {
  // Of its own: several test files run at once, and two servers must not prepare dependencies in one place.
  const caches = here('../../node_modules/.cache/mkt-e2e');
  mkdirSync(caches, { recursive: true });
  const cacheDir = mkdtempSync(join(caches, 'vite-'));
  const server = await createServer({
    root: here(`../../examples/${name}`),
    configFile: here(`../../examples/${name}/vite.config.ts`),
    ...(apiUrl !== undefined && { define: { 'import.meta.env.VITE_API_URL': JSON.stringify(apiUrl) } }),
    logLevel: 'error',
    cacheDir,
    resolve: { conditions: ['mkt-source', ...defaultClientConditions] },
    server: {
      host: '127.0.0.1',
      port: 0,
      hmr: false,
      watch: null,
      fs: { allow: [here('../..')] },
    },
  });
  await server.listen();
  const url = server.resolvedUrls?.local[0];
  if (url === undefined) throw new Error('Vite does not say where it listens.');
  const close = async (): Promise<void> => {
    await server.close();
    rmSync(cacheDir, { recursive: true, force: true });
  };
  return { url, close };
}
