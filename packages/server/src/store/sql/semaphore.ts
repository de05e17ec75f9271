import { StoreUnavailable } from '../store.js';

/** Admits `size` callers at a time, in the order of arrival. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #entered = 0;

  constructor(private readonly size: number) {}

  get isIdle(): boolean {
    return this.#entered === 0;
  }

  /** @throws {StoreUnavailable} after `timeoutMs` */
  async enter(timeoutMs: number): Promise<void> {
    if (this.#entered < this.size) {
      this.#entered += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const admit = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(admit), 1);
        reject(new StoreUnavailable('Too many writers wait for changes of the same organization or user.'));
      }, timeoutMs);
      this.#waiting.push(admit);
    });
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#entered -= 1;
  }
}

interface Waiting {
  readonly group: Group;
  readonly admit: () => void;
}

/** Whose work it is: an organization. */
export type Group = string | number;

/** Runs `size` pieces of work at a time, half of them of one group at most. Groups that wait take turns. */
export class FairTurns {
  readonly #waiting: Waiting[] = [];
  readonly #running: Group[] = [];

  /** @param rejection the error of work that waited too long */
  constructor(
    private readonly size: number,
    private readonly rejection: () => Error,
  ) {}

  /** @throws the rejection after waiting for `timeoutMs` */
  async run<Result>(group: Group, timeoutMs: number, work: () => Promise<Result>): Promise<Result> {
    await this.#enter(group, timeoutMs);
    try {
      return await work();
    } finally {
      this.#leave(group);
    }
  }

  #isFree(group: Group): boolean {
    const own = this.#running.filter((other) => other === group).length;
    return this.#running.length < this.size && own < Math.ceil(this.size / 2);
  }

  async #enter(group: Group, timeoutMs: number): Promise<void> {
    if (this.#isFree(group)) {
      this.#running.push(group);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        group,
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(this.rejection());
      }, timeoutMs);
      this.#waiting.push(waiting);
    });
  }

  #leave(group: Group): void {
    this.#running.splice(this.#running.indexOf(group), 1);
    const free = this.#waiting.filter((waiting) => this.#isFree(waiting.group));
    const next = free.find((waiting) => waiting.group !== group) ?? free[0];
    if (!next) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#running.push(next.group);
    next.admit();
  }
}
