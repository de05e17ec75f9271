import type { IncomingHttpHeaders } from 'node:http';

/** Milliseconds for which one caller may start requests in one turn of the event loop. */
const share = 1;
const maxKnown = 10_000;
/** Characters; a token may have many spaces before it. */
const maxCredentials = 1000;
/** Milliseconds after a request of another caller in which they take turns. Turns cost a busy caller a fifth of its speed. */
const othersFor = 3000;

/** Other cookies change with each response. */
const credentialsOf = ({ authorization, cookie = '' }: IncomingHttpHeaders): string =>
  authorization ?? /\bmkt_session\w*=[^;]+/.exec(cookie)?.[0] ?? '';

/**
 * Lets requests of different callers take turns: with many connections, one caller would otherwise keep each request of
 * the others waiting for as many of its own.
 */
export class Turns {
  /** Users by the credentials they used. */
  readonly #users = new Map<string, string>();
  /** When each caller has started its first request in this turn. */
  readonly #began = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();
  #isScheduled = false;
  #latest: string | undefined;
  #changedAt = Number.NEGATIVE_INFINITY;

  /** Counts later requests with the same credentials for this user, whichever of its tokens it uses. */
  identified(headers: IncomingHttpHeaders, userId: string): void {
    const credentials = credentialsOf(headers);
    if (credentials === '' || credentials.length > maxCredentials || this.#users.has(credentials)) return;
    if (this.#users.size >= maxKnown) this.#users.clear();
    this.#users.set(credentials, userId);
  }

  /** Waits until it is the caller's turn; undefined if it is. Unknown credentials count for their address. */
  wait(headers: IncomingHttpHeaders, address: string | undefined): Promise<void> | undefined {
    const caller = this.#users.get(credentialsOf(headers)) ?? `address ${address}`;
    if (caller !== this.#latest) {
      if (this.#latest !== undefined) this.#changedAt = performance.now();
      this.#latest = caller;
    }
    if (this.#waiting.size === 0 && performance.now() - this.#changedAt > othersFor) return undefined;
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => this.#next());
    }
    const began = this.#began.get(caller);
    if (began === undefined) this.#began.set(caller, performance.now());
    const waiting = this.#waiting.get(caller);
    if (!waiting && (began === undefined || performance.now() - began < share)) return undefined;
    return new Promise((resolve) => {
      if (waiting) waiting.push(resolve);
      else this.#waiting.set(caller, [resolve]);
    });
  }

  #next(): void {
    this.#began.clear();
    for (const [caller, waiting] of this.#waiting) {
      waiting.shift()?.();
      if (waiting.length === 0) this.#waiting.delete(caller);
    }
    this.#isScheduled = this.#waiting.size > 0;
    if (this.#isScheduled) setImmediate(() => this.#next());
  }
}
