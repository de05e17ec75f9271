import { endpoints } from '@mkt/sdk/contract';

/**
 * Parses an option that is an HTTP URL, as browsers do.
 * @param example for the error message
 * @throws {TypeError}
 */
function parseHttpUrl(option: string, value: string, example: string): URL {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && !/[?#]/.test(value)) return url;
  throw new TypeError(
    `The option ${option} must be a URL such as ${example}, without a query. It is ${JSON.stringify(value)}.`,
  );
}

/** The first segments of API paths: `organizations` and `me`. */
const firstSegments: ReadonlySet<string | undefined> = new Set(endpoints.map(({ path }) => path.split(/[/.]/)[1]));

/** Pages can have the same paths as the API, but their requests accept HTML. */
export const isNoPage = ({ method, headers }: Request, path: string): boolean =>
  !/^(GET|HEAD)$/.test(method) || path.endsWith('.json') || !!headers.get('accept')?.includes('application/json');

/** Whether a request is for the API and not for the page's own server, if both have the same origin. */
function isApiRequest(request: Request, path: string): boolean {
  const [, first = ''] = path.replace(/\.json$/, '').split('/');
  // The page may have images of its own: those of the API have 22 random characters.
  if (first === 'images') return /^\/images\/[\w-]{22}$/.test(path);
  return firstSegments.has(first) && isNoPage(request, path);
}

/**
 * Returns a function that gives the path of a request inside the API, or undefined for other requests. On the page's
 * origin the API shares its URLs with pages and scripts, which pass through.
 */
export function apiPath(baseUrl: string, pageOrigin: string | undefined): (request: Request) => string | undefined {
  const isShared = new URL(baseUrl).origin === pageOrigin;
  return (request) => {
    const { url } = request;
    const path = url.startsWith(baseUrl) ? url.slice(baseUrl.length).replace(/^(?=\?|$)/, '/') : '';
    if (!path.startsWith('/')) return undefined;
    return isShared && !isApiRequest(request, path.split('?', 1)[0] as string) ? undefined : path;
  };
}

/** The page, if there is one. */
const page = globalThis as { readonly location?: Location };

/** The calling origin of the option `strictCors`. @throws {TypeError} */
function originOf(strict: boolean | string = false, pageOrigin: string | undefined): string | undefined {
  if (typeof strict === 'string') return parseHttpUrl('strictCors', strict, 'http://localhost:5173').origin;
  return strict ? pageOrigin : undefined;
}

/** Where the API is, and the origin of the page that calls it. */
export interface Urls {
  readonly baseUrl: string;
  /** That of `baseUrl`. */
  readonly origin: string;
  readonly pageOrigin: string | undefined;
  /** Only with the option `strictCors`. */
  readonly callingOrigin: string | undefined;
}

/** @throws {TypeError} for options that are not URLs */
export function urlsOf({
  baseUrl = 'https://api.example.com',
  strictCors,
}: {
  readonly baseUrl?: string;
  readonly strictCors?: boolean | string;
}): Urls {
  const { origin, pathname } = parseHttpUrl('baseUrl', baseUrl, 'https://api.example.com/v1');
  const pageOrigin = page.location?.origin;
  return {
    baseUrl: origin + pathname.replace(/\/+$/, ''),
    origin,
    pageOrigin,
    callingOrigin: originOf(strictCors, pageOrigin),
  };
}
