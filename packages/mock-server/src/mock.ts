import { type OperationName, type ResourceName, resources } from '@mkt/sdk/contract';
import { type App, type DemoUser, demoSeed, type demoTokens, idsOfSeed, storeInMemory } from '@mkt/server';
import { urlsOf } from './base-url.js';
import type { CreatedToken } from './control/acts.js';
import { noteCall, watchSdk } from './control/call-sites.js';
import { type Control, createControl } from './control/control.js';
import { ControlError } from './control/errors.js';
import type { ControlEvent } from './control/events.js';
import type { Fault, FaultMatch, FaultRule } from './control/fault-rules.js';
import type { Faults } from './control/faults.js';
import type { NewToken } from './control/inputs.js';
import type { RequestFilter } from './control/matching.js';
import type { AnySeed } from './control/new-items.js';
import type { EffectOf, Override } from './control/operation-types.js';
import type { LoggedRequest, Requests } from './control/request-log.js';
import { tables } from './control/tables.js';
import { createMockApp, handlerOf } from './mock-app.js';
import { afterStart, openableSeed, replaceTokens, startData } from './mock-data.js';
import { type Handler, mockFetch } from './mock-fetch.js';
import { checkOptions, type MarketplaceMockOptions, strictOf } from './options.js';
import type { AddUnsent } from './unhandled.js';

/** Secrets of the demo users' tokens, in the seeds `demo` and `large`. */
export type DemoTokens = typeof demoTokens;
/** Secrets of the tokens of other seeds, as `<handle>_<permission>`. */
export type SeedTokens = Readonly<Record<string, string>>;

/** The whole marketplace API in this process, with the control methods. */
export interface FetchMock<Tokens extends SeedTokens = DemoTokens>
  extends ControlOfUsers<Tokens extends DemoTokens ? DemoUser : string> {
  /** A `fetch` that reaches only this mock. */
  readonly fetch: typeof fetch;
  readonly baseUrl: string;
  /**
   * Calls the listener with each event: a `request`, when its response is sent, or a change of `faults` (and their counts),
   * `clock`, `latency`, `data` or `users`. A simulation sends no events: it changes numbers when they are read. Returns a
   * function that ends this.
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
  /**
   * Secrets of the tokens of the last seed. Those in the text of a seed file, and of users that `extends` adds, are set when
   * `ready` or `seed()` resolves.
   */
  readonly tokens: Tokens;
  /** Resolves when the seed is loaded. Requests and control methods wait for it. @throws {SeedError} */
  readonly ready: Promise<void>;
}

