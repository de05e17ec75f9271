import type { Usage } from './usage.js';

/** Whose work it is: a user, or an organization if that is not known, or the row that a writer locks. */
export type Group = string | number;

/**
 * Runs `size` pieces of work at a time, by default half of them of one group at most. Groups that wait take turns, and with
 * a usage those that have used much of the time wait for others.
 */
export class FairTurns {
  /** By group; the one whose turn was the last one is at the end. */
  readonly #waiting = new Map<Group, (() => void)[]>();
  /** How many pieces of work run, by group. */
  readonly #running = new Map<Group, number>();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param rejection the error of work that waited too long */
  constructor(
    private readonly size: number,
    private readonly rejection: () => Error,
    private readonly groupSize = Math.ceil(size / 2),
    private readonly usage?: Usage,
  ) {}

  get isBusy(): boolean {
    return this.#count > 0 || this.#waiting.size > 0;
  }

  /** @throws the rejection after waiting for `timeoutMs` */
  async run<Result>(group: Group, timeoutMs: number, work: () => Promise<Result>): Promise<Result> {
    await this.enter(group, timeoutMs);
    const since = performance.now();
    try {
      return await work();
    } finally {
      this.usage?.charge(group, performance.now() - since);
      this.leave(group);
    }
  }

  /** For work that calls `leave` at its end. @throws the rejection after waiting for `timeoutMs` */
  async enter(group: Group, timeoutMs: number): Promise<void> {
    this.usage?.arrived(group);
    if (!this.#waiting.has(group) && this.#isFree(group)) return this.#add(group, 1);
    const own = this.#waiting.get(group) ?? [];
    this.#waiting.set(group, own);
    await new Promise<void>((resolve, reject) => {
      const admit = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const expire = (): void => {
        own.splice(own.indexOf(admit), 1);
        if (own.length === 0) this.#waiting.delete(group);
        reject(this.rejection());
      };
      const timer = timeoutMs < Number.POSITIVE_INFINITY ? setTimeout(expire, timeoutMs) : undefined;
      own.push(admit);
      this.#admitNext();
    });
  }

  leave(group: Group): void {
    this.#add(group, -1);
    this.#moveToEnd(group);
    this.#admitNext();
  }

  #moveToEnd(group: Group): void {
    const own = this.#waiting.get(group);
    this.#waiting.delete(group);
    if (own && own.length > 0) this.#waiting.set(group, own);
  }

  #admitNext(): void {
    for (const [group, own] of this.#waiting) {
      if (!this.#isFree(group)) continue;
      this.#add(group, 1);
      const admit = own.shift();
      this.#moveToEnd(group);
      admit?.();
      this.#admitNext();
      return;
    }
    // All that could run are of groups that have used much.
    clearTimeout(this.#timer);
    const waits = [...this.#waiting.keys()].flatMap((group) => (this.#hasRoom(group) ? this.#pauseOf(group) : []));
    if (waits.length > 0) this.#timer = setTimeout(() => this.#admitNext(), Math.min(...waits));
  }

  #isFree(group: Group): boolean {
    return this.#hasRoom(group) && this.#pauseOf(group) <= 0;
  }

  #hasRoom(group: Group): boolean {
    return this.#count < this.size && (this.#running.get(group) ?? 0) < this.groupSize;
  }

  #pauseOf(group: Group): number {
    return this.usage?.pauseOf(group) ?? 0;
  }

  #add(group: Group, change: 1 | -1): void {
    const running = (this.#running.get(group) ?? 0) + change;
    if (running > 0) this.#running.set(group, running);
    else this.#running.delete(group);
    this.#count += change;
  }
}
