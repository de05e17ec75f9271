import './node-storage.js';
import { type HttpHandler, http } from 'msw';
import { watchCalls } from './control/call-sites.js';
import type { AnySeed, CheckedSeed, PartialSeed } from './control/new-items.js';
import { createMock, type DemoTokens, type FetchMock, type SeedTokens } from './mock.js';
import type { MarketplaceMockOptions } from './options.js';
import { guardUnhandled, type Unhandled } from './unhandled.js';

export { ControlError } from './control/errors.js';
export type * from './control-types.js';
export type { DemoTokens, SeedTokens } from './mock.js';
export type { MarketplaceMockOptions, PageFixture } from './options.js';

/** The whole marketplace API in this process, with the control methods and handlers for MSW. */
export interface MarketplaceMock<Tokens extends SeedTokens = DemoTokens> extends FetchMock<Tokens> {
  /** For MSW: `setupServer(...mock.handlers)`, `setupWorker(...mock.handlers)`. */
  readonly handlers: HttpHandler[];
  /**
   * A request that MSW does not handle and that looks like one to this API, whatever its origin, fails like a broken connection and is not sent. A message on the console names the URL, and `assertNoUnexpected` of this mock throws. Other requests pass.
   * MSW's own `'error'` lets these requests through, because it takes URLs that end with `.json` for files. `guard` has it as
   * options.
   */
  readonly unhandled: (unhandled: Unhandled) => void;
  /**
   * `unhandled` under the names that MSW 2 and MSW 3 have for this option.
   * @example
   * server.listen(mock.guard);
   * await worker.start({ ...mock.guard, quiet: true });
   */
  readonly guard: Guard;
}

/** Options of MSW that stop requests to this API at a wrong URL. */
export interface Guard {
  readonly onUnhandledRequest: (unhandled: Unhandled) => void;
  readonly onUnhandledFrame: (unhandled: Unhandled) => void;
}

/** What MSW on Node intercepted: a `ClientRequest` of `node:http` or an `XMLHttpRequest`; with `fetch` undefined. */
function senderOf(request: Request): object | undefined {
  // There is no other way to find it: `getRawRequest` is in a package on which only MSW depends.
  const key = Object.getOwnPropertySymbols(request).find(({ description }) => description === 'kRawRequest');
  const sender = key && (Reflect.get(request, key) as object);
  return sender instanceof Request ? undefined : sender;
}

/**
 * Creates a marketplace with its data in memory. Two mocks share nothing.
 * @example
 * const mock = createMarketplaceMock();
 * setupServer(...mock.handlers).listen(mock.guard);
 */
export function createMarketplaceMock(options?: MarketplaceMockOptions<'demo' | 'large'>): MarketplaceMock;
export function createMarketplaceMock(
  options: MarketplaceMockOptions<PartialSeed & { readonly extends: 'demo' | 'large' }>,
): MarketplaceMock<DemoTokens & SeedTokens>;
export function createMarketplaceMock<Text extends string>(
  options: MarketplaceMockOptions<CheckedSeed<Text>>,
): MarketplaceMock<SeedTokens>;
export function createMarketplaceMock(
  options?: MarketplaceMockOptions<AnySeed>,
): MarketplaceMock<DemoTokens & SeedTokens> {
  const { mock: plain, handle, addUnsent } = createMock(options);
  const mock = plain as FetchMock<DemoTokens & SeedTokens>;
  const { baseUrl } = mock;
  const respond = async (request: Request, isMsw3: boolean): Promise<Response | undefined> => {
    const response = await handle(request, respond);
    const sender = senderOf(request);
    if (!response || !(sender || isMsw3 || response.type === 'error')) return response;
    return (await import('./interceptors.js')).breakConnection(response, sender, isMsw3);
  };
  // One handler for the whole API, because MSW tries its handlers in turn: one per endpoint is four times slower.
  const isHere = ({ request }: { readonly request: Request }) => `${request.url}/`.startsWith(`${baseUrl}/`);
  const handler: HttpHandler = http.all(isHere, ({ request }) =>
    // Only handlers of MSW 3 have this method.
    respond(request, 'dispose' in handler),
  );
  // MSW's log in the browser reads the whole body, and awaits nothing: a body that breaks off would be an unhandled rejection.
  const { log } = handler;
  handler.log = (shown) => log.call(handler, shown).catch(() => undefined);
  const unhandled = guardUnhandled(baseUrl, addUnsent);
  const guard = { onUnhandledRequest: unhandled, onUnhandledFrame: unhandled };
  return {
    ...mock,
    handlers: [handler],
    unhandled,
    get guard() {
      // After MSW has replaced `fetch`, which it does when it has this.
      if (options?.strict) queueMicrotask(watchCalls);
      return guard;
    },
  };
}

/** What `withMock` uses of MSW's `setupServer()`. */
export interface MswServer {
  boundary<Values extends unknown[], Result>(callback: (...values: Values) => Result): (...values: Values) => Result;
  use(...handlers: HttpHandler[]): void;
}

/**
 * A test with a mock of its own, in a boundary of MSW's server: tests that run concurrently share nothing. At the end it
 * asserts that there were no unexpected requests. It resets the mock, whether the test succeeds or throws.
 * @example
 * const server = setupServer();
 * test.concurrent('lists campaigns', withMock(server, { seed: 'demo' }, async ({ mock }) => { ... }));
 */
export function withMock<Context extends unknown[] = []>(
  server: MswServer,
  options: MarketplaceMockOptions<'demo' | 'large'>,
  test: (own: { readonly mock: MarketplaceMock }, ...context: Context) => unknown,
): (...context: Context) => Promise<void>;
export function withMock<Text extends string, Context extends unknown[] = []>(
  server: MswServer,
  options: MarketplaceMockOptions<CheckedSeed<Text>>,
  test: (own: { readonly mock: MarketplaceMock<SeedTokens> }, ...context: Context) => unknown,
): (...context: Context) => Promise<void>;
export function withMock(
  server: MswServer,
  options: MarketplaceMockOptions<AnySeed>,
  test: (own: { readonly mock: MarketplaceMock<DemoTokens & SeedTokens> }, ...context: unknown[]) => unknown,
): (...context: unknown[]) => Promise<void> {
  // Rest parameters, because Jest takes a parameter for a callback that ends the test.
  return server.boundary(async (...context) => {
    const mock = createMarketplaceMock<string>(options) as MarketplaceMock<DemoTokens & SeedTokens>;
    server.use(...mock.handlers);
    try {
      await mock.ready;
      await test({ mock }, ...context);
      mock.assertNoUnexpected();
    } finally {
      // Ends hanging requests too.
      await mock.reset();
    }
  });
}
