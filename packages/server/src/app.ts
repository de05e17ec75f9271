import { endpoints as contractEndpoints, type Endpoint } from '@mkt/sdk/contract';
import type { Hono } from 'hono';
import { HonoBase, type HonoOptions } from 'hono/hono-base';
import { TrieRouter } from 'hono/router/trie-router';
import { sha256 as portableSha256 } from './digest.js';
import type { Audit } from './http/audit.js';
import { bearerCaller, bearerOf, tokenWith } from './http/bearer.js';
import type { BodyBudget } from './http/body-budget.js';
import type { CorsPolicy } from './http/cors.js';
import { type EndpointOptions, formMethodBy, mountEndpoints, operationsOf } from './http/endpoints.js';
import { Exchange, type PendingRequest, type ResponseClass } from './http/exchange.js';
import type { AppEnv, HtmlRenderer } from './http/html-renderer.js';
import { imageResponder } from './http/image.js';
import { jsonProblem } from './http/json.js';
import { differencesIn, type Like } from './http/like.js';
import { problemOf, unknownRoute } from './http/problems.js';
import { type PublicAddress, publicBaseOf } from './http/public-base.js';
import { type RateLimit, requestLimiter } from './http/rate-limit.js';
import { operationFinder, routingPath } from './http/routes.js';
import type { CallerTurns } from './http/turns.js';
import { randomText } from './random.js';
import type { Prefill } from './rules/context.js';
import { invalid } from './rules/errors.js';
import { rules as contractRules, type Rule } from './rules/index.js';
import type { Store } from './store/store.js';
import { timestamp } from './timestamp.js';

/**
 * Where a program can see and change what an app does: logs, metrics, test controls. To change all data, use `dump` and `load`
 * of the store, then `forget` of the app.
 */
export interface AppHooks {
  /** The time in milliseconds since 1970, for timestamps and the rate limit; by default the real clock. */
  readonly clock?: () => number;
  /**
   * Called before each request. Returns null if the app responds as usual, which costs nothing, or a function that responds:
   * it may wait, reject the request, or change the app's response.
   * @example
   * beforeRequest: () => (isClosed ? (request) => request.reject(forbidden('Closed on Sundays.')) : null)
   */
  readonly beforeRequest?: (exchange: Exchange) => ((request: PendingRequest) => Promise<Response>) | null;
  /** Called after each response. `arrivedAt` is by `clock`; the time that the response took is not. */
  readonly afterResponse?: (exchange: Exchange, response: Response, milliseconds: number, arrivedAt: number) => void;
  /** Called with the errors behind responses with 500 or 503. */
  readonly onError?: (error: unknown, exchange: Exchange) => void;
}

export interface AppOptions extends PublicAddress, AppHooks {
  /** Holds all data. */
  readonly store: Store;
  /** Responds to requests that do not accept JSON. */
  readonly renderer: HtmlRenderer;
  /** Items per page; 20 by default. */
  readonly pageSize?: number;
  /** By default only pages on this machine. */
  readonly cors?: CorsPolicy;
  readonly rateLimit?: RateLimit;
  /** The memory of bodies; by default without a limit of their sum. */
  readonly bodyBudget?: BodyBudget;
  /** By default requests do not wait for those of others. */
  readonly turns?: CallerTurns;
  /** Whether JSON responses are as in the API document, or differ from it like those of today's service. @default 'document' */
  readonly like?: Like;
  /** Finds the handlers of a path; by default a small one. Node has a faster one, which a browser would load too. */
  readonly router?: HonoOptions<AppEnv>['router'];
  /** `bytes` random bytes in base64url; by default from the platform's secure source. */
  readonly random?: (bytes: number) => string;
  /** SHA-256 in hex; by default a portable implementation. Node has a faster one. */
  readonly sha256?: (text: string) => string;
  /** Reads the page that `?website=` names, for this user; by default no page can be read. */
  readonly readPage?: (address: string, userId: string) => Promise<Prefill>;
  /** Adds routes that are not in the contract, such as `/readyz`, after those of the renderer. */
  readonly mount?: (routes: Hono<AppEnv>) => void;
  /** The class of responses; by default the platform's. */
  readonly Response?: ResponseClass;
  /** Records successful writes; by default they are not recorded. */
  readonly audit?: Audit;
  /** The endpoints and their rules; by default those of the contract. */
  readonly endpoints?: readonly Endpoint[];
  readonly rules?: Readonly<Record<string, Rule>>;
}

/** The API as a web-standard function. `bindings` are Node's request and response, if available. */
export interface App {
  fetch(request: Request, bindings?: object): Promise<Response>;
  /** Clears what the app remembers of the data, the counts of the rate limit: after `load` of its store. */
  forget(): void;
}

