import { type Caller, copyCall, noteSdkCall } from './control/call-sites.js';
import { withUrl } from './mock-response.js';
import type { AddUnsent } from './unhandled.js';

/**
 * Responds to a request; undefined if it is not for the API.
 * @param above the function that the sender called
 */
export type Handler = (request: Request, above: Caller) => Promise<Response | undefined>;

const maxRedirects = 20;

/** The error of Node's `fetch` for a broken connection. Clients check the code of its cause. */
const connectionError = (): TypeError =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error('The mock dropped the connection.'), { code: 'UND_ERR_SOCKET' }),
  });

/** Rejects with the signal's reason when it aborts, as `fetch` does. */
function unlessAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** The request that follows a redirect, without the headers of the body; undefined for other responses. */
function redirected(request: Request, response: Response): Request | undefined {
  const location = response.status === 303 ? response.headers.get('location') : null;
  if (location === null) return undefined;
  const headers = [...request.headers].filter(([name]) => !name.startsWith('content-'));
  return new Request(new URL(location, request.url), { headers, signal: request.signal });
}

/**
 * A `fetch` that calls `handle` instead of the network. Redirects, aborts and broken connections behave as in the
 * platform's `fetch`. Relative URLs start at `baseUrl`.
 */
export function mockFetch(handle: Handler, baseUrl: string, addUnsent: AddUnsent): typeof fetch {
  /** @param signal the caller's: a request always has a signal of its own, even if nothing can abort it */
  const follow = async (request: Request, signal: AbortSignal | null, redirects: number): Promise<Response> => {
    const { redirect, url } = request;
    // An aborted request has no effect.
    signal?.throwIfAborted();
    const handled = handle(request, mocked);
    const response = await (signal ? unlessAborted(signal, handled) : handled);
    if (!response) {
      addUnsent(request, `It was not sent: this fetch only reaches ${baseUrl}.`, mocked);
      throw new TypeError(
        `fetch failed: ${url} is not a URL of the mock. This fetch only reaches ${baseUrl}. Use the platform's fetch for other URLs.`,
      );
    }
    if (response.type === 'error') throw connectionError();
    const next = redirected(request, response);
    if (!next || redirect === 'manual') return withUrl(response, url, redirects > 0);
    if (redirect === 'error' || redirects === maxRedirects) throw new TypeError('fetch failed: unexpected redirect');
    copyCall(request, next);
    return follow(next, signal, redirects + 1);
  };
  const mocked: typeof fetch = async (input, init) => {
    const request = new Request(typeof input === 'string' ? new URL(input, `${baseUrl}/`) : input, init);
    const signal = init?.signal || input instanceof Request ? request.signal : null;
    noteSdkCall(request, init);
    return follow(request, signal, 0);
  };
  return mocked;
}
