import { AbortedError } from '../errors.js';
import { Deadline, orAborted } from './deadline.js';

interface SharedRequest<T> {
  deadline: Deadline;
  response: Promise<T>;
  waiting: number;
}

/** Identical reads that run at the same time share one request. It ends early when no caller waits for it any more. */
export class InflightRequests<T> {
  readonly #requests = new Map<string, SharedRequest<T>>();

  /**
   * Waits for the request of that key, which is started if there is none.
   *
   * @param caller - ends the waiting, not the request.
   */
  async join(key: string, totalMs: number, caller: AbortSignal, start: (deadline: Deadline) => Promise<T>): Promise<T> {
    let request = this.#requests.get(key);
    if (!request) {
      const deadline = new Deadline(totalMs);
      request = { deadline, response: start(deadline), waiting: 0 };
      this.#requests.set(key, request);
    }
    request.waiting += 1;
    try {
      return await orAborted(caller, request.response);
    } finally {
      request.waiting -= 1;
      if (request.waiting === 0 || !caller.aborted) this.#remove(key, request);
      if (request.waiting === 0 && caller.aborted)
        request.deadline.stop(new AbortedError('No caller waits for this response any more.'));
    }
  }

  /** Later reads start a request of their own: the present one may be older than a write. */
  forget(key: string): void {
    this.#requests.delete(key);
  }

  #remove(key: string, request: SharedRequest<T>): void {
    if (this.#requests.get(key) === request) this.#requests.delete(key);
  }
}
