/**
 * The ids of one table: given ones as they are, the others counting up from the one before, past those that are given
 * further down.
 */
export class Numbering {
  readonly #given: ReadonlySet<unknown>;
  readonly #holders = new Map<number, string>();
  #last = 0;

  /** @param given What stands in the file as ids of this table, checked or not. */
  constructor(given: Iterable<unknown>) {
    this.#given = new Set(given);
  }

  /** The id that `given` asks for, or the next one. `takenBy` names who has that id already. */
  take(given: number | undefined, holder: string): { readonly id: number; readonly takenBy: string | null } {
    const takenBy = given === undefined ? null : (this.#holders.get(given) ?? null);
    const id = given === undefined || takenBy !== null ? this.#next() : given;
    this.#holders.set(id, holder);
    this.#last = id;
    return { id, takenBy };
  }

  /** The largest id; 0 when there is none. */
  get largest(): number {
    return Math.max(0, ...this.#holders.keys());
  }

  #next(): number {
    let id = this.#last + 1;
    while (this.#given.has(id) || this.#holders.has(id)) id += 1;
    return id;
  }
}
