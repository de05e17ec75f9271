import type pg from 'pg';
import { FairTurns } from '../fair-turns.js';
import { type StoreActivity, StoreUnavailable } from '../store.js';
import { type Queryable, sqlState, storeError } from './postgres-connection.js';
import type { Primary } from './postgres-primary.js';

/** The connections of one process. */
export interface ConnectionPool extends Queryable {
  /** @throws {StoreUnavailable} if no connection is available within the time limit */
  connect(): Promise<pg.PoolClient>;
  /** The connections lead to a host that accepts no writes (anymore). */
  foundReadOnly(): void;
  usage(): Pick<StoreActivity, 'connectionsInUse' | 'connectionsWaiting'>;
  end(): Promise<void>;
}

/** Milliseconds after which a pool that the database could not serve tries to grow again. */
const growAgainAfter = 2000;

/** Milliseconds in which no statement ends, after which the database is looked at. */
const stalledAfter = 1000;

/** The driver's pool for one host. */
class HostPool {
  readonly #pool: pg.Pool;
  readonly #max: number;
  readonly #clients = new Set<pg.PoolClient>();
  /** When a connection was last returned, or first taken. */
  #progressAt = performance.now();

  constructor(driver: typeof pg, config: pg.PoolConfig, lost: () => void) {
    this.#max = config.max ?? 1;
    // One connection stays open, so that processes that compete for the last connections can all continue.
    const pool = new driver.Pool({ ...config, min: 1 });
    this.#pool = pool;
    pool.on('error', ignore);
    pool.on('connect', (client) => {
      client.on('error', lost);
      this.#clients.add(client);
    });
    pool.on('remove', (client) => this.#clients.delete(client as pg.PoolClient));
    pool.on('release', () => {
      this.#progressAt = performance.now();
    });
  }

  connect(timeoutMs: number): Promise<pg.PoolClient> {
    const pool = this.#pool;
    if (pool.totalCount === pool.idleCount) this.#progressAt = performance.now();
    const sharesConnections = () => {
      const max = this.#max;
      if (pool.options.max === max) setTimeout(() => Object.assign(pool.options, { max }), growAgainAfter).unref();
      pool.options.max = Math.max(1, this.#clients.size);
      return this.#clients.size > 0;
    };
    return connectWithRetries(() => pool.connect(), timeoutMs, sharesConnections);
  }

  get usage() {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { connectionsInUse: totalCount - idleCount, connectionsWaiting: waitingCount };
  }

  get isStalled(): boolean {
    const { totalCount, idleCount } = this.#pool;
    return totalCount > idleCount && performance.now() - this.#progressAt > stalledAfter;
  }

  /** Ends statements that are running, which then fail. */
  abort(): void {
    this.end().catch(ignore);
    for (const client of this.#clients) client.end().catch(ignore);
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

/**
 * A pool that waits where the driver's pool fails: if the database has no free connections, callers share the
 * open connections. If there are none, they retry until `timeoutMs` have passed. It follows the database to another host.
 */
export function connectionPool(
  driver: typeof pg,
  config: pg.PoolConfig,
  timeoutMs: number,
  { primary, url }: { readonly primary: Primary; readonly url: string },
): ConnectionPool & { moveTo(url: string): void } {
  const suspect = () => primary.suspect();
  // With one host the next statement finds out, and a search needs no connection of a database that may have none left.
  const connectionLost = primary.hasOtherHosts ? suspect : ignore;
  const open = (connectionString: string) => new HostPool(driver, { ...config, connectionString }, connectionLost);
  let current = open(url);
  let ended: Promise<void> | undefined;
  let replacedAt = Number.NEGATIVE_INFINITY;
  // The driver's own limit for statements is longer than a failover may take.
  const watch = setInterval(() => {
    if (current.isStalled) suspect();
  }, stalledAfter / 2).unref();

  const connect = async (): Promise<pg.PoolClient> => {
    if (primary.isLost && !ended) await primary.search();
    const pool = current;
    try {
      return await pool.connect(timeoutMs);
    } catch (error) {
      if (ended || !isConnectionLoss(error)) throw error;
      if (current === pool) {
        const search = primary.search();
        if (!primary.hasOtherHosts) {
          search.catch(ignore);
          throw error;
        }
        await search;
      }
      return current.connect(timeoutMs);
    }
  };
  return {
    connect,
    usage: () => current.usage,
    moveTo(to) {
      if (ended) return;
      const before = current;
      current = open(to);
      before.abort();
    },
    foundReadOnly() {
      suspect();
      // A balancer may lead new connections elsewhere.
      if (ended || primary.hasOtherHosts || performance.now() - replacedAt < growAgainAfter) return;
      replacedAt = performance.now();
      current.end().catch(ignore);
      current = open(url);
    },
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
    end: () => {
      clearInterval(watch);
      primary.close();
      ended ??= current.end();
      return ended;
    },
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

/** Whether no connection could be opened; not if all of those that may be opened are in use. */
const isConnectionLoss = (error: unknown): boolean => {
  const cause = error instanceof StoreUnavailable ? error.cause : null;
  return cause instanceof Error && !hasNoRoom(cause) && !cause.message.startsWith('timeout exceeded when trying');
};

/** 53300: too many connections. 57P03: starting or shutting down. */
const hasNoRoom = (error: unknown): boolean => /^(53300|57P03)$/.test(sqlState(error) ?? '');

/**
 * Listens to a connection's errors, which would end the process without a listener. The pool drops broken connections,
 * and the next statement on them fails, so there is nothing else to do.
 */
export const ignore = (): void => undefined;

/** One that runs, and one that PostgreSQL admits when the first commits, so that no round trip is lost in between. */
const perRow = 2;

/**
 * Writers that lock the same row wait here, without a connection, so that one busy organization cannot occupy the whole
 * pool. PostgreSQL's row locks still decide between processes.
 */
export class LockQueue {
  readonly #writers: FairTurns;
  readonly #waiting: FairTurns;
  #waits = 0;
  #waitedMs = 0;

  /** @param timeoutMs how long a writer waits here at most */
  constructor(
    connections: number,
    private readonly timeoutMs: number,
  ) {
    const maxWaiting = Math.max(1, Math.floor(connections / 2));
    this.#writers = new FairTurns(Number.POSITIVE_INFINITY, tooManyWriters, Math.min(perRow, maxWaiting));
    this.#waiting = new FairTurns(maxWaiting, tooManyWriters, maxWaiting);
  }

  /** How often and how long writers have waited, here and in the database. */
  get waited(): Pick<StoreActivity, 'lockWaits' | 'lockWaitSeconds'> {
    return { lockWaits: this.#waits, lockWaitSeconds: this.#waitedMs / 1000 };
  }

  /**
   * Runs `lock` when it is this writer's turn for `row`. No more than half of the connections wait for locks at a time.
   * @returns what the writer calls when its transaction has ended
   * @throws {StoreUnavailable}
   */
  async locked(row: string, lock: () => Promise<unknown>): Promise<() => void> {
    const since = performance.now();
    const leave = () => this.#writers.leave(row);
    try {
      await this.#writers.enter(row, this.timeoutMs);
      await this.#waiting.run('locks', this.timeoutMs, lock).catch((error: unknown) => {
        leave();
        throw error;
      });
      return leave;
    } finally {
      this.#waits += 1;
      this.#waitedMs += performance.now() - since;
    }
  }
}

const tooManyWriters = () =>
  new StoreUnavailable('Too many writers wait for changes of the same organization or user.');
