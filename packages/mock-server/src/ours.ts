import { endpoints } from '@mkt/sdk/contract';

/** `organizations`, `me`, and the images that answers point to. */
const firstParts: ReadonlySet<string> = new Set([
  ...endpoints.map(({ path }) => (path.split('/')[1] as string).replace(/\.json$/, '')),
  'images',
]);

/** Whether a request is meant for the API and not for the page's own server, when both have the same origin. */
function looksLikeApi({ method, headers }: Request, path: string): boolean {
  const first = (path.split('/')[1] ?? '').replace(/\.json$/, '');
  if (!firstParts.has(first)) return false;
  const isRead = method === 'GET' || method === 'HEAD';
  const asksForJson = (headers.get('accept') ?? '').includes('application/json');
  return !isRead || first === 'images' || path.endsWith('.json') || asksForJson;
}

/**
 * The path of a request inside the API; undefined for what is not the API's. An origin of its own is the API's
 * altogether; on the page's origin it shares the address with pages and scripts, which go past.
 */
export function apiPath(baseUrl: string, pageOrigin: string | undefined): (request: Request) => string | undefined {
  const shared = new URL(baseUrl).origin === pageOrigin;
  return (request) => {
    const { url } = request;
    if (!url.startsWith(baseUrl)) return undefined;
    const rest = url.slice(baseUrl.length);
    const path = rest === '' || rest.startsWith('?') ? `/${rest}` : rest;
    if (!path.startsWith('/')) return undefined;
    return shared && !looksLikeApi(request, path.split('?', 1)[0] as string) ? undefined : path;
  };
}
