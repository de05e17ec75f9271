import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { type App, type AppOptions, createApp } from '../app.js';
import { createControl } from '../control/control.js';
import { controlGuard } from '../control/guard.js';
import { type Fetch, type Namespace, Namespaces } from '../control/namespaces.js';
import { withControl } from '../control/serve-control.js';
import { isLoopbackAddress } from '../http/cors.js';
import { mountOpenApi } from '../openapi/routes.js';
import type { Prefill } from '../rules/context.js';
import { demoTokens } from '../seed/demo.js';
import { memoryStore } from '../store/memory.js';
import type { Dump, Store } from '../store/store.js';
import { webPages } from '../web/web-pages.js';
import { batchWrites } from './batch-writes.js';
import { compress } from './compression.js';
import { connectionErrors, hasOneHost, type RequestHead } from './connection-errors.js';
import { Connections } from './connections.js';
import { ServeError } from './errors.js';
import { mountHealth, operationalPaths } from './health.js';
import type { Log } from './logs.js';
import type { Metrics } from './metrics.js';
import { type Outgoing, sendParts, TextResponse } from './text-response.js';

export interface ServeOptions extends Partial<Omit<AppOptions, 'store' | 'listening' | 'onAnswer' | 'onError'>> {
  /** Or a function that opens it: called after the port was opened, so that a port in use does not change a database. */
  readonly store: Store | (() => Promise<Store>);
  /** Initial data for an empty store. */
  readonly seed?: Dump;
  /** 0 picks a free port. @default 4010 */
  readonly port?: number;
  /** @default '127.0.0.1' This machine only. */
  readonly host?: string;
  /** Milliseconds that delay every response, like a slow network. @default 0 */
  readonly latency?: number;
  /** Milliseconds in which `close()` still accepts connections, with `/readyz` at 503. @default 0 */
  readonly drainDelay?: number;
  /** Milliseconds after which connections without a request are closed. @default 65000 */
  readonly idleTimeout?: number;
  /** Milliseconds after which clients that do not read their response are disconnected. @default 30000 */
  readonly writeTimeout?: number;
  /** Maximum number of connections: more are closed immediately. @default 10000 */
  readonly maxConnections?: number;
  /** `host:port` of private hosts that `?website=` may read (D42). */
  readonly prefillAllow?: readonly string[];
  /** The control API at `/__mkt/v1`, which can change all data: for tests and development only. */
  readonly control?: ControlSettings;
  /**
   * Signs the session cookies of browsers: random, at least 32 characters. By default a new one at each start, so a restart
   * signs out all browsers. Several processes with one URL need the same.
   */
  readonly sessionSecret?: string;
  readonly log?: Log;
  /** Enables `/metrics`. Created by `createMetrics()`. */
  readonly metrics?: Metrics;
}

export interface ControlSettings {
  /** The bearer token of callers. */
  readonly token: string;
  /** The data that `reset` restores. */
  readonly seed: () => Dump | Promise<Dump>;
}

