import { isLoopback } from '../../config/base-url.js';
import type { Io } from '../../io/io.js';

export type Fetch = (input: string | Request, init: RequestInit) => Promise<Response>;

const variable = (env: Io['env'], name: string): string | undefined =>
  env[name.toLowerCase()] || env[name] || undefined;

/**
 * Through a proxy where the environment names one (never to this machine itself); on Node 20 by node:http; else the
 * runtime's own.
 */
export async function chooseFetch(env: Io['env'], baseUrl: string): Promise<Fetch> {
  const httpProxy = variable(env, 'HTTP_PROXY');
  const httpsProxy = variable(env, 'HTTPS_PROXY');
  if ((httpProxy !== undefined || httpsProxy !== undefined) && !isLoopback(baseUrl)) {
    const { proxyFetch } = await import('./proxy-fetch.js');
    return proxyFetch({ httpProxy, httpsProxy, noProxy: variable(env, 'NO_PROXY') });
  }
  // With NODE_USE_ENV_PROXY the runtime's own goes through a proxy even to this machine.
  const proxied = Boolean(env.NODE_USE_ENV_PROXY);
  if (!process.versions.node.startsWith('20.') && !proxied) return fetch;
  const { nodeFetch } = await import('./node-fetch.js');
  return nodeFetch(proxied ? false : undefined);
}
