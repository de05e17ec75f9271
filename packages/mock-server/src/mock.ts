import { type OperationName, type ResourceName, resources } from '@mkt/sdk/contract';
import {
  createApp,
  type DemoUser,
  demoSeed,
  demoTokens,
  differencesIn,
  type IdFormat,
  idsOfSeed,
  invalid,
  memoryStore,
  type OpenedSeed,
  type Prefill,
  pageSizeOfSeed,
  type Store,
  serviceDifferences,
  type TableName,
} from '@mkt/server';
import { apiPath, parseHttpUrl } from './base-url.js';
import { createControl } from './control/control.js';
import { ControlError } from './control/errors.js';
import type { ControlEvent } from './control/events.js';
import type { Override } from './control/operation-types.js';
import type { AnySeed } from './control/seed-source.js';
import { openSeed } from './control/seeds.js';
import { type Handler, mockFetch } from './mock-fetch.js';
import { MockResponse } from './mock-response.js';
import type { MarketplaceMockOptions, PageFixture } from './options.js';
import type { SessionPersistence } from './persistence.js';
import type { ControlOfUsers } from './users.js';

/** Secrets of the demo users' tokens, in the seeds `demo` and `large`. */
export type DemoTokens = typeof demoTokens;
/** Secrets of the tokens of other seeds, as `<handle>_<permission>`. */
export type SeedTokens = Readonly<Record<string, string>>;

const tables = {
  accessTokens: 'access_tokens',
  organizations: 'organizations',
  members: 'memberships',
  campaigns: 'campaigns',
  collabs: 'collabs',
  socialAccounts: 'social_accounts',
  address: 'addresses',
} as const satisfies Readonly<Record<ResourceName, TableName>>;

/** The whole marketplace API in this process, with the control methods. */
export interface FetchMock<Tokens extends SeedTokens = DemoTokens>
  extends ControlOfUsers<Tokens extends DemoTokens ? DemoUser : string> {
  /** A `fetch` that reaches only this mock. */
  readonly fetch: typeof fetch;
  readonly baseUrl: string;
  /**
   * Calls the listener with each event: a `request`, when its response is sent, or a change of `faults` (and their counts),
   * `clock`, `latency`, `data` or `users`. Returns a function that ends this.
   */
  readonly subscribe: (listener: (event: ControlEvent) => void) => () => void;
  /** Saves the state. False if a reload of the page would lose it: without `persist`, or if it does not fit. */
  readonly survivesReload: () => Promise<boolean>;
  /**
   * Overrides one operation until `reset()`: with `response(json)`, or any Response. Without a result the previous override
   * responds, then the marketplace. Faults apply to overrides too.
   * @returns a function that removes the override
   * @throws {ControlError} if there is no such operation
   * @example
   * mock.on('campaigns.list', ({ response }) => response([]));
   */
  readonly on: <Name extends OperationName>(operation: Name, override: Override<Name>) => () => void;
  /**
   * The id of a resource by its number: `idOf('campaigns', 3)` is 3, or a text such as `k3f9q2xw7vbd` with opaque ids. Rows are
   * numbered in order of creation. Rows of a seed other than `demo` are found when `ready` has resolved.
   * @throws {ControlError} if there is no such resource
   */
  readonly idOf: (resource: ResourceName, number: number) => number | string;
  /** Secrets of the seeded tokens. Those of `empty` and of your own seeds are set when `ready` resolves. */
  readonly tokens: Tokens;
  /** Resolves when the seed is loaded. Requests and control methods wait for it. @throws {SeedError} */
  readonly ready: Promise<void>;
}

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

