import type pg from 'pg';
import { named, type Queryable, sqlState } from './postgres-connection.js';

/** The connections of one process. */
export interface ConnectionPool extends Queryable {
  /** @throws {StoreUnavailable} when there is none within the time limit */
  connect(): Promise<pg.PoolClient>;
  end(): Promise<void>;
}

/** After this many milliseconds, a pool that found the database full tries to grow again. */
const growAgainAfter = 2000;

/**
 * A pool that waits where the driver's fails: when the database has no room for a further connection, callers share the
 * connections that are open; without any, they try again until `patience` milliseconds have passed.
 */
export function connectionPool(driver: typeof pg, config: pg.PoolConfig, patience: number): ConnectionPool {
  const { max = 1 } = config;
  // One connection stays open: where several processes compete for the last ones, each can go on with its own.
  const pool = new driver.Pool({ ...config, min: 1 });
  pool.on('connect', (client) => client.on('error', ignore)).on('error', ignore);
  let open = 0;
  pool.on('connect', () => {
    open += 1;
  });
  pool.on('remove', () => {
    open -= 1;
  });
  const sharesOpenOnes = () => {
    if (pool.options.max === max) setTimeout(() => Object.assign(pool.options, { max }), growAgainAfter).unref();
    pool.options.max = Math.max(1, open);
    return open > 0;
  };
  const connect = () => whenThereIsRoom(() => pool.connect(), patience, sharesOpenOnes);
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
 * Runs `connect` again while the database has no connection left or is starting, at once if `sharesOpenOnes` says that
 * the next call waits for a connection that is open.
 * @throws {StoreUnavailable} for any other failure, or after `patience` milliseconds
 */
export async function whenThereIsRoom<Result>(
  connect: () => Promise<Result>,
  patience: number,
  sharesOpenOnes: () => boolean = () => false,
): Promise<Result> {
  const deadline = Date.now() + patience;
  for (let pause = 10; ; pause = Math.min(2 * pause, 250)) {
    try {
      return await connect();
    } catch (error) {
      if (!hasNoRoom(error)) throw named(error);
      if (sharesOpenOnes()) continue;
      if (Date.now() + pause > deadline) throw named(error);
    }
    // Not all of them at the same moment.
    await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
  }
}

/** 53300: too many connections. 57P03: starting, or about to stop. */
const hasNoRoom = (error: unknown): boolean => /^(53300|57P03)$/.test(sqlState(error) ?? '');

/**
 * A connection that is cut says so in an event, which ends the process when nothing listens: from the first moment on,
 * and also between two statements. The pool drops the connection, the next statement on it fails: no more is needed.
 */
export const ignore = (): void => undefined;
