import type { Store } from '@mkt/server';
import type { MovableClock } from './clock.js';
import type { SimulateOptions } from './inputs.js';
import type { Simulation } from './simulation.js';

/** Starts and ends the simulation, whose code is loaded on demand. */
export class SimulationSwitch {
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
