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
