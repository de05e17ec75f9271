import { AbortedError } from '../errors.js';
import { Deadline } from './deadline.js';

interface SharedRequest<T> {
  deadline: Deadline;
  response: Promise<T>;
  waiting: number;
}

/** Identical reads that run at the same time share one request. It ends early when no caller waits for it any more. */
export class InflightRequests<T> {
  readonly #requests = new Map<string, SharedRequest<T>>();

  /** Waits for the request of that key, and starts it if there is none. The caller's deadline ends only the waiting. */
  async join(key: string, totalMs: number, caller: Deadline, start: (deadline: Deadline) => Promise<T>): Promise<T> {
    let request = this.#requests.get(key);
    if (!request) {
      const deadline = new Deadline(totalMs);
      request = { deadline, response: start(deadline), waiting: 0 };
      this.#requests.set(key, request);
    }
    request.waiting += 1;
    try {
      return await caller.race(request.response);
    } finally {
      request.waiting -= 1;
      const isOver = !caller.hasEnded;
      if ((isOver || request.waiting === 0) && this.#requests.get(key) === request) this.#requests.delete(key);
      if (!isOver && request.waiting === 0)
        request.deadline.end(new AbortedError('No caller waits for this response any more.'));
    }
  }

  /** Later reads start a request of their own: the present one may be older than a write. */
  forget(key: string): void {
    this.#requests.delete(key);
  }
}
