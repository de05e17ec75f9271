import { sha256 as portableSha256 } from '../digest.js';
import type { Call, Middleware } from '../http/exchange.js';
import { randomText } from '../random.js';
import type { Dump, Store } from '../store/store.js';
import { definitionOf, tableNames } from '../store/tables.js';
import { timestamp } from '../timestamp.js';
import type { Acts } from './acts.js';
import { type Clock, MovableClock, possible } from './clock.js';
import { countedFault, type Fault } from './fault-rules.js';
import { FaultList, type Faults } from './faults.js';
import { lazyActs, lazyTokenMaker } from './lazy-acts.js';
import { assertNone, RequestLog, type Requests } from './request-log.js';
import { openSeed, type SeedSource, seedText } from './seeds.js';
import { dumpOf, type Snapshot, snapshotOf } from './snapshot.js';
import type { CreatedToken, NewToken } from './tokens.js';

/** What a test or a developer may do to a marketplace beyond its API: the same verbs in this process and over HTTP. */
export interface Control {
  /** Everything as it was in the beginning: data, clock, faults, requests, rate limit. */
  reset(): Promise<void>;
  /** Data, clock and faults, as JSON. */
  snapshot(): Promise<Snapshot>;
  /** Puts back what `snapshot()` gave; the rate limit begins anew. @throws {ControlError} for what is no snapshot */
  restore(snapshot: Snapshot): Promise<void>;
  /** Replaces the data, and the rate limit begins anew; gives the secrets of the seeded tokens. `reset()` still goes back to the beginning. */
  seed(source: SeedSource): Promise<Readonly<Record<string, string>>>;
  /** The data as the text of a seed file, tokens left out. */
  export(): Promise<string>;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly requests: Requests;
  readonly act: Acts;
  /** Makes an access token for anybody. */
  createToken(token: NewToken): Promise<CreatedToken>;
  /** @throws {ControlError} when a request came that no client of the API should send: unknown path, missing Accept header, a 500. */
  assertNoUnexpected(): void;
}

export interface ControlOptions {
  readonly store: Store;
  /** What `reset()` goes back to. */
  readonly seed: () => Dump | Promise<Dump>;
  /** Whether pages are a part of what is served: a request without a JSON Accept header is then nothing unexpected. */
  readonly pages: boolean;
  /** Forgets what is kept elsewhere of the data that was there: the app's rate limit, forms that were sent. */
  readonly forget: () => void;
  readonly random?: (bytes: number) => string;
  readonly sha256?: (text: string) => string;
}

/** The verbs, and what they need to hold of the app: its clock, and a place around every answer. */
export interface ControlRoot {
  readonly control: Control;
  /** For `createApp`: milliseconds since 1970. */
  readonly clock: () => number;
  /** For `createApp`. */
  readonly around: Middleware;
}

/** The one root of all state that can be reset: the store, the clock, faults and the request log hang from it. */
export function createControl(options: ControlOptions): ControlRoot {
  const { store, seed, pages, forget, random = randomText, sha256 = portableSha256 } = options;
  const clock = new MovableClock();
  const faults = new FaultList();
  const requests = new RequestLog(pages);
  const now = (): string => timestamp(clock.now());
  const services = { store, now, random, sha256 };

  const applyFault = async ({ effect }: Fault, call: Call): Promise<Response> => {
    const { cleared } = faults;
    return (await import('./on-demand.js')).applyEffect(effect, call, cleared);
  };

  const around: Middleware = async (call) => {
    const { exchange } = call;
    // Preflights are the browser's, not the client's: what a fault is for, and what a test looks for, is the call itself.
    if (exchange.method === 'OPTIONS') return call.answer();
    const at = clock.now();
    const started = performance.now();
    const fault = faults.isEmpty
      ? null
      : await faults.match({
          method: exchange.method,
          path: exchange.url.pathname,
          conditional: exchange.header('if-none-match') !== null,
          operation: call.operation,
          user: async () => {
            const id = await call.user();
            const user = id === null ? null : await store.read((reader) => reader.get('users', id));
            return user ? [user.id, user.email] : [];
          },
        });
    const response = fault ? await applyFault(fault, call) : await call.answer();
    requests.add(exchange, {
      at,
      operation: exchange.operation ?? (fault && call.operation()),
      status: exchange.dropped ? null : response.status,
      duration: performance.now() - started,
      fault: fault?.id ?? null,
    });
    return response;
  };

  const load = async (dump: Dump): Promise<void> => {
    await store.load(dump);
    forget();
  };

  const control: Control = {
    async reset() {
      await load(await seed());
      clock.reset();
      faults.clear();
      requests.clear();
    },
    snapshot: async () => snapshotOf(await store.dump(), clock.position, faults.list()),
    async restore(given) {
      const { checkedSnapshot } = await import('./on-demand.js');
      const snapshot = checkedSnapshot(given, { fault: countedFault, tableNames, definitionOf, possible });
      await load(dumpOf(snapshot));
      clock.position = snapshot.clock;
      faults.load(snapshot.faults);
    },
    async seed(source) {
      const { dump, tokens } = await openSeed(source, { ...services, now: now() });
      await load(dump);
      return tokens;
    },
    export: async () => seedText(await store.dump()),
    clock,
    faults,
    requests,
    act: lazyActs(services),
    createToken: lazyTokenMaker(services),
    assertNoUnexpected: () => assertNone(requests.list({ unexpected: true })),
  };
  return { control, clock: clock.now, around };
}
