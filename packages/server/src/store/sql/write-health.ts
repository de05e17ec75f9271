import { StorageFailure } from '../store.js';

/** Milliseconds between two probes, however often `/readyz` is requested. */
const probeInterval = 1000;

/**
 * Remembers that writes fail, so that `/readyz` reports it for as long as it lasts. Only then does it write something
 * itself: a process that gets no requests any more would not learn otherwise that there is room again.
 */
export class WriteHealth {
  #failure: StorageFailure | null = null;
  #probedAt = 0;

  /** @param probe writes something and takes it back @throws {StorageFailure} */
  constructor(private readonly probe: () => Promise<unknown>) {}

  /** Runs a write and remembers how it went. */
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
