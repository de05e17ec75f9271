import type { IncomingHttpHeaders } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { CallerTurns } from '../http/turns.js';
import { Usage } from '../store/usage.js';

/** Milliseconds of a turn of the event loop after which no further request starts in it. */
const share = 1;
/** Requests that may start in one turn. */
const perTurn = 8;
/** Milliseconds after which the time between turns is measured again. */
const measuredFor = 100;
const maxCost = 6;
const maxKnown = 10_000;
/** Characters; a token may have many spaces before it. */
const maxCredentials = 1000;
/** Requests of a caller that are in progress while there are others. */
const maxInProgress = 6;

/** Other cookies change with each response. */
const credentialsOf = ({ authorization, cookie = '' }: IncomingHttpHeaders): string =>
  authorization ?? /\bmkt_session\w*=[^;]+/.exec(cookie)?.[0] ?? '';

/** What waits for its turn. */
interface Waiting {
  readonly starts: (() => void)[];
  readonly resumes: (() => void)[];
}

/**
 * Lets requests of different callers take turns, so that one caller does not keep the others waiting: neither with many
 * connections, nor with requests that take long. A request takes a turn when it starts, and again for the work on what it
 * has waited for, such as the rows of its page. So all of its time is measured, and its caller waits accordingly.
 */
export class Turns implements CallerTurns {
  /** Users by the credentials they used. */
  readonly #users = new Map<string, string>();
  /** By their callers; the caller whose turn was the last one is at the end. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #inProgress = new Map<string, number>();
  readonly #usage = new Usage();
  #running: { readonly caller: string; readonly since: number; readonly cpu: NodeJS.CpuUsage } | null = null;
  /** How much of the process's time a millisecond of turns costs: the rest is that of sending, and of what databases send. */
  #cost = 1;
  #charged = 0;
  #measuredAt = 0;
  #loop = performance.eventLoopUtilization();
  #cpu = process.cpuUsage();
  #turnBegan = 0;
  #isScheduled = false;
  #timer: NodeJS.Timeout | undefined;

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

  start(caller: string): Promise<void> | undefined {
    const wait = this.#turn(caller, 'starts');
    if (!wait) this.#count(caller, 1);
    return wait;
  }

  resume(caller: string): Promise<void> | undefined {
    return this.#turn(caller, 'resumes');
  }

  end(caller: string): void {
    this.#count(caller, -1);
    if (this.#waiting.size > 0) this.#schedule();
  }

  /** Waits for something else, such as a page of another site: meanwhile the request does not count as in progress. */
  async outside<T>(caller: string, work: () => Promise<T>): Promise<T> {
    this.end(caller);
    try {
      return await work();
    } finally {
      this.#count(caller, 1);
    }
  }

  #turn(caller: string, kind: keyof Waiting): Promise<void> | undefined {
    this.#usage.arrived(caller);
    if (this.#waiting.size === 0 && !this.#usage.isShared) return undefined;
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(caller) ?? { starts: [], resumes: [] };
      this.#waiting.set(caller, waiting);
      waiting[kind].push(resolve);
      this.#schedule();
    });
  }

  #count(caller: string, change: 1 | -1): void {
    const count = (this.#inProgress.get(caller) ?? 0) + change;
    if (count === 0) this.#inProgress.delete(caller);
    else this.#inProgress.set(caller, count);
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
      if (this.#pauseOf(caller) > 0) continue;
      const { starts, resumes } = waiting;
      const isStart = resumes.length === 0;
      const next = (isStart ? starts : resumes).shift();
      if (isStart) this.#count(caller, 1);
      this.#waiting.delete(caller);
      if (starts.length + resumes.length > 0) this.#waiting.set(caller, waiting);
      this.#running = { caller, since: now, cpu: process.cpuUsage() };
      next?.();
      return;
    }
  }

  #endTurn(): void {
    const now = this.#charge();
    this.#isScheduled = false;
    this.#measure(now);
    const pause = Math.min(...[...this.#waiting.keys()].map((caller) => this.#pauseOf(caller)));
    if (pause <= 0) this.#schedule();
    else if (pause < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#schedule(), pause);
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
      this.#charged += used;
      this.#usage.charge(caller, used, this.#cost);
    }
    return now;
  }

  #measure(now: number): void {
    const passed = now - this.#measuredAt;
    if (passed < measuredFor) return;
    const { active } = performance.eventLoopUtilization(this.#loop);
    const { user, system } = process.cpuUsage(this.#cpu);
    const cost = Math.min(active, (user + system) / 1000) / this.#charged;
    // Not after a time without others, in which nothing was charged.
    if (passed < 3 * measuredFor && this.#charged > 0)
      this.#cost = (this.#cost + Math.max(1, Math.min(cost, maxCost))) / 2;
    this.#charged = 0;
    this.#measuredAt = now;
    this.#loop = performance.eventLoopUtilization();
    this.#cpu = process.cpuUsage();
  }

  /** Milliseconds; infinite if all that waits of the caller must wait for its other requests to end. */
  #pauseOf(caller: string): number {
    const isFull = (this.#inProgress.get(caller) ?? 0) >= maxInProgress;
    if (isFull && this.#waiting.get(caller)?.resumes.length === 0) return Number.POSITIVE_INFINITY;
    return this.#usage.pauseOf(caller);
  }
}
