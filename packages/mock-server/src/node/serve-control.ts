import { type Audit, type AuditEntry, StorageFailure } from '@mkt/server';
import { Exchange, HttpError, pathIn, randomText, sha256 } from '@mkt/server/extend';
import { type Argument, checkedArguments, outlineOf } from '../control/arguments.js';
import type { Control } from '../control/control.js';
import { ControlError } from '../control/errors.js';
import { rejectionMessage } from '../control/rejection.js';
import { type ListedRoute, routeList, type ServerMethods } from '../control/routes.js';
import { type ControlGuard, checkLocal, controlGuard } from './guard.js';
import type { Fetch, Namespaces } from './namespaces.js';

const prefix = '/__mkt/v1';

export interface ServedControl {
  readonly control: Control;
  readonly guard: ControlGuard;
  /** Only if the server's data is in memory. Namespaces have none. */
  readonly namespaces?: Namespaces | undefined;
  /** The public URL of the server; by default as the request names it. */
  readonly baseUrl?: string | undefined;
  /** Records successful calls that change something. */
  readonly audit?: Audit | undefined;
  /** Called with every response, for logs. */
  readonly afterResponse?: (exchange: Exchange, response: Response, milliseconds: number) => void;
  /** Called with unexpected errors. */
  readonly onError?: (error: unknown, exchange: Exchange) => void;
}

const noStore = { 'Cache-Control': 'no-store' };

const noNamespaces =
  'Namespaces exist only on a server with its data in memory (--db memory:), and a namespace contains no others.';

function notFound(path: string): string {
  const [, folder = ''] = /^(\/\w+\/)/.exec(path) ?? [];
  const others = routeList.map((route) => route.path).filter((known) => folder !== '' && known.startsWith(folder));
  const use = others.length > 0 ? `Use one of ${others.join(', ')}` : `GET ${prefix}/ lists them`;
  return `There is no control method at ${path}. ${use}.`;
}

/**
 * Serves the control API at `/__mkt/v1/*`, and passes all other requests to `fetch`. Only for requests from and to this
 * machine with the token. No CORS headers, so that web pages cannot call it.
 */
export function withControl(fetch: Fetch, served: ServedControl): Fetch {
  const { control, guard, namespaces, audit, afterResponse, onError } = served;

  const methodsFor = (serverUrl: string): ServerMethods => {
    const all = (): Namespaces => {
      if (!namespaces) throw new ControlError(noNamespaces);
      return namespaces;
    };
    return {
      ...control,
      routes: () => routeList.map(({ method, path }) => `${method} ${path}`),
      namespaces: {
        list: () => all().list(),
        open: (name) => all().open(name, serverUrl),
        close: (name) => all().close(name),
      },
    };
  };

  const perform = async (exchange: Exchange): Promise<Response> => {
    checkLocal(exchange);
    // Unlike access tokens, control tokens may contain spaces.
    const [, token = null] = /^Bearer +(.+)$/i.exec(exchange.header('authorization') ?? '') ?? [];
    if (!guard(exchange, token))
      throw new HttpError(
        401,
        'Send the control token that the server printed at startup: Authorization: Bearer <token>.',
      );
    const path = exchange.url.pathname.slice(prefix.length) || '/';
    const fitting = routesAt(path);
    if (fitting.length === 0) throw new HttpError(404, notFound(path));
    const found = fitting.find(({ route }) => route.method === exchange.method);
    if (!found) throw new HttpError(405, `${path} supports ${fitting.map(({ route }) => route.method).join(', ')}.`);
    const changes = exchange.method !== 'GET';
    const text = await exchange.request.text();
    const audited = audit?.request();
    const entry: AuditEntry = {
      request_id: exchange.requestId,
      operation: `control ${exchange.method} ${path}`,
      path: exchange.url.pathname,
      status: found.route.status ?? 200,
      user_id: null,
      token_id: null,
      ids: {},
      before: null,
      after: null,
    };
    if (changes) await audited?.record([entry]);
    try {
      const result = await callRoute(methodsFor(served.baseUrl ?? exchange.url.origin), {
        ...found,
        query: exchange.url.searchParams,
        body: text === '' ? undefined : JSON.parse(text),
      });
      return found.route.status === 204 ? exchange.respond(204, null, noStore) : exchange.json(200, result, noStore);
    } catch (error) {
      const response = errorResponse(exchange, error, onError);
      await audited?.takeBack(response.status).catch(() => undefined);
      return response;
    }
  };

  const serve = async (
    request: Request,
    bindings: object | undefined,
    operation: string | null,
    respond: (exchange: Exchange) => Promise<Response>,
  ): Promise<Response> => {
    const exchange = new Exchange(request, bindings, { cors: 'off', newRequestId: () => randomText(9), Response });
    exchange.operation = operation;
    const started = performance.now();
    const response = await respond(exchange).catch((error: unknown) => errorResponse(exchange, error, onError));
    afterResponse?.(exchange, response, performance.now() - started);
    return response;
  };

  /** Passes requests to their namespace. */
  const serveNamespaces = async (request: Request, bindings: object | undefined): Promise<Response> => {
    const found = await namespaces?.find(request);
    if (!found) return fetch(request, bindings);
    const { name, namespace, inside } = found;
    if (namespace) return namespace.fetch(inside, bindings);
    return serve(request, bindings, null, async () => {
      throw new HttpError(
        404,
        `There is no namespace ${name}: it was closed, or not created with connectControl(...).namespace('${name}').`,
      );
    });
  };

  return (request, bindings) => {
    // Only this is looked for in requests to the API.
    if (!request.url.includes('/__mkt/')) return fetch(request, bindings);
    const isControl = /^\/__mkt\/v1(\/|$)/.test(pathIn(request.url));
    return isControl ? serve(request, bindings, 'control', perform) : serveNamespaces(request, bindings);
  };
}

