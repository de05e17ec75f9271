import type { OperationName } from '@mkt/sdk/contract';
import { sha256 as portableSha256, randomText, timestamp } from '@mkt/server/extend';
import type { Acts } from './act-inputs.js';
import type { ControlServices, CreatedToken } from './acts.js';
import { siteOf } from './call-sites.js';
import type { Clock } from './clock.js';
import { checked } from './errors.js';
import type { ControlEvent } from './events.js';
import { duration, type Milliseconds } from './fault-rules.js';
import type { Faults } from './faults.js';
import { type ControlHooks, createHooks, isJson } from './hooks.js';
import type { NewToken, SimulateOptions, Snapshot } from './inputs.js';
import type { CheckedSeed, Factories } from './new-items.js';
import type { Override } from './operation-types.js';
import { assertNone, type Requests, verifyAndReset } from './request-log.js';
import { openSeed } from './seeds.js';
import { snapshotOf } from './snapshot.js';
import { type ControlOptions, type ControlState, createState, load } from './state.js';

/** Test controls: clock, faults, seeds, snapshots, direct edits. The same in this process and over HTTP. */
export interface Control {
  /** Resets everything to its initial state: data, clock, faults, requests, rate limit. */
  reset(): Promise<void>;
  /** Data, clock, faults, the delay of responses and a simulation that runs, as JSON. */
  snapshot(): Promise<Snapshot>;
  /** Restores a snapshot and resets the rate limit. @throws {ControlError} if it is not a valid snapshot */
  restore(snapshot: Snapshot): Promise<void>;
  /** Replaces the data, resets the rate limit, and returns the secrets of the seeded tokens. `reset()` still restores the initial data. */
  seed<Text extends string>(source: CheckedSeed<Text>): Promise<Readonly<Record<string, string>>>;
  /** The data as the text of a seed file, without tokens. */
  export(): Promise<string>;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly requests: Requests;
  /** The delay of every response. */
  getLatency(): Milliseconds;
  /** Delays every response from now on. `reset()` restores the initial delay. @throws {ControlError} */
  setLatency(latency: Milliseconds): void;
  readonly act: Acts;
  readonly create: Factories;
  /** Creates an access token for any user. */
  createToken(token: NewToken): Promise<CreatedToken>;
  /**
   * Lets active campaigns earn views and spend their budget, never more, as the clock passes; `advance` counts too. `speed`
   * makes the clock run faster: 86,400 is a day per second. `false` ends it, and so does `reset()` if it was started by this.
   * Numbers change when a request reads them, so `subscribe` reports no such change: read them again regularly.
   * @throws {ControlError}
   */
  simulate(options?: SimulateOptions | false): Promise<void>;
  /** The simulation that runs; false without one. */
  getSimulation(): Required<SimulateOptions> | false;
  /** @throws {ControlError} if there were unexpected requests: unknown path, missing Accept header, a 500. */
  assertNoUnexpected(): void;
  /** For the end of each test: resets, and throws what `assertNoUnexpected` does, with the last requests. @throws {ControlError} */
  verifyAndReset(): Promise<void>;
}

/** The controls, and the hooks of the app that they control. */
export interface ControlRoot {
  readonly control: Control;
  readonly hooks: ControlHooks;
  /** Calls the listener with each event. Returns a function that ends this. */
  readonly subscribe: (listener: (event: ControlEvent) => void) => () => void;
  readonly onChange: (listener: () => void) => void;
  /** Records a request that the guard did not let through, and why. */
  readonly addUnsent: (request: Request, why: string) => void;
  /** What `verifyAndReset` does, with another `reset`. */
  readonly verify: (reset: Control['reset']) => Promise<void>;
  /** Overrides an operation until `reset()`. Returns a function that removes the override. */
  readonly override: (operation: OperationName, override: Override) => () => void;
}

/** Edits of the data, whose code is loaded on demand. */
const directEdits = (
  services: ControlServices,
  changed: () => void,
): Pick<Control, 'act' | 'create' | 'createToken'> => {
  const edit = async <Result>(work: (code: typeof import('./on-demand.js')) => Result): Promise<Awaited<Result>> => {
    const result = await work(await import('./on-demand.js'));
    changed();
    return result;
  };
  return {
    act: actsBy((name, values) => edit(({ performAct }) => performAct(services, name, values))),
    create: factoriesBy((name, [fields]) =>
      edit(({ createFactories }) => createFactories(services).create(name, fields)),
    ),
    createToken: (token) => edit(({ createToken }) => createToken(token, services)),
  };
};

