import type { Fetch, FetchResponse } from '@mkt/sdk';
import { isLoopback } from '../../config/settings.js';
import { usageError } from '../../errors/cli-error.js';
import type { Io } from '../../io/io.js';

/** A proxy from an environment variable. */
export interface NamedProxy {
  /** The name of the variable, in upper or lower case. */
  readonly variable: string;
  readonly address: string;
}

export type Route =
  | { readonly by: 'proxy'; readonly proxy: NamedProxy }
  /** `reason` says why a proxy that is set is not used; undefined if none is set. */
  | { readonly by: 'itself'; readonly reason: string | undefined };

const named = (env: Io['env'], name: string): NamedProxy | undefined => {
  for (const variable of [name.toLowerCase(), name]) {
    const address = env[variable];
    if (address) return { variable, address };
  }
  return undefined;
};

/** Whether a variable contains the URL of a proxy. Its value is never shown, because it may contain a password. */
export const isProxyAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Whether NO_PROXY contains this host or one of its domains, by the rules of curl and undici. */
function excludes(list: string, { hostname, port, protocol }: URL): boolean {
  const number = Number(port) || (protocol === 'https:' ? 443 : 80);
  return list.split(/[,\s]+/).some((entry) => {
    const [, host = entry, ofPort = number] = /^(.+):(\d+)$/.exec(entry) ?? [];
    const name = host.replace(/^\*?\./, '').toLowerCase();
    return list === '*' || (name !== '' && Number(ofPort) === number && `.${hostname}`.endsWith(`.${name}`));
  });
}

/** The proxy for requests to `baseUrl`, or why none is used. */
export function routeTo(baseUrl: string, env: Io['env']): Route {
  const url = new URL(baseUrl);
  const plain = named(env, 'HTTP_PROXY');
  const secure = named(env, 'HTTPS_PROXY');
  const proxy = url.protocol === 'https:' ? (secure ?? plain) : plain;
  const set = proxy ?? secure ?? plain;
  if (set === undefined) return { by: 'itself', reason: undefined };
  if (isLoopback(baseUrl)) return { by: 'itself', reason: `${set.variable} is set, but not used for this machine` };
  if (proxy === undefined) return { by: 'itself', reason: `${set.variable} is set, but applies only to https` };
  const exceptions = named(env, 'NO_PROXY');
  if (exceptions !== undefined && excludes(exceptions.address, url))
    return { by: 'itself', reason: `${proxy.variable} is set, but ${exceptions.variable} excludes ${url.hostname}` };
  return { by: 'proxy', proxy };
}

/** `fetch` through the proxy for `baseUrl` if there is one, else on node:http. @param heard receives the headers of each response */
export async function chooseFetch(
  env: Io['env'],
  baseUrl: string,
  heard?: (headers: FetchResponse['headers']) => void,
): Promise<Fetch> {
  const route = routeTo(baseUrl, env);
  if (route.by === 'itself') {
    const { nodeFetch } = await import('./node-fetch.js');
    // With NODE_USE_ENV_PROXY Node's own agent uses the proxy even for this machine.
    return nodeFetch(env.NODE_USE_ENV_PROXY ? false : undefined, heard);
  }
  const { variable, address } = route.proxy;
  const name = variable.toUpperCase();
  if (!isProxyAddress(address))
    throw usageError(`${name} is not a valid proxy URL.`, `${name}=http://proxy.example:8080`);
  const { proxyFetch } = await import('./proxy-fetch.js');
  return proxyFetch(address, heard);
}
