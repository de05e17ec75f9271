import { StorageDamaged, StorageFailure, StoreUnavailable } from '../store.js';

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

/** Milliseconds that a statement of a write may take before it is tested whether any write ends. */
const maxWait = 2000;
/** Milliseconds that the first probe may take, and a later one while `/readyz` waits for it. */
const probeLimits = { first: 1000, later: 250 };

const slowWrites = new StorageFailure(
  'Writes wait for more than 2 s. Check the disk of the database, its synchronous standby, and transactions that hold a lock.',
);

interface Pending {
  /** When its latest statement began; infinite while it waits for other writes of this process. */
  latest: number;
}
/** A write that calls `begins` with each statement. */
type Watched<Result> = (begins: () => void) => Promise<Result>;

/**
 * Finds out whether writes work, for `/readyz`. It writes something itself, because a process without requests would not
 * notice otherwise, and remembers what made the writes of requests fail.
 */
export class WriteHealth {
  #failure: StorageFailure | null = null;
  #probedAt = Number.NEGATIVE_INFINITY;
  #probing: Promise<unknown> | null = null;
  /** The writes that have not ended. */
  readonly #pending = new Set<Pending>();

  /** @param probe writes something and undoes it, after a failure with a closer look @throws {StorageFailure} */
  constructor(private readonly probe: (begins: () => void, hasFailed: boolean) => Promise<unknown>) {}

  /** Runs a write and remembers its failure until a probe succeeds; that a part is damaged, for as long as it is open. */
  async watch<Result>(write: Watched<Result>): Promise<Result> {
    const pending: Pending = { latest: Number.POSITIVE_INFINITY };
    this.#pending.add(pending);
    try {
      return await write(() => {
        pending.latest = performance.now();
      });
    } catch (error) {
      if (error instanceof StorageFailure) this.#remember(error);
      else if (error instanceof StoreUnavailable && waitsTooLong(pending)) this.#failure ??= slowWrites;
      throw error;
    } finally {
      this.#pending.delete(pending);
    }
  }

  #remember(failure: StorageFailure | null): void {
    if (!(this.#failure instanceof StorageDamaged)) this.#failure = failure;
  }

  /** @throws {StorageFailure} while writes fail or wait */
  async check(): Promise<void> {
    const isSuspicious = this.#failure !== null || [...this.#pending].some(waitsTooLong);
    if (performance.now() - this.#probedAt >= probeInterval) {
      this.#probedAt = performance.now();
      this.#probing ??= this.watch((begins) => this.probe(begins, this.#failure !== null))
        .then(() => {
          this.#remember(null);
        })
        .finally(() => {
          this.#probing = null;
        });
    }
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<void>((resolve) => {
      timer = setTimeout(
        () => {
          // A single write may wait for a lock: all of them wait if the probe does.
          if (isSuspicious) this.#failure ??= slowWrites;
          resolve();
        },
        this.#failure ? probeLimits.later : probeLimits.first,
      );
    });
    await Promise.race([this.#probing, tooLate]).finally(() => clearTimeout(timer));
    if (this.#failure) throw this.#failure;
  }
}

const waitsTooLong = ({ latest }: Pending): boolean => performance.now() - latest > maxWait;
