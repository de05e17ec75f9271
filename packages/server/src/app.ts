import { endpoints as contractEndpoints, type Endpoint } from '@mkt/sdk/contract';
import { Hono, type Context as HonoContext } from 'hono';
import { sha256 as portableSha256 } from './digest.js';
import { publicBaseOf } from './http/addresses.js';
import type { Audit, AuditView } from './http/audit.js';
import { bearerCaller, bearerOf } from './http/bearer.js';
import { hasForm } from './http/body.js';
import type { Around, Call } from './http/call.js';
import type { CorsPolicy } from './http/cors.js';
import { Exchange, type ResponseClass } from './http/exchange.js';
import type { AppEnv, Face, Site } from './http/face.js';
import { imageResponder } from './http/image.js';
import { jsonAnswer, jsonProblem, representationTag } from './http/json.js';
import { type Parameters, pipeline, type Services, type Show } from './http/pipeline.js';
import { methodNotAllowed, problemOf, tooManyRequests, unknownRoute } from './http/problems.js';
import { callerNamer, type RateLimit, rateLimiter } from './http/rate-limit.js';
import {
  allowedMethods,
  operationFinder,
  parameterNames,
  pathWithoutSuffix,
  type Route,
  routesOf,
} from './http/routes.js';
import { type View, viewer } from './http/view.js';
import { randomText } from './random.js';
import type { Prefill } from './rules/context.js';
import { invalid } from './rules/errors.js';
import { rules as contractRules, type Rule } from './rules/index.js';
import type { Store } from './store/store.js';

export interface AppOptions {
  readonly store: Store;
  /** How requests that do not ask for JSON are answered. */
  readonly face: Face;
  /** Where clients reach the app, such as `https://api.example.com`: what `url` fields start with (D12). */
  readonly baseUrl?: string;
  /** Host headers that `url` fields may repeat, beside those of this machine (D12). */
  readonly allowHosts?: readonly string[];
  /** The address that a server listens on, for `url` fields when the Host header is not to be trusted. */
  readonly listening?: () => string | null;
  /** Items in a page; 20 by default (D1). */
  readonly pageSize?: number;
  /** By default pages on this machine (D16). */
  readonly cors?: CorsPolicy;
  readonly rateLimit?: RateLimit;
  /** Milliseconds since 1970; by default the real clock. */
  readonly clock?: () => number;
  /** `bytes` random bytes in base64url; by default from the platform's secure source. */
  readonly random?: (bytes: number) => string;
  /** SHA-256 of a text in hex; by default a portable one. Node has a faster one. */
  readonly sha256?: (text: string) => string;
  /** Reads the page that `?website=` names (D42); by default no page can be read. */
  readonly readPage?: (address: string) => Promise<Prefill>;
  /** Stands around every answer: faults and the request log of the control verbs. */
  readonly around?: Around;
  /** Adds routes beyond the contract's, such as `/readyz`; after the face's own. */
  readonly mount?: (routes: Hono<AppEnv>) => void;
  /** What responses are made of; by default the platform's class. */
  readonly Response?: ResponseClass;
  /** Hears of every answer, for logs. */
  readonly onAnswer?: (exchange: Exchange, response: Response, milliseconds: number) => void;
  /** Hears of what the app could not answer: a 500 or a 503. */
  readonly onError?: (error: unknown, exchange: Exchange) => void;
  /** Records successful writes; by default they are not recorded. */
  readonly audit?: Audit;
  /** The endpoints served and their rules; by default the contract's. */
  readonly endpoints?: readonly Endpoint[];
  readonly rules?: Readonly<Record<string, Rule>>;
}

type RouteContext = HonoContext<AppEnv>;

/** The API as a web-standard function. `bindings` are Node's own request and response, where there are any. */
export interface App {
  fetch(request: Request, bindings?: object): Promise<Response>;
  /** Forgets what the app itself keeps: who has used how much of the rate limit, and what its face remembers. */
  forget(): void;
}

