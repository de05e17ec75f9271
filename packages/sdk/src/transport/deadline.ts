import { AbortedError, TimeoutError } from '../errors.js';

/** Longer delays overflow the runtimes' timers, which then fire at once. */
export const longestDelay = 2 ** 31 - 1;

/**
 * Ends one call: when its total time is over, when the caller's signal fires, or by `end`. The caller's signal is
 * listened to, never combined by `AbortSignal.any`: that costs as much as all of the validation, and a long-lived signal
 * would collect the remains of every call.
 */
export class Deadline {
  readonly #totalMs: number;
  readonly #startedAt = performance.now();
  readonly #callbacks: ((reason: unknown) => void)[] = [];
  #ended: { reason: unknown } | undefined;

  constructor(totalMs: number) {
    this.#totalMs = totalMs;
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Milliseconds that are left of the total time. */
  get remainingMs(): number {
    return this.#startedAt + this.#totalMs - performance.now();
  }

  /** Calls back with the error of the call when it ends early. */
  onEnd(callback: (reason: unknown) => void): void {
    this.#callbacks.push(callback);
    if (this.#ended) callback(this.#ended.reason);
  }

  end(reason: unknown): void {
    if (this.#ended) return;
    this.#ended = { reason };
    for (const callback of this.#callbacks) callback(reason);
  }

  /** The result of `work`, or the error of the call when that ends first: not everything that is awaited can be aborted. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.onEnd(reject);
      work.then(resolve, reject);
    });
  }

  async wait(ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const elapsed = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await this.race(elapsed).finally(() => clearTimeout(timer));
  }

  /** Runs the call. Timer and listener are gone when it ends. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const onAbort = () => this.end(new AbortedError('The call was aborted.', { cause: signal?.reason }));
    const onTimeout = () => this.end(new TimeoutError('total', this.#totalMs));
    if (signal?.aborted) onAbort();
    if (this.#ended) throw this.#ended.reason;
    signal?.addEventListener('abort', onAbort);
    const timer = this.#totalMs > longestDelay ? undefined : setTimeout(onTimeout, this.#totalMs);
    try {
      return await this.race(work());
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }
}
