import type { Fetch } from '@mkt/sdk';
import { fetch, ProxyAgent } from 'undici';

/** `fetch` through a proxy, which the built-in one of Node 20 cannot do. */
export function proxyFetch(address: string): Fetch {
  const dispatcher = new ProxyAgent(address);
  return (url, init) => fetch(url, { ...init, dispatcher });
}