/** The same for a mock in a server process. */
export const serveControl = (fetch: Fetch, control: Control, token: string): Fetch =>
  withControl(fetch, { control, guard: controlGuard(token, sha256) });

/** The response for an error of a control call. */
function errorResponse(exchange: Exchange, error: unknown, onError: ServedControl['onError']): Response {
  const rejected = (status: number, message: string, headers = {}) =>
    exchange.json(status, { error: message }, { ...noStore, ...headers });
  if (error instanceof HttpError) return rejected(error.status, error.message, error.headers);
  if (error instanceof URIError)
    return rejected(404, 'There is no control method at this path, which cannot be decoded.');
  if (error instanceof SyntaxError) return rejected(400, `The body is not valid JSON: ${error.message}.`);
  if (error instanceof StorageFailure) return rejected(503, error.message, { 'Retry-After': '10' });
  const reason = rejectionMessage(error);
  if (reason !== null) return rejected(422, reason);
  onError?.(error, exchange);
  // The caller has the control token, so it may see the error.
  return rejected(500, `The control method failed: ${error instanceof Error ? error.message : String(error)}`);
}

/** The routes at a path, and the arguments in it. */
function routesAt(path: string): readonly { readonly route: ListedRoute; readonly inPath: readonly string[] }[] {
  return routeList.flatMap((route) => {
    const match = new RegExp(`^${route.path.replace(/:\w+/, '([^/]+)')}$`).exec(path);
    return match ? [{ route, inPath: match.slice(1).map(decodeURIComponent) }] : [];
  });
}

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false };

/** Texts of a query become what the schemas of their fields take. */
function inQuery(input: readonly Argument[], query: URLSearchParams): readonly object[] {
  const fields = input.map(({ schema }) => outlineOf(schema).fields);
  // The first argument gets unknown fields, which its schema rejects.
  const placeOf = (name: string): number =>
    Math.max(
      0,
      fields.findIndex((some) => Object.hasOwn(some, name)),
    );
  const valueIn = (name: string, text: string): unknown => {
    const schema = fields[placeOf(name)]?.[name];
    const type = schema && outlineOf(schema).type;
    if (type === 'number') return Number(text);
    return type === 'boolean' ? (booleans[text] ?? text) : text;
  };
  return input.map((_, index) => {
    const own = [...query].filter(([name]) => placeOf(name) === index);
    return Object.fromEntries(own.map(([name, text]) => [name, valueIn(name, text)]));
  });
}

interface ControlCall {
  readonly route: ListedRoute;
  readonly inPath: readonly string[];
  readonly query: URLSearchParams;
  /** The JSON body; undefined if there is none. */
  readonly body: unknown;
}

/** @throws {ControlError} that names the invalid part */
function argumentsOf({ route, inPath, query, body }: ControlCall): readonly unknown[] {
  const { input, method, isList, isOff, bodyField } = route;
  if (isOff) return [false];
  if (isList && !Array.isArray(body))
    throw new ControlError("An act's arguments are sent as a JSON list, in their order.");
  const inBody = bodyField === undefined ? body : (body as Readonly<Record<string, unknown>> | null)?.[bodyField];
  const others =
    method === 'GET' ? inQuery(input.slice(inPath.length), query) : isList ? (body as unknown[]) : [inBody];
  return checkedArguments(input, [...inPath, ...others]);
}

interface Methods {
  readonly [name: string]: Methods & ((...values: readonly unknown[]) => unknown);
}

/** Calls the control method of a route with the arguments of the request. Returns the JSON of the response. @throws {ControlError} */
async function callRoute(methods: ServerMethods, call: ControlCall): Promise<unknown> {
  const { names, resultField } = call.route;
  const owner = names
    .slice(0, -1)
    .reduce<Methods>((found, name) => found[name] as Methods, methods as unknown as Methods);
  const result = await owner[names.at(-1) ?? '']?.(...argumentsOf(call));
  return resultField === undefined ? result : { [resultField]: result };
}
