import { type Endpoint, endpoints } from '@mkt/sdk/contract';
import { tryDecodeURIComponent } from 'hono/utils/url';

const byOperation: ReadonlyMap<string, Endpoint> = new Map(
  endpoints.map((endpoint) => [endpoint.operation, endpoint] as const),
);

export const endpointOf = (operation: string): Endpoint | null => byOperation.get(operation) ?? null;

type Parameters = Readonly<Record<string, string | number>>;

/** The path of an endpoint's page: without `.json`, with parameters filled in. */
export const pageOf = (endpoint: Endpoint, parameters: Parameters): string =>
  endpoint.path
    .replace(/\.json$/, '')
    .replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(String(parameters[name] ?? '')));

/** The organization id in the path of a page; null if it has none. */
export const organizationIn = (pathname: string): string | null => {
  const part = /^\/organizations\/([^/.]+)/.exec(pathname)?.[1];
  return part === undefined ? null : tryDecodeURIComponent(part);
};

/** Characters: a path that came in a request is no longer. */
const maxPath = 16 * 1024;

/** The redirect after signing in: only a path of this server, never another URL. */
export function localPath(text: string | null | undefined): string {
  const home = '/organizations';
  if (!text || text.length > maxPath || !/^\/(?![/\\])/.test(text) || !URL.canParse(text, 'http://local.invalid'))
    return home;
  const { origin, pathname, search } = new URL(text, 'http://local.invalid');
  return origin === 'http://local.invalid' && !pathname.startsWith('//') ? pathname + search : home;
}
