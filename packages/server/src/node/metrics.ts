import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { version } from '../../package.json';
import type { Exchange } from '../http/exchange.js';
import type { Store, StoreActivity } from '../store/store.js';
import { listen } from './listen.js';

export interface MetricsOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** @default '127.0.0.1' This machine only. */
  readonly host?: string;
}

/** Duration by operation and status, requests in flight, and Node's own metrics (event-loop lag, memory). */
export interface Metrics {
  readonly started: () => void;
  readonly ended: () => void;
  readonly requestCompleted: (exchange: Pick<Exchange, 'operation'>, status: number, milliseconds: number) => void;
  /** Adds whether the server is ready, which is checked when the metrics are requested. */
  readonly watchReadiness: (isReady: () => Promise<boolean>) => void;
}

/** Metrics that are served at their own address. */
export interface MetricsServer extends Metrics {
  /** Such as `http://127.0.0.1:9464/metrics`. */
  readonly url: string;
  /** Adds what the store does, if it has several connections. */
  readonly watch: (store: Store) => void;
  readonly close: () => void;
}

/**
 * Collects metrics and serves them at `/metrics` of a port that the API does not have, so that no proxy in front of the
 * API can pass them on.
 * @throws {ServeError} if the port is taken or not permitted
 */
export async function serveMetrics({ port, host = '127.0.0.1' }: MetricsOptions): Promise<MetricsServer> {
  const registry = new Registry();
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, responder(registry));
  const url = await listen(server, host, port, '--metrics-port');
  return {
    ...createMetrics(registry),
    url: `${url}/metrics`,
    watch(store) {
      if (store.activity) watchActivity(registry, () => store.activity?.() as StoreActivity);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function createMetrics(registry: Registry): Metrics {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'mkt_build_info',
    help: 'Always 1; the version is a label.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  const duration = new Histogram({
    name: 'mkt_request_duration_seconds',
    help: 'Time from the request to its response.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const inFlight = new Gauge({ name: 'mkt_requests_in_flight', help: 'Requests in flight.', registers });
  return {
    started: () => inFlight.inc(),
    ended: () => inFlight.dec(),
    requestCompleted: ({ operation }, status, milliseconds) =>
      duration.observe({ operation: operation ?? 'other', status: String(status) }, milliseconds / 1000),
    watchReadiness: (isReady) =>
      new Gauge({
        name: 'mkt_ready',
        help: 'Whether the server was ready when it was last checked, within 10 s: 1, or 0 while /readyz is 503.',
        registers,
        async collect() {
          this.set((await isReady()) ? 1 : 0);
        },
      }),
  };
}

const gauges = {
  mkt_pool_in_use: ['connectionsInUse', 'Connections to PostgreSQL that are in use.'],
  mkt_pool_waiting: ['connectionsWaiting', 'Requests that wait for a connection to PostgreSQL.'],
} as const;
const counters = {
  mkt_transaction_retries_total: ['retries', 'Transactions that ran again because another one interfered.'],
  mkt_lock_waits_total: ['lockWaits', 'Writes that locked an organization or a user.'],
  mkt_lock_wait_seconds_total: ['lockWaitSeconds', 'How long writes waited for these locks.'],
} as const;

/** Reads the activity when the metrics are requested. */
function watchActivity(registry: Registry, activity: () => StoreActivity): void {
  const registers = [registry];
  for (const [name, [field, help]] of Object.entries(gauges))
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(activity()[field]);
      },
    });
  for (const [name, [field, help]] of Object.entries(counters))
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(activity()[field]);
      },
    });
}

function responder(registry: Registry) {
  const textFor = async ({ method, url = '' }: IncomingMessage): Promise<[status: number, text: string]> => {
    if (url.split('?', 1)[0] !== '/metrics')
      return [404, 'There is nothing at this path. The metrics are at /metrics.\n'];
    if (method !== 'GET' && method !== 'HEAD') return [405, 'Only GET and HEAD are supported.\n'];
    return [200, await registry.metrics()];
  };
  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const [status, text] = await textFor(incoming);
    const type = status === 200 ? registry.contentType : 'text/plain; charset=utf-8';
    outgoing.writeHead(status, {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(text),
      'X-Content-Type-Options': 'nosniff',
      ...(status === 405 && { Allow: 'GET, HEAD' }),
    });
    outgoing.end(text);
  };
}
