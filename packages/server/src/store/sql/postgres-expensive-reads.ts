import type pg from 'pg';
import { TooExpensive } from '../store.js';
import type { IdFormat } from '../tables.js';
import type { ExpensiveReads } from './access.js';
import { PostgresConnection, type Queryable, sqlState, storeError } from './postgres-connection.js';
import { type ConnectionPool, Semaphore } from './postgres-pool.js';

/** Which part of the connections such reads may use at a time, so that other organizations always find one. */
const partOfPool = 4;

interface Options {
  readonly pool: ConnectionPool;
  readonly ids: IdFormat;
  /** The size of the pool. */
  readonly connections: number;
  readonly statementTimeout: number;
}

/** Reads that may take long share a part of the pool, and a search is cancelled after a quarter of the usual time. */
export function expensiveReads({ pool, ids, connections, statementTimeout }: Options): ExpensiveReads {
  const turns = new Semaphore(
    Math.max(1, Math.floor(connections / partOfPool)),
    () => new TooExpensive('Too many expensive requests run at once.'),
  );
  const inTurn = async <Result>(waitMs: number, work: () => Promise<Result>): Promise<Result> => {
    await turns.enter(waitMs);
    try {
      return await work();
    } finally {
      turns.leave();
    }
  };
  const searchTimeout = Math.ceil(statementTimeout / 4);
  const limited = async (config: pg.QueryConfig) => {
    const client = await pool.connect();
    let usable = false;
    try {
      await client.query(`begin read only; set local statement_timeout = ${searchTimeout}`);
      const result = await client.query(config).catch(async (error: unknown) => {
        await client.query('rollback');
        usable = true;
        throw error;
      });
      await client.query('commit');
      usable = true;
      return result;
    } finally {
      client.release(!usable);
    }
  };
  const searches: Queryable = {
    query: (config) =>
      inTurn(2 * searchTimeout, () => limited(config)).catch((error: unknown) => {
        // 57014: cancelled by the time limit.
        if (sqlState(error) === '57014') throw new TooExpensive('The search took too long.', { cause: error });
        throw storeError(error);
      }),
  };
  const far: Queryable = { query: (config) => inTurn(statementTimeout, () => pool.query(config)) };
  return { searches: new PostgresConnection(searches, ids), far: new PostgresConnection(far, ids) };
}
