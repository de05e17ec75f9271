/** Milliseconds that a caller may use at once. */
const burst = 20;
/** Milliseconds that a caller waits at most because of what it has used. */
const maxDebt = 1000;
const maxKnown = 10_000;
/** Milliseconds after another caller was there in which they take turns. */
const othersFor = 3000;

/** Stands for what the server does by itself, which never pauses. */
export const ownWork = '';

/**
 * Milliseconds after which a caller may go on that has kept the others waiting for `used` milliseconds. It gets at most half
 * of the time, and the longer the others had to wait, the less, because one of them waits for half of it: however long its
 * work takes, they wait for less than a millisecond on average.
 */
const pauseAfter = (used: number): number => 2 * used + used ** 2 / 2;

/** How much of the time of something that they share callers have used, such as that of the event loop. */
export class Usage {
  /** When each caller has paid for what it used. */
  readonly #paidAt = new Map<string | number, number>();
  #latest: string | number | undefined;
  #changedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param pause milliseconds after which a caller may go on that has used so many
   * @param hasOthers whether there are others who do not use this
   */
  constructor(
    private readonly pause = pauseAfter,
    private readonly hasOthers = () => false,
  ) {}

  arrived(caller: string | number): void {
    if (caller === this.#latest || caller === ownWork) return;
    if (this.#latest !== undefined) this.#changedAt = performance.now();
    this.#latest = caller;
  }

  /** Whether there are others, so that callers take turns. */
  get isShared(): boolean {
    return performance.now() - this.#changedAt <= othersFor || this.hasOthers();
  }

  /** @param cost how much each of the milliseconds counts */
  charge(caller: string | number, used: number, cost = 1, pause = this.pause): void {
    if (caller === ownWork) return;
    const now = performance.now();
    if (this.#paidAt.size >= maxKnown) this.#paidAt.clear();
    const paidAt = Math.max(this.#paidAt.get(caller) ?? 0, now - burst) + cost * pause(used);
    this.#paidAt.set(caller, Math.min(paidAt, now + maxDebt));
  }

  /** Milliseconds after which the caller may go on; none without others. */
  pauseOf(caller: string | number): number {
    return this.isShared ? (this.#paidAt.get(caller) ?? 0) - performance.now() : 0;
  }
}
