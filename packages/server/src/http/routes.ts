import type { Endpoint } from '@mkt/sdk/contract';
import { TrieRouter } from 'hono/router/trie-router';

/** The methods that each path of the contract answers, by the path in the router's form. */
export interface Route {
  readonly path: string;
  readonly endpoints: readonly Endpoint[];
}

/**
 * The contract's paths for the router: without `.json` (the header alone decides, D5), and with parameters named by their place,
 * because two endpoints call the same place `:id` and `:organization_id`.
 */
export function routesOf(endpoints: readonly Endpoint[]): readonly Route[] {
  const routes = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    let place = 0;
    const path = endpoint.path.replace(/\.json$/, '').replace(/:[a-z_]+/g, () => `:p${place++}`);
    routes.set(path, [...(routes.get(path) ?? []), endpoint]);
  }
  return [...routes].map(([path, of]) => ({ path, endpoints: of }));
}

/** The names of an endpoint's path parameters, in their order. */
export const parameterNames = (endpoint: Endpoint): readonly string[] =>
  [...endpoint.path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name as string);

/** The path of a request without a `.json` at its end, as the router wants it. */
export function pathWithoutSuffix(request: Request): string {
  const { url } = request;
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const query = url.slice(start).search(/[?#]/);
  const path = query < 0 ? url.slice(start) : url.slice(start, start + query);
  return path.endsWith('.json') ? path.slice(0, -'.json'.length) : path;
}

/** What a path answers, for `Allow`: HEAD wherever GET is (D13). */
export const allowedMethods = (endpoints: readonly Endpoint[]): readonly string[] =>
  endpoints.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

/** Finds the operation that a request is for, before it is routed: null where the contract has none. */
export function operationFinder(endpoints: readonly Endpoint[]): (request: Request) => string | null {
  const router = new TrieRouter<string>();
  for (const { path, endpoints: here } of routesOf(endpoints))
    for (const { method, operation } of here) router.add(method, path, operation);
  return (request) => {
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    return router.match(method, pathWithoutSuffix(request))[0][0]?.[0] ?? null;
  };
}
