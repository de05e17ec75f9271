import { placed } from './named-response.js';

/** Answers a request, or tells with undefined that it is not the API's. */
export type Answer = (request: Request) => Promise<Response | undefined>;

const maxRedirects = 20;

/** What `fetch` of Node throws when a connection breaks: clients look at the cause's code. */
const connectionBroke = (): TypeError =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error('The mock dropped the connection.'), { code: 'UND_ERR_SOCKET' }),
  });

/** Rejects with the signal's reason as soon as it fires, as `fetch` does. */
function unlessAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * A `fetch` that asks `answer` instead of the network: redirects, aborts and broken connections are as the platform's
 * own `fetch` has them. Relative addresses start at `baseUrl`.
 */
export function inProcessFetch(answer: Answer, baseUrl: string): typeof fetch {
  /** @param signal The caller's; the request has one of its own even where nobody can fire it. */
  const follow = async (request: Request, signal: AbortSignal | null, redirects: number): Promise<Response> => {
    const { redirect, url, headers } = request;
    // Nothing is sent, and so nothing done, for a caller that has given up already.
    signal?.throwIfAborted();
    const answered = answer(request);
    const response = await (signal ? unlessAborted(signal, answered) : answered);
    if (!response) {
      throw new TypeError(
        `fetch failed: ${url} is not the mock's. This fetch reaches ${baseUrl} only; give other addresses the platform's own fetch.`,
      );
    }
    if (response.type === 'error') throw connectionBroke();
    const location = response.status === 303 ? response.headers.get('location') : null;
    if (location === null || redirect === 'manual') return placed(response, url, redirects > 0);
    if (redirect === 'error' || redirects === maxRedirects) throw new TypeError('fetch failed: unexpected redirect');
    const kept = [...headers].filter(([name]) => !name.startsWith('content-'));
    return follow(new Request(new URL(location, url), { headers: kept, signal }), signal, redirects + 1);
  };
  return async (input, init) => {
    const request = new Request(typeof input === 'string' ? new URL(input, `${baseUrl}/`) : input, init);
    const signal = init?.signal || input instanceof Request ? request.signal : null;
    return follow(request, signal, 0);
  };
}
