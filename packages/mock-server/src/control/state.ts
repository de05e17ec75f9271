import type { Dump, Store } from '@mkt/server';
import { MovableClock } from './clock.js';
import { nthDelay, pause } from './effects.js';
import { checked } from './errors.js';
import { Events } from './events.js';
import { duration, type Milliseconds } from './fault-rules.js';
import { FaultList } from './faults.js';
import type { SimulateOptions } from './inputs.js';
import type { Strict } from './mistake-kinds.js';
import { Failures, Overrides } from './overrides.js';
import { RequestLog } from './request-log.js';
import type { Simulation } from './simulation.js';

/** Starts and ends the simulation, whose code is loaded on demand. */
class SimulationSwitch {
  /** Of the simulation that runs; false without one. */
  options: { readonly speed: number } | false = false;
  #current: Promise<Simulation> | false = false;

  constructor(
    private readonly store: Store,
    private readonly clock: MovableClock,
  ) {}

  /** Starts it for the present data and time, or ends it. */
  set(options: SimulateOptions | false): void {
    if (this.options !== false && options === false) this.clock.speed = 1;
    this.options = options && { speed: options.speed ?? 1 };
    this.#current = this.options && this.#start(this.options, this.clock.now());
  }

  /** Starts it again, if it runs, because the data or the clock was replaced. */
  restart(): void {
    this.set(this.options);
  }

  /** @throws {ControlError} for options that are not possible; they change nothing */
  async change(options: SimulateOptions | false): Promise<void> {
    if (options !== false) (await import('./on-demand.js')).checkSimulation(options);
    this.set(options);
    await this.#current;
  }

  /** Lets the campaigns of the organization in this URL earn what is due. */
  async update(url: string): Promise<void> {
    if (this.#current) await (await this.#current).update(url);
  }

  async #start(options: SimulateOptions, startedAt: number): Promise<Simulation> {
    const { checkSimulation, Simulation } = await import('./on-demand.js');
    const { speed = 1 } = checkSimulation(options);
    // Unless it was ended meanwhile.
    this.clock.speed = this.options === false ? 1 : speed;
    return new Simulation(this.store, this.clock, startedAt);
  }
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
  /** Looks for mistakes in requests. */
  readonly strict?: Strict | undefined;
  readonly random?: (bytes: number) => string;
  readonly sha256?: (text: string) => string;
}

class Latency {
  #delayed = 0;

  constructor(
    readonly initial: Milliseconds,
    private readonly events: Events,
    public current = initial,
  ) {}

  set(milliseconds: Milliseconds): void {
    this.current = milliseconds;
    this.events.emit('latency');
  }

  async pause(signal: AbortSignal): Promise<void> {
    if (this.current !== 0) await pause(nthDelay(this.current, this.#delayed++), [signal]);
  }
}

/** All state that can be reset, with the store whose data is reset. */
export interface ControlState {
  readonly store: Store;
  readonly clock: MovableClock;
  readonly faults: FaultList;
  readonly requests: RequestLog;
  readonly overrides: Overrides;
  readonly failures: Failures;
  readonly events: Events;
  readonly latency: Latency;
  readonly simulation: SimulationSwitch;
  readonly strict: Strict | undefined;
}

export function createState({
  store,
  pages,
  hasUsualUserIds,
  latency = 0,
  simulate,
  strict,
}: ControlOptions): ControlState {
  const clock = new MovableClock();
  const events = new Events();
  const state: ControlState = {
    store,
    clock,
    faults: new FaultList(hasUsualUserIds),
    requests: new RequestLog(pages || strict?.allow.includes('missing-accept') === true),
    overrides: new Overrides(),
    failures: new Failures(),
    events,
    latency: new Latency(checked('latency', duration, latency), events),
    simulation: new SimulationSwitch(store, clock),
    strict,
  };
  clock.onMove = () => events.emit('clock');
  state.faults.onChange = () => events.emit('faults');
  state.simulation.set(simulate ?? false);
  return state;
}

/** Replaces the data, and what belongs to the old one. */
export async function load(
  { store, faults, simulation, events }: ControlState,
  { forget }: ControlOptions,
  dump: Dump,
): Promise<void> {
  await store.load(dump);
  faults.hasUsualUserIds = dump.tables.users.every(({ id }) => id.startsWith('usr_'));
  forget();
  simulation.restart();
  events.emit('data', 'users');
}
