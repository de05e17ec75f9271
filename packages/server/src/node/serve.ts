import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { type AppOptions, createApp } from '../app.js';
import { createControl } from '../control/control.js';
import { controlGuard } from '../control/guard.js';
import { withControl } from '../control/serve-control.js';
import { isLoopbackAddress } from '../http/cors.js';
import { getOnly } from '../http/get-only.js';
import { mountOpenApi } from '../openapi/routes.js';
import type { Prefill } from '../rules/context.js';
import { demoTokens } from '../seed/demo.js';
import type { Dump, Store } from '../store/store.js';
import { webFace } from '../web/face.js';
import { compressed } from './compression.js';
import { connectionErrors, namesOneHost, type RequestHead } from './connection-errors.js';
import { Connections } from './connections.js';
import { drain, Running } from './drain.js';
import { ServeError } from './errors.js';
import { mountHealth, operationalPaths } from './health.js';
import type { Log } from './logs.js';
import type { Metrics } from './metrics.js';
import { type Outgoing, sendParts, TextResponse } from './text-response.js';
import { together } from './together.js';

export interface ServeOptions extends Partial<Omit<AppOptions, 'store' | 'listening' | 'onAnswer' | 'onError'>> {
  /** Or how to open it: called once the port is ours, so that a port in use leaves no trace in a database. */
  readonly store: Store | (() => Promise<Store>);
  /** What an empty store is filled with. */
  readonly seed?: Dump;
  /** 0 picks a free one; 4010 by default. */
  readonly port?: number;
  /** 127.0.0.1 by default: this machine only. */
  readonly host?: string;
  /** Milliseconds that every answer waits, as over a slow network; 0 by default. */
  readonly latency?: number;
  /** Milliseconds that `close()` goes on serving, with `/readyz` at 503, before it takes no more connections; 0 by default. */
  readonly drainDelay?: number;
  /** Milliseconds that a connection is kept without a request; 65,000 by default. */
  readonly idleTimeout?: number;
  /** Milliseconds after which a client that reads nothing of its response is disconnected; 30,000 by default. */
  readonly writeTimeout?: number;
  /** Connections at once, more are closed immediately; 10,000 by default. */
  readonly maxConnections?: number;
  /** `host:port` that `?website=` may read although it is private (D42). */
  readonly prefillAllow?: readonly string[];
  /** The control API at `/__mkt/v1`, with all that it can do to the data: for tests and development alone. */
  readonly control?: ControlSettings;
  /**
   * What the cookies of signed-in browsers are signed with: random, at least 32 characters. By default a new one at each
   * start, so a restart signs everybody out; several processes behind one address need the same.
   */
  readonly sessionSecret?: string;
  readonly log?: Log;
  /** Answers `/metrics`; from `createMetrics()`. */
  readonly metrics?: Metrics;
}

export interface ControlSettings {
  /** What callers send as a bearer token. */
  readonly token: string;
  /** What `reset` goes back to. */
  readonly seed: () => Dump | Promise<Dump>;
}

