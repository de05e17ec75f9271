/** A function in a stack. */
export type Caller = (...values: never[]) => unknown;

/** The SDK calls this global function, and passes its result on with the fields for `fetch`: it sends requests later. */
const mktAt = () => ({ mktAt: here(mktAt) });

const sites = new WeakMap<Request, Error>();
/** Calls whose requests have not reached a mock yet: a service worker does not know who sent them. */
const pending: { readonly key: () => string; readonly site: Error }[] = [];
/** Of other requests. */
const maxPending = 100;
const watched = new WeakSet<object>();

/** @param above the function whose caller is the first line */
function here(above: Caller): Error {
  const V8Error = Error as { stackTraceLimit?: number; captureStackTrace?: (target: Error, above: unknown) => void };
  const { stackTraceLimit = 10 } = V8Error;
  // A request passes through many functions of a client and of MSW.
  V8Error.stackTraceLimit = 80;
  const site = new Error();
  V8Error.captureStackTrace?.(site, above);
  V8Error.stackTraceLimit = stackTraceLimit;
  return site;
}

/** From now on the SDK passes on where its methods are called. */
export const watchSdk = (): unknown => Object.assign(globalThis, { mktAt });

const siteIn = (init: unknown): Error | undefined => (init as { mktAt?: Error } | undefined)?.mktAt;

/** Remembers what the SDK passed on with the fields for `fetch`. */
export function noteSdkCall(request: Request, init: unknown): void {
  const site = siteIn(init);
  if (site) sites.set(request, site);
}

/**
 * Remembers who sent a request.
 * @param above the function that the sender called, unless its client is watched
 */
export function noteCall(request: Request, above: Caller): void {
  if (sites.has(request)) return;
  const place = pending.findIndex(({ key }) => key() === `${request.method.toUpperCase()} ${request.url}`);
  const [call] = place < 0 ? [] : pending.splice(place, 1);
  sites.set(request, call?.site ?? here(above));
}

export function copyCall(from: Request, to: Request): void {
  const site = sites.get(from);
  if (site) sites.set(to, site);
}

interface NodeRequest extends Pick<Request, 'method'> {
  readonly protocol: string;
  readonly path: string;
  getHeader(name: string): unknown;
}

/** What a page, a test environment or Node has. */
const runtime = globalThis as {
  readonly fetch: unknown;
  readonly location?: Location;
  readonly process?: { readonly getBuiltinModule?: (name: string) => object };
  readonly XMLHttpRequest?: { readonly prototype: object };
};

/** Replaces a function that sends requests. @param targetOf the method and the URL, from its arguments and result */
function watch<Result>(
  owner: object | undefined,
  name: string,
  // biome-ignore lint/suspicious/noExplicitAny: Each of these functions has parameters of its own.
  targetOf: (values: any[], result: Result | undefined) => unknown[],
): void {
  const send = owner && Reflect.get(owner, name);
  if (!send || watched.has(send)) return;
  const watching = function (this: unknown, ...values: unknown[]) {
    let result: Result | undefined;
    const key = () => {
      const [method = 'GET', target] = targetOf(values, result);
      const url = [`${target}`, runtime.location?.href] as const;
      return `${`${method}`.toUpperCase()} ${URL.canParse(...url) && new URL(...url).href.split('#', 1)[0]}`;
    };
    pending.push({ key, site: siteIn(values[1]) ?? here(watching) });
    if (pending.length > maxPending) pending.shift();
    result = send.apply(this, values) as Result;
    return result;
  };
  watched.add(watching);
  // An environment such as happy-dom has a `fetch` that cannot be assigned.
  Object.defineProperty(owner, name, { value: watching, configurable: true, writable: true });
}

/** Remembers who calls `fetch`, XMLHttpRequest and `node:http` from now on. */
export function watchCalls(): void {
  watch(runtime, 'fetch', ([input, init]) => [init?.method ?? input?.method, input?.url ?? input]);
  watch(runtime.XMLHttpRequest?.prototype, 'open', (values) => values);
  for (const module of ['node:http', 'node:https'])
    for (const name of ['request', 'get'])
      watch<NodeRequest>(runtime.process?.getBuiltinModule?.(module), name, (_, sent) =>
        sent ? [sent.method, `${sent.protocol}//${sent.getHeader('host')}${sent.path}`] : [],
      );
}

/**
 * The places in a stack that are not of a package or of the runtime: of `at async load (file:///app/src/a.ts:1:2)` in V8, and
 * of `load@http://localhost/src/a.ts:1:2` in other browsers.
 */
const ownPlaces =
  /^(?!.*(?:node_modules[\\/]|node:|<anonymous>:))(?: +at (?:async )?(?:.+? \()?|[^@\n]*@)(.+?:\d+:\d+)\)?$/gm;

/** An error whose stack leads to the code that sent a request. */
export const siteOf = (request: Request): Error | undefined => sites.get(request);

/** The line that sent a request, and up to two that led there; null if it is not known. */
export function callOf(site: Error | undefined): string | null {
  const places = Array.from(site?.stack?.matchAll(ownPlaces) ?? [], ([, place]) => place);
  return places.slice(0, 3).join(' < ') || null;
}
