import { ConfigurationError, ConnectionError } from '../errors.js';
import type { FetchResponse } from '../options.js';
import { isSignIn } from './call.js';
import { parseUrl } from './settings.js';

/** What redirects need to know of a request. */
interface RedirectedRequest {
  operation: { operation: string };
  url: string;
  allowRedirects: boolean;
  /** Where redirects led. */
  finalUrl?: string;
}

/** Follows the redirects of a read. `fetch` would do so with the caller's headers, which are not sent to another origin. */
export async function followRedirects(
  first: FetchResponse,
  headers: Record<string, string>,
  request: RedirectedRequest,
  get: (url: string, init: { headers: Record<string, string> }) => Promise<FetchResponse>,
): Promise<FetchResponse> {
  let response = first;
  const visited = new Set([request.url]);
  for (;;) {
    const from = request.finalUrl ?? request.url;
    const location = response && /^30[12378]$/.test(String(response.status)) && response.headers.get('location');
    const to = location ? parseUrl(location, new URL(from)) : undefined;
    // A sign-in page is nowhere to go: the token is not accepted.
    if (!to || isSignIn(to.href)) return response;
    // As many as browsers follow.
    if (visited.size > 20 || visited.has(to.href)) throw redirectsEndlessly(from);
    visited.add(to.href);
    const isElsewhere = to.origin !== originOf(request.url);
    if (isElsewhere && !request.allowRedirects) throw leavesOrigin(request, to.href);
    await response.text();
    request.finalUrl = to.href;
    response = await get(to.href, { headers: isElsewhere ? { accept: headers.accept ?? '*/*' } : headers });
  }
}

export const redirectLoop = 'REDIRECT_LOOP';

export const redirectsEndlessly = (url: string, cause?: unknown): ConnectionError =>
  new ConnectionError(`${originOf(url)} redirects endlessly. Check the option baseUrl.`, { cause, code: redirectLoop });

export const leavesOrigin = ({ operation, url }: RedirectedRequest, to: string): ConfigurationError =>
  new ConfigurationError(
    `${originOf(url)} redirects to ${originOf(to)}. If that is the API, give it as the option baseUrl; to read from there, without the token and your headers, set allowRedirects.`,
    operation,
  );

export const originOf = (url: string): string => new URL(url).origin;
