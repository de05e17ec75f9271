import { hash } from 'node:crypto';
import type { Hono } from 'hono';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { type App, type AppOptions, createApp } from '../app.js';
import type { Audit } from '../http/audit.js';
import { BodyBudget } from '../http/body-budget.js';
import type { Exchange } from '../http/exchange.js';
import type { AppEnv } from '../http/html-renderer.js';
import { loggedPath } from '../http/masked.js';
import { tooManyRequests } from '../http/problems.js';
import { mountRoute } from '../http/routes.js';
import { nextTurn } from '../pieces.js';
import type { Prefill } from '../rules/context.js';
import { demoTokens } from '../seed/demo.js';
import { FairTurns } from '../store/fair-turns.js';
import type { Store } from '../store/store.js';
import type { IdFormat } from '../store/tables.js';
import { tracing } from '../tracing.js';
import type { ExtraPage } from '../web/page-context.js';
import { webPages } from '../web/web-pages.js';
import { mountHealth, readinessOf } from './health.js';
import type { Log } from './logs.js';
import type { Metrics } from './metrics.js';
import type { pageReader } from './page-reader.js';
import { TextResponse } from './text-response.js';
import type { Turns } from './turns.js';

const MiB = 1024 * 1024;

/** Responds to requests. `bindings` are Node's request and response. */
export type Fetch = App['fetch'];

/** Options that replace those of the server's app. */
export interface AppChanges extends Partial<Omit<AppOptions, 'renderer' | 'onError'>> {
  /** With another store than the server's, the app has no health checks and no audit log. */
  readonly store?: Store;
  readonly extraPages?: readonly ExtraPage[];
}

/** What `ServeOptions.extend` gets of the server. */
export interface ServerParts {
  readonly store: Store;
  /** Where it listens, such as `http://127.0.0.1:4010`. */
  readonly url: string;
  /** Where clients reach it, if that is configured. */
  readonly baseUrl: string | undefined;
  readonly audit: Audit | undefined;
  /** Creates an app like the server's own, with these changes: hooks, pages, or another store. */
  readonly createApp: (changes?: AppChanges) => App;
  /** SHA-256 in hex, faster than the portable one. */
  readonly sha256: (text: string) => string;
  /** For responses that no app has made: logs and measures them. */
  readonly afterResponse: (exchange: Exchange, response: Response, milliseconds: number) => void;
  /** For unexpected errors outside of an app: logs them. */
  readonly onError: (error: unknown, exchange: Exchange) => void;
}

/** What serves the requests: an app, or what a program has put around it. */
export interface Served {
  readonly fetch: Fetch;
  /** Called when the server stops, after the last request and before its store closes. */
  readonly close?: () => void | Promise<void>;
}

export interface ServedAppOptions extends Partial<Omit<AppOptions, 'store' | 'listening'>> {
  /** `host:port` of private hosts that `?website=` may read. */
  readonly prefillAllow?: readonly string[];
  /**
   * Serves something else than the server's own app, such as the app with other hooks and with routes around it.
   * @example
   * extend: ({ createApp }) => createApp({ beforeRequest: () => async (request) => await request.respond() })
   */
  readonly extend?: (server: ServerParts) => Served;
  /**
   * Signs the session cookies of browsers: random, at least 32 characters. By default a new one at each start, so a restart
   * signs out all browsers. Several processes with one URL need the same.
   */
  readonly sessionSecret?: string;
  readonly log?: Log;
  /** Bytes of all bodies that are received at once; each caller may use a third. @default 64 MiB */
  readonly maxBodyMemory?: number;
}

/** SHA-256 in hex from Node: the portable one of the app is ten times slower on a page of JSON. */
const nodeSha256 = (text: string): string => hash('sha256', text, 'hex');

/** What `serve` finds out when it starts. */
interface Started {
  readonly store: Store;
  readonly url: string;
  readonly metrics: Metrics | undefined;
  readonly turns: Turns;
  readonly isDraining: () => boolean;
}

