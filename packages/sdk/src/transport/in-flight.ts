import { AbortedError } from '../errors.js';
import { Deadline } from './deadline.js';
import { Progress } from './progress.js';

interface SharedRequest<T> {
  url: string;
  deadline: Deadline;
  response: Promise<T>;
  callers: number;
}

/** Identical reads that run at the same time share one request. It ends early when no caller waits for it any more. */
export class InflightRequests<T> {
  readonly #requests = new Map<string, SharedRequest<T>>();

  /**
   * The response to the request of that key, which is started if there is none. `caller` ends only the caller's wait.
   *
   * @param key - the URL, and whatever else makes responses differ.
   */
  join(
    { key, url, totalMs }: { key: string; url: string; totalMs: number },
    caller: Deadline,
    send: (deadline: Deadline) => Promise<T>,
  ): Promise<T> {
    let request = this.#requests.get(key);
    if (!request) {
      const deadline = new Deadline(totalMs, new Progress(caller.progress.operation));
      const response = send(deadline).finally(() => this.#remove(key, deadline));
      request = { url, deadline, response, callers: 0 };
      this.#requests.set(key, request);
    }
    const { deadline, response } = request;
    request.callers += 1;
    caller.progress.joined = deadline.progress;
    caller.onEnd(() => {
      request.callers -= 1;
      if (request.callers > 0) return;
      this.#remove(key, deadline);
      deadline.end(new AbortedError('No caller waits.'));
    });
    return response;
  }

  /** Later reads of that URL start a request of their own: the present one may be older than a write. */
  forget(url: string): void {
    for (const [key, request] of this.#requests) if (request.url === url) this.#requests.delete(key);
  }

  #remove(key: string, deadline: Deadline): void {
    if (this.#requests.get(key)?.deadline === deadline) this.#requests.delete(key);
  }
}
