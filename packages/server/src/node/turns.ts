import type { IncomingHttpHeaders } from 'node:http';

/** Milliseconds of a turn of the event loop after which no further request starts in it. */
const share = 1;
/** Requests that may start in one turn. */
const perTurn = 8;
/** Milliseconds of its time that a caller may use at once. */
const burst = 5;
/** Milliseconds that a caller waits at most because of what it has used. */
const maxDebt = 1000;
const maxKnown = 10_000;
/** Characters; a token may have many spaces before it. */
const maxCredentials = 1000;
/** Milliseconds after a request of another caller in which they take turns. */
const othersFor = 3000;

/**
 * Milliseconds after which a caller may start again that has kept the event loop for `used` milliseconds. It gets at most
 * half of the time, and the longer the others had to wait, the less, because one of them waits for half of it: however long
 * its requests take, they wait for less than a millisecond on average.
 */
const pauseAfter = (used: number): number => 2 * used + used ** 2 / 2;

/** Other cookies change with each response. */
const credentialsOf = ({ authorization, cookie = '' }: IncomingHttpHeaders): string =>
  authorization ?? /\bmkt_session\w*=[^;]+/.exec(cookie)?.[0] ?? '';

/**
 * Lets requests of different callers take turns, so that one caller does not keep the others waiting: neither with many
 * connections, nor with requests that take long.
 */
export class Turns {
  /** Users by the credentials they used. */
  readonly #users = new Map<string, string>();
  /** Requests by their callers; the caller that started last is the last one. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** When each caller has paid for what it used. */
  readonly #paidAt = new Map<string, number>();
  #running: { readonly caller: string; readonly since: number; readonly cpu: NodeJS.CpuUsage } | null = null;
  #turnBegan = 0;
  #isScheduled = false;
  #timer: NodeJS.Timeout | undefined;
  #latest: string | undefined;
  #changedAt = Number.NEGATIVE_INFINITY;

  /** Counts later requests with the same credentials for this user, whichever of its tokens it uses. */
  identified(headers: IncomingHttpHeaders, userId: string): void {
    const credentials = credentialsOf(headers);
    if (credentials === '' || credentials.length > maxCredentials || this.#users.has(credentials)) return;
    if (this.#users.size >= maxKnown) this.#users.clear();
    this.#users.set(credentials, userId);
  }

  /** Who has sent a request; unknown credentials count for their address. */
  callerOf(headers: IncomingHttpHeaders, address: string | undefined): string {
    return this.#users.get(credentialsOf(headers)) ?? `address ${address}`;
  }

  /** Waits until it is the caller's turn; undefined if there are no others. */
  wait(caller: string): Promise<void> | undefined {
    if (caller !== this.#latest) {
      if (this.#latest !== undefined) this.#changedAt = performance.now();
      this.#latest = caller;
    }
    if (this.#waiting.size === 0 && performance.now() - this.#changedAt > othersFor) return undefined;
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(caller);
      if (waiting) waiting.push(resolve);
      else this.#waiting.set(caller, [resolve]);
      this.#schedule();
    });
  }

  /** What a request does until it waits for something has ended when the next immediate runs: so its time is known. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    clearTimeout(this.#timer);
    setImmediate(() => {
      this.#turnBegan = performance.now();
      this.#startNext();
    });
    for (let count = 1; count < perTurn; count += 1) setImmediate(() => this.#startNext());
    setImmediate(() => this.#endTurn());
  }

  #startNext(): void {
    const now = this.#charge();
    if (now - this.#turnBegan > share) return;
    for (const [caller, waiting] of this.#waiting) {
      if (this.#readyAt(caller) > now) continue;
      const start = waiting.shift();
      this.#waiting.delete(caller);
      if (waiting.length > 0) this.#waiting.set(caller, waiting);
      this.#running = { caller, since: now, cpu: process.cpuUsage() };
      start?.();
      return;
    }
  }

  #endTurn(): void {
    const now = this.#charge();
    this.#isScheduled = false;
    if (this.#waiting.size === 0) return;
    const pause = Math.min(...[...this.#waiting.keys()].map((caller) => this.#readyAt(caller))) - now;
    if (pause <= 0) this.#schedule();
    else this.#timer = setTimeout(() => this.#schedule(), pause);
  }

  /** Ends the time of the request that started last. @returns the current time */
  #charge(): number {
    const now = performance.now();
    if (this.#running) {
      const { caller, since, cpu } = this.#running;
      this.#running = null;
      // Not what the process waited for a processor, which would make an innocent caller wait for a second.
      const { user, system } = process.cpuUsage(cpu);
      const used = Math.min(now - since, (user + system) / 1000);
      if (this.#paidAt.size >= maxKnown) this.#paidAt.clear();
      const paidAt = Math.max(this.#readyAt(caller), now - burst) + pauseAfter(used);
      this.#paidAt.set(caller, Math.min(paidAt, now + maxDebt));
    }
    return now;
  }

  #readyAt(caller: string): number {
    return this.#paidAt.get(caller) ?? 0;
  }
}
