import type { Deadline } from './deadline.js';

/** How many requests run at the same time, at most. The others wait in order. */
export class ConcurrencyLimit {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(max: number) {
    this.#free = max;
  }

  /** Waits for a turn, which ends with `done`. Two calls and no function to run: one promise less for every request. */
  turn(deadline: Deadline): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free -= 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      this.#waiting.add(resolve);
      deadline.onEnd((error) => {
        this.#waiting.delete(resolve);
        reject(error);
      });
    });
  }

  done(): void {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next();
    } else this.#free += 1;
  }
}

/** Until when the server does not want requests with a token (429). */
export class Pauses {
  readonly #ends = new Map<string, number>();

  pause(token: string, ms: number): void {
    // Also removes those of tokens that are no longer used.
    for (const other of this.#ends.keys()) this.remainingMs(other);
    this.#ends.set(token, Math.max(this.#ends.get(token) ?? 0, performance.now() + ms));
  }

  /** Milliseconds until requests with this token may be sent. */
  remainingMs(token: string): number {
    const end = this.#ends.get(token);
    if (end === undefined) return 0;
    const ms = end - performance.now();
    if (ms <= 0) this.#ends.delete(token);
    return Math.max(0, ms);
  }
}