/** A running server. */
export interface Server {
  /** Where it listens, such as `http://127.0.0.1:4010`. */
  readonly url: string;
  /** Waits for the drain delay, takes no more requests, finishes the running ones (within 10 s), closes the store. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Set here and not left to the Node version. Milliseconds and bytes. */
const connectionLimits = {
  /** A whole request, a 10 MiB upload included. */
  requestTimeout: 120_000,
  headersTimeout: 20_000,
  connectionsCheckingInterval: 5000,
  maxHeaderSize: 16 * 1024,
  /** Looked at here: Node's own refusal has no body. */
  requireHostHeader: false,
};

/** SHA-256 in hex by Node's own code: the portable one of the app is ten times slower on a page of JSON. */
const nodeSha256 = (text: string): string => hash('sha256', text, 'hex');

/** A shorter one could be guessed from a cookie that it signed. */
const leastSecret = 32;
/** Where others reach the server. */
const leastControlToken = 16;

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/**
 * Serves the app over HTTP.
 * @throws {ServeError} when the port is taken or may not be used
 */
export async function serve(options: ServeOptions): Promise<Server> {
  const {
    store: given,
    seed,
    port = 4010,
    host = '127.0.0.1',
    latency = 0,
    drainDelay = 0,
    // Longer than the 60 s of common proxies, so that a proxy never sends into a connection that is being closed here.
    idleTimeout = 65_000,
    writeTimeout = 30_000,
    maxConnections = 10_000,
    prefillAllow = [],
    control: controlSettings,
    sessionSecret,
    log,
    metrics,
    ...app
  } = options;
  if (sessionSecret !== undefined && sessionSecret.length < leastSecret)
    throw new ServeError(`The session secret must have at least ${leastSecret} characters. Make one of random bytes.`);
  if (controlSettings && controlSettings.token.length < leastControlToken && !isLoopbackAddress(host))
    throw new ServeError(
      `The control token must have at least ${leastControlToken} characters on ${host}, where others can reach the server. ` +
        'Leave it out for a random one.',
    );
  const server = createServer({ ...connectionLimits, keepAliveTimeout: idleTimeout });
  server.maxConnections = maxConnections;
  if (log?.warned)
    server.on(
      'drop',
      atMostOnceAMinute(() => log.warned?.(tooManyConnections(maxConnections))),
    );
  const connections = new Connections(server, { writeTimeout });
  const { onClientError, onConnect, onRequestError, refuseTarget } = connectionErrors((rejected) => {
    log?.rejected?.(rejected);
    metrics?.answered({ operation: null }, rejected.status, 0);
  });
  server.on('clientError', onClientError);
  server.on('connect', onConnect);
  // An expectation that is not known may be passed over (RFC 9110, 10.1.1).
  server.on('checkExpectation', (...request) => server.emit('request', ...request));
  const early: Parameters<Listener>[] = [];
  const hold: Listener = (...request) => early.push(request);
  server.on('request', hold);
  await listen(server, host, port);

  try {
    const store = typeof given === 'function' ? await given() : given;
    if (seed && (await store.isEmpty())) await store.load(seed);

    const url = urlOf(server.address() as AddressInfo);
    let draining = false;
    const root =
      controlSettings &&
      createControl({
        store,
        seed: controlSettings.seed,
        pages: true,
        sha256: nodeSha256,
        forget: () => created.forget(),
      });
    const guard = controlSettings && controlGuard(controlSettings.token, nodeSha256);
    const observers: Pick<AppOptions, 'onAnswer' | 'onError'> = {
      ...(log && { onError: (error, exchange) => log.failed(exchange, error) }),
      ...((log || metrics) && {
        onAnswer: (exchange, { status }, milliseconds) => {
          log?.answered(exchange, status, milliseconds);
          metrics?.answered(exchange, status, milliseconds);
        },
      }),
    };
    const created = createApp({
      face: webFace({
        knownTokens: Object.values(demoTokens),
        ...(sessionSecret !== undefined && { sessionSecret }),
        ...(root && guard && { console: { control: root.control, guard } }),
      }),
      sha256: nodeSha256,
      readPage: lazyPageReader(prefillAllow),
      ...app,
      ...(root && { clock: root.clock, around: root.around }),
      Response: TextResponse,
      store,
      listening: () => url,
      mount(routes) {
        mountHealth(routes, { store, audit: app.audit, isDraining: () => draining });
        if (metrics) {
          const { text, contentType } = metrics;
          getOnly(routes, '/metrics', async (c) =>
            c.env.exchange.respond(200, await text(), { 'Content-Type': contentType }),
          );
        }
        mountOpenApi(routes, () => app.baseUrl ?? url);
        app.mount?.(routes);
      },
      ...observers,
    });

    const fetch =
      root && guard
        ? withControl(created.fetch, { control: root.control, guard, audit: app.audit, ...observers })
        : created.fetch;
    const leave = together();
    const running = new Running();
    const work = observed(delayed(fetch, latency), metrics);
    const answer: Fetch = async (request, bindings) => {
      if (!namesOneHost(bindings.incoming)) return refuseTarget();
      running.begin();
      try {
        const response = await work(request, bindings);
        const { incoming } = bindings;
        const sent = 'accept-encoding' in incoming.headers ? await compressed(response, incoming) : response;
        await leave();
        return sendParts(sent, bindings.outgoing);
      } finally {
        running.end();
      }
    };
    const listener = getRequestListener(answer, {
      overrideGlobalObjects: false,
      // For requests that name no host, as HTTP/1.0 allows.
      hostname: new URL(url).host,
      errorHandler: onRequestError,
    });
    server.off('request', hold);
    server.on('request', listener);
    for (const request of early) void listener(...request);

    let closed: Promise<void> | undefined;
    const close = (): Promise<void> => {
      draining = true;
      closed ??= shutDown();
      return closed;
    };
    const shutDown = async (): Promise<void> => {
      if (drainDelay > 0) await delay(drainDelay);
      await drain(server, running, connections);
      await store.close();
    };
    return { url, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    server.close();
    server.closeAllConnections();
    throw error;
  }
}

/** The reader and what it needs are loaded with the first page: few servers ever read one. */
function lazyPageReader(allow: readonly string[]): (address: string) => Promise<Prefill> {
  let reader: Promise<(address: string) => Promise<Prefill>> | undefined;
  return async (address) => {
    reader ??= import('./page-reader.js').then(({ pageReader }) => pageReader({ allow }));
    return (await reader)(address);
  };
}

type Fetch = (
  request: Request,
  bindings: { readonly incoming: RequestHead; readonly outgoing: Outgoing },
) => Promise<Response>;

const delayed = (fetch: Fetch, milliseconds: number): Fetch =>
  milliseconds === 0
    ? fetch
    : async (request, bindings) => {
        if (!operationalPaths.has(new URL(request.url).pathname)) await delay(milliseconds);
        return fetch(request, bindings);
      };

const observed = (fetch: Fetch, metrics: Metrics | undefined): Fetch =>
  metrics === undefined
    ? fetch
    : async (request, bindings) => {
        metrics.started();
        try {
          return await fetch(request, bindings);
        } finally {
          metrics.ended();
        }
      };

const listen = (server: NetServer, host: string, port: number): Promise<void> =>
  new Promise((listening, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => fail(cannotListen(error, host, port)));
    server.listen(port, host, () => listening());
  });

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): ServeError {
  if (error.code === 'EADDRINUSE') {
    return new ServeError(`Port ${port} on ${host} is in use. Choose another with --port, or --port 0 for a free one.`);
  }
  if (error.code === 'EACCES')
    return new ServeError(`Port ${port} may not be used by this user. Choose one from 1024 on.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new ServeError(`${host} is no address of this machine. Give one with --host, such as 127.0.0.1.`);
  return new ServeError(`Cannot listen on ${host}:${port}: ${error.message}.`);
}

const tooManyConnections = (limit: number): string =>
  `There are ${limit} connections, so new ones are closed. Raise --max-connections, or find out who holds them.`;

/** Every connection too many would be a line in the log. */
function atMostOnceAMinute(report: () => void): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - last < 60_000) return;
    last = performance.now();
    report();
  };
}

const urlOf = ({ address, port }: AddressInfo): string =>
  `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
