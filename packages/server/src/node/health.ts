import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { Hono } from 'hono';
import type { Audit } from '../http/audit.js';
import type { AppEnv } from '../http/html-renderer.js';
import { type Handler, mountRoute } from '../http/routes.js';
import { operatorMessage, type Store, StoreUnavailable } from '../store/store.js';

/** Paths for health checks: without a token and without `--latency`. */
export const healthPaths: ReadonlySet<string> = new Set(['/livez', '/readyz']);

export interface HealthOptions {
  readonly store: Store;
  readonly audit?: Audit | undefined;
  /** Gets each change: why the server is not ready, and null when it is again. */
  readonly report: (reason: string | null) => void;
}

/** Why the server cannot serve requests; null if it can. */
export interface Readiness {
  check(): Promise<string | null>;
  /** As it was found within 10 s, by `/readyz` too. Metrics wait for a check only briefly: it needs a connection itself. */
  recent(): Promise<string | null>;
}

/** Milliseconds that a finding counts for metrics, and that they wait for a new one. */
const maxAge = 10_000;
const maxWait = 250;

/** Reads the store, and writes to it at most once per second. Requests at the same time share a check. */
export function readinessOf({ store, audit, report }: HealthOptions): Readiness {
  const reason = async (): Promise<string | null> => {
    try {
      await store.ping();
      await audit?.check();
      // Fails if there is no free file descriptor.
      await (await open(devNull)).close();
      return null;
    } catch (error) {
      // Other errors may contain secrets, and are logged with the requests that failed.
      return (
        operatorMessage(error) ?? (error instanceof StoreUnavailable ? error.message : 'The store does not respond.')
      );
    }
  };
  let last: string | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<string | null> | undefined;
  const find = async (): Promise<string | null> => {
    const current = await reason();
    if (current !== last) report(current);
    last = current;
    checkedAt = performance.now();
    return current;
  };
  const check = (): Promise<string | null> => {
    running ??= find().finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    check,
    recent: async () => {
      if (performance.now() - checkedAt > maxAge) await Promise.race([check(), setTimeout(maxWait)]);
      return checkedAt > 0 ? last : 'It is not known yet.';
    },
  };
}

/** `/livez`: the process responds. `/readyz`: it accepts requests, and its store can be read and written. */
export function mountHealth(routes: Hono<AppEnv>, readiness: Readiness, isDraining: () => boolean): void {
  const get = (path: string, handler: Handler) => mountRoute(routes, path, { GET: handler });
  get('/livez', (exchange) => exchange.json(200, { status: 'alive' }));
  get('/readyz', async (exchange) => {
    if (isDraining()) return exchange.json(503, { status: 'draining' });
    const reason = await readiness.check();
    if (reason !== null) return exchange.json(503, { status: reason }, { 'Retry-After': '2' });
    return exchange.json(200, { status: 'ready' });
  });
}
