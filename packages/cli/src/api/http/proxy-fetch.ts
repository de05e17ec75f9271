import type { Fetch } from '@mkt/sdk';
import { EnvHttpProxyAgent, fetch } from 'undici';

/** `fetch` through proxies, which the built-in one of Node 20 ignores. */
export function proxyFetch(proxies: EnvHttpProxyAgent.Options): Fetch {
  const dispatcher = new EnvHttpProxyAgent(proxies);
  return (url, init) => fetch(url, { ...init, dispatcher });
}
