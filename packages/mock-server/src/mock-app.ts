import { type App, createApp, invalid, type Prefill, pageSizeOfSeed, type Store } from '@mkt/server';
import { mountRoute } from '@mkt/server/extend';
import { apiPath, type Urls } from './base-url.js';
import { copyCall, noteCall } from './control/call-sites.js';
import type { ControlHooks } from './control/hooks.js';
import type { AnySeed } from './control/new-items.js';
import type { Handler } from './mock-fetch.js';
import { MockResponse } from './mock-response.js';
import type { MarketplaceMockOptions, PageFixture } from './options.js';

const pageReader =
  (pages: Readonly<Record<string, PageFixture>>) =>
  async (website: string): Promise<Prefill> => {
    const page = Object.hasOwn(pages, website) ? pages[website] : undefined;
    if (!page)
      throw invalid(
        'website',
        `Website ${website} cannot be read: the mock does not have this page. Add it to the option \`pages\`.`,
      );
    return { name: null, brief: null, countries: null, image: null, ...page, website };
  };

/** Loaded on demand: clients of the API do not see them. */
const loadPages = async () => (await import('./html-renderer.js')).htmlRenderer;

/** The app of the reference server, without its pages. */
export function createMockApp(
  store: Store,
  hooks: ControlHooks,
  { baseUrl, callingOrigin }: Urls,
  {
    seed = 'demo',
    pageSize = pageSizeOfSeed(seed),
    pages = {},
    cors,
    like,
    rateLimit,
  }: MarketplaceMockOptions<AnySeed>,
): App {
  return createApp({
    store,
    ...hooks,
    baseUrl,
    renderer: {
      respond: async (...values) => (await loadPages()).respond(...values),
      problem: async (...values) => (await loadPages()).problem(...values),
    },
    readPage: pageReader(pages),
    mount(routes) {
      mountRoute(routes, '/livez', { GET: (exchange) => exchange.json(200, { status: 'alive' }) });
      mountRoute(routes, '/readyz', { GET: (exchange) => exchange.json(200, { status: 'ready' }) });
    },
    Response: MockResponse,
    // In MSW for Node and for Playwright the client itself checks CORS.
    ...(callingOrigin === undefined ? { cors: '*' } : cors !== undefined && { cors }),
    ...(like === undefined ? {} : { like }),
    ...(pageSize === undefined ? {} : { pageSize }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
  });
}

/** Passes requests for the API to its app, once the data is `ready`. */
export function handlerOf(
  fetchApp: App['fetch'],
  { origin, baseUrl, pageOrigin, callingOrigin }: Urls,
  ready: Promise<void>,
  isStrict: boolean,
): Handler {
  const pathOf = apiPath(baseUrl, pageOrigin);
  return async (request, above) => {
    if (isStrict) noteCall(request, above);
    const path = pathOf(request);
    if (path === undefined) return undefined;
    const inside = request.url === origin + path ? request : new Request(origin + path, request);
    copyCall(request, inside);
    await ready;
    if (callingOrigin === undefined) return fetchApp(inside);
    // Loaded only if it is used, which is rare.
    return (await import('./strict-cors.js')).strictCors(fetchApp, callingOrigin)(inside);
  };
}
