/** Headers of a response from another origin that a page may always read (CORS-safelisted, Fetch standard). */
const alwaysExposed = [
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'expires',
  'last-modified',
  'pragma',
];
const alwaysAllowed = ['accept', 'accept-language', 'content-language', 'range'];
/** Headers that browsers set themselves, which workers and @msw/playwright pass on. */
const ofTheBrowser =
  /^(sec-.*|accept-encoding|cache-control|connection|content-length|cookie|dnt|host|origin|pragma|referer|user-agent)$/;
const simpleTypes = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];

type Fetch = (request: Request, bindings?: object) => Promise<Response>;

const listed = (headers: Headers, name: string): readonly string[] =>
  (headers.get(name) ?? '').split(',').map((part) => part.trim().toLowerCase());

/** The headers for which a browser sends a preflight. */
function unsafeHeaders({ headers }: Request): readonly string[] {
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  return [...headers.keys()].filter((name) =>
    name === 'content-type'
      ? !simpleTypes.includes(type ?? '')
      : !(alwaysAllowed.includes(name) || ofTheBrowser.test(name)),
  );
}

function allowsOrigin({ headers }: Response, origin: string): boolean {
  const allowed = headers.get('access-control-allow-origin');
  return allowed === '*' || allowed === origin;
}

/** Bindings like those of Node's adapter, because browsers do not let scripts set Origin on a Request. */
const from = (origin: string, headers: Iterable<readonly [string, string]>): object => ({
  incoming: { headers: { ...Object.fromEntries(headers), origin } },
});

/**
 * Applies CORS as a browser does for a page of `origin`: sends a preflight, rejects what the app does not allow, and hides
 * headers that the app does not expose.
 */
export function strictCors(fetch: Fetch, origin: string): Fetch {
  const isPermitted = async (request: Request): Promise<boolean> => {
    const unsafe = unsafeHeaders(request);
    if (unsafe.length === 0 && ['GET', 'HEAD', 'POST'].includes(request.method)) return true;
    const preflight = await fetch(new Request(request.url, { method: 'OPTIONS' }), from(origin, []));
    if (!allowsOrigin(preflight, origin)) return false;
    const methods = listed(preflight.headers, 'access-control-allow-methods');
    const headers = listed(preflight.headers, 'access-control-allow-headers');
    return methods.includes(request.method.toLowerCase()) && unsafe.every((name) => headers.includes(name));
  };

  return async (request) => {
    // An <img> does not need CORS.
    if (request.mode === 'no-cors' || new URL(request.url).origin === origin) return fetch(request);
    // For the page, both are network errors.
    if (!(await isPermitted(request))) return Response.error();
    const response = await fetch(request, from(origin, request.headers));
    if (response.type === 'error' || !allowsOrigin(response, origin)) return Response.error();
    const exposed = [...alwaysExposed, ...listed(response.headers, 'access-control-expose-headers')];
    for (const name of [...response.headers.keys()]) if (!exposed.includes(name)) response.headers.delete(name);
    return response;
  };
}