/** The methods that replace the state, or parts of it. */
function stateMethods(
  state: ControlState,
  options: ControlOptions,
  services: ControlServices,
): Pick<Control, 'reset' | 'snapshot' | 'restore' | 'seed' | 'export'> {
  const { store, clock, faults, requests, overrides, latency, simulation } = state;
  const { ids } = store;
  return {
    async reset() {
      simulation.set(options.simulate ?? false);
      await load(state, options, await options.seed());
      clock.reset();
      faults.clear();
      requests.clear();
      overrides.clear();
      latency.set(latency.initial);
      simulation.restart();
    },
    // Not on demand: a page that is left saves its state before it is gone.
    async snapshot() {
      return snapshotOf(await store.dump(), {
        clock: clock.position,
        faults: faults.list().filter(isJson),
        latency: latency.current,
        ...(simulation.options && { simulation: simulation.options }),
      });
    },
    async restore(given) {
      const { checkedSnapshot, dumpOf } = await import('./on-demand.js');
      const snapshot = checkedSnapshot(given, ids);
      await load(state, options, dumpOf(snapshot));
      clock.position = snapshot.clock;
      simulation.set(snapshot.simulation ?? simulation.options);
      faults.load(snapshot.faults);
      if (snapshot.latency !== undefined) latency.set(snapshot.latency);
    },
    async seed(source) {
      const { dump, tokens } = await openSeed(source, { ...services, now: services.now(), ids });
      await load(state, options, dump);
      return tokens;
    },
    export: async () => (await import('./on-demand.js')).exportSeed(await store.dump(), ids),
  };
}

/** Creates the controls of an app, which must have their hooks. */
export function createControl(options: ControlOptions): ControlRoot {
  const state = createState(options);
  const { store, clock, faults, requests, overrides, events, latency, simulation } = state;
  const { random = randomText, sha256 = portableSha256 } = options;
  const services = { store, now: () => timestamp(clock.now()), random, sha256 };
  /** The lines of the requests that the guard stopped. */
  let traced: Promise<unknown> | undefined;
  const control: Control = {
    ...stateMethods(state, options, services),
    clock,
    faults,
    requests,
    simulate: (options = {}) => simulation.change(options),
    getSimulation: () => simulation.options,
    getLatency: () => latency.current,
    setLatency: (milliseconds) => latency.set(checked('latency', duration, milliseconds)),
    ...directEdits(services, () => events.emit('data', 'users')),
    assertNoUnexpected: () => assertNone(requests.list()),
    verifyAndReset: () => verifyAndReset(control, traced),
  };
  return {
    control,
    hooks: createHooks(state),
    subscribe: (listener) => events.subscribe(requests, listener),
    onChange: (listener) => events.onChange(listener),
    addUnsent(request, why) {
      requests.addUnsent(request, clock.now(), why, options.strict);
      if (options.strict)
        traced = import('./on-demand.js').then(({ traceInPage }) => traceInPage(siteOf(request), why));
    },
    verify: (reset) => verifyAndReset({ requests, reset }, traced),
    override: (operation, override) => overrides.add(operation, override),
  };
}

// Apart from the acts and factories themselves, whose code is loaded on demand.
const acts: Readonly<Record<keyof Acts, true>> = {
  fundCampaign: true,
  finishCampaign: true,
  addCampaignResults: true,
  reviewCollab: true,
  addCollabResults: true,
  syncSocialAccount: true,
  addMember: true,
  setSubscription: true,
  revokeToken: true,
};
const factories: Readonly<Record<keyof Factories, true>> = {
  campaign: true,
  collab: true,
  organization: true,
  member: true,
  user: true,
  socialAccount: true,
};

/** Methods with these names, which `perform` carries out. */
const methodsBy = <Name extends string>(names: object, perform: (name: Name, values: readonly unknown[]) => unknown) =>
  Object.fromEntries(Object.keys(names).map((name) => [name, (...values: unknown[]) => perform(name as Name, values)]));

const actsBy = (perform: (name: keyof Acts, values: readonly unknown[]) => Promise<unknown>) =>
  methodsBy(acts, perform) as unknown as Acts;

const factoriesBy = (perform: (name: keyof Factories, values: readonly unknown[]) => Promise<unknown>) =>
  methodsBy(factories, perform) as unknown as Factories;
