import { isLoopback } from '../../config/base-url.js';
import type { Io } from '../../io/io.js';

export type Fetch = (input: string | Request, init: RequestInit) => Promise<Response>;

const variable = (env: Io['env'], name: string): string | undefined =>
  env[name.toLowerCase()] || env[name] || undefined;

/** Through a proxy where the environment names one (never to this machine itself), else with node:http. */
export async function chooseFetch(env: Io['env'], baseUrl: string): Promise<Fetch> {
  const httpProxy = variable(env, 'HTTP_PROXY');
  const httpsProxy = variable(env, 'HTTPS_PROXY');
  if ((httpProxy !== undefined || httpsProxy !== undefined) && !isLoopback(baseUrl)) {
    const { proxyFetch } = await import('./proxy-fetch.js');
    return proxyFetch({ httpProxy, httpsProxy, noProxy: variable(env, 'NO_PROXY') });
  }
  // With NODE_USE_ENV_PROXY Node's own agent uses the proxy even for this machine.
  const { nodeFetch } = await import('./node-fetch.js');
  return nodeFetch(env.NODE_USE_ENV_PROXY ? false : undefined);
}
