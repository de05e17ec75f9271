import { endpoints } from '@mkt/sdk/contract';
import { isNoPage } from './base-url.js';
import type { Caller } from './control/call-sites.js';

/** What MSW passes to its option for unhandled requests: the request in version 2, a frame in version 3. */
export type Unhandled = Request | { readonly frame: { readonly data: unknown } };

/** Records a request that was not sent, and why. @param above the function that the sender called */
export type AddUnsent = (request: Request, why: string, above: Caller) => void;

/** The end of a URL's path that belongs to an endpoint, below any base path. */
const endpointPath = new RegExp(
  `/(${endpoints.map(({ path }) => path.slice(1).replace('.json', '').replace(/:\w+/g, '[^/]+')).join('|')})(\\.json)?$`,
);

/**
 * Returns the value of `mock.unhandled`.
 * @param addUnsent records a request that looks like one to this API
 */
export const guardUnhandled = (baseUrl: string, addUnsent: AddUnsent) => {
  const guard = (unhandled: Unhandled): void => {
    const request = 'frame' in unhandled ? (unhandled.frame.data as { request?: Request }).request : unhandled;
    // The frame of a WebSocket has none.
    if (!request) return;
    const { url } = request;
    // The slash after the URL of the API can be missing.
    const { pathname } = new URL(url.replace(baseUrl, '$&/'));
    if (!endpointPath.test(pathname) || !isNoPage(request, pathname)) return;
    const { origin } = new URL(url);
    const isHere = url.startsWith(`${baseUrl}/`);
    const why = isHere ? 'MSW has no handler for it' : `the mock is at ${baseUrl}`;
    addUnsent(request, `It was not sent to ${origin}: ${why}.`, guard);
    const remedy = isHere
      ? 'Pass ...mock.handlers to setupServer or setupWorker.'
      : 'Set the base URL of your client, or the option baseUrl of the mock.';
    const message = `${request.method} ${url.split('?', 1)[0]} looks like a request to the marketplace API, but ${why}. It was not sent. ${remedy}`;
    console.error(`[mkt mock] ${message}`);
    // MSW sends the request if a callback only prints or throws an Error; a Response it uses as the outcome, and on Node as the
    // cause of the error that `fetch` rejects with. Vitest and Jest print the name and the message of a cause.
    throw Object.assign(Response.error(), { name: 'UnexpectedRequest', message });
  };
  return guard;
};
