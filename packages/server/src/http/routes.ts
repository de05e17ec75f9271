import type { Endpoint } from '@mkt/sdk/contract';
import type { Hono } from 'hono';
import type { Exchange } from './exchange.js';
import type { AppEnv } from './html-renderer.js';
import { methodNotAllowed } from './problems.js';

/**
 * The contract's paths for the router: without `.json` (only the Accept header decides), and with parameters named by position,
 * because endpoints use both `:id` and `:organization_id` at the same position.
 */
export const routePath = ({ path }: Endpoint): string => {
  let place = 0;
  return path.replace(/\.json$/, '').replace(/:[a-z_]+/g, () => `:p${place++}`);
};

/** The endpoints at each path, which is in the router's form. */
export function routesOf(endpoints: readonly Endpoint[]): ReadonlyMap<string, readonly Endpoint[]> {
  const routes = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    const path = routePath(endpoint);
    routes.set(path, [...(routes.get(path) ?? []), endpoint]);
  }
  return routes;
}

/** The names of an endpoint's path parameters, in their order. */
export const parameterNames = (endpoint: Endpoint): readonly string[] =>
  [...endpoint.path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name as string);

export function pathIn(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const length = url.slice(start).search(/[?#]/);
  return length < 0 ? url.slice(start) : url.slice(start, start + length);
}

function pathWithoutSuffix(url: string): string {
  const path = pathIn(url);
  return path.endsWith('.json') ? path.slice(0, -'.json'.length) : path;
}

/**
 * The route of a page below the list at `path`: the form for a new item, actions on selected items. URLs never contain a
 * space. With a `new` next to `:id` Hono cannot use its fastest router: that would take 6 % of the time of
 * `memory, one item`.
 */
export const listPageRoute = (path: string, page: 'new' | 'actions'): string => `/ ${page}${path}`;

export function routingPath({ url }: Request, wantsPage: boolean): string {
  const path = pathWithoutSuffix(url);
  if (!wantsPage) return path;
  for (const page of ['new', 'actions'] as const)
    if (path.endsWith(`/${page}`)) return listPageRoute(path.slice(0, -page.length - 1), page);
  return path;
}

/** Finds the operation of a request before routing; null if the contract has none. */
export function operationFinder(
  endpoints: readonly Endpoint[],
): (request: Pick<Request, 'method' | 'url'>) => string | null {
  const patterns = endpoints.map((endpoint) => ({
    method: endpoint.method,
    operation: endpoint.operation,
    path: new RegExp(`^${routePath(endpoint).replace(/:p\d+/g, '[^/]+')}$`),
  }));
  return (request) => {
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const path = pathWithoutSuffix(request.url);
    return patterns.find((pattern) => pattern.method === method && pattern.path.test(path))?.operation ?? null;
  };
}

/** Responds to requests of one method at a path. */
export type Handler = (exchange: Exchange) => Response | Promise<Response>;

interface RouteOptions {
  /** The names of the parameters in the path, in their order. Pages of endpoints have them, and count for the rate limit. */
  readonly names?: readonly string[];
  /** Whether the path does not exist for clients that accept JSON: `/organizations/new` is an unknown organization. */
  readonly isPage?: boolean;
  /** The method in a form, because browsers only send GET and POST; null if there is none. */
  readonly formMethod?: (exchange: Exchange) => Promise<string | null>;
}

/** What a path answers, by method: HEAD for every GET, OPTIONS, and 405 for other methods. */
export function mountRoute(
  router: Hono<AppEnv>,
  path: string,
  handlers: Readonly<Record<string, Handler>>,
  { names, isPage = false, formMethod }: RouteOptions = {},
): void {
  const places = (names ?? []).map((name, place) => [name, `p${place}`] as const);
  const byMethod = new Map(Object.entries(handlers));
  const allowed = [...byMethod.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const get = byMethod.get('GET');
  if (get) byMethod.set('HEAD', get);
  byMethod.set('OPTIONS', (exchange) => exchange.options(allowed));

  const byForm: Handler = async (exchange) => {
    const handler = byMethod.get((await formMethod?.(exchange)) ?? '');
    if (!handler) throw methodNotAllowed(exchange.method, allowed);
    return handler(exchange);
  };

  const limited = async (exchange: Exchange, handler: Handler): Promise<Response> => {
    await exchange.checkLimit?.(exchange);
    return handler(exchange);
  };

  router.all(path, (c, next) => {
    const { exchange } = c.env;
    if (isPage && exchange.wantsJson) return next();
    const parameters: Record<string, string> = {};
    for (const [name, place] of places) parameters[name] = c.req.param(place) ?? '';
    exchange.parameters = parameters;
    const handler = byMethod.get(exchange.method) ?? byForm;
    return isPage && names && exchange.checkLimit ? limited(exchange, handler) : handler(exchange);
  });
}
