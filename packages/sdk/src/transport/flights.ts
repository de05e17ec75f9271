import { AbortedError } from '../errors.js';
import { Scope } from './scope.js';

interface Flight<T> {
  scope: Scope;
  answer: Promise<T>;
  waiting: number;
}

/** Identical reads that run at the same time share one request. It ends early when nobody waits for it any more. */
export class Flights<T> {
  readonly #flights = new Map<string, Flight<T>>();

  join(key: string, totalTimeout: number, caller: Scope, start: (scope: Scope) => Promise<T>): Promise<T> {
    let flight = this.#flights.get(key);
    if (!flight) {
      const scope = new Scope(totalTimeout);
      flight = { scope, answer: start(scope), waiting: 0 };
      this.#flights.set(key, flight);
    }
    const joined = flight;
    joined.waiting += 1;
    return caller.until(joined.answer, (over) => {
      joined.waiting -= 1;
      if (!over && joined.waiting > 0) return;
      if (this.#flights.get(key) === joined) this.#flights.delete(key);
      if (!over) joined.scope.stop(new AbortedError('Nobody waits for this answer any more.'));
    });
  }

  /** Later reads ask anew: what is under way may be older than a write. */
  forget(key: string): void {
    this.#flights.delete(key);
  }
}
