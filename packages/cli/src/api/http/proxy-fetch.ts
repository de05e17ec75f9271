import { EnvHttpProxyAgent, fetch } from 'undici';

/** `fetch` through proxies, which the built-in one of Node 20 ignores. */
export function proxyFetch(proxies: EnvHttpProxyAgent.Options) {
  const dispatcher = new EnvHttpProxyAgent(proxies);
  return async (input: string | Request, init: RequestInit): Promise<Response> => {
    // undici's classes are not those of the runtime, so requests and responses have to be converted.
    const request = new Request(input, init);
    const { url, method, headers, redirect, signal } = request;
    const response = await fetch(url, {
      method,
      headers: Object.fromEntries(headers),
      body: request.body === null ? null : Buffer.from(await request.arrayBuffer()),
      redirect,
      signal,
      dispatcher,
    });
    const { status, statusText } = response;
    return new Response(response.body as ReadableStream | null, {
      status,
      statusText,
      headers: Object.fromEntries(response.headers),
    });
  };
}
