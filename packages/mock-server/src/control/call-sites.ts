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
    const isRequest = typeof input === 'object' && 'url' in input;
    const method = (init?.method ?? (isRequest ? input.method : 'GET')).toUpperCase();
    const text = isRequest ? input.url : String(input);
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

/** The first line of a stack that is not of a package or of the runtime: `src/campaigns.ts:12:9`. */
const ownLine = (stack: string): string | undefined =>
  stack.split('\n').find((line) => /:\d+:\d+\)?$/.test(line) && !/node_modules[\\/]|node:|^Error/.test(line));

/** The line that sent a request, if it is known. */
export function callOf(request: Request): string | null {
  const line = ownLine(sites.get(request)?.stack ?? '');
  // `at async load (file:///app/src/a.ts:1:2)` in V8, `load@http://localhost/src/a.ts:1:2` in other browsers
  return line?.replace(/^.*?(\(|@|at (async )?)(?=\S*:\d+:\d+\)?$)/, '').replace(/\)$/, '') ?? null;
}
