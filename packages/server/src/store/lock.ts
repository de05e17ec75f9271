/** Many readers or one writer at a time; a waiting writer goes before readers that come later, so it never starves. */
export class ReadWriteLock {
  #readers = 0;
  #writing = false;
  readonly #waiting: { write: boolean; start: () => void }[] = [];

  /** Runs `work` while no writer runs. */
  async read<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#writing || this.#waiting.length > 0) await this.#turn(false);
    else this.#readers += 1;
    try {
      return await work();
    } finally {
      this.#readers -= 1;
      this.#next();
    }
  }

  /** Runs `work` alone. */
  async write<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#writing || this.#readers > 0 || this.#waiting.length > 0) await this.#turn(true);
    else this.#writing = true;
    try {
      return await work();
    } finally {
      this.#writing = false;
      this.#next();
    }
  }

  #turn(write: boolean): Promise<void> {
    return new Promise((start) => this.#waiting.push({ write, start }));
  }

  /** Counts the next ones in before they run, so that nobody slips in between. */
  #next(): void {
    for (let next = this.#waiting[0]; next && !this.#writing; next = this.#waiting[0]) {
      if (next.write && this.#readers > 0) return;
      this.#waiting.shift();
      if (next.write) this.#writing = true;
      else this.#readers += 1;
      next.start();
    }
  }
}
