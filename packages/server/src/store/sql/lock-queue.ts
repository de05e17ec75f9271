import { StoreUnavailable } from '../store.js';

/** Lets `size` in at a time, in the order of arrival. */
class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(size: number) {
    this.#free = size;
  }

  /** @throws {StoreUnavailable} after `timeout` milliseconds */
  enter(timeout: number): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const admit = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(admit), 1);
        reject(new StoreUnavailable('Too many writers wait for changes of the same organization or user.'));
      }, timeout);
      this.#waiting.push(admit);
    });
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}

/** One that works and one that PostgreSQL lets in as soon as the first has committed: no round trip is lost between them. */
const perRow = 2;

/**
 * Writers that lock the same row wait here, without a connection, so that one busy organization cannot occupy the whole
 * pool. PostgreSQL's row locks still decide between processes.
 */
export class LockQueue {
  readonly #rows = new Map<string, { readonly semaphore: Semaphore; users: number }>();
  readonly #waiting: Semaphore;
  readonly #maxWaiting: number;

  /** @param timeout milliseconds that a writer waits here at most */
  constructor(
    connections: number,
    private readonly timeout: number,
  ) {
    this.#maxWaiting = Math.max(1, Math.floor(connections / 2));
    this.#waiting = new Semaphore(this.#maxWaiting);
  }

  /**
   * Runs `lock` when it is this writer's turn for `row`. No more than half of the connections wait for locks at a time.
   * @returns what the writer calls when its transaction has ended
   * @throws {StoreUnavailable}
   */
  async locked(row: string, lock: () => Promise<void>): Promise<() => void> {
    const queue = this.#rows.get(row) ?? { semaphore: new Semaphore(Math.min(perRow, this.#maxWaiting)), users: 0 };
    this.#rows.set(row, queue);
    queue.users += 1;
    const forget = () => {
      queue.users -= 1;
      if (queue.users === 0) this.#rows.delete(row);
    };
    const leave = () => {
      queue.semaphore.leave();
      forget();
    };
    await queue.semaphore.enter(this.timeout).catch((error: unknown) => {
      forget();
      throw error;
    });
    try {
      await this.#waiting.enter(this.timeout);
      try {
        await lock();
      } finally {
        this.#waiting.leave();
      }
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }
}
