import type { Fetch, FetchResponse } from '@mkt/sdk';
import { fetch, ProxyAgent } from 'undici';

/** `fetch` through a proxy, which the built-in one of Node 20 cannot do. */
export function proxyFetch(address: string, heard?: (headers: FetchResponse['headers']) => void): Fetch {
  const dispatcher = new ProxyAgent(address);
  return async (url, init) => {
    const response = await fetch(url, { ...init, dispatcher });
    heard?.(response.headers);
    return response;
  };
}
