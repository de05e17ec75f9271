import { performance } from 'node:perf_hooks';
import { tooManyRequests } from '../http/problems.js';
import { type Caller, type CallerTurns, type Connection, type Credentials, payerOf } from '../http/turns.js';
import { FairTurns } from '../store/fair-turns.js';
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
/** Without others: the first request of another caller waits for these. */
const maxWithoutOthers = 16;
/**
 * Bytes of images, not in memory before, that a caller gets in a millisecond while there are others. To load 5 MiB costs
 * both the database and this process a lot, outside of turns.
 */
const loadedBytes = 8 * 1024;
/** Milliseconds that a request waits for the images before it. */
const maxLoadWait = 30_000;
/** Requests that end in one turn because their clients have gone. */
const maxGone = 50;

/** Other cookies change with each response. */
const credentialsOf = ({ authorization, cookie = '' }: Credentials): string =>
  authorization ?? /\bmkt_session\w*=[^;]+/.exec(cookie)?.[0] ?? '';

/** A user, or a connection of a client that is not known yet. */
const idOf = ({ userId, connection }: Caller): string =>
  userId ?? `${connection?.remoteAddress} ${connection?.remotePort}`;

/** A client that is not known yet becomes a user when one with the same credentials is identified. */
interface Client extends Caller {
  userId: string | null;
  readonly credentials?: string;
}

interface Step {
  readonly caller: Client;
  readonly go: () => void;
  readonly isGone: () => boolean;
}

/** When a user, an address or a connection had its last turn; zero if that is not known. */
interface Served {
  at: number;
}

/** What waits for its turn. */
interface Waiting {
  readonly caller: Client;
  readonly served: Served;
  /** The address of a client that is not known yet. */
  readonly payerServed: Served;
  readonly starts: Step[];
  readonly resumes: Step[];
}

/** Who pays for the time of clients that are not known yet: together, because one may send from many addresses. */
const unknownClients = 'unknown';

/**
 * Lets requests of different callers take turns, so that one caller does not keep the others waiting: neither with many
 * connections, nor with requests that take long. A request takes a turn when it starts, and again for the work on what it
 * has waited for, such as the rows of its page. So all of its time is measured, and its caller waits accordingly. The next
 * turn is that of the caller who had none for the longest time. Clients that are not known yet are one caller together; of
 * these, it is that of the address, and then of the connection, that had none for the longest time.
 */
