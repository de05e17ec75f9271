import { EnvHttpProxyAgent, fetch } from 'undici';
import { usageError } from '../../errors/cli-error.js';
import { isProxyAddress } from './proxy-of.js';

export interface ProxyEnvironment {
  readonly httpProxy: string | undefined;
  readonly httpsProxy: string | undefined;
  readonly noProxy: string | undefined;
}

/** `fetch` through the proxies that the environment names: Node 20's own ignores them. */
export function proxyFetch({ httpProxy, httpsProxy, noProxy }: ProxyEnvironment) {
  for (const [name, proxy] of Object.entries({ HTTP_PROXY: httpProxy, HTTPS_PROXY: httpsProxy })) {
    if (proxy !== undefined && !isProxyAddress(proxy))
      throw usageError(`${name} is not the address of a proxy.`, `${name}=http://proxy.example:8080`);
  }
  const dispatcher = new EnvHttpProxyAgent({
    ...(httpProxy !== undefined && { httpProxy }),
    ...(httpsProxy !== undefined && { httpsProxy }),
    ...(noProxy !== undefined && { noProxy }),
  });
  return async (input: string | Request, init: RequestInit): Promise<Response> => {
    // undici's classes are others than the runtime's: what goes in is written out, what comes back is wrapped again.
    const request = new Request(input, init);
    const { url, method, headers, redirect, signal } = request;
    const body = request.body === null ? null : Buffer.from(await request.arrayBuffer());
    const answer = await fetch(url, {
      method,
      headers: Object.fromEntries(headers),
      body,
      redirect,
      signal,
      dispatcher,
    });
    return new Response(answer.body as ReadableStream | null, {
      status: answer.status,
      statusText: answer.statusText,
      headers: Object.fromEntries(answer.headers),
    });
  };
}
