import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const workerFile = 'mockServiceWorker.js';

/** Serves and ships the worker of the installed MSW: a copy in `public/` would be outdated after each update. */
function mswWorker(): Plugin {
  const source = readFileSync(createRequire(import.meta.url).resolve(`msw/${workerFile}`), 'utf8');
  return {
    name: 'msw-worker',
    configureServer: ({ middlewares }) => {
      middlewares.use(`/${workerFile}`, (_, response) => {
        response.setHeader('Content-Type', 'text/javascript');
        response.end(source);
      });
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: workerFile, source });
    },
  };
}

export default defineConfig({ plugins: [react(), mswWorker()] });
