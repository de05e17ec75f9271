// Imports TypeScript source of the packages as it is, without a build: generators read the same data that the programs do.
import { resolve } from 'node:path';
import { createServer } from 'vite';
import { viteBundledAssets } from './bundled-assets.mjs';

/**
 * @param {...string} paths Of modules, from the root of the repository: `packages/sdk/src/contract/index.ts`.
 * @returns {Promise<object>} What all of them export.
 */
export async function fromSource(...paths) {
  // Vite imports source only through a server. This one neither listens nor watches, so the next call, which may read a
  // generated file that has changed, needs another. It stays open, because modules may import others later.
  const server = await createServer({
    configFile: false,
    plugins: [viteBundledAssets()],
    logLevel: 'error',
    appType: 'custom',
    server: { middlewareMode: true, watch: null, ws: false },
    optimizeDeps: { noDiscovery: true },
    ssr: { resolve: { conditions: ['mkt-source'] } },
  });
  return Object.assign({}, ...(await Promise.all(paths.map((path) => server.ssrLoadModule(resolve(path))))));
}
