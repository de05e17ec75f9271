import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer, defaultClientConditions, type InlineConfig, type Plugin } from 'vite';

/** MSW's own worker, of the version that is installed: a copy would go stale. */
const worker = readFileSync(createRequire(import.meta.url).resolve('msw/mockServiceWorker.js'), 'utf8');

const mswWorker: Plugin = {
  name: 'msw-worker',
  configureServer: ({ middlewares }) => {
    middlewares.use('/mockServiceWorker.js', (_, response) => {
      response.setHeader('Content-Type', 'text/javascript');
      response.end(worker);
    });
  },
};

export interface ServedPage {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Serves the page in `page/` from source, as a developer's Vite does. */
export const servePage = (): Promise<ServedPage> =>
  serve({ configFile: false, root: here('page'), plugins: [mswWorker] });

/**
 * Serves an example by its own configuration, but from our sources: it needs no build.
 * @param apiUrl A server in the place of the mock, as its environment variable names it.
 */
export const serveExample = (name: string, apiUrl?: string): Promise<ServedPage> =>
  serve({
    root: here(`../../examples/${name}`),
    configFile: here(`../../examples/${name}/vite.config.ts`),
    ...(apiUrl !== undefined && { define: { 'import.meta.env.VITE_API_URL': JSON.stringify(apiUrl) } }),
  });

async function serve(config: InlineConfig): Promise<ServedPage> {
  // Of its own: several test files run at once, and two servers must not prepare dependencies in one place.
  const caches = here('../../node_modules/.cache/mkt-e2e');
  mkdirSync(caches, { recursive: true });
  const cacheDir = mkdtempSync(join(caches, 'vite-'));
  const server = await createServer({
    ...config,
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
