import { createServer, type Server as HttpServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { pathIn } from '../http/routes.js';
import type { Dump, Store } from '../store/store.js';
import { tracing } from '../tracing.js';
import { compress } from './compression.js';
import { connectionErrors, type RequestHead } from './connection-errors.js';
import { Connections } from './connections.js';
import { ServeError } from './errors.js';
import { healthPaths } from './health.js';
import { hostNamed } from './host.js';
import {
  type ClientMessage,
  continueWhenRead,
  endAfterRequest,
  hasBody,
  joinChunks,
  type Listener,
  nameClient,
  onePerConnection,
} from './incoming.js';
import { listen } from './listen.js';
import type { MetricsOptions, MetricsServer } from './metrics.js';
import { type Fetch, type ServedAppOptions, servedApp } from './served-app.js';
import { type Outgoing, sendParts } from './text-response.js';
import { Turns } from './turns.js';

/**
 * Returns a function that waits until the responses to all requests that have arrived are ready, so that they are written
 * one directly after the other. Without it `memory, one item` takes 9 % more CPU time.
 */
export function batchWrites(): () => Promise<void> {
  let batch: Promise<void> | undefined;
  return () => {
    batch ??= new Promise((resolve) => {
      setImmediate(() => {
        batch = undefined;
        resolve();
      });
    });
    return batch;
  };
}

export interface ServeOptions extends ServedAppOptions {
  /** Or a function that opens it: called after the port was opened, so that a port in use does not change a database. */
  readonly store: Store | (() => Promise<Store>);
  /** Initial data for an empty store. */
  readonly seed?: Dump;
  /** 0 picks a free port. @default 4010 */
  readonly port?: number;
  /** @default '127.0.0.1' This machine only. */
  readonly host?: string;
  /**
   * The header in which a proxy names the client's address, such as `X-Real-IP`. Clients must not reach the server without
   * the proxy, because they could send another address. By default the address that connects is the client's.
   */
  readonly addressHeader?: string;
  /** Milliseconds that delay every response, like a slow network. @default 0 */
  readonly latency?: number;
  /**
   * Milliseconds in which `close()` still accepts connections, with `/readyz` at 503; then it waits until no client
   * connects, at most 2 s, so that no request is lost. Without it `close()` closes the port immediately.
   */
  readonly drainDelay?: number;
  /** Milliseconds after which connections without a request are closed. @default 65000 */
  readonly idleTimeout?: number;
  /** Milliseconds after which clients that do not read their response, or do not close after an error, are disconnected. @default 30000 */
  readonly writeTimeout?: number;
  /** Maximum number of connections: then an idle one of the address with the most is closed for a new one. @default 10000 */
  readonly maxConnections?: number;
  /** Serves metrics for Prometheus at an address of their own. By default there are none. */
  readonly metrics?: MetricsOptions;
}

/** A running server. */
export interface Server {
  /** Such as `http://127.0.0.1:4010`. */
  readonly url: string;
  /** Such as `http://127.0.0.1:9464/metrics`; null without metrics. */
  readonly metricsUrl: string | null;
  /** Waits for the drain delay, accepts no more requests, finishes the running ones (within 10 s), closes the store. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Set here so that they do not depend on the version of Node. In milliseconds and bytes. */
const connectionLimits = {
  /** A whole request, including an upload of 10 MiB. */
  requestTimeout: 120_000,
  headersTimeout: 20_000,
  connectionsCheckingInterval: 5000,
  maxHeaderSize: 16 * 1024,
  /** Checked here: Node's own response has no body. */
  requireHostHeader: false,
};

const defaultHost = '127.0.0.1';

/** A shorter one could be guessed from a cookie that it signed. */
const minSessionSecret = 32;

/** How many health checks at once never wait for their turn. More are not those of a load balancer. */
const urgentChecks = 8;

/** A write is done even if its client does not wait for it. */
const isRead = ({ method }: RequestHead): boolean => method === 'GET' || method === 'HEAD';

/** What the adapter passes with each request. */
interface Bindings {
  readonly incoming: RequestHead & Pick<ClientMessage, 'socket' | 'client'>;
  readonly outgoing: Outgoing & { shouldKeepAlive?: boolean };
}

/**
 * Serves the app over HTTP.
 * @throws {ServeError} if the port is taken or not permitted
 */
export async function serve(given: ServeOptions): Promise<Server> {
  const allowHosts = given.allowHosts?.map((each) => hostNamed(each) ?? each);
  const options = { ...given, ...(allowHosts && { allowHosts }) };
  const { store: storeOption, seed, port = 4010, host = defaultHost, sessionSecret } = options;
  if (sessionSecret !== undefined && sessionSecret.length < minSessionSecret)
    throw new ServeError(
      `The session secret must have at least ${minSessionSecret} characters. Make one of random bytes.`,
    );
  const metrics = options.metrics && (await (await import('./metrics.js')).serveMetrics(options.metrics));
  const http = openHttp(options, metrics);
  const startHandling = holdRequests(http.server);
  try {
    const url = await listen(http.server, host, port);
    const store = typeof storeOption === 'function' ? await storeOption() : storeOption;
    if (seed) await store.fill(seed);
    metrics?.watch(store);
    let closing = false;
    const isDraining = () => closing;
    const turns = new Turns();
    const served = servedApp(options, { store, url, metrics, turns, isDraining });
    const spans = tracing();
    const fetch: Fetch = spans
      ? (request, bindings) => spans.request(request, () => served.fetch(request, bindings))
      : served.fetch;
    const { latency = 0 } = options;
    const addressHeader = options.addressHeader?.toLowerCase();
    startHandling(requestListener(fetch, { url, http, metrics, turns, isDraining, latency, addressHeader }));

    const shutDown = async (): Promise<void> => {
      if (options.drainDelay) await delay(options.drainDelay);
      await http.connections.drain(options.drainDelay !== undefined);
      await served.close?.();
      await store.close();
      metrics?.close();
    };
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closing = true;
      closed ??= shutDown();
      return closed;
    };
    return { url, metricsUrl: metrics?.url ?? null, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    http.server.close();
    http.server.closeAllConnections();
    metrics?.close();
    throw error;
  }
}

/** Node's server, with the handlers of everything that is not a request to the app. */
interface Http extends Pick<ReturnType<typeof connectionErrors>, 'onRequestError' | 'problemOf' | 'reject'> {
  readonly server: HttpServer;
  readonly connections: Connections;
}

function openHttp({ log, ...options }: ServeOptions, metrics: MetricsServer | undefined): Http {
  // Longer than the 60 s of common proxies, so that a proxy never sends into a connection that is being closed here.
  const { idleTimeout = 65_000, writeTimeout = 30_000, maxConnections = 10_000 } = options;
  const server = createServer({ ...connectionLimits, keepAliveTimeout: idleTimeout });
  // At most one warning a minute.
  let lastWarning = Number.NEGATIVE_INFINITY;
  const connections = new Connections(server, writeTimeout, maxConnections, (address) => {
    if (performance.now() - lastWarning < 60_000) return;
    lastWarning = performance.now();
    log?.warned?.(
      `There are ${maxConnections} connections, so idle ones of ${address}, which has the most, are closed. Raise --max-connections, or find the clients that hold them.`,
    );
  });
  const { host = defaultHost, baseUrl, allowHosts } = options;
  const hosts = { host, ...(baseUrl && { baseUrl }), ...(allowHosts && { allowHosts }) };
  const { onClientError, onConnect, ...rest } = connectionErrors(
    hosts,
    (rejected) => {
      log?.rejected?.(rejected);
      metrics?.requestCompleted({ operation: null }, rejected.status, 0);
    },
    writeTimeout,
  );
  server.on('clientError', onClientError);
  server.on('connect', onConnect);
  server.on('checkContinue', (...request) => {
    continueWhenRead(...request);
    server.emit('request', ...request);
  });
  // Unknown expectations may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (...request) => server.emit('request', ...request));
  return { server, connections, ...rest };
}

/** Keeps requests that arrive before the store is open, until the returned function gets their listener. */
function holdRequests(server: HttpServer): (listener: Listener) => void {
  const early: Parameters<Listener>[] = [];
  const holdRequest: Listener = (...request) => early.push(request);
  server.on('request', holdRequest);
  return (listener) => {
    server.off('request', holdRequest);
    server.on('request', listener);
    for (const request of early) void listener(...request);
  };
}

interface Listening {
  readonly url: string;
  readonly http: Http;
  readonly metrics: MetricsServer | undefined;
  readonly turns: Turns;
  readonly isDraining: () => boolean;
  readonly latency: number;
  readonly addressHeader: string | undefined;
}

/** Passes requests to `fetch`, and writes its responses. */
function requestListener(
  fetch: Fetch,
  { url, http, metrics, turns, isDraining, latency, addressHeader }: Listening,
): Listener {
  const { connections, problemOf, reject, onRequestError } = http;
  const writeTogether = batchWrites();
  let checks = 0;
  const respond = async (request: Request, bindings: Bindings): Promise<Response> => {
    const { incoming, outgoing } = bindings;
    const problem = problemOf(incoming);
    connections.requestStarted(incoming.socket);
    metrics?.started();
    const isCheck = !problem && healthPaths.has(pathIn(request.url));
    if (isCheck) checks += 1;
    const isUrgent = isCheck && checks <= urgentChecks;
    const caller = isUrgent ? null : turns.callerOf(incoming.headers, incoming.client ?? incoming.socket);
    let isStarted = false;
    const endTurn = (): void => {
      if (caller !== null && isStarted) turns.end(caller);
      isStarted = false;
    };
    try {
      if (latency > 0 && !isCheck) await delay(latency);
      if (caller !== null) {
        // With a body it starts once that has arrived. Checks wait for the store together, and no client waits for them.
        isStarted = !isCheck && !hasBody(incoming);
        const isGone = () => incoming.socket.destroyed && isRead(incoming);
        const turn = isStarted ? turns.start(caller, isGone) : turns.resume(caller);
        if (turn) await turn;
        if (turn && isGone()) return RESPONSE_ALREADY_SENT;
      }
      const response = problem ? reject(problem) : await fetch(request, bindings);
      const sent = 'accept-encoding' in incoming.headers ? await compress(response, incoming, caller) : response;
      // Not in progress while it waits for others.
      endTurn();
      await writeTogether();
      // The client sends its next request over another connection, which leads to another process.
      if (isDraining()) outgoing.shouldKeepAlive = false;
      await connections.held;
      return sendParts(sent, outgoing);
    } finally {
      if (isCheck) checks -= 1;
      endTurn();
      metrics?.ended();
      connections.requestEnded();
    }
  };
  const listener = getRequestListener(respond, {
    overrideGlobalObjects: false,
    // For requests without a host, which HTTP/1.0 allows.
    hostname: new URL(url).host,
    errorHandler: onRequestError,
  });
  return onePerConnection((incoming, outgoing) => {
    joinChunks(incoming);
    nameClient(incoming, addressHeader);
    endAfterRequest(incoming, outgoing);
    void listener(incoming, outgoing);
  });
}
