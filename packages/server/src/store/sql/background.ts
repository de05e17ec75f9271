import { StorageFailure } from '../store.js';

/** Milliseconds until a failed step is retried. */
const retryAfter = 5000;

/** Runs steps in the background, one after the other, until there is nothing left to do. */
export class BackgroundSteps {
  #running: Promise<void> | null = null;
  #requested = false;
  #stopped = false;
  #wake: () => void = () => undefined;

  /** @param step one step. @returns whether there may be more */
  constructor(private readonly step: () => Promise<boolean>) {}

  start(): void {
    this.#requested = true;
    this.#running ??= this.#run();
  }

  /** Waits for the current step, and starts no more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#requested && !this.#stopped) {
      this.#requested = false;
      try {
        // A store without I/O would leave no time for requests in between.
        while (!this.#stopped && (await this.step())) await new Promise((resolve) => setImmediate(resolve));
      } catch {
        // The store is unavailable: requests report it.
        this.#requested = true;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          setTimeout(resolve, retryAfter).unref();
        });
      }
    }
    this.#running = null;
  }
}

/** Milliseconds between two probes, however often `/readyz` is requested. */
const probeInterval = 1000;

/**
 * Remembers that writes fail, so that `/readyz` reports it until they succeed. Only while they fail does it write
 * something itself: a process without requests would not notice otherwise that writes work again.
 */
export class WriteHealth {
  #failure: StorageFailure | null = null;
  #probedAt = 0;

  /** @param probe writes something and undoes it @throws {StorageFailure} */
  constructor(private readonly probe: () => Promise<unknown>) {}

  /** Runs a write and remembers whether it failed. */
  async watch<Result>(write: () => Promise<Result>): Promise<Result> {
    try {
      const result = await write();
      this.#failure = null;
      return result;
    } catch (error) {
      if (error instanceof StorageFailure) this.#failure = error;
      throw error;
    }
  }

  /** @throws {StorageFailure} while writes fail */
  async check(): Promise<void> {
    if (!this.#failure) return;
    if (performance.now() - this.#probedAt < probeInterval) throw this.#failure;
    this.#probedAt = performance.now();
    await this.watch(this.probe);
  }
}
