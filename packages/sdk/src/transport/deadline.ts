import { errorOf, TimeoutError } from '../errors.js';
import type { Progress } from './progress.js';

/** Longer delays overflow the runtimes' timers, which then fire at once. */
export const longestDelay = 2 ** 31 - 1;

interface SharedListener {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const listeners = new WeakMap<AbortSignal, SharedListener>();

/**
 * Calls back when the signal aborts. Returns a function that ends this. All calls share one listener per signal, because
 * Node takes more than ten for a leak and prints a warning.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let shared = listeners.get(signal);
  if (!shared) {
    const callbacks = new Set<() => void>();
    const listener = () => {
      for (const call of callbacks) call();
    };
    shared = { callbacks, listener };
    listeners.set(signal, shared);
    signal.addEventListener('abort', listener);
  }
  const { callbacks, listener } = shared;
  callbacks.add(callback);
  return () => {
    if (!callbacks.delete(callback) || callbacks.size > 0) return;
    signal.removeEventListener('abort', listener);
    listeners.delete(signal);
  };
}

/**
 * Ends one call: when its total time is over, which ky has no option for, when the caller's signal fires, or by `end`.
 * The caller's signal is listened to and not given to ky: ky combines signals by `AbortSignal.any`, and a long-lived one
 * would collect the remains of every call.
 */
export class Deadline {
  readonly #totalMs: number;
  readonly #startedAt = performance.now();
  readonly #callbacks: ((error: unknown) => void)[] = [];
  #controller: AbortController | undefined;
  #error: Error | undefined;
  readonly progress: Progress;

  constructor(totalMs: number, progress: Progress) {
    this.#totalMs = totalMs;
    this.progress = progress;
  }

  /** Aborts when the call ends early, by the error of the call. Made when it is needed: signals are expensive. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#error) this.#controller.abort(this.#error);
    return this.#controller.signal;
  }

  /** Milliseconds that are left of the total time. */
  get remainingMs(): number {
    return this.#startedAt + this.#totalMs - performance.now();
  }

  /** Throws if the call has ended: its timer may be late. */
  check(): void {
    if (this.remainingMs <= 0) this.#timeOut();
    if (this.#error) throw this.#error;
  }

  /** Calls back when the call ends early. */
  onEnd(callback: (error: unknown) => void): void {
    if (this.#error) callback(this.#error);
    else this.#callbacks.push(callback);
  }

  end(error: Error): void {
    if (this.#error) return;
    this.#error = error;
    this.#controller?.abort(error);
    for (const callback of this.#callbacks) callback(error);
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      this.onEnd((error) => {
        clearTimeout(timer);
        reject(error);
      });
    });
  }

  #timeOut(): void {
    this.end(new TimeoutError('total', this.#totalMs, this.progress.allAttempts > 0));
  }

  /**
   * The result of `work`, or the error of the call when it ends first: not everything that is awaited can be aborted.
   * Timer and listener are gone when the call ends.
   */
  run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const abort = () =>
        this.end(errorOf(signal as AbortSignal, this.#totalMs - this.remainingMs, this.progress.allAttempts > 0));
      let timer: ReturnType<typeof setTimeout> | undefined;
      let stopListening: (() => void) | undefined;
      const cleanUp = () => {
        clearTimeout(timer);
        stopListening?.();
      };
      this.onEnd((error) => {
        cleanUp();
        reject(error);
      });
      if (signal?.aborted) return abort();
      stopListening = signal && onAbort(signal, abort);
      if (this.#totalMs <= longestDelay) timer = setTimeout(() => this.#timeOut(), this.#totalMs);
      // Without functions of our own in between V8 finds its way from a request to the line that awaits it.
      work().finally(cleanUp).then(resolve, reject);
    });
  }
}
