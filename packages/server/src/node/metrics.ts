import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Exchange } from '../http/exchange.js';

/** Duration by operation and status, requests in flight, and Node's own metrics (event-loop lag, memory). */
export interface Metrics {
  readonly started: () => void;
  readonly ended: () => void;
  readonly requestCompleted: (exchange: Pick<Exchange, 'operation'>, status: number, milliseconds: number) => void;
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'mkt_request_duration_seconds',
    help: 'Time from the request to its response.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  const inFlight = new Gauge({
    name: 'mkt_requests_in_flight',
    help: 'Requests in flight.',
    registers: [registry],
  });
  return {
    started: () => inFlight.inc(),
    ended: () => inFlight.dec(),
    requestCompleted: ({ operation }, status, milliseconds) =>
      duration.observe({ operation: operation ?? 'other', status: String(status) }, milliseconds / 1000),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