/** The whole marketplace: every endpoint of the contract over `store`. Needs nothing but web standards. */
export function createApp(options: AppOptions): App {
  const {
    store,
    renderer,
    beforeRequest,
    afterResponse,
    endpoints = contractEndpoints,
    rules = contractRules,
  } = options;
  const { clock = Date.now, random = randomText, sha256 = portableSha256 } = options;
  const publicBase = publicBaseOf(options);
  const limit = options.rateLimit && requestLimiter(options.rateLimit, { clock, store, renderer, sha256 });
  const served: EndpointOptions = {
    endpoints,
    rules,
    renderer,
    publicBase,
    auditBase: (exchange) => (options.baseUrl === undefined && options.listening?.()) || publicBase(exchange),
    store,
    pageSize: options.pageSize ?? 20,
    now: secondsOf(clock, timestamp),
    random,
    sha256,
    identify: (reader, exchange) =>
      exchange.wantsJson || !renderer.identify || bearerOf(exchange) !== null
        ? bearerCaller(reader, exchange, sha256)
        : renderer.identify(reader, exchange),
    readPage: options.readPage ?? noPages,
    audit: options.audit,
    convertFields: renderer.convertFields,
    selectBy: renderer.selectBy,
  };
  const operations = operationsOf(served);
  const failed = async (exchange: Exchange, error: unknown): Promise<Response> => {
    const problem = problemOf(error, (unexpected) => options.onError?.(unexpected, exchange));
    exchange.problem = problem;
    return exchange.wantsJson ? jsonProblem(exchange, problem) : renderer.problem(exchange, problem);
  };

  const router = routerOf(options, { served, operations, failed });
  const ResponseOf = options.Response ?? Response;
  const shaped = options.like
    ? responsesLike(options.like, endpoints, ResponseOf)
    : (_: Exchange, response: Response | Promise<Response>) => response;
  const routed = (exchange: Exchange) => shaped(exchange, router.fetch(exchange.request, { exchange }));
  const operationOf = operationFinder(endpoints);
  const formMethod = formMethodBy(served);
  const pending = (exchange: Exchange): PendingRequest => ({
    exchange,
    async operation() {
      const method = (await formMethod(exchange).catch(() => null)) ?? exchange.method;
      return operationOf({ method, url: exchange.request.url });
    },
    user: () =>
      store.read(async (reader) => {
        const secret = bearerOf(exchange);
        const token = secret !== null && (await tokenWith(reader, secret, sha256));
        const user = token ? await reader.get('users', token.user_id) : null;
        return user ? [user.id, user.email] : [];
      }),
    respond: async () => routed(exchange),
    reject: async (error) => shaped(exchange, failed(exchange, error)),
  });

  const exchangeOptions = {
    ...options,
    cors: options.cors ?? 'loopback',
    newRequestId: requestIds(random),
    Response: ResponseOf,
    date: secondsOf(clock, (ms) => new Date(ms).toUTCString()),
    checkLimit: limit?.check,
  };
  return {
    async fetch(request, bindings) {
      const started = performance.now();
      const exchange = new Exchange(request, bindings, exchangeOptions);
      const arrivedAt = clock();
      let response: Response;
      try {
        const respond = beforeRequest?.(exchange);
        response = await (respond
          ? respond(pending(exchange)).catch((error: unknown) => failed(exchange, error))
          : routed(exchange));
      } finally {
        exchange.end();
      }
      afterResponse?.(exchange, response, performance.now() - started, arrivedAt);
      return response;
    },
    forget() {
      limit?.forget();
    },
  };
}

interface AppParts {
  readonly served: EndpointOptions;
  readonly operations: ReturnType<typeof operationsOf>;
  readonly failed: (exchange: Exchange, error: unknown) => Promise<Response>;
}

/** The routes of the renderer, of the contract, of images and of the program. */
function routerOf(
  { mount, onError, router: routes = new TrieRouter() }: AppOptions,
  { served, operations, failed }: AppParts,
) {
  const { store, renderer, now, sha256, random, readPage, publicBase, endpoints } = served;
  const router = new HonoBase<AppEnv>({
    router: routes,
    getPath: (request, options) =>
      routingPath(request, renderer.mount !== undefined && options?.env?.exchange.wantsJson === false),
  });
  renderer.mount?.(router, {
    store,
    now,
    sha256,
    random,
    readPage,
    base: publicBase,
    endpoints,
    endedEarly(exchange, error) {
      exchange.endedEarly = true;
      problemOf(error, (unexpected) => onError?.(unexpected, exchange));
    },
    operation(name) {
      const operation = operations.get(name);
      if (!operation) throw new Error(`There is no operation ${name}.`);
      return operation;
    },
  });
  mountEndpoints(router, operations, served);
  const respondWithImage = imageResponder(store);
  router.get('/images/:key', (c) => respondWithImage(c.env.exchange, c.req.param('key')));
  mount?.(router);
  router.notFound((c) => failed(c.env.exchange, unknownRoute(!c.env.exchange.wantsJson)));
  router.onError((error, c) => failed(c.env.exchange, error));
  return router;
}

/**
 * The clock as the API and its headers write it; the text of a second is made once. With the remembered hosts and origins
 * this saves 9 % of the CPU time of `memory, one item`.
 */
function secondsOf(clock: () => number, write: (ms: number) => string): () => string {
  let second = Number.NaN;
  let text = '';
  return () => {
    const current = Math.floor(clock() / 1000);
    if (current !== second) {
      second = current;
      text = write(current * 1000);
    }
    return text;
  };
}

/** Changes responses as `like` says. The code for it is loaded on demand, because few need it. */
function responsesLike(like: Like, endpoints: readonly Endpoint[], ResponseOf: ResponseClass) {
  const differences = new Set(differencesIn(like));
  const changing = import('./http/like-responses.js').then(({ responsesWith }) =>
    responsesWith(differences, endpoints, ResponseOf),
  );
  return async (exchange: Exchange, response: Response | Promise<Response>): Promise<Response> =>
    (await changing)(exchange, await response);
}

/** A random start and a counter: unique across processes, and cheap. */
function requestIds(random: (bytes: number) => string): () => string {
  const prefix = random(9);
  let count = 0;
  return () => `${prefix}-${(count++).toString(36)}`;
}

const noPages = async (): Promise<Prefill> => {
  throw invalid('website', { code: 'unreadable', reason: ', because this server does not read pages' });
};
