import type { Control } from './control/control.js';
import { controlRoutes, type Route, type ServerMethods } from './control/routes.js';

export type * from './control-types.js';

/** The same methods, but each returns a promise. */
type Remote<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...values: never[]) => Promise<unknown>
    ? Methods[Name]
    : Methods[Name] extends (...values: infer Values) => infer Result
      ? (...values: Values) => Promise<Awaited<Result>>
      : Remote<Methods[Name]>;
};

/** The control methods of a running server, with the same names as those of the mock. */
export type RemoteControl = Remote<Control>;

/** The control methods of a running server, which apply to requests outside of namespaces. */
export interface ServerControl extends RemoteControl {
  /**
   * Creates a namespace of the server, unless it exists: a marketplace with its own data (the server's seed), clock, faults and
   * requests, for a test worker that runs in parallel with others. Only for a server with its data in memory; at most 32.
   * @example
   * const control = await connectControl(ready.control).namespace(`worker-${process.env.TEST_PARALLEL_INDEX}`);
   * const mkt = new Marketplace({ token: ready.tokens.ada_write, baseUrl: control.baseUrl });
   */
  namespace(name: string): Promise<NamespaceControl>;
}

/** The control methods of a namespace. */
export interface NamespaceControl extends RemoteControl {
  /** Of its API and its pages: `http://127.0.0.1:4010/__mkt/namespaces/worker-1`. */
  readonly baseUrl: string;
  /** Removes the namespace with its data. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** The URL that the server prints when it starts: `http://127.0.0.1:4010/__mkt/v1`. */
  readonly url: string;
  /** The control token, which the server prints too. */
  readonly token: string;
  /** @default globalThis.fetch */
  readonly fetch?: typeof fetch;
}

/** A call that was rejected, or that did not reach the server. */
export class RemoteControlError extends Error {
  override readonly name = 'RemoteControlError';
  constructor(
    message: string,
    /** The HTTP status; null if there was no response. */
    readonly status: number | null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The value of a JSON text, undefined if it is empty; null if it is not JSON. */
function parseJson(text: string): { readonly value: unknown } | null {
  try {
    return { value: text === '' ? undefined : JSON.parse(text) };
  } catch {
    // Not the control API.
    return null;
  }
}

type Call = (method: string, path: string, value?: unknown) => Promise<unknown>;

function caller({ url, token, fetch = globalThis.fetch }: ConnectOptions): Call {
  const base = url.replace(/\/+$/, '');
  const send = async (url: string, init: RequestInit): Promise<{ response: Response; text: string }> => {
    try {
      const response = await fetch(url, init);
      return { response, text: await response.text() };
    } catch (error) {
      throw new RemoteControlError(`The control API at ${base} cannot be reached. Is the server running?`, null, {
        cause: error,
      });
    }
  };
  return async (method, path, value) => {
    const { response, text } = await send(base + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(value === undefined ? {} : { body: JSON.stringify(value) }),
    });
    const json = parseJson(text);
    if (response.ok && json) return json.value;
    const { status } = response;
    const { error } = (json?.value ?? {}) as { error?: unknown };
    if (typeof error === 'string') throw new RemoteControlError(error, status);
    const hint = 'Give the URL that the server prints, which ends in /__mkt/v1.';
    throw new RemoteControlError(
      `${base} is not the control API: it responds to ${method} ${path} with ${status}. ${hint}`,
      status,
    );
  };
}

function queryOf(values: object): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.length > 0 ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : '';
}

/**
 * Connects to the control API of a server that `mkt serve` started, for end-to-end tests.
 * @example
 * const control = connectControl({ url: ready.control.url, token: ready.control.token });
 * await control.reset();
 * await control.faults.add({ match: { operation: 'campaigns.list' }, effect: { status: 503 }, times: 1 });
 */
export function connectControl(options: ConnectOptions): ServerControl {
  const control = methodsAt(controlRoutes, caller(options)) as Remote<ServerMethods>;
  return {
    ...control,
    async namespace(name) {
      const { url } = await control.namespaces.open(name);
      const inside = methodsAt(controlRoutes, caller({ ...options, url: `${url}/__mkt/v1` })) as RemoteControl;
      return { ...inside, baseUrl: url, close: async () => void (await control.namespaces.close(name)) };
    },
  };
}

/** A page or a context of Playwright. */
interface Routed {
  route(
    matches: (url: URL) => boolean,
    handler: (route: { request(): { url(): string }; continue(to: { url: string }): Promise<void> }) => Promise<void>,
  ): Promise<unknown>;
}

/**
 * Sends the requests of a page in Playwright to a namespace, if its application uses the URL of the server. Those to URLs in
 * responses of the namespace, such as images, are there already.
 * @example
 * await routeNamespace(page, control);
 */
export async function routeNamespace(page: Routed, { baseUrl }: Pick<NamespaceControl, 'baseUrl'>): Promise<void> {
  const { origin, pathname } = new URL(baseUrl);
  await page.route(
    (url) => url.origin === origin && !url.pathname.startsWith(`${pathname}/`),
    (route) => route.continue({ url: baseUrl + route.request().url().slice(origin.length) }),
  );
}

const methodsAt = (routes: object, call: Call): object =>
  Object.fromEntries(
    Object.entries(routes).map(([name, value]: [string, Route | object]) => [
      name,
      'request' in value ? (...values: readonly unknown[]) => send(value, values, call) : methodsAt(value, call),
    ]),
  );

async function send(route: Route, given: readonly unknown[], call: Call): Promise<unknown> {
  const { off, isList, bodyField, resultField, input } = route;
  const isOff = off !== undefined && given[0] === false;
  // Callers such as `afterEach(control.reset)` pass more.
  const values = isOff ? [] : given.slice(0, input.length);
  const [method = '', pattern = ''] = (isOff ? off : route.request).split(' ');
  const path = pattern.replace(/:\w+/, () => encodeURIComponent(String(values.shift())));
  const [first] = values;
  const body = bodyField === undefined ? first : { [bodyField]: first };
  const result = await (method === 'GET'
    ? call(method, path + queryOf(Object.assign({}, ...values)))
    : call(method, path, isList ? values : body));
  return resultField === undefined ? result : (result as Readonly<Record<string, unknown>>)[resultField];
}
