import type { OperationName } from '@mkt/sdk/contract';
import type { AppHooks, Dump, Exchange, PendingRequest, Store } from '@mkt/server';
import { sha256 as portableSha256, randomText, timestamp } from '@mkt/server/extend';
import { actsBy, factoriesBy } from './act-names.js';
import type { Acts, ControlServices, CreatedToken, NewToken } from './acts.js';
import { type Clock, MovableClock } from './clock.js';
import type { Factories } from './create.js';
import { applyEffect, nthDelay, pause } from './effects.js';
import { checked } from './errors.js';
import { type ControlEvent, Events } from './events.js';
import { duration, type Fault, type Milliseconds } from './fault-rules.js';
import { FaultList, type Faults } from './faults.js';
import type { Override } from './operation-types.js';
import { Failures, Overrides, respondWith } from './overrides.js';
import { assertNone, RequestLog, type Requests } from './request-log.js';
import type { CheckedSeed } from './seed-source.js';
import { openSeed } from './seeds.js';
import type { SimulateOptions, Simulation } from './simulation.js';
import { type Snapshot, snapshotOf } from './snapshot.js';

/** Test controls: clock, faults, seeds, snapshots, direct edits. The same in this process and over HTTP. */
export interface Control {
  /** Resets everything to its initial state: data, clock, faults, requests, rate limit. */
  reset(): Promise<void>;
  /** Data, clock, faults and the delay of responses, as JSON. */
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
   * @throws {ControlError}
   */
  simulate(options?: SimulateOptions | false): Promise<void>;
  /** @throws {ControlError} if there were unexpected requests: unknown path, missing Accept header, a 500. */
  assertNoUnexpected(): void;
}

export interface ControlOptions {
  readonly store: Store;
  /** The data that `reset()` restores. */
  readonly seed: () => Dump | Promise<Dump>;
  /** Whether pages are served too. Requests without a JSON Accept header are then expected. */
  readonly pages: boolean;
  /** Clears state outside the store that belongs to the old data: the app's rate limit, submitted forms. */
  readonly forget: () => void;
  /** Whether all ids of users start with `usr_` before other data is loaded. @default false */
  readonly hasUsualUserIds?: boolean;
  /** The delay of every response that `reset()` restores. @default 0 */
  readonly latency?: Milliseconds;
  /** The simulation that `reset()` restarts. By default there is none. */
  readonly simulate?: SimulateOptions | undefined;
  readonly random?: (bytes: number) => string;
  readonly sha256?: (text: string) => string;
}

export type ControlHooks = Required<Pick<AppHooks, 'clock' | 'beforeRequest' | 'afterResponse'>>;

/** The controls, and the hooks of the app that they control. */
export interface ControlRoot {
  readonly control: Control;
  readonly hooks: ControlHooks;
  /** Calls the listener with each event. Returns a function that ends this. */
  readonly subscribe: (listener: (event: ControlEvent) => void) => () => void;
  readonly onChange: (listener: () => void) => void;
  /** Records a request that the guard did not let through, and why. */
  readonly addUnsent: (request: Request, why: string) => void;
  /** Overrides an operation until `reset()`. Returns a function that removes the override. */
  readonly override: (operation: OperationName, override: Override) => () => void;
}

/** Functions are not part of snapshots. */
const isJson = ({ effect }: Fault): boolean =>
  !(typeof effect === 'object' && 'patch' in effect && typeof effect.patch === 'function');

/** Browsers send preflights, not clients. Faults and the log are about the requests of clients. */
const isControlled = ({ method }: Exchange): boolean => method !== 'OPTIONS';

/** Starts and ends the simulation, whose code is loaded on demand. */
class SimulationSwitch {
  options: SimulateOptions | false = false;
  current: Promise<Simulation> | null = null;

  constructor(
    private readonly store: Store,
    private readonly clock: MovableClock,
  ) {}

  /** Starts it for the present data and time, or ends it. */
  set(options: SimulateOptions | false): void {
    const { store, clock } = this;
    const startedAt = clock.now();
    if (this.options !== false && options === false) clock.speed = 1;
    this.options = options;
    this.current =
      options === false
        ? null
        : import('./on-demand.js').then(({ startSimulation }) => {
            const started = startSimulation(options, store, clock, startedAt);
            // It was ended meanwhile.
            if (this.options === false) clock.speed = 1;
            return started;
          });
  }

  /** @throws {ControlError} if its options are not possible */
  async started(): Promise<void> {
    try {
      await this.current;
    } catch (error) {
      this.set(false);
      throw error;
    }
  }
}

/** Edits of the data, whose code is loaded on demand. */
const directEdits = (
  services: ControlServices,
  changed: () => void,
): Pick<Control, 'act' | 'create' | 'createToken'> => ({
  act: actsBy(async (name, values) => {
    const { createActs } = await import('./on-demand.js');
    const acts: UncheckedActs = createActs(services) as Unchecked<Acts>;
    const result = await acts[name]?.(...values);
    changed();
    return result;
  }),
  create: factoriesBy(async (name, fields) => {
    const { createFactories } = await import('./on-demand.js');
    const created = await createFactories(services).create(name, fields);
    changed();
    return created;
  }),
  async createToken(token) {
    const created = await (await import('./on-demand.js')).createToken(token, services);
    changed();
    return created;
  },
});

