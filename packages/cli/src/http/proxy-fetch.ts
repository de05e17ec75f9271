import { EnvHttpProxyAgent, fetch } from 'undici';
import { usageError } from '../errors/cli-error.js';

export interface ProxyEnvironment {
  readonly httpProxy: string | undefined;
  readonly httpsProxy: string | undefined;
  readonly noProxy: string | undefined;
}

/** `fetch` through the proxies that the environment names: Node 20's own ignores them. */
export function proxyFetch({ httpProxy, httpsProxy, noProxy }: ProxyEnvironment) {
  for (const proxy of [httpProxy, httpsProxy]) {
    if (proxy !== undefined && !URL.canParse(proxy))
      throw usageError(`"${proxy}" is not the address of a proxy.`, 'See HTTPS_PROXY and HTTP_PROXY');
  }
  const dispatcher = new EnvHttpProxyAgent({
    ...(httpProxy !== undefined && { httpProxy }),
    ...(httpsProxy !== undefined && { httpsProxy }),
    ...(noProxy !== undefined && { noProxy }),
  });
  return async (request: Request, init?: { signal?: AbortSignal }): Promise<Response> => {
    const { url, method, headers, redirect } = request;
    const body = request.body === null ? null : Buffer.from(await request.arrayBuffer());
    const signal = init?.signal ?? request.signal;
    const answer = await fetch(url, {
      method,
      headers: Object.fromEntries(headers),
      body,
      redirect,
      signal,
      dispatcher,
    });
    // undici's own Response is another class than the runtime's.
    return new Response(answer.body as ReadableStream | null, {
      status: answer.status,
      statusText: answer.statusText,
      headers: Object.fromEntries(answer.headers),
    });
  };
}
