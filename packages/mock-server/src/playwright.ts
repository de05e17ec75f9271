import { http, type RequestHandler } from 'msw';
import { apiPath } from './base-url.js';
import { unlessBroken } from './interceptors.js';
import type { FetchMock, SeedTokens } from './mock.js';
import type { Unhandled } from './unhandled.js';

/** A page or a context of Playwright. */
export type PlaywrightTarget = { context(): object } | { pages(): unknown[] };

/** What @msw/playwright created. */
export interface PlaywrightNetwork {
  /** Adds handlers, which precede the mock. */
  use(...handlers: RequestHandler[]): void;
  /** Ends the interception of requests. */
  disable(): Promise<void>;
}

/** The origin of the page that sent a request; undefined for the first request of a page. */
function pageOriginOf({ headers }: Request): string | undefined {
  const referer = headers.get('referer');
  return referer === null ? undefined : new URL(referer).origin;
}

/**
 * Lets the mock respond to the requests of a page in Playwright, with @msw/playwright and MSW 2, which that needs. The page's
 * other requests pass through; those that look like requests to this API fail, as with `mock.guard`. Playwright cannot
 * redirect to another mocked URL or break a connection in the middle of a body: the mock follows redirects, and such a body
 * is a broken connection.
 * @param target The page; all pages of its context are intercepted. Or that context.
 * @example
 * test('lists campaigns', async ({ page }) => {
 *   const mock = createMarketplaceMock();
 *   await withMswPlaywright(page, mock);
 *   await page.goto('/');
 * });
 */
export async function withMswPlaywright(
  target: PlaywrightTarget,
  mock: Pick<FetchMock<SeedTokens>, 'baseUrl' | 'fetch'> & { readonly unhandled: (unhandled: Unhandled) => void },
): Promise<PlaywrightNetwork> {
  // It ends the process if its handler of unhandled requests throws, so this one is for every URL.
  const handler = http.all(/^/, async ({ request }) => {
    if (apiPath(mock.baseUrl, pageOriginOf(request))(request) === undefined) return mock.unhandled(request);
    try {
      return await unlessBroken(await mock.fetch(request));
    } catch (error) {
      if (error instanceof TypeError) return Response.error();
      throw error;
    }
  });
  const { defineNetworkFixture } = await import('@msw/playwright').catch((cause: unknown) => {
    // Only handlers of MSW 3 have this method. A package that is not installed is another error.
    if (!('dispose' in handler && (cause instanceof SyntaxError || cause instanceof TypeError))) throw cause;
    const message =
      'This version of @msw/playwright needs MSW 2, but MSW 3 is installed. Run: npm install --save-dev msw@2';
    throw new Error(message, { cause });
  });
  const network = defineNetworkFixture({
    context: 'context' in target ? target.context() : target,
    handlers: [handler],
    // It takes URLs that end with .json for files.
    skipAssetRequests: false,
  });
  await network.enable();
  return network;
}
