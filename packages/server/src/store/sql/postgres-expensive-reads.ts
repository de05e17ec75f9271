import type pg from 'pg';
import { FairTurns } from '../fair-turns.js';
import { TooExpensive } from '../store.js';
import type { IdFormat } from '../tables.js';
import type { ExpensiveReads } from './access.js';
import { PostgresConnection, type Queryable, sqlState, storeError } from './postgres-connection.js';
import type { ConnectionPool } from './postgres-pool.js';

/** Which part of the connections such reads may use at a time, so that other organizations always find one. */
const partOfPool = 4;

interface Options {
  readonly pool: ConnectionPool;
  readonly ids: IdFormat;
  readonly connections: number;
  readonly statementTimeout: number;
}

/** Reads that may take long share a part of the pool, fairly. A search is cancelled after a quarter of the usual time. */
export function expensiveReads({ pool, ids, connections, statementTimeout }: Options): ExpensiveReads {
  const size = Math.max(1, Math.floor(connections / partOfPool));
  const turns = new FairTurns(size, () => new TooExpensive('Too many expensive requests run at once.'));
  const searchTimeout = Math.ceil(statementTimeout / 4);
  // With helpers, the search of one connection would use several processors.
  const limits = `set local statement_timeout = ${searchTimeout}; set local max_parallel_workers_per_gather = 0`;
  const limited = async (config: pg.QueryConfig) => {
    const client = await pool.connect();
    let usable = false;
    try {
      await client.query(`begin read only; ${limits}`);
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
  const connection = (query: Queryable['query']) => new PostgresConnection({ query }, ids);
  return {
    searches: (group) =>
      connection((config) =>
        turns
          .run(group, 2 * searchTimeout, () => limited(config))
          .catch((error: unknown) => {
            // 57014: cancelled by the time limit.
            if (sqlState(error) === '57014') throw new TooExpensive('The search took too long.', { cause: error });
            throw storeError(error);
          }),
      ),
    far: (group) => connection((config) => turns.run(group, statementTimeout, () => pool.query(config))),
  };
}
