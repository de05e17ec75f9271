import type { Hono } from 'hono';
import type { AppEnv } from '../http/face.js';
import { getOnly } from '../http/get-only.js';
import type { Store } from '../store/store.js';

/** Paths that a probe or a scraper asks for: answered without a token, and at once. */
export const operationalPaths: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics']);

export interface HealthOptions {
  readonly store: Store;
  /** From then on no more requests should be sent here. */
  readonly isDraining: () => boolean;
}

/** `/livez`: the process answers. `/readyz`: it takes requests, and its store answers. */
export function mountHealth(routes: Hono<AppEnv>, { store, isDraining }: HealthOptions): void {
  getOnly(routes, '/livez', (c) => c.env.exchange.json(200, { status: 'alive' }));
  getOnly(routes, '/readyz', async (c) => {
    const { exchange } = c.env;
    if (isDraining()) return exchange.json(503, { status: 'draining' });
    try {
      await store.ping();
    } catch {
      // Which store error it is stands in the logs of the requests that met it; a probe wants yes or no.
      return exchange.json(503, { status: 'the store does not answer' }, { 'Retry-After': '2' });
    }
    return exchange.json(200, { status: 'ready' });
  });
}
