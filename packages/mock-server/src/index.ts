import { type HttpHandler, http } from 'msw';
import { createMock, type DemoTokens, type FetchMock, type SeedTokens } from './mock.js';
import type { MarketplaceMockOptions } from './options.js';
import { playwrightHandler } from './playwright.js';
import { guardUnhandled, type Unhandled } from './unhandled.js';

export { ControlError } from '@mkt/server';
export type * from './control-types.js';
export type { DemoTokens, SeedTokens } from './mock.js';
export type { MarketplaceMockOptions, PageFixture } from './options.js';

/** The whole marketplace API in this process, with the control methods and handlers for MSW. */
export interface MarketplaceMock<Tokens extends SeedTokens = DemoTokens> extends FetchMock<Tokens> {
  /** For MSW: `setupServer(...mock.handlers)`, `setupWorker(...mock.handlers)`. */
  readonly handlers: HttpHandler[];
  /**
   * For MSW's option `onUnhandledRequest`, in MSW 3 `onUnhandledFrame`: a request that looks like one to this API, whatever
   * its origin, fails like a broken connection and is not sent. A message on the console names the URL. Other requests pass.
   * MSW's own `'error'` lets these requests through, because it takes URLs that end with `.json` for files.
   * @example
   * server.listen({ onUnhandledRequest: mock.unhandled });
   */
  readonly unhandled: (unhandled: Unhandled) => void;
}

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Creates a marketplace with its data in memory. Two mocks share nothing.
 * @example
 * const mock = createMarketplaceMock();
 * setupServer(...mock.handlers).listen({ onUnhandledRequest: mock.unhandled });
 */
export function createMarketplaceMock(options?: MarketplaceMockOptions<'demo' | 'large'>): MarketplaceMock;
export function createMarketplaceMock(options: MarketplaceMockOptions): MarketplaceMock<SeedTokens>;
export function createMarketplaceMock(options?: MarketplaceMockOptions): MarketplaceMock<SeedTokens> {
  const { mock, handle } = createMock(options);
  const { baseUrl } = mock;
  const respond = options?.playwright ? playwrightHandler(handle, baseUrl) : handle;
  const urls = options?.playwright ? /^/ : new RegExp(`^${escapeRegExp(baseUrl)}(/|$)`);
  return {
    ...mock,
    // One handler for the whole API, because MSW tries its handlers in turn: one per endpoint is four times slower.
    handlers: [http.all(urls, ({ request }) => respond(request))],
    unhandled: guardUnhandled(baseUrl),
  };
}
