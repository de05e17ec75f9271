import { AbortedError } from '../errors.js';
import { Deadline } from './deadline.js';

interface SharedRequest<T> {
  deadline: Deadline;
  response: Promise<T>;
  callers: number;
}

/** Identical reads that run at the same time share one request. It ends early when no caller waits for it any more. */
export class InflightRequests<T> {
  readonly #requests = new Map<string, SharedRequest<T>>();

  /** The response to the request of that key, which is started if there is none. `caller` ends only the caller's wait. */
  join(key: string, totalMs: number, caller: Deadline, send: (deadline: Deadline) => Promise<T>): Promise<T> {
    const request = this.#requests.get(key) ?? this.#start(key, totalMs, send);
    request.callers += 1;
    caller.onEnd(() => {
      request.callers -= 1;
      if (request.callers > 0) return;
      this.#remove(key, request.deadline);
      request.deadline.end(new AbortedError('No caller waits for this response any more.'));
    });
    return request.response;
  }

  /** Later reads start a request of their own: the present one may be older than a write. */
  forget(key: string): void {
    this.#requests.delete(key);
  }

  #start(key: string, totalMs: number, send: (deadline: Deadline) => Promise<T>): SharedRequest<T> {
    const deadline = new Deadline(totalMs);
    const request = { deadline, response: send(deadline), callers: 0 };
    this.#requests.set(key, request);
    const remove = () => this.#remove(key, deadline);
    request.response.then(remove, remove);
    return request;
  }

  #remove(key: string, deadline: Deadline): void {
    if (this.#requests.get(key)?.deadline === deadline) this.#requests.delete(key);
  }
}
