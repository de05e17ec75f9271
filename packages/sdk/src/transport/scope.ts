import { AbortedError, TimeoutError } from '../errors.js';

/** Longer delays overflow the runtimes' timers, which then fire at once. */
const longestTimer = 2 ** 31 - 1;

function after(ms: number, act: () => void): () => void {
  if (ms > longestTimer) return () => undefined;
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}

/**
 * The bounds of one call: its total time and the caller's signal. It owns every timer and listener of the call, so that
 * all of them are gone when the call ends. A caller's signal is listened to, never combined by `AbortSignal.any`: a
 * long-lived signal would collect the remains of every call.
 */
export class Scope {
  readonly #total: number;
  readonly #startedAt = performance.now();
  #stopped: { reason: unknown } | undefined;
  /** Ends what the call is doing at the moment. */
  #interrupt: ((reason: unknown) => void) | undefined;
  #onStop: ((reason: unknown) => void) | undefined;

  /** @param total - bound of the whole call in milliseconds. */
  constructor(total: number) {
    this.#total = total;
  }

  /** Milliseconds that are left of the total time. */
  get remaining(): number {
    return this.#startedAt + this.#total - performance.now();
  }

  /** Ends the call, whatever it is doing. */
  stop(reason: unknown): void {
    this.#stopped ??= { reason };
    this.#onStop?.(reason);
    this.#interrupt?.(reason);
  }

  /** Runs the whole call within its bounds. */
  run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const onAbort = () => this.stop(new AbortedError('The call was aborted.', { cause: signal?.reason }));
      const cancelTimer = after(this.#total, () => this.stop(new TimeoutError('total', this.#total)));
      const release = () => {
        cancelTimer();
        signal?.removeEventListener('abort', onAbort);
      };
      this.#onStop = (reason) => {
        release();
        reject(reason);
      };
      if (signal?.aborted) {
        onAbort();
        return;
      }
      signal?.addEventListener('abort', onAbort);
      work().then(resolve, reject).then(release);
    });
  }

  /** Runs one attempt; its signal fires when the attempt's time is up or the call ends. */
  attempt<T>(work: (signal: AbortSignal) => Promise<T>, timeout: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#stopped) {
        reject(this.#stopped.reason);
        return;
      }
      const controller = new AbortController();
      this.#interrupt = (reason) => {
        reject(reason);
        controller.abort(reason);
      };
      const cancelTimer = after(timeout, () => this.#interrupt?.(new TimeoutError('attempt', timeout)));
      work(controller.signal).then(resolve, reject).then(cancelTimer);
    });
  }

  /** Waits for something that others may wait for too; `leave` is called when it is over, and when the call ends. */
  until<T>(promise: Promise<T>, leave: (over: boolean) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#interrupt = (reason) => {
        reject(reason);
        leave(false);
      };
      promise.then(
        (value) => {
          leave(true);
          resolve(value);
        },
        (error) => {
          leave(true);
          reject(error);
        },
      );
      if (this.#stopped) this.#interrupt(this.#stopped.reason);
    });
  }

  /** Waits between two attempts; ends at once with the call. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancelTimer = after(ms, resolve);
      this.#interrupt = (reason) => {
        cancelTimer();
        reject(reason);
      };
    });
  }
}
