/** Whose work it is: an organization, or the row that a writer locks. */
export type Group = string | number;

interface Waiting {
  readonly group: Group;
  readonly admit: () => void;
}

/** Runs `size` pieces of work at a time, by default half of them of one group at most. Groups that wait take turns. */
export class FairTurns {
  readonly #waiting: Waiting[] = [];
  /** How many pieces of work run, by group. */
  readonly #running = new Map<Group, number>();
  #count = 0;

  /** @param rejection the error of work that waited too long */
  constructor(
    private readonly size: number,
    private readonly rejection: () => Error,
    private readonly groupSize = Math.ceil(size / 2),
  ) {}

  /** @throws the rejection after waiting for `timeoutMs` */
  async run<Result>(group: Group, timeoutMs: number, work: () => Promise<Result>): Promise<Result> {
    await this.enter(group, timeoutMs);
    try {
      return await work();
    } finally {
      this.leave(group);
    }
  }

  /** For work that calls `leave` at its end. @throws the rejection after waiting for `timeoutMs` */
  async enter(group: Group, timeoutMs: number): Promise<void> {
    if (this.#isFree(group)) this.#add(group, 1);
    else
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

  leave(group: Group): void {
    this.#add(group, -1);
    const free = this.#waiting.filter((waiting) => this.#isFree(waiting.group));
    const next = free.find((waiting) => waiting.group !== group) ?? free[0];
    if (!next) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#add(next.group, 1);
    next.admit();
  }

  #isFree(group: Group): boolean {
    return this.#count < this.size && (this.#running.get(group) ?? 0) < this.groupSize;
  }

  #add(group: Group, change: 1 | -1): void {
    const running = (this.#running.get(group) ?? 0) + change;
    if (running > 0) this.#running.set(group, running);
    else this.#running.delete(group);
    this.#count += change;
  }
}