/** The app of a server, as its options ask for. */
export function servedApp(options: ServedAppOptions, { store, url, metrics, turns, isDraining }: Started): Served {
  const { extend, audit, log, mount, sessionSecret, prefillAllow = [], maxBodyMemory = 64 * MiB, ...app } = options;
  const { afterResponse, onError } = app;
  const bodyBudget = new BodyBudget(maxBodyMemory, undefined, turns);
  const readiness = readinessOf({
    store,
    audit,
    report: (reason) =>
      reason === null
        ? log?.noted?.('The server is ready again.')
        : log?.warned?.(`The server is not ready: ${reason}`),
  });
  const readPage = lazyPageReader(prefillAllow, turns);
  metrics?.watchReadiness(async () => !isDraining() && (await readiness.recent()) === null);
  const parts: ServerParts = {
    store,
    url,
    baseUrl: app.baseUrl,
    audit,
    sha256: nodeSha256,
    createApp: ({ extraPages = [], ...changes } = {}) => {
      const isOwn = (changes.store ?? store) === store;
      const observed = changes.afterResponse ?? afterResponse;
      return createApp({
        renderer: webPages({
          knownTokens: Object.values(demoTokens),
          ...(sessionSecret !== undefined && { sessionSecret }),
          extraPages,
        }),
        sha256: nodeSha256,
        router: new RegExpRouter(),
        readPage,
        bodyBudget,
        turns,
        ...app,
        Response: TextResponse,
        listening: () => url,
        store,
        ...(isOwn && audit && { audit }),
        mount(routes) {
          if (isOwn) mountHealth(routes, readiness, isDraining);
          mountOpenApi(routes, changes.baseUrl ?? app.baseUrl ?? url, store.ids);
          if (isOwn) mount?.(routes);
        },
        ...changes,
        afterResponse(exchange, response, milliseconds, arrivedAt) {
          observed?.(exchange, response, milliseconds, arrivedAt);
          parts.afterResponse(exchange, response, milliseconds);
        },
        onError(error, exchange) {
          onError?.(error, exchange);
          parts.onError(error, exchange);
        },
      });
    },
    afterResponse(exchange, { status }, milliseconds) {
      tracing()?.describe(exchange.request, exchange.operation, loggedPath(exchange));
      log?.requestCompleted(exchange, status, milliseconds);
      metrics?.requestCompleted(exchange, status, milliseconds);
    },
    onError: (error, exchange) => log?.failed(exchange, error),
  };
  return extend ? extend(parts) : parts.createApp();
}

/** `/openapi.json`. It is built, and its code is loaded, when it is first requested. */
function mountOpenApi(routes: Hono<AppEnv>, server: string, ids: IdFormat): void {
  let document: Promise<string> | undefined;
  // Routes have no suffix.
  mountRoute(routes, '/openapi', {
    async GET(exchange) {
      document ??= import('../openapi/document.js').then(async ({ openApiDocument }) =>
        JSON.stringify(await openApiDocument({ server, ids })),
      );
      return exchange.respond(200, await document, { 'Content-Type': 'application/json; charset=utf-8' });
    },
  });
}

/** Pages that are read at once, for all users and for one: each takes a connection, and megabytes with its image. */
const maxPages = 8;
const maxPagesOfUser = 4;
/** Milliseconds that a request waits for those before it. */
const maxPageWait = 3000;

/** Loads the page reader on first use, because few servers need it. */
function lazyPageReader(allow: readonly string[], turns: Turns) {
  let reader: Promise<ReturnType<typeof pageReader>> | undefined;
  const pages = new FairTurns(maxPages, () => tooManyRequests(5), maxPagesOfUser);
  const read = async (url: string, pause: () => Promise<void>): Promise<Prefill> => {
    reader ??= import('./page-reader.js').then(({ pageReader }) => pageReader({ allow }));
    return (await reader)(url, pause);
  };
  return (url: string, userId: string) => {
    const caller = { userId };
    const pause = () => turns.resume(caller) ?? nextTurn();
    return turns.outside(caller, () => pages.run(userId, maxPageWait, () => read(url, pause)));
  };
}
