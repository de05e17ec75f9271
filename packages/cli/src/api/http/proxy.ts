import { isLoopback } from '../../config/base-url.js';
import { usageError } from '../../errors/cli-error.js';
import type { Io } from '../../io/io.js';

/** A proxy as the environment names it. */
export interface NamedProxy {
  /** The variable, as it is spelled there. */
  readonly variable: string;
  readonly address: string;
}

export type Route =
  | { readonly by: 'proxy'; readonly proxy: NamedProxy }
  /** `reason` says why a proxy that is set is not used; undefined where none is set. */
  | { readonly by: 'itself'; readonly reason: string | undefined };

const named = (env: Io['env'], name: string): NamedProxy | undefined => {
  for (const variable of [name.toLowerCase(), name]) {
    const address = env[variable];
    if (address) return { variable, address };
  }
  return undefined;
};

/** Whether a variable names a proxy. What it holds otherwise is never repeated: a password may be in it. */
export const isProxyAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

export type Fetch = (input: string | Request, init: RequestInit) => Promise<Response>;

/** Through a proxy where the environment names one (never to this machine itself), else with node:http. */
export async function chooseFetch(env: Io['env'], baseUrl: string): Promise<Fetch> {
  const http = named(env, 'HTTP_PROXY');
  const https = named(env, 'HTTPS_PROXY');
  if ((http === undefined && https === undefined) || isLoopback(baseUrl)) {
    // With NODE_USE_ENV_PROXY Node's own agent uses the proxy even for this machine.
    const { nodeFetch } = await import('./node-fetch.js');
    return nodeFetch(env.NODE_USE_ENV_PROXY ? false : undefined);
  }
  for (const proxy of [http, https]) {
    if (proxy === undefined || isProxyAddress(proxy.address)) continue;
    const name = proxy.variable.toUpperCase();
    throw usageError(`${name} is not the address of a proxy.`, `${name}=http://proxy.example:8080`);
  }
  const { proxyFetch } = await import('./proxy-fetch.js');
  return proxyFetch({
    ...(http && { httpProxy: http.address }),
    ...(https && { httpsProxy: https.address }),
    noProxy: named(env, 'NO_PROXY')?.address ?? '',
  });
}

/** Whether NO_PROXY names this host or a domain that it is in, by the rules of undici's EnvHttpProxyAgent. */
function excepts(list: string, { hostname, port, protocol }: URL): boolean {
  const number = Number(port) || (protocol === 'https:' ? 443 : 80);
  return list.split(/[,\s]+/).some((entry) => {
    const [, host = entry, ofPort = number] = /^(.+):(\d+)$/.exec(entry) ?? [];
    const name = host.replace(/^\*?\./, '').toLowerCase();
    return list === '*' || (name !== '' && Number(ofPort) === number && `.${hostname}`.endsWith(`.${name}`));
  });
}

/** How requests to `baseUrl` go: through which proxy, or why through none. */
export function routeTo(baseUrl: string, env: Io['env']): Route {
  const url = new URL(baseUrl);
  const plain = named(env, 'HTTP_PROXY');
  const secure = named(env, 'HTTPS_PROXY');
  const proxy = url.protocol === 'https:' ? (secure ?? plain) : plain;
  const set = proxy ?? secure ?? plain;
  if (set === undefined) return { by: 'itself', reason: undefined };
  if (isLoopback(baseUrl)) return { by: 'itself', reason: `${set.variable} is set, and not used for this machine` };
  if (proxy === undefined) return { by: 'itself', reason: `${set.variable} is set, and is for https alone` };
  const exceptions = named(env, 'NO_PROXY');
  if (exceptions !== undefined && excepts(exceptions.address, url))
    return { by: 'itself', reason: `${proxy.variable} is set, and ${exceptions.variable} excepts ${url.hostname}` };
  return { by: 'proxy', proxy };
}