/** Owns all state that can be reset: the store, the clock, faults and the request log. */
export function createControl(options: ControlOptions): ControlRoot {
  const { store, seed, pages, forget, random = randomText, sha256 = portableSha256 } = options;
  const initialLatency = checked('latency', duration, options.latency ?? 0);
  const clock = new MovableClock();
  const faults = new FaultList(options.hasUsualUserIds);
  const requests = new RequestLog(pages);
  const now = (): string => timestamp(clock.now());
  const services = { store, now, random, sha256 };

  /** The ids of the faults that were applied to requests. */
  const appliedFaults = new WeakMap<Exchange, string>();
  let latency = initialLatency;
  let delayed = 0;

  const overrides = new Overrides();
  const failures = new Failures();
  const events = new Events();
  clock.onMove = () => events.emit('clock');
  faults.onChange = () => events.emit('faults');

  const respond = async (pending: PendingRequest): Promise<Response> => {
    const request = { ...pending, respond: () => respondWith(overrides, failures, pending) };
    if (latency !== 0) await pause(nthDelay(latency, delayed++), [request.exchange.request.signal]);
    await (await simulation.current)?.update(request.exchange.request.url);
    const fault = await faults.match(request);
    if (!fault) return request.respond();
    const { exchange } = request;
    appliedFaults.set(exchange, fault.id);
    const apply = () => applyEffect(fault, request, faults.cleared);
    const response = await (isJson(fault) ? apply() : failures.report(exchange, `The patch of ${fault.id}`, apply));
    exchange.operation ??= await request.operation();
    return response;
  };

  const simulation = new SimulationSwitch(store, clock);
  simulation.set(options.simulate ?? false);

  const load = async (dump: Dump): Promise<void> => {
    await store.load(dump);
    faults.hasUsualUserIds = dump.tables.users.every(({ id }) => id.startsWith('usr_'));
    forget();
    simulation.set(simulation.options);
    events.emit('data', 'users');
  };

  const control: Control = {
    async reset() {
      simulation.set(options.simulate ?? false);
      await load(await seed());
      clock.reset();
      faults.clear();
      requests.clear();
      overrides.clear();
      control.setLatency(initialLatency);
      simulation.set(simulation.options);
    },
    // Not on demand: a page that is left saves its state before it is gone.
    async snapshot() {
      return snapshotOf(await store.dump(), { clock: clock.position, faults: faults.list().filter(isJson), latency });
    },
    async restore(given) {
      const { checkedSnapshot, dumpOf } = await import('./on-demand.js');
      const snapshot = checkedSnapshot(given, store.ids);
      await load(dumpOf(snapshot));
      clock.position = snapshot.clock;
      simulation.set(simulation.options);
      faults.load(snapshot.faults);
      if (snapshot.latency !== undefined) control.setLatency(snapshot.latency);
    },
    async seed(source) {
      const { dump, tokens } = await openSeed(source, { ...services, now: now(), ids: store.ids });
      await load(dump);
      return tokens;
    },
    export: async () => (await import('./on-demand.js')).exportSeed(await store.dump(), store.ids),
    clock,
    faults,
    requests,
    async simulate(options = {}) {
      simulation.set(options);
      await simulation.started();
    },
    getLatency: () => latency,
    setLatency(milliseconds) {
      latency = checked('latency', duration, milliseconds);
      events.emit('latency');
    },
    ...directEdits(services, () => events.emit('data', 'users')),
    assertNoUnexpected: () => assertNone(requests.list({ unexpected: true })),
  };
  return {
    control,
    hooks: {
      clock: clock.now,
      // Null while there are no faults: a function that always runs would take 8 % more CPU time in `the same with test
      // controls`.
      beforeRequest: (exchange) =>
        (faults.isEmpty && overrides.isEmpty && latency === 0 && !simulation.options) || !isControlled(exchange)
          ? null
          : respond,
      afterResponse(exchange, response, milliseconds, arrivedAt) {
        if (!isControlled(exchange)) return;
        const marks = { fault: appliedFaults.get(exchange) ?? null, failure: failures.reasonFor(exchange) };
        requests.add(exchange, response, arrivedAt, milliseconds, marks);
        if (exchange.method !== 'GET' && exchange.method !== 'HEAD' && response.status < 400) events.emit('data');
      },
    },
    subscribe: (listener) => events.subscribe(requests, listener),
    onChange: (listener) => events.onChange(listener),
    addUnsent: (request, why) => requests.addUnsent(request, clock.now(), why),
    override: (operation, override) => overrides.add(operation, override),
  };
}

/**
 * The same methods for callers whose values can be anything, such as those of the HTTP API: control methods check their
 * values themselves.
 */
export type Unchecked<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...values: infer Values) => infer Result
    ? (...values: { [Index in keyof Values]: unknown }) => Result
    : Unchecked<Methods[Name]>;
};

export type UncheckedActs = Readonly<Record<string, (...values: readonly unknown[]) => unknown>>;
