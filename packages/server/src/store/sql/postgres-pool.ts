import type pg from 'pg';
import { StoreUnavailable } from '../store.js';
import { type Queryable, sqlState, storeError } from './postgres-connection.js';

/** The connections of one process. */
export interface ConnectionPool extends Queryable {
  /** @throws {StoreUnavailable} if no connection is available within the time limit */
  connect(): Promise<pg.PoolClient>;
  end(): Promise<void>;
}

/** Milliseconds after which a pool that the database could not serve tries to grow again. */
const growAgainAfter = 2000;

/**
 * A pool that waits where the driver's pool fails: if the database has no free connections, callers share the
 * open connections. If there are none, they retry until `timeoutMs` have passed.
 */
export function connectionPool(driver: typeof pg, config: pg.PoolConfig, timeoutMs: number): ConnectionPool {
  const { max = 1 } = config;
  // One connection stays open, so that processes that compete for the last connections can all continue.
  const pool = new driver.Pool({ ...config, min: 1 });
  let open = 0;
  pool.on('error', ignore);
  pool.on('connect', (client) => {
    client.on('error', ignore);
    open += 1;
  });
  pool.on('remove', () => {
    open -= 1;
  });
  const sharesConnections = () => {
    if (pool.options.max === max) setTimeout(() => Object.assign(pool.options, { max }), growAgainAfter).unref();
    pool.options.max = Math.max(1, open);
    return open > 0;
  };
  const connect = () => connectWithRetries(() => pool.connect(), timeoutMs, sharesConnections);
  return {
    connect,
    async query(config) {
      const client = await connect();
      let usable = false;
      try {
        const result = await client.query(config);
        usable = true;
        return result;
      } finally {
        client.release(!usable);
      }
    },
    end: () => pool.end(),
  };
}

/**
 * Retries `connect` while the database has no free connections or is starting; immediately if `sharesConnections`
 * returns that the next call waits for an open connection.
 * @throws {StoreUnavailable} for any other failure, or after `timeoutMs`
 */
export async function connectWithRetries<Result>(
  connect: () => Promise<Result>,
  timeoutMs: number,
  sharesConnections: () => boolean = () => false,
): Promise<Result> {
  const deadline = Date.now() + timeoutMs;
  for (let pause = 10; ; pause = Math.min(2 * pause, 250)) {
    try {
      return await connect();
    } catch (error) {
      if (!hasNoRoom(error)) throw storeError(error);
      if (sharesConnections()) continue;
      if (Date.now() + pause > deadline) throw storeError(error);
    }
    // Jitter.
    await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
  }
}

/** 53300: too many connections. 57P03: starting or shutting down. */
const hasNoRoom = (error: unknown): boolean => /^(53300|57P03)$/.test(sqlState(error) ?? '');

/**
 * Listens to a connection's errors, which would end the process without a listener. The pool drops broken connections,
 * and the next statement on them fails, so there is nothing else to do.
 */
export const ignore = (): void => undefined;

/** Admits `size` callers at a time, in the order of arrival. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #entered = 0;

  /** @param rejection the error of callers that waited too long */
  constructor(
    private readonly size: number,
    private readonly rejection = () =>
      new StoreUnavailable('Too many writers wait for changes of the same organization or user.'),
  ) {}

  get isIdle(): boolean {
    return this.#entered === 0;
  }

  /** @throws the rejection after `timeoutMs` */
  async enter(timeoutMs: number): Promise<void> {
    if (this.#entered < this.size) {
      this.#entered += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const admit = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(admit), 1);
        reject(this.rejection());
      }, timeoutMs);
      this.#waiting.push(admit);
    });
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#entered -= 1;
  }
}

/** One that runs, and one that PostgreSQL admits when the first commits, so that no round trip is lost in between. */
const perRow = 2;

/**
 * Writers that lock the same row wait here, without a connection, so that one busy organization cannot occupy the whole
 * pool. PostgreSQL's row locks still decide between processes.
 */
export class LockQueue {
  readonly #rows = new Map<string, Semaphore>();
  readonly #waiting: Semaphore;
  readonly #maxWaiting: number;

  /** @param timeoutMs how long a writer waits here at most */
  constructor(
    connections: number,
    private readonly timeoutMs: number,
  ) {
    this.#maxWaiting = Math.max(1, Math.floor(connections / 2));
    this.#waiting = new Semaphore(this.#maxWaiting);
  }

  /**
   * Runs `lock` when it is this writer's turn for `row`. No more than half of the connections wait for locks at a time.
   * @returns what the writer calls when its transaction has ended
   * @throws {StoreUnavailable}
   */
  async locked(row: string, lock: () => Promise<unknown>): Promise<() => void> {
    const writers = this.#rows.get(row) ?? new Semaphore(Math.min(perRow, this.#maxWaiting));
    this.#rows.set(row, writers);
    await writers.enter(this.timeoutMs);
    const leave = () => {
      writers.leave();
      if (writers.isIdle) this.#rows.delete(row);
    };
    try {
      await this.#waiting.enter(this.timeoutMs);
      try {
        await lock();
      } finally {
        this.#waiting.leave();
      }
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }
}