/** Creates a mock, and what MSW needs: the handler of its requests, and the record of those that its guard stops. */
export function createMock(options: MarketplaceMockOptions<AnySeed> = {}): {
  mock: FetchMock<SeedTokens>;
  handle: Handler;
  addUnsent: AddUnsent;
} {
  checkOptions(options);
  const { seed: source = 'demo', latency } = options;
  const strict = strictOf(options);
  if (strict) watchSdk();
  const ids = options.ids ?? idsOfSeed(source);
  const urls = urlsOf(options);
  const { baseUrl } = urls;
  const seed = openableSeed(source, ids);
  // The demo data is loaded immediately, so that its ids can be used before anything is awaited.
  const store = source === 'demo' ? storeInMemory(ids, demoSeed(ids)) : storeInMemory(ids);

  const root = createControl({
    store: afterStart(store, () => ready),
    seed: async () => (await seed.open()).dump,
    pages: false,
    forget: () => app.forget(),
    hasUsualUserIds: source === 'demo' || source === 'empty' || source === 'large',
    ...(latency === undefined ? {} : { latency }),
    strict,
  });
  const { control } = root;
  const app = createMockApp(store, root.hooks, urls, options);
  const { ready, save, forgetSaved } = startData(store, seed, root, async () => {
    if (options.persist !== 'session' || urls.pageOrigin === undefined) return undefined;
    const { openSession } = await import('./persistence.js');
    return openSession(`mkt-mock ${baseUrl}`, `${ids} ${JSON.stringify(source)}`);
  });
  const addUnsent: AddUnsent = (request, why, above) => {
    if (strict) noteCall(request, above);
    root.addUnsent(request, why);
  };
  const { controlToken: token } = options;
  const fetchServed: App['fetch'] =
    token === undefined
      ? app.fetch
      : async (request) => (await import('./node/serve-control.js')).serveControl(app.fetch, control, token)(request);
  const handle = handlerOf(fetchServed, urls, ready, strict !== undefined);

  const mock: FetchMock<SeedTokens> = {
    ...control,
    async reset() {
      await ready;
      await control.reset();
      await forgetSaved();
    },
    verifyAndReset: () => root.verify(mock.reset),
    async restore(snapshot) {
      await ready;
      await control.restore(snapshot);
    },
    async seed(source) {
      await ready;
      const tokens = await control.seed(source);
      replaceTokens(seed.tokens, tokens);
      // Warns immediately if it does not fit.
      await save();
      return tokens;
    },
    idOf(resource, number) {
      const id = store.idOf(tables[resource], number);
      if (id === undefined) throw new ControlError(`There is no ${resources[resource].singular} ${number}.`);
      return id;
    },
    fetch: mockFetch(handle, baseUrl, addUnsent),
    baseUrl,
    subscribe: root.subscribe,
    async survivesReload() {
      await ready;
      return save();
    },
    on: (operation, resolver) => root.override(operation, resolver as Override),
    tokens: seed.tokens,
    ready,
  };
  return { mock, handle, addUnsent };
}

/** A text that is only known at run time can be any user; a written one must be known. The union makes editors complete it. */
type Checked<KnownUser extends string, User extends string> =
  | KnownUser
  | (User & (string extends User ? unknown : never))
  | undefined;
type WithUser<Part, User> = Omit<Part, 'user'> & { readonly user?: User };

interface FaultsOfUsers<KnownUser extends string> extends Omit<Faults, 'add'> {
  /** Adds a rule after the existing ones. */
  add<User extends string, Name extends OperationName = OperationName>(
    rule: Omit<FaultRule, 'match' | 'effect'> & {
      /** By default every request. */
      readonly match?:
        | (Omit<WithUser<FaultMatch, Checked<KnownUser, User>>, 'operation'> & {
            /** The name of the endpoint, as in the SDK: `campaigns.create`. */
            readonly operation?: Name | undefined;
          })
        | undefined;
      readonly effect: EffectOf<Name>;
    },
  ): Fault;
}

interface RequestsOfUsers<KnownUser extends string> extends Omit<Requests, 'list' | 'waitFor'> {
  /** In the order of their responses. @throws {ControlError} for a filter that can never match */
  list<User extends string>(filter?: WithUser<RequestFilter, Checked<KnownUser, User>>): readonly LoggedRequest[];
  /**
   * The first request that matches, sent earlier or from now on.
   * @throws {ControlError} if none comes in time
   */
  waitFor<User extends string>(
    filter?: WithUser<RequestFilter, Checked<KnownUser, User>>,
    options?: Parameters<Requests['waitFor']>[1],
  ): Promise<LoggedRequest>;
}

/** Control methods whose types know the users of the demo data, if that is the seed. */
interface ControlOfUsers<KnownUser extends string = DemoUser>
  extends Omit<Control, 'faults' | 'requests' | 'createToken'> {
  readonly faults: FaultsOfUsers<KnownUser>;
  readonly requests: RequestsOfUsers<Extract<KnownUser, `usr_${string}`> | (string extends KnownUser ? string : never)>;
  /** Creates an access token for any user. */
  createToken<User extends string>(
    token: Omit<NewToken, 'user'> & { readonly user: Checked<KnownUser, User> & string },
  ): Promise<CreatedToken>;
}
