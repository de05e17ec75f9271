import { isLoopback } from '../../config/base-url.js';
import type { Io } from '../../io/io.js';

/** A proxy as the environment names it. */
export interface NamedProxy {
  /** The variable, as it is spelled there. */
  readonly variable: string;
  readonly address: string;
}

export type Route =
  | { readonly by: 'proxy'; readonly proxy: NamedProxy }
  /** `reason` tells why a proxy that is set takes no part; undefined where none is set. */
  | { readonly by: 'itself'; readonly reason: string | undefined };

const named = (env: Io['env'], name: string): NamedProxy | undefined => {
  for (const variable of [name.toLowerCase(), name]) {
    const address = env[variable];
    if (address) return { variable, address };
  }
  return undefined;
};

/** Whether NO_PROXY names this host or a domain that it is in, by the rules of undici's EnvHttpProxyAgent. */
function excepts(list: string, { hostname, port, protocol }: URL): boolean {
  const entries = list.split(/[,\s]/).filter((entry) => entry !== '');
  const number = Number(port) || (protocol === 'https:' ? 443 : 80);
  if (list === '*') return true;
  return entries.some((entry) => {
    const [, host = entry, ofPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
    const name = host.replace(/^\*?\./, '').toLowerCase();
    if (ofPort !== undefined && Number(ofPort) !== number) return false;
    return hostname === name || hostname.endsWith(`.${name}`);
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

/** Whether a variable names a proxy. What it holds otherwise is never repeated: a password may be in it. */
export const isProxyAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
