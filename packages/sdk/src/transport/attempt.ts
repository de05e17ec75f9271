import { ConnectionError } from '../errors.js';
import type { MiddlewareContext, Settings } from '../options.js';

/** An answer whose body has been read. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Where the answer came from, after redirects. */
  url: string;
  /** A redirect that a browser hides: no status, no headers. */
  opaque: boolean;
}

/** The code that names a failed connection (`ECONNREFUSED`), wherever the runtime put it. */
export function failureCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return typeof code === 'string' ? code : failureCode(cause);
}

const connectionFailed = (url: string, cause: unknown): ConnectionError => {
  const code = failureCode(cause);
  return new ConnectionError(
    `No answer from ${new URL(url).origin}${code ? ` (${code})` : ''}. Check the option baseUrl, and that the server can be reached.`,
    { cause },
  );
};

/** One attempt: the middleware around `fetch`, then the body. Both end when the signal fires. */
export async function attempt(
  request: Request,
  signal: AbortSignal,
  { fetch, middleware }: Settings,
  context: MiddlewareContext,
): Promise<{ response: Response; answer: Answer }> {
  const send = async (sent: Request): Promise<Response> => {
    try {
      // The global is looked up for every call: test tools replace it after a client was made.
      return await (fetch ?? globalThis.fetch)(sent, { signal });
    } catch (cause) {
      throw signal.aborted ? signal.reason : connectionFailed(sent.url, cause);
    }
  };
  const layered = middleware.reduceRight(
    (next: typeof send, layer) => async (sent) => layer(sent, next, context),
    send,
  );
  const response = await layered(request);
  try {
    // Every body is read to its end: an unread one of 20 kB costs a socket.
    const text = await response.text();
    const { status, headers } = response;
    const answer = {
      status,
      headers,
      text,
      url: response.url || request.url,
      opaque: response.type === 'opaqueredirect',
    };
    return { response, answer };
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new ConnectionError('The connection ended before the whole answer had arrived.', { cause });
  }
}
