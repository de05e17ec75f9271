import { AbortedError, TimeoutError } from '../errors.js';

/** Longer delays overflow the runtimes' timers, which then fire at once. */
export const longestDelay = 2 ** 31 - 1;

/** The result of `work`, or the reason of the signal when it fires first: not everything that is awaited knows signals. */
export const orAborted = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
    work.then(resolve, reject);
  });

/**
 * Ends one call: when its total time is over, when the caller's signal fires, or by `stop`. A caller's signal is
 * listened to and never combined by `AbortSignal.any`: a long-lived one would collect the remains of every call.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #totalMs: number;
  readonly #startedAt = performance.now();

  constructor(totalMs: number) {
    this.#totalMs = totalMs;
  }

  /** Fires when the call must end; its reason is the error of the call. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds that are left of the total time. */
  get remainingMs(): number {
    return this.#startedAt + this.#totalMs - performance.now();
  }

  stop(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Runs the call. Timer and listener are gone when it ends. */
  async run<T>(work: () => Promise<T>, caller: AbortSignal | undefined): Promise<T> {
    const onAbort = () => this.stop(new AbortedError('The call was aborted.', { cause: caller?.reason }));
    const onTimeout = () => this.stop(new TimeoutError('total', this.#totalMs));
    if (caller?.aborted) onAbort();
    this.signal.throwIfAborted();
    caller?.addEventListener('abort', onAbort);
    const timer = this.#totalMs > longestDelay ? undefined : setTimeout(onTimeout, this.#totalMs);
    try {
      return await orAborted(this.signal, work());
    } finally {
      clearTimeout(timer);
      caller?.removeEventListener('abort', onAbort);
    }
  }
}