/** The whole marketplace: every endpoint of the contract over `store`. Needs nothing but web standards. */
export function createApp(options: AppOptions): App {
  const { store, face, endpoints = contractEndpoints, rules = contractRules } = options;
  const { clock = Date.now, random = randomText, sha256 = portableSha256 } = options;
  const publicBase = publicBaseOf({
    baseUrl: options.baseUrl?.replace(/\/+$/, '') ?? null,
    allowHosts: options.allowHosts ?? [],
    listening: options.listening ?? (() => null),
  });
  const services: Services = {
    store,
    pageSize: options.pageSize ?? 20,
    now: secondsOf(clock),
    random,
    sha256,
    identify: (reader, exchange) =>
      exchange.wantsJson || !face.identify || bearerOf(exchange) !== null
        ? bearerCaller(reader, exchange, sha256)
        : face.identify(reader, exchange),
    readPage: options.readPage ?? noPages,
    ...(options.audit && { audit: options.audit }),
  };
  const limit = options.rateLimit && rateLimiter(options.rateLimit, clock);
  const callerOf = callerNamer(store, face, sha256);
  const exchangeOptions = {
    cors: options.cors ?? 'loopback',
    newRequestId: requestIds(random),
    Response: options.Response ?? Response,
  };

  const failed = (exchange: Exchange, error: unknown): Response | Promise<Response> => {
    const problem = problemOf(error, (unexpected) => options.onError?.(unexpected, exchange));
    return exchange.wantsJson ? jsonProblem(exchange, problem) : face.problem(exchange, problem);
  };
  const attempt = async (exchange: Exchange, work: (exchange: Exchange) => Response | Promise<Response>) => {
    try {
      return await work(exchange);
    } catch (error) {
      return await failed(exchange, error);
    }
  };

  const sights = new Map<string, (exchange: Exchange, parameters: Parameters) => Promise<View>>();
  const site: Site = {
    store,
    sha256,
    random,
    base: publicBase,
    ask: (exchange, operation, parameters) => {
      const see = sights.get(operation);
      if (!see) throw new Error(`There is no operation ${operation}.`);
      return see(exchange, parameters);
    },
  };

  const showAt = (path: string): Show | null => {
    const get = endpoints.find((endpoint) => endpoint.path === path && endpoint.method === 'GET');
    const rule = get && rules[get.operation];
    if (!rule) return null;
    const view = viewer(get, endpoints, publicBase);
    const etagOf: Show['etagOf'] = (exchange, row) =>
      representationTag(view(exchange, { kind: 'item', row }).body as object, sha256);
    return { rule, etagOf: get.etag ? etagOf : null };
  };

  /** As GET shows the resource; one without a GET, as its list does. */
  const auditViewOf = ({ operation }: Endpoint): AuditView | null => {
    const [name] = operation.split('.');
    const find = (verb: string) => endpoints.find((endpoint) => endpoint.operation === `${name}.${verb}`);
    const get = find('get');
    const shown = get ?? find('list');
    if (!options.audit || !shown) return null;
    const view = viewer({ ...shown, paginated: false }, endpoints, publicBase);
    return {
      rule: (get && rules[get.operation]) ?? null,
      // The secret of a new token is shown once, and is not a part of the token.
      digestOf: (exchange, row) =>
        sha256(JSON.stringify(view(exchange, { kind: 'item', row: { ...row, token: null } }).body)),
    };
  };

  const handlerOf = (endpoint: Endpoint) => {
    const rule = rules[endpoint.operation];
    if (!rule) throw new Error(`The operation ${endpoint.operation} has no rule.`);
    const run = pipeline(endpoint, rule, services, showAt(endpoint.path), auditViewOf(endpoint));
    const view = viewer(endpoint, endpoints, publicBase);
    const see = async (exchange: Exchange, parameters: Parameters) => view(exchange, await run(exchange, parameters));
    sights.set(endpoint.operation, see);
    return async (exchange: Exchange, parameters: Parameters): Promise<Response> => {
      exchange.operation = endpoint.operation;
      const wait = limit ? limit.count(await callerOf(exchange)) : 0;
      if (wait > 0) throw tooManyRequests(wait);
      if (exchange.wantsJson) {
        const seen = view(exchange, await run(exchange, parameters));
        const response = jsonAnswer(exchange, seen, sha256);
        return seen.refusal !== null && face.refused ? face.refused(exchange, response, seen.refusal) : response;
      }
      const instead = await face.instead(exchange, endpoint);
      return instead ?? face.view(exchange, await see(exchange, parameters));
    };
  };

  // The API's own routes have a router to themselves, which answers JSON: with the pages beside them, Hono has to fall
  // back to its slowest router, at a tenth of a small request's time.
  const api = new Hono<AppEnv>({ getPath: pathWithoutSuffix });
  const routes = new Hono<AppEnv>({ getPath: pathWithoutSuffix });
  const mountRoute = ({ path, endpoints: here }: Route): void => {
    const allowed = allowedMethods(here);
    const handlers = new Map<string, (c: RouteContext) => Promise<Response>>();
    for (const endpoint of here) {
      const handle = handlerOf(endpoint);
      const places = parameterNames(endpoint).map((name, place) => [name, `p${place}`] as const);
      const answer = (c: RouteContext): Promise<Response> => {
        const values: Record<string, string> = {};
        for (const [name, place] of places) values[name] = c.req.param(place) ?? '';
        return attempt(c.env.exchange, (exchange) => handle(exchange, values));
      };
      handlers.set(endpoint.method, answer);
      if (endpoint.method === 'GET') handlers.set('HEAD', answer);
    }
    // One handler for all methods: Hono composes several, which takes longer than a look-up.
    const byMethod = (c: RouteContext): Response | Promise<Response> => {
      const exchange = c.env.exchange;
      const answer = handlers.get(exchange.method);
      if (answer) return answer(c);
      if (exchange.method === 'OPTIONS') return exchange.options(allowed);
      return attempt(exchange, async () => {
        let meant: ((c: RouteContext) => Promise<Response>) | undefined;
        if (exchange.method === 'POST' && face.formMethod && hasForm(exchange)) {
          // Authentication comes first: a form is read only from a known caller.
          await store.read((reader) => services.identify(reader, exchange));
          meant = handlers.get((await face.formMethod(exchange)) ?? '');
        }
        if (!meant) throw methodNotAllowed(exchange.method, allowed);
        return meant(c);
      });
    };
    api.all(path, byMethod);
    routes.all(path, byMethod);
  };
  face.mount?.(routes, site);
  for (const route of routesOf(endpoints)) mountRoute(route);
  const respondWithImage = imageResponder(store);
  routes.get('/images/:key', (c) =>
    attempt(c.env.exchange, (exchange) => respondWithImage(exchange, c.req.param('key'))),
  );
  options.mount?.(routes);
  routes.notFound((c) => failed(c.env.exchange, unknownRoute()));
  routes.onError((error, c) => failed(c.env.exchange, error));
  api.notFound((c) => routes.fetch(c.req.raw, c.env));
  api.onError((error, c) => failed(c.env.exchange, error));
  const routed = (exchange: Exchange) => (exchange.wantsJson ? api : routes).fetch(exchange.request, { exchange });

  const { around } = options;
  const operationOf = around && operationFinder(endpoints);
  const answer = (exchange: Exchange): Response | Promise<Response> => {
    const { request } = exchange;
    if (!around || !operationOf || face.isOperators?.(exchange.url.pathname)) return routed(exchange);
    const call: Call = {
      exchange,
      operation: () => operationOf(request),
      user: async () => {
        const secret = bearerOf(exchange);
        const token =
          secret && (await store.read((reader) => reader.find('access_tokens', 'byDigest', [sha256(secret)])));
        return token ? token.user_id : null;
      },
      answer: async () => routed(exchange),
      refuse: async (error) => failed(exchange, error),
    };
    return attempt(exchange, () => around(call));
  };

  return {
    async fetch(request, bindings) {
      const exchange = new Exchange(request, bindings, exchangeOptions);
      if (!options.onAnswer) return answer(exchange);
      const started = performance.now();
      const response = await answer(exchange);
      options.onAnswer(exchange, response, performance.now() - started);
      return response;
    },
    forget() {
      limit?.forget();
      face.forget?.();
    },
  };
}

/** The clock as the API writes it (D11); the text of a second is made once. */
function secondsOf(clock: () => number): () => string {
  let second = Number.NaN;
  let text = '';
  return () => {
    const current = Math.floor(clock() / 1000);
    if (current !== second) {
      second = current;
      text = new Date(current * 1000).toISOString().replace('.000Z', 'Z');
    }
    return text;
  };
}

/** A random start and a counter: unique across processes, and cheap (D17). */
function requestIds(random: (bytes: number) => string): () => string {
  const prefix = random(9);
  let count = 0;
  return () => `${prefix}-${(count++).toString(36)}`;
}

const noPages = async (): Promise<Prefill> => {
  throw invalid('website', 'Website cannot be read here: this server reads no pages.');
};
