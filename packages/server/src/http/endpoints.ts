import type { Endpoint } from '@mkt/sdk/contract';
import type { Hono } from 'hono';
import type { Rule } from '../rules/index.js';
import type { Exchange } from './exchange.js';
import type { AppEnv, HtmlRenderer, Operation } from './html-renderer.js';
import { jsonResponse, representationTag } from './json.js';
import { pipeline, type Representation, type Services } from './pipeline.js';
import { type Handler, mountRoute, parameterNames, routesOf } from './routes.js';
import { representer, viewer } from './view.js';

export interface EndpointOptions extends Services {
  readonly endpoints: readonly Endpoint[];
  readonly rules: Readonly<Record<string, Rule>>;
  readonly renderer: HtmlRenderer;
  readonly publicBase: (exchange: Exchange) => string;
  /** The same for digests: not from the Host header, so that the same content has the same digest. */
  readonly auditBase: (exchange: Exchange) => string;
}

export function operationsOf(options: EndpointOptions): ReadonlyMap<string, Operation> {
  const { endpoints, rules, publicBase } = options;
  const operations = endpoints.map((endpoint): [string, Operation] => {
    const rule = rules[endpoint.operation];
    if (!rule) throw new Error(`The operation ${endpoint.operation} has no rule.`);
    const { run, ...others } = pipeline(endpoint, rule, options, representationBy(endpoint, options));
    const view = viewer(endpoint, endpoints, publicBase);
    return [
      endpoint.operation,
      {
        ...others,
        async view(exchange, parameters, part) {
          const outcome = await run(exchange, parameters, part);
          await exchange.turn();
          return view(exchange, outcome);
        },
      },
    ];
  });
  return new Map(operations);
}

/** The representation of the resource in GET, or in its list if it has no GET. */
function representationBy(
  { operation }: Endpoint,
  { endpoints, rules, sha256, publicBase, auditBase }: EndpointOptions,
): Representation | null {
  const [name] = operation.split('.');
  const find = (verb: string) => endpoints.find((endpoint) => endpoint.operation === `${name}.${verb}`);
  const get = find('get');
  const source = get ?? find('list');
  if (!source) return null;
  const represent = representer(source, endpoints);
  const bodyOf: Representation['bodyOf'] = (exchange, row) => represent(row, publicBase(exchange), exchange);
  return {
    rule: (get && rules[get.operation]) ?? null,
    etagOf: (exchange, row) => (get?.etag ? representationTag(bodyOf(exchange, row), sha256) : null),
    // The secret of a new token is shown only once, and is not part of its representation.
    digestOf: (exchange, row) =>
      sha256(JSON.stringify(represent({ ...row, token: null }, auditBase(exchange), exchange))),
    bodyOf,
  };
}

/** The method in the form of a page, because browsers only send GET and POST; null if there is none. */
export const formMethodBy =
  ({ renderer, store, identify }: Pick<EndpointOptions, 'renderer' | 'store' | 'identify'>) =>
  async (exchange: Exchange): Promise<string | null> =>
    (await renderer.formMethod?.(exchange, () => store.read((reader) => identify(reader, exchange)))) ?? null;

export function mountEndpoints(
  router: Hono<AppEnv>,
  operations: ReadonlyMap<string, Operation>,
  options: EndpointOptions,
): void {
  const { endpoints } = options;
  const formMethod = formMethodBy(options);
  for (const [path, own] of routesOf(endpoints)) {
    const handlers = own.map((endpoint) => {
      return [endpoint.method, handlerOf(endpoint, operations.get(endpoint.operation) as Operation, options)] as const;
    });
    const names = parameterNames(own[0] as Endpoint);
    mountRoute(router, path, Object.fromEntries(handlers), { names, formMethod });
  }
}

function handlerOf(endpoint: Endpoint, { view }: Operation, { sha256, renderer }: EndpointOptions): Handler {
  return async (exchange) => {
    exchange.operation = endpoint.operation;
    await exchange.checkLimit?.(exchange);
    if (!exchange.wantsJson) return renderer.respond(exchange, endpoint, () => view(exchange, exchange.parameters));
    const seen = await view(exchange, exchange.parameters);
    const response = jsonResponse(exchange, seen, sha256);
    return seen.rejection !== null && renderer.withRejection
      ? renderer.withRejection(exchange, response, seen.rejection)
      : response;
  };
}
