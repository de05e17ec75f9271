import type { Deadline } from './deadline.js';

/** How many requests run at the same time, at most. The others wait in order. */
export class ConcurrencyLimit {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(max: number) {
    this.#free = max;
  }

  async run<T>(deadline: Deadline, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(deadline);
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next) {
        this.#waiting.delete(next);
        next();
      } else this.#free += 1;
    }
  }

  #turn(deadline: Deadline): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(resolve);
      deadline.onEnd((error) => {
        this.#waiting.delete(resolve);
        reject(error);
      });
    });
  }
}
