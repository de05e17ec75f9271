import { copyHeaders, type ResponseContext } from './call.js';
import type { Deadline } from './deadline.js';

interface Queue {
  running: number;
  readonly waiting: Set<() => void>;
}

/** How many requests with the same token run at the same time, at most. The others wait in order. */
export class ConcurrencyLimit {
  readonly #queues = new Map<string, Queue>();
  readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  /** Waits for a turn, which ends with `done`. Two calls and no function to run: one promise less for every request. */
  turn(token: string, deadline: Deadline): Promise<void> | undefined {
    let queue = this.#queues.get(token);
    if (!queue) {
      queue = { running: 0, waiting: new Set() };
      this.#queues.set(token, queue);
    }
    if (queue.running < this.max) {
      queue.running += 1;
      return undefined;
    }
    const { waiting } = queue;
    return new Promise((resolve, reject) => {
      waiting.add(resolve);
      deadline.onEnd((error) => {
        waiting.delete(resolve);
        reject(error);
      });
    });
  }

  done(token: string): void {
    const queue = this.#queues.get(token);
    if (!queue) return;
    const [next] = queue.waiting;
    if (next) {
      queue.waiting.delete(next);
      next();
    } else if (--queue.running === 0) this.#queues.delete(token);
  }
}

interface Pause {
  end: number;
  /** The response that asked for it. */
  response: ResponseContext;
}

/** Until when the server does not want requests with a token (429). */
export class Pauses {
  readonly #pauses = new Map<string, Pause>();

  pause(token: string, ms: number, response: ResponseContext): void {
    // Also removes those of tokens that are no longer used.
    for (const other of this.#pauses.keys()) this.remainingMs(other);
    const end = performance.now() + ms;
    if (end > (this.#pauses.get(token)?.end ?? 0)) this.#pauses.set(token, { end, response });
  }

  /** Milliseconds until requests with this token may be sent. */
  remainingMs(token: string): number {
    const ms = (this.#pauses.get(token)?.end ?? 0) - performance.now();
    if (ms <= 0) this.#pauses.delete(token);
    return Math.max(0, ms);
  }

  /** The response that asked for the pause, with the time that is left. */
  response(token: string): ResponseContext {
    const { response } = this.#pauses.get(token) as Pause;
    const headers = copyHeaders(response.headers);
    headers.set('retry-after', `${Math.ceil(this.remainingMs(token) / 1000)}`);
    return { ...response, headers };
  }
}
