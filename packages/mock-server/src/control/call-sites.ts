/** A function in a stack. */
export type Caller = (...values: never[]) => unknown;

/** Errors whose stacks lead to the code that sent a request. */
const sites = new WeakMap<Request, Error>();
/** Calls whose requests have not reached a mock yet: a service worker does not know who sent them. */
const pending: { readonly key: string; readonly site: Error }[] = [];
/** Of other requests. */
const maxPending = 100;
const watched = new WeakSet<typeof fetch>();

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

/**
 * Remembers who sent a request.
 * @param above the function that the sender called, unless `fetch` is watched
 */
export function noteCall(request: Request, above: Caller): void {
  if (sites.has(request)) return;
  const place = pending.findIndex(({ key }) => key === `${request.method} ${request.url}`);
  const [call] = place < 0 ? [] : pending.splice(place, 1);
  sites.set(request, call?.site ?? here(above));
}

export function copyCall(from: Request, to: Request): void {
  const site = sites.get(from);
  if (site) sites.set(to, site);
}

/** Remembers who calls the `fetch` of the page or of the test from now on. */
export function watchFetch(): void {
  const { fetch, location } = globalThis as { fetch: typeof globalThis.fetch; location?: Location };
  if (watched.has(fetch)) return;
  const watching: typeof fetch = (input, init) => {
    const request: Partial<Request> = input instanceof Request ? input : {};
    const method = (init?.method ?? request.method ?? 'GET').toUpperCase();
    const text = request.url ?? String(input);
    if (URL.canParse(text, location?.href)) {
      const { href } = new URL(text, location?.href);
      pending.push({ key: `${method} ${href.split('#', 1)[0]}`, site: here(watching) });
      if (pending.length > maxPending) pending.shift();
    }
    return fetch(input, init);
  };
  watched.add(watching);
  globalThis.fetch = watching;
}

/**
 * The places in a stack that are not of a package or of the runtime: of `at async load (file:///app/src/a.ts:1:2)` in V8, and
 * of `load@http://localhost/src/a.ts:1:2` in other browsers.
 */
const ownPlaces = /^(?!.*(?:node_modules[\\/]|node:))(?:.*?(?:\(|@|at (?:async )?))?(\S*:\d+:\d+)\)?$/gm;

/** The line that sent a request, and up to two that led there; null if it is not known. */
export function callOf(request: Request): string | null {
  const places = Array.from(sites.get(request)?.stack?.matchAll(ownPlaces) ?? [], ([, place]) => place);
  return places.slice(0, 3).join(' < ') || null;
}
