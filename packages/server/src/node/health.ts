import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import type { Hono } from 'hono';
import type { Audit } from '../http/audit.js';
import type { AppEnv } from '../http/face.js';
import { getOnly } from '../http/get-only.js';
import { descriptorMessage, lacksDescriptors, StorageFailure, type Store } from '../store/store.js';

/** Paths that a probe or a scraper asks for: answered without a token, and at once. */
export const operationalPaths: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics']);

export interface HealthOptions {
  readonly store: Store;
  readonly audit?: Audit | undefined;
  /** From then on no more requests should be sent here. */
  readonly isDraining: () => boolean;
}

/** `/livez`: the process answers. `/readyz`: it takes requests, and its store answers. */
export function mountHealth(routes: Hono<AppEnv>, { store, audit, isDraining }: HealthOptions): void {
  getOnly(routes, '/livez', (c) => c.env.exchange.json(200, { status: 'alive' }));
  getOnly(routes, '/readyz', async (c) => {
    const { exchange } = c.env;
    if (isDraining()) return exchange.json(503, { status: 'draining' });
    try {
      await store.ping();
      await audit?.check();
      // A file descriptor is free.
      await (await open(devNull)).close();
    } catch (error) {
      return exchange.json(503, { status: reasonFor(error) }, { 'Retry-After': '2' });
    }
    return exchange.json(200, { status: 'ready' });
  });
}

/** What else a store says is in the logs of the requests that met it. */
function reasonFor(error: unknown): string {
  if (error instanceof StorageFailure) return error.message;
  return lacksDescriptors(error) ? descriptorMessage : 'the store does not answer';
}
