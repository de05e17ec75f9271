import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { createServer, defaultClientConditions } from 'vite';

/** MSW's own worker, of the version that is installed: a copy would go stale. */
const worker = readFileSync(createRequire(import.meta.url).resolve('msw/mockServiceWorker.js'), 'utf8');

/** Serves the page in `page/` from source, as a developer's Vite does. */
export async function servePage(): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = await createServer({
    configFile: false,
    root: fileURLToPath(new URL('page', import.meta.url)),
    logLevel: 'error',
    cacheDir: fileURLToPath(new URL('../../node_modules/.cache/mkt-e2e-vite', import.meta.url)),
    resolve: { conditions: ['mkt-source', ...defaultClientConditions] },
    server: {
      host: '127.0.0.1',
      port: 0,
      hmr: false,
      watch: null,
      fs: { allow: [fileURLToPath(new URL('../..', import.meta.url))] },
    },
    plugins: [
      {
        name: 'msw-worker',
        configureServer: ({ middlewares }) => {
          middlewares.use('/mockServiceWorker.js', (_, response) => {
            response.setHeader('Content-Type', 'text/javascript');
            response.end(worker);
          });
        },
      },
    ],
  });
  await server.listen();
  const url = server.resolvedUrls?.local[0];
  if (url === undefined) throw new Error('Vite does not say where it listens.');
  return { url, close: () => server.close() };
}
