import type { Endpoint } from '@mkt/sdk/contract';
import type { Hono } from 'hono';
import type { DownloadPart } from '../rules/context.js';
import type { Rule } from '../rules/index.js';
import { hasForm } from './body.js';
import type { Exchange } from './exchange.js';
import type { AppEnv, HtmlRenderer } from './html-renderer.js';
import { jsonResponse, representationTag } from './json.js';
import { type Parameters, pipeline, type Services, type Shown } from './pipeline.js';
import { type Handler, mountRoute, parameterNames, routesOf } from './routes.js';
import { type View, viewer } from './view.js';

export interface EndpointOptions {
  readonly endpoints: readonly Endpoint[];
  readonly rules: Readonly<Record<string, Rule>>;
  readonly services: Services;
  readonly renderer: HtmlRenderer;
  readonly publicBase: (exchange: Exchange) => string;
  /** Null if there is no limit. @throws 429 */
  readonly checkLimit: ((exchange: Exchange) => Promise<void>) | null;
}

export interface Served {
  /** Runs the pipeline. */
  readonly view: (exchange: Exchange, parameters: Parameters, part?: DownloadPart) => Promise<View>;
  /** The representation of the resource that the endpoint changes; null if there is none. @throws if the caller may not */
  readonly look: (exchange: Exchange, parameters: Parameters) => Promise<object | null>;
}

/** The functions of each operation. */
export function operationsOf(options: EndpointOptions): ReadonlyMap<string, Served> {
  const { endpoints, rules, services, publicBase } = options;
  const operations = endpoints.map((endpoint): [string, Served] => {
    const rule = rules[endpoint.operation];
    if (!rule) throw new Error(`The operation ${endpoint.operation} has no rule.`);
    const { run, look } = pipeline(endpoint, rule, services, shownBy(endpoint, options));
    const view = viewer(endpoint, endpoints, publicBase);
    return [
      endpoint.operation,
      { view: async (exchange, parameters, part) => view(exchange, await run(exchange, parameters, part)), look },
    ];
  });
  return new Map(operations);
}

/** The representation of the resource in GET, or in its list if it has no GET. */
function shownBy({ operation }: Endpoint, { endpoints, rules, services, publicBase }: EndpointOptions): Shown | null {
  const [name] = operation.split('.');
  const find = (verb: string) => endpoints.find((endpoint) => endpoint.operation === `${name}.${verb}`);
  const get = find('get');
  const shown = get ?? find('list');
  if (!shown) return null;
  const view = viewer({ ...shown, paginated: false }, endpoints, publicBase);
  const bodyOf = (exchange: Exchange, row: object) => view(exchange, { kind: 'item', row }).body as object;
  return {
    rule: (get && rules[get.operation]) ?? null,
    etagOf: (exchange, row) => (get?.etag ? representationTag(bodyOf(exchange, row), services.sha256) : null),
    // The secret of a new token is shown only once, and is not part of its representation.
    digestOf: (exchange, row) => services.sha256(JSON.stringify(bodyOf(exchange, { ...row, token: null }))),
    bodyOf,
  };
}

/** Adds the routes of all endpoints. */
export function mountEndpoints(
  router: Hono<AppEnv>,
  operations: ReadonlyMap<string, Served>,
  options: EndpointOptions,
): void {
  const { endpoints, renderer, services } = options;
  const formMethod = async (exchange: Exchange): Promise<string | null> => {
    if (exchange.method !== 'POST' || !renderer.formMethod || !hasForm(exchange)) return null;
    // Authentication comes first: forms are only read from known callers.
    await services.store.read((reader) => services.identify(reader, exchange));
    return renderer.formMethod(exchange);
  };
  for (const [path, own] of routesOf(endpoints)) {
    const handlers = own.map((endpoint) => {
      return [endpoint.method, handlerOf(endpoint, operations.get(endpoint.operation) as Served, options)] as const;
    });
    const names = parameterNames(own[0] as Endpoint);
    mountRoute(router, path, Object.fromEntries(handlers), { names, formMethod });
  }
}

function handlerOf(endpoint: Endpoint, { view }: Served, { services, renderer, checkLimit }: EndpointOptions): Handler {
  return async (exchange) => {
    exchange.operation = endpoint.operation;
    if (checkLimit) await checkLimit(exchange);
    if (!exchange.wantsJson) return renderer.respond(exchange, endpoint, () => view(exchange, exchange.parameters));
    const seen = await view(exchange, exchange.parameters);
    const response = jsonResponse(exchange, seen, services.sha256);
    return seen.rejection !== null && renderer.withRejection
      ? renderer.withRejection(exchange, response, seen.rejection)
      : response;
  };
}
