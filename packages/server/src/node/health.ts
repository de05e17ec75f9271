import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import type { Hono } from 'hono';
import type { Audit } from '../http/audit.js';
import type { AppEnv } from '../http/html-renderer.js';
import { type Handler, mountRoute } from '../http/routes.js';
import { operatorMessage, type Store } from '../store/store.js';

/** Paths for health checks: without a token and without `--latency`. */
export const healthPaths: ReadonlySet<string> = new Set(['/livez', '/readyz']);

export interface HealthOptions {
  readonly store: Store;
  readonly audit?: Audit | undefined;
  /** Whether the server is shutting down, so that no more requests should be sent to it. */
  readonly isDraining: () => boolean;
}

/** `/livez`: the process responds. `/readyz`: it accepts requests, and its store responds. */
export function mountHealth(routes: Hono<AppEnv>, { store, audit, isDraining }: HealthOptions): void {
  const get = (path: string, handler: Handler) => mountRoute(routes, path, { GET: handler });
  get('/livez', (exchange) => exchange.json(200, { status: 'alive' }));
  get('/readyz', async (exchange) => {
    if (isDraining()) return exchange.json(503, { status: 'draining' });
    try {
      await store.ping();
      await audit?.check();
      // Fails if there is no free file descriptor.
      await (await open(devNull)).close();
    } catch (error) {
      // Other errors of the store are logged with the requests that failed.
      const status = operatorMessage(error) ?? 'the store does not respond';
      return exchange.json(503, { status }, { 'Retry-After': '2' });
    }
    return exchange.json(200, { status: 'ready' });
  });
}
