import {
  type Control,
  createApp,
  createControl,
  demoTokens,
  invalid,
  memoryStore,
  type OpenedSeed,
  openSeed,
  type Prefill,
  type SeedSource,
  type Store,
} from '@mkt/server';
import type { HttpHandler } from 'msw';
import { httpAddress, withoutSlash } from './address.js';
import { missingHeaderFace } from './face.js';
import { catchAll } from './handlers.js';
import { type Answer, inProcessFetch } from './in-process.js';
import { NamedResponse } from './named-response.js';
import type { MarketplaceMockOptions, PageFixture } from './options.js';
import { apiPath } from './ours.js';
import { SessionPersistence, sessionStorageOf } from './persistence.js';

/** Secrets of the demo people's tokens, which the seeds `demo` and `large` have. */
export type DemoTokens = typeof demoTokens;
/** Secrets of the tokens of other seeds, as `<handle>_<permission>`. */
export type SeedTokens = Readonly<Record<string, string>>;

/** The whole marketplace API in this process, with the control verbs. */
export interface MarketplaceMock<Tokens extends SeedTokens = DemoTokens> extends Control {
  /** For MSW: `setupServer(...mock.handlers)`, `setupWorker(...mock.handlers)`. */
  readonly handlers: readonly HttpHandler[];
  /** The API without MSW: a `fetch` that reaches this mock alone. */
  readonly fetch: typeof fetch;
  readonly baseUrl: string;
  /** Secrets of the seeded tokens. Those of `empty` and of your own seeds are there once `ready` is. */
  readonly tokens: Tokens;
  /** When the seed is loaded. Requests and verbs wait for it by themselves. @throws {SeedError} */
  readonly ready: Promise<void>;
}

const pageReader =
  (pages: Readonly<Record<string, PageFixture>>) =>
  async (website: string): Promise<Prefill> => {
    const page = Object.hasOwn(pages, website) ? pages[website] : undefined;
    if (!page)
      throw invalid('website', `Website ${website} cannot be read: the mock has no such page. Name it in \`pages\`.`);
    return { name: null, brief: null, countries: null, image: null, ...page, website };
  };

/** The store as the verbs see it: what reads or changes rows waits until the seed is there. */
const onceReady = (store: Store, ready: () => Promise<void>): Store => ({
  ...store,
  async read(work) {
    await ready();
    return store.read(work);
  },
  async transact(work) {
    await ready();
    return store.transact(work);
  },
  async dump() {
    await ready();
    return store.dump();
  },
});

/** The page, where there is one. */
const inBrowser = globalThis as { readonly location?: Location };

/** Which origin the option `strictCors` says that calls come from. @throws {TypeError} */
function originOf(strict: boolean | string = false, pageOrigin: string | undefined): string | undefined {
  if (typeof strict === 'string') return httpAddress('strictCors', strict, 'http://localhost:5173').origin;
  return strict ? pageOrigin : undefined;
}

/** The seed, opened once: `reset()` goes back to the rows, and the secrets, that it began with. */
function seedOf(source: SeedSource) {
  const tokens: Record<string, string> = source === 'demo' || source === 'large' ? { ...demoTokens } : {};
  let opened: Promise<OpenedSeed> | undefined;
  const open = async (): Promise<OpenedSeed> => {
    opened ??= openSeed(source);
    const seed = await opened;
    Object.assign(tokens, seed.tokens);
    return seed;
  };
  return { tokens, open };
}

/**
 * Makes a marketplace of its own: two mocks share nothing. Its data is in memory.
 * @example
 * const mock = createMarketplaceMock();
 * setupServer(...mock.handlers).listen();
 */
export function createMarketplaceMock(options?: MarketplaceMockOptions<'demo' | 'large'>): MarketplaceMock;
export function createMarketplaceMock(options: MarketplaceMockOptions): MarketplaceMock<SeedTokens>;
export function createMarketplaceMock(options: MarketplaceMockOptions = {}): MarketplaceMock<SeedTokens> {
  const { seed: source = 'demo', latency = 0, pages = {}, cors, pageSize, rateLimit } = options;
  const baseUrl = withoutSlash(
    httpAddress('baseUrl', options.baseUrl ?? 'https://api.example.com', 'https://api.example.com/v1'),
  );
  if (pageSize !== undefined && !(Number.isInteger(pageSize) && pageSize > 0))
    throw new TypeError('The option pageSize takes a whole number from 1.');
  const pageOrigin = inBrowser.location?.origin;
  const callingOrigin = originOf(options.strictCors, pageOrigin);
  const store = memoryStore();
  const seeded = seedOf(source);

  const { control, clock, around } = createControl({
    store: onceReady(store, () => ready),
    seed: async () => (await seeded.open()).dump,
    pages: false,
    forget: () => app.forget(),
  });
  const app = createApp({
    store,
    clock,
    around,
    baseUrl,
    face: missingHeaderFace,
    readPage: pageReader(pages),
    Response: NamedResponse,
    ...(cors === undefined ? {} : { cors }),
    ...(pageSize === undefined ? {} : { pageSize }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
  });

  const storage = options.persist === 'session' ? sessionStorageOf(inBrowser.location) : undefined;
  const session = storage && new SessionPersistence(storage, `mkt-mock ${baseUrl}`, JSON.stringify(source));
  const start = async (): Promise<void> => {
    const tokens = await session?.revive(control);
    if (tokens) Object.assign(seeded.tokens, tokens);
    else await store.load((await seeded.open()).dump);
  };
  const ready = start();
  // Whoever asks for something meets the failure: `ready` alone, which nobody may be watching, must not end the process.
  ready.catch(() => undefined);
  const changed = session?.follow(control, () => seeded.tokens);

  const fetchApp: (request: Request) => Promise<Response> =
    callingOrigin === undefined
      ? app.fetch
      : // Few ask for it: a page loads it only then.
        async (request) => (await import('./strict-cors.js')).strictCors(app.fetch, callingOrigin)(request);
  const pathOf = apiPath(baseUrl, pageOrigin);
  const { origin } = new URL(baseUrl);
  const answer: Answer = async (request) => {
    const path = pathOf(request);
    if (path === undefined) return undefined;
    await ready;
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
    const inside = request.url === origin + path ? request : new Request(origin + path, request);
    const response = await fetchApp(inside);
    if (request.method !== 'GET' && request.method !== 'HEAD') changed?.();
    return response;
  };

  return {
    ...control,
    async reset() {
      await ready;
      await control.reset();
      session?.forget();
    },
    async restore(snapshot) {
      await ready;
      await control.restore(snapshot);
    },
    async seed(seed) {
      await ready;
      return control.seed(seed);
    },
    handlers: [catchAll(baseUrl, answer)],
    fetch: inProcessFetch(answer, baseUrl),
    baseUrl,
    tokens: seeded.tokens,
    ready,
  };
}
