import type { Endpoint } from '@mkt/sdk/contract';
import type { Context, Hono } from 'hono';
import type { AppEnv } from './html-renderer.js';
import { methodNotAllowed } from './problems.js';

/** The endpoints at a path, which is in the router's form. */
export interface Route {
  readonly path: string;
  readonly endpoints: readonly Endpoint[];
}

/**
 * The contract's paths for the router: without `.json` (only the header decides, D5), and with parameters named by position,
 * because endpoints use both `:id` and `:organization_id` at the same position.
 */
export const routePath = ({ path }: Endpoint): string => {
  let place = 0;
  return path.replace(/\.json$/, '').replace(/:[a-z_]+/g, () => `:p${place++}`);
};

export function routesOf(endpoints: readonly Endpoint[]): readonly Route[] {
  const routes = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    const path = routePath(endpoint);
    routes.set(path, [...(routes.get(path) ?? []), endpoint]);
  }
  return [...routes].map(([path, of]) => ({ path, endpoints: of }));
}

/** The names of an endpoint's path parameters, in their order. */
export const parameterNames = (endpoint: Endpoint): readonly string[] =>
  [...endpoint.path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name as string);

/** The path in a URL. */
export function pathIn(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const length = url.slice(start).search(/[?#]/);
  return length < 0 ? url.slice(start) : url.slice(start, start + length);
}

/** The path without a `.json` at its end. */
function pathWithoutSuffix(url: string): string {
  const path = pathIn(url);
  return path.endsWith('.json') ? path.slice(0, -'.json'.length) : path;
}

/**
 * The route of the form page for a new item of the list at `path`. URLs never contain a space. With a `new`
 * next to `:id` Hono cannot use its fastest router: that would take 6 % of the time of `memory, one item` (D123).
 */
export const newFormRoute = (path: string): string => `/ new${path}`;

/** The path for the router. */
export function routingPath({ url }: Request, wantsPage: boolean): string {
  const path = pathWithoutSuffix(url);
  return wantsPage && path.endsWith('/new') ? newFormRoute(path.slice(0, -'/new'.length)) : path;
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

/** A read-only path that is not in the contract: GET and HEAD, and 405 for other methods (D7, D13). */
export function getOnly(
  router: Hono<AppEnv>,
  path: string,
  handler: (context: Context<AppEnv>) => Response | Promise<Response>,
): void {
  router.get(path, handler);
  router.all(path, ({ env: { exchange } }) => {
    throw methodNotAllowed(exchange.method, ['GET', 'HEAD']);
  });
}
