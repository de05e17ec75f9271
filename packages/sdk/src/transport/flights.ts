import { AbortedError } from '../errors.js';
import { Scope } from './scope.js';

interface Flight<T> {
  scope: Scope;
  answer: Promise<T>;
  waiting: number;
  landed: boolean;
}

/** Identical reads that run at the same time share one request. It ends early when nobody waits for it any more. */
export class Flights<T> {
  readonly #flights = new Map<string, Flight<T>>();

  join(key: string, totalTimeout: number, caller: Scope, start: (scope: Scope) => Promise<T>): Promise<T> {
    const flight = this.#flights.get(key) ?? this.#begin(key, totalTimeout, start);
    flight.waiting += 1;
    return caller.until(flight.answer, () => {
      flight.waiting -= 1;
      if (flight.waiting > 0 || flight.landed) return;
      this.#land(key, flight);
      flight.scope.stop(new AbortedError('Nobody waits for this answer any more.'));
    });
  }

  /** Later reads ask anew: what is under way may be older than a write. */
  forget(key: string): void {
    this.#flights.delete(key);
  }

  #begin(key: string, totalTimeout: number, start: (scope: Scope) => Promise<T>): Flight<T> {
    const scope = new Scope(totalTimeout);
    const flight = { scope, answer: start(scope), waiting: 0, landed: false };
    const land = () => this.#land(key, flight);
    flight.answer.then(land, land);
    this.#flights.set(key, flight);
    return flight;
  }

  #land(key: string, flight: Flight<T>): void {
    flight.landed = true;
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
