import { failureCode } from '../connection-failure.js';
import { ConfigurationError, ConnectionError } from '../errors.js';
import type { MiddlewareContext, Settings } from '../options.js';
import { isBrowser } from './runtime.js';

/** An answer whose body has been read. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Where the answer came from, after redirects. */
  url: string;
  /** The origin that was asked, where redirects led to another one: `fetch` takes the token to none but the first. */
  leftOrigin: string | undefined;
  /** A redirect that a browser hides: no status, no headers. */
  opaque: boolean;
}

/** Runtimes follow a redirect 20 times, then fail. Their words for it differ, not this one; a browser's have none. */
const goesRound = (cause: unknown): boolean =>
  cause instanceof Error && (/redirect/i.test(cause.message) || goesRound(cause.cause));

const originOf = (url: string): string => new URL(url).origin;

function connectionFailed(url: string, cause: unknown): ConnectionError {
  const origin = originOf(url);
  if (goesRound(cause))
    return new ConnectionError(
      `${origin} redirects the request without end. Check that the option baseUrl names the API itself.`,
      { cause },
    );
  const code = failureCode(cause);
  // A browser tells no program why it withheld an answer.
  const cors = isBrowser ? " It may also refuse this page's origin or a header of the request (CORS)." : '';
  return new ConnectionError(
    `No answer from ${origin}${code ? ` (${code})` : ''}. Check the option baseUrl, and that the server can be reached.${cors}`,
    { cause },
  );
}

/**
 * One attempt: the middleware around `fetch`, then the body. Both end when the signal fires.
 *
 * Only middleware gets a `Request`: the runtime's `fetch` makes one of its own in any case.
 */
export async function attempt(
  url: string,
  init: RequestInit & { signal: AbortSignal },
  { fetch, middleware }: Settings,
  context: MiddlewareContext,
): Promise<Answer> {
  const { signal } = init;
  const send = async (target: string | Request, given: RequestInit): Promise<Response> => {
    try {
      // The global is looked up for every call: test tools replace it after a client was made.
      return await (fetch ?? globalThis.fetch)(target, given);
    } catch (cause) {
      throw signal.aborted ? signal.reason : connectionFailed(url, cause);
    }
  };
  const layered = (): Promise<Response> =>
    middleware.reduceRight(
      (next: (request: Request) => Promise<Response>, layer) => async (request) => layer(request, next, context),
      (request) => send(request, { signal }),
    )(new Request(url, init));
  const response = await (middleware.length === 0 ? send(url, init) : layered());
  if (!response) throw new ConfigurationError(`${context.operation}: the fetch in use gave no answer.`);
  try {
    // Every body is read to its end: an unread one of 20 kB costs a socket.
    const text = await response.text();
    const { status, headers, redirected, type } = response;
    const finalUrl = response.url || url;
    const leftOrigin = redirected && originOf(finalUrl) !== originOf(url) ? originOf(url) : undefined;
    return { status, headers, text, url: finalUrl, leftOrigin, opaque: type === 'opaqueredirect' };
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new ConnectionError('The connection ended before the whole answer had arrived.', { cause });
  }
}
