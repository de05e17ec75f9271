import { type Handler, redirected } from './mock-fetch.js';
import { isMisdirected } from './unhandled.js';

/**
 * The handler for @msw/playwright. Playwright cannot follow a redirect to another mocked URL or break a connection in the
 * middle of a body, and @msw/playwright ends the process if a handler for unhandled requests throws.
 */
export function playwrightHandler(handle: Handler, baseUrl: string): Handler {
  const respond: Handler = async (request) => {
    const response = await handle(request);
    if (!response) return isMisdirected(request, baseUrl) ? Response.error() : undefined;
    const next = redirected(request, response);
    return next ? respond(next) : (await import('./interceptors.js')).unlessBroken(response);
  };
  return respond;
}