export class Turns implements CallerTurns {
  /** Users by the credentials they used. */
  readonly #users = new Map<string, string>();
  /** By users and connections. */
  readonly #waiting = new Map<string, Waiting>();
  /** Steps of transactions: they count for their callers, but do not pause, because others wait for them. */
  readonly #urgent: { readonly caller: Caller; readonly go: () => void }[] = [];
  readonly #served = new Map<string, Served>();
  /** The clients that are not known yet, of the requests in progress. */
  readonly #unknown = new Set<Client>();
  /** When a client that is not known yet had its last turn. */
  #unknownServedAt = 0;
  /** By users, or by the addresses of clients that are not known yet. */
  readonly #inProgress = new Map<string, number>();
  readonly #usage = new Usage();
  readonly #loadUsage = new Usage(
    (used) => used,
    () => this.#isShared,
  );
  readonly #loads = new FairTurns(2, () => tooManyRequests(5), 1, this.#loadUsage);
  #running: { readonly caller: Caller; readonly since: number; readonly cpu: NodeJS.CpuUsage } | null = null;
  /** How much of the process's time a millisecond of turns costs: the rest is that of sending, and of what databases send. */
  #cost = 1;
  #charged = 0;
  #measuredAt = 0;
  #loop = performance.eventLoopUtilization();
  #cpu = process.cpuUsage();
  #turnBegan = 0;
  #isScheduled = false;
  #timer: NodeJS.Timeout | undefined;

  identified(headers: Credentials, userId: string): void {
    const credentials = credentialsOf(headers);
    if (credentials === '' || credentials.length > maxCredentials || this.#users.has(credentials)) return;
    if (this.#users.size >= maxKnown) this.#users.clear();
    this.#users.set(credentials, userId);
    // Of many first requests at once, the others are those of this user too.
    const ownerOf = (client: Client) => this.#users.get(client.credentials ?? '');
    for (const client of this.#unknown)
      if (ownerOf(client) === userId) {
        this.#count(payerOf(client), -1);
        this.#unknown.delete(client);
        client.userId = userId;
        this.#count(userId, 1);
      }
    for (const [id, { caller, starts, resumes }] of this.#waiting)
      if (caller.userId === null && ownerOf(caller) === userId) {
        this.#waiting.delete(id);
        for (const step of [...starts, ...resumes]) step.caller.userId = userId;
        const own = this.#waitingOf(caller);
        own.starts.push(...starts);
        own.resumes.push(...resumes);
      }
  }

  /** Who has sent a request. */
  callerOf(headers: Credentials, connection: Connection | undefined): Caller {
    const credentials = credentialsOf(headers);
    const client: Client = { userId: this.#users.get(credentials) ?? null, connection, credentials };
    return client;
  }

  start(caller: Caller, isGone?: () => boolean): Promise<void> | undefined {
    this.#usage.arrived(payerOf(caller));
    const mayStart = !this.#isShared && !this.#isFull(caller);
    const wait = mayStart ? undefined : this.#wait(caller, 'starts', isGone);
    if (!wait) this.#begin(caller);
    return wait;
  }

  resume(caller: Caller, isUrgent = false): Promise<void> | undefined {
    this.#usage.arrived(payerOf(caller));
    if (!this.#isShared) return undefined;
    if (!isUrgent) return this.#wait(caller, 'resumes');
    return new Promise((go) => {
      this.#urgent.push({ caller, go });
      this.#schedule();
    });
  }

  end(caller: Caller): void {
    this.#count(payerOf(caller), -1);
    if (caller.userId === null) this.#unknown.delete(caller);
    if (this.#waiting.size > 0) this.#schedule();
  }

  /** Waits for something else, such as a page of another site: meanwhile the request does not count as in progress. */
  async outside<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    this.#count(payerOf(caller), -1);
    if (this.#waiting.size > 0) this.#schedule();
    try {
      return await work();
    } finally {
      this.#count(payerOf(caller), 1);
    }
  }

  async loading(headers: Credentials, connection: Connection | undefined, load: () => Promise<number>): Promise<void> {
    const caller = this.callerOf(headers, connection);
    const payer = payerOf(caller);
    await this.outside(caller, () => this.#loads.enter(payer, maxLoadWait));
    try {
      this.#loadUsage.charge(payer, (await load()) / loadedBytes);
    } finally {
      this.#loads.leave(payer);
    }
  }

  #wait(caller: Caller, kind: 'starts' | 'resumes', isGone = () => false): Promise<void> {
    return new Promise((go) => {
      this.#waitingOf(caller)[kind].push({ caller, go, isGone });
      this.#schedule();
    });
  }

  #waitingOf(caller: Client): Waiting {
    const id = idOf(caller);
    const found = this.#waiting.get(id);
    if (found) return found;
    const [served, payerServed] = [this.#servedOf(id), this.#servedOf(payerOf(caller))];
    const waiting: Waiting = { caller, served, payerServed, starts: [], resumes: [] };
    this.#waiting.set(id, waiting);
    return waiting;
  }

  #servedOf(id: string): Served {
    const known = this.#served.get(id);
    if (known) return known;
    if (this.#served.size >= maxKnown) this.#served.clear();
    const served = { at: 0 };
    this.#served.set(id, served);
    return served;
  }

  get #isShared(): boolean {
    return this.#waiting.size > 0 || this.#usage.isShared;
  }

  #isFull(caller: Caller): boolean {
    const most = this.#usage.isShared ? maxInProgress : maxWithoutOthers;
    return (this.#inProgress.get(payerOf(caller)) ?? 0) >= most;
  }

  #begin(caller: Caller): void {
    if (caller.userId === null) this.#unknown.add(caller);
    this.#count(payerOf(caller), 1);
  }

  #count(payer: string, change: number): void {
    const count = (this.#inProgress.get(payer) ?? 0) + change;
    if (count === 0) this.#inProgress.delete(payer);
    else this.#inProgress.set(payer, count);
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
    const urgent = this.#urgent.shift();
    if (urgent) this.#run(urgent.caller, now, [urgent]);
    if (urgent || now - this.#turnBegan > share) return;
    let found: readonly [string, Waiting] | undefined;
    for (const each of this.#waiting)
      if ((!found || this.#isBefore(each[1], found[1])) && this.#pauseOf(each[1]) <= 0) found = each;
    if (!found) return;
    const [id, next] = found;
    const { caller, starts, resumes } = next;
    const isStart = resumes.length === 0;
    const steps = isStart ? starts : resumes;
    const begun: Step[] = [];
    do begun.push(...steps.splice(0, 1));
    while (steps.length > 0 && begun.length < maxGone && begun.at(-1)?.isGone());
    if (isStart) for (const step of begun) this.#begin(step.caller);
    if (starts.length + resumes.length === 0) this.#waiting.delete(id);
    next.served.at = now;
    next.payerServed.at = now;
    if (caller.userId === null) this.#unknownServedAt = now;
    this.#run(caller, now, begun);
  }

  #isBefore(one: Waiting, other: Waiting): boolean {
    const turnOf = ({ caller, served }: Waiting) => (caller.userId === null ? this.#unknownServedAt : served.at);
    const difference = turnOf(one) - turnOf(other) || one.payerServed.at - other.payerServed.at;
    return (difference || one.served.at - other.served.at) < 0;
  }

  #run(caller: Caller, since: number, steps: readonly Pick<Step, 'go'>[]): void {
    this.#running = { caller, since, cpu: process.cpuUsage() };
    for (const { go } of steps) go();
  }

  #endTurn(): void {
    const now = this.#charge();
    this.#isScheduled = false;
    this.#measure(now);
    const pause = Math.min(...[...this.#waiting.values()].map((waiting) => this.#pauseOf(waiting)));
    if (pause <= 0 || this.#urgent.length > 0) this.#schedule();
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
      // After a long request, others of its address do not wait for long: one of them may sign in.
      if (caller.userId !== null) this.#usage.charge(caller.userId, used, this.#cost);
      else this.#usage.charge(unknownClients, used, this.#cost, (milliseconds) => milliseconds);
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
  #pauseOf({ caller, resumes }: Waiting): number {
    if (resumes.length === 0 && this.#isFull(caller)) return Number.POSITIVE_INFINITY;
    return this.#usage.pauseOf(caller.userId ?? unknownClients);
  }
}