/** A running server. */
export interface Server {
  /** Such as `http://127.0.0.1:4010`. */
  readonly url: string;
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

/** SHA-256 in hex from Node: the portable one of the app is ten times slower on a page of JSON. */
const nodeSha256 = (text: string): string => hash('sha256', text, 'hex');

/** A shorter one could be guessed from a cookie that it signed. */
const minSessionSecret = 32;
/** Where others can reach the server. */
const minControlToken = 16;

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** What the adapter passes with each request. */
interface Bindings {
  readonly incoming: RequestHead;
  readonly outgoing: Outgoing;
}

/**
 * Serves the app over HTTP.
 * @throws {ServeError} if the port is taken or not permitted
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
    audit,
    mount,
    ...app
  } = options;
  if (sessionSecret !== undefined && sessionSecret.length < minSessionSecret)
    throw new ServeError(
      `The session secret must have at least ${minSessionSecret} characters. Make one of random bytes.`,
    );
  if (controlSettings && controlSettings.token.length < minControlToken && !isLoopbackAddress(host))
    throw new ServeError(
      `The control token must have at least ${minControlToken} characters on ${host}, where others can reach the server. ` +
        'Leave it out for a random one.',
    );
  const server = createServer({ ...connectionLimits, keepAliveTimeout: idleTimeout });
  server.maxConnections = maxConnections;
  // At most one warning a minute.
  let lastWarning = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    if (performance.now() - lastWarning < 60_000) return;
    lastWarning = performance.now();
    log?.warned?.(
      `There are ${maxConnections} connections, so new ones are closed. Raise --max-connections, or find the clients that hold them.`,
    );
  });
  const connections = new Connections(server, writeTimeout);
  const { onClientError, onConnect, onRequestError, rejectTarget } = connectionErrors((rejected) => {
    log?.rejected?.(rejected);
    metrics?.requestCompleted({ operation: null }, rejected.status, 0);
  });
  server.on('clientError', onClientError);
  server.on('connect', onConnect);
  // Unknown expectations may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (...request) => server.emit('request', ...request));
  // Requests that arrive before the store is open.
  const early: Parameters<Listener>[] = [];
  const holdRequest: Listener = (...request) => early.push(request);
  server.on('request', holdRequest);
  await listen(server, host, port);

  try {
    const store = typeof given === 'function' ? await given() : given;
    if (seed && (await store.isEmpty())) await store.load(seed);

    const url = urlOf(server.address() as AddressInfo);
    let isDraining = false;
    const observers: Pick<AppOptions, 'onAnswer' | 'onError'> = {
      onError: (error, exchange) => log?.failed(exchange, error),
      onAnswer(exchange, { status }, milliseconds) {
        log?.requestCompleted(exchange, status, milliseconds);
        metrics?.requestCompleted(exchange, status, milliseconds);
      },
    };
    /** An app: that of the server, or of a namespace. */
    const appOf = (own: Pick<AppOptions, 'store'> & Partial<AppOptions>, hasConsole: boolean): App =>
      createApp({
        renderer: webPages({
          knownTokens: Object.values(demoTokens),
          ...(sessionSecret !== undefined && { sessionSecret }),
          console: hasConsole,
        }),
        sha256: nodeSha256,
        readPage: lazyPageReader(prefillAllow),
        ...app,
        Response: TextResponse,
        listening: () => url,
        ...own,
        ...observers,
      });
    const serverOptions: Pick<AppOptions, 'store' | 'audit' | 'mount'> = {
      store,
      ...(audit && { audit }),
      mount(routes) {
        mountHealth(routes, { store, audit, metrics, isDraining: () => isDraining });
        mountOpenApi(routes, () => app.baseUrl ?? url, store.ids);
        mount?.(routes);
      },
    };
    const controlled = (settings: ControlSettings): Fetch => {
      const { seed } = settings;
      const guard = controlGuard(settings.token, nodeSha256);
      const controlledApp = (own: Pick<AppOptions, 'store'> & Partial<AppOptions>, hasConsole: boolean) => {
        const { store } = own;
        const root = createControl({ store, seed, pages: true, sha256: nodeSha256, forget: () => created.forget() });
        const created = appOf({ ...root.app, ...own }, hasConsole);
        return { fetch: created.fetch, control: root.control };
      };
      const createNamespace = async (baseUrl: string): Promise<Namespace> => {
        const { fetch, control } = controlledApp(
          {
            store: memoryStore(store.ids, await seed()),
            baseUrl,
            mount: (routes) => mountOpenApi(routes, () => baseUrl, store.ids),
          },
          false,
        );
        return { control, fetch: withControl(fetch, { control, guard, ...observers }) };
      };
      const { fetch, control } = controlledApp(serverOptions, true);
      const isPersistent = 'backup' in store;
      const namespaces = isPersistent ? undefined : new Namespaces(createNamespace);
      return withControl(fetch, { control, guard, namespaces, baseUrl: app.baseUrl, audit, ...observers });
    };
    const fetch = controlSettings ? controlled(controlSettings) : appOf(serverOptions, false).fetch;
    const writeTogether = batchWrites();
    const answer = async (request: Request, bindings: Bindings): Promise<Response> => {
      const { incoming, outgoing } = bindings;
      if (!hasOneHost(incoming)) return rejectTarget();
      connections.requestStarted();
      metrics?.started();
      try {
        if (latency > 0 && !operationalPaths.has(new URL(request.url).pathname)) await delay(latency);
        const response = await fetch(request, bindings);
        const sent = 'accept-encoding' in incoming.headers ? await compress(response, incoming) : response;
        await writeTogether();
        return sendParts(sent, outgoing);
      } finally {
        metrics?.ended();
        connections.requestEnded();
      }
    };
    const listener = getRequestListener(answer, {
      overrideGlobalObjects: false,
      // For requests without a host, which HTTP/1.0 allows.
      hostname: new URL(url).host,
      errorHandler: onRequestError,
    });
    server.off('request', holdRequest);
    server.on('request', listener);
    for (const request of early) void listener(...request);

    const shutDown = async (): Promise<void> => {
      if (drainDelay > 0) await delay(drainDelay);
      await connections.drain();
      await store.close();
    };
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> => {
      isDraining = true;
      closed ??= shutDown();
      return closed;
    };
    return { url, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    server.close();
    server.closeAllConnections();
    throw error;
  }
}

/** Loads the page reader on first use, because few servers need it. */
function lazyPageReader(allow: readonly string[]) {
  let reader: Promise<(url: string) => Promise<Prefill>> | undefined;
  return async (url: string): Promise<Prefill> => {
    reader ??= import('./page-reader.js').then(({ pageReader }) => pageReader({ allow }));
    return (await reader)(url);
  };
}

const listen = (server: NetServer, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen(port, host, () => resolve());
  });

function listenError({ code, message }: NodeJS.ErrnoException, host: string, port: number): ServeError {
  if (code === 'EADDRINUSE')
    return new ServeError(`Port ${port} on ${host} is in use. Choose another with --port, or --port 0 for a free one.`);
  if (code === 'EACCES') return new ServeError(`Port ${port} requires more privileges. Choose a port from 1024 up.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new ServeError(`${host} is not an address of this machine. Use --host 127.0.0.1, for example.`);
  return new ServeError(`Cannot listen on ${host}:${port}: ${message}.`);
}

const urlOf = ({ address, port }: AddressInfo): string =>
  `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