/** The store for the control methods, which waits until the seed is loaded. */
const afterSeed = (store: Store, ready: () => Promise<void>): Store => ({
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

/** Loaded on demand: clients of the API do not see them. */
const loadPages = async () => (await import('./html-renderer.js')).htmlRenderer;

/** The page, if there is one. */
const page = globalThis as { readonly location?: Location };

/** The calling origin of the option `strictCors`. @throws {TypeError} */
function originOf(strict: boolean | string = false, pageOrigin: string | undefined): string | undefined {
  if (typeof strict === 'string') return parseHttpUrl('strictCors', strict, 'http://localhost:5173').origin;
  return strict ? pageOrigin : undefined;
}

/** The seed, opened once: `reset()` restores the same rows and secrets. */
function seedOf(source: AnySeed, ids: IdFormat) {
  const tokens: Record<string, string> = source === 'demo' || source === 'large' ? { ...demoTokens } : {};
  let opened: Promise<OpenedSeed> | undefined;
  const open = async (): Promise<OpenedSeed> => {
    opened ??= openSeed(source, { ids });
    const seed = await opened;
    Object.assign(tokens, seed.tokens);
    return seed;
  };
  return { tokens, open };
}

const optionNames: Readonly<Record<keyof MarketplaceMockOptions, true>> = {
  baseUrl: true,
  cors: true,
  ids: true,
  latency: true,
  like: true,
  pageSize: true,
  pages: true,
  persist: true,
  rateLimit: true,
  seed: true,
  strictCors: true,
};

/** Rejects misspelt options: without this they would have no effect, silently. @throws {TypeError} */
function checkOptions(options: MarketplaceMockOptions<AnySeed>): void {
  const { pageSize = 1, persist = 'none', ids = 'integer', like = 'document' } = options;
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(optionNames, name));
  if (unknown !== undefined)
    throw new TypeError(
      `createMarketplaceMock has no option ${unknown}. Its options: ${Object.keys(optionNames).join(', ')}.`,
    );
  if (!(Number.isInteger(pageSize) && pageSize > 0))
    throw new TypeError('The option pageSize must be a whole number from 1.');
  if (ids !== 'integer' && ids !== 'opaque')
    throw new TypeError(`The option ids must be 'integer' or 'opaque'. It is ${JSON.stringify(ids)}.`);
  if (!differencesIn(like))
    throw new TypeError(
      `The option like must be 'document', 'live', or a list of: ${serviceDifferences.join(', ')}. It is ${JSON.stringify(like)}.`,
    );
  if (persist !== 'none' && persist !== 'session')
    throw new TypeError(`The option persist must be 'none' or 'session'. It is ${JSON.stringify(persist)}.`);
}

/** Creates a mock, and what MSW needs: the handler of its requests, and the record of those that its guard stops. */
export function createMock(options: MarketplaceMockOptions<AnySeed> = {}): {
  mock: FetchMock<SeedTokens>;
  handle: Handler;
  addUnsent: (request: Request, why: string) => void;
} {
  checkOptions(options);
  const { seed: source = 'demo', latency, like, pages = {}, cors, rateLimit } = options;
  const { pageSize = pageSizeOfSeed(source) } = options;
  const ids = options.ids ?? idsOfSeed(source);
  const { origin, pathname } = parseHttpUrl(
    'baseUrl',
    options.baseUrl ?? 'https://api.example.com',
    'https://api.example.com/v1',
  );
  const baseUrl = origin + pathname.replace(/\/+$/, '');
  const pageOrigin = page.location?.origin;
  const callingOrigin = originOf(options.strictCors, pageOrigin);
  const seeded = seedOf(source, ids);
  // The demo data is loaded immediately, so that its ids can be used before anything is awaited.
  const store = source === 'demo' ? memoryStore(ids, demoSeed(ids)) : memoryStore(ids);

  const { control, hooks, subscribe, onChange, override, addUnsent } = createControl({
    store: afterSeed(store, () => ready),
    seed: async () => (await seeded.open()).dump,
    pages: false,
    forget: () => app.forget(),
    hasUsualUserIds: source === 'demo' || source === 'empty' || source === 'large',
    ...(latency === undefined ? {} : { latency }),
  });
  const app = createApp({
    store,
    ...hooks,
    baseUrl,
    renderer: {
      respond: async (...values) => (await loadPages()).respond(...values),
      problem: async (...values) => (await loadPages()).problem(...values),
    },
    readPage: pageReader(pages),
    Response: MockResponse,
    // In MSW for Node and for Playwright the client itself checks CORS.
    ...(callingOrigin === undefined ? { cors: '*' } : cors !== undefined && { cors }),
    ...(like === undefined ? {} : { like }),
    ...(pageSize === undefined ? {} : { pageSize }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
  });

  let session: SessionPersistence | undefined;
  let save: (() => Promise<boolean>) | undefined;
  const start = async (): Promise<void> => {
    if (options.persist === 'session' && page.location) {
      const { openSession } = await import('./persistence.js');
      session = openSession(`mkt-mock ${baseUrl}`, `${ids} ${JSON.stringify(source)}`);
    }
    const tokens = await session?.restore(control);
    if (tokens) Object.assign(seeded.tokens, tokens);
    else if (source !== 'demo') await store.load((await seeded.open()).dump);
    save = session?.start(control, onChange, () => seeded.tokens);
  };
  const ready = start();
  // Requests report the failure. An unhandled rejection of `ready` must not end the process.
  ready.catch(() => undefined);

  const fetchApp: (request: Request) => Promise<Response> =
    callingOrigin === undefined
      ? app.fetch
      : // Loaded only if it is used, which is rare.
        async (request) => (await import('./strict-cors.js')).strictCors(app.fetch, callingOrigin)(request);
  const pathOf = apiPath(baseUrl, pageOrigin);
  const handle: Handler = async (request) => {
    const path = pathOf(request);
    if (path === undefined) return undefined;
    await ready;
    const inside = request.url === origin + path ? request : new Request(origin + path, request);
    return fetchApp(inside);
  };

  const mock: FetchMock<SeedTokens> = {
    ...control,
    async reset() {
      await ready;
      await control.reset();
      await session?.clear();
    },
    async restore(snapshot) {
      await ready;
      await control.restore(snapshot);
    },
    async seed(seed) {
      await ready;
      const tokens = await control.seed(seed);
      // Warns immediately if it does not fit.
      await save?.();
      return tokens;
    },
    idOf(resource, number) {
      const id = store.idOf(tables[resource], number);
      if (id === undefined) throw new ControlError(`There is no ${resources[resource].singular} ${number}.`);
      return id;
    },
    fetch: mockFetch(handle, baseUrl),
    baseUrl,
    subscribe,
    async survivesReload() {
      await ready;
      return (await save?.()) ?? false;
    },
    on: (operation, resolver) => override(operation, resolver as Override),
    tokens: seeded.tokens,
    ready,
  };
  return { mock, handle, addUnsent };
}
