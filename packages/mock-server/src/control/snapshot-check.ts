import type { IdFormat } from '@mkt/server';
import { baseTypeOf, definitionOf, type TableDefinition, tableNames } from '@mkt/server/extend';
import { misfit } from '@mkt/server/seeds';
import * as z from 'zod/mini';
import { possible } from './clock.js';
import { ControlError, checked } from './errors.js';
import { countedFault, duration } from './fault-rules.js';
import { simulateOptions } from './simulation.js';
import type { Snapshot } from './snapshot.js';

const shape = z.object(
  {
    version: z.literal(1, 'is not 1: the snapshot was made by another version of this program'),
    tables: z.record(
      z.string(),
      z.array(z.record(z.string(), z.unknown(), 'must be a row'), 'must be a list of rows'),
      'must be an object of tables',
    ),
    serials: z.record(z.string(), z.int('must be a whole number'), 'must be an object of numbers'),
    clock: z.object({ offset: z.number(), frozenAt: z.nullable(z.number()) }, 'must be the clock of a snapshot'),
    faults: z.array(countedFault, 'must be a list'),
    latency: z.optional(duration),
    simulation: z.optional(simulateOptions),
  },
  'must be a snapshot',
);

type Values = Readonly<Record<string, unknown>>;

/** @throws {ControlError} for rows that do not match the table, such as those of an older version of this program */
function checkRows(table: string, { columns, references = {} }: TableDefinition, { tables }: Snapshot): void {
  const parents = Object.entries(references).map(([column, parent]) => {
    const ids = new Set((tables[parent] ?? []).map((row) => (row as Values).id));
    return { column, parent, ids };
  });
  for (const [place, row] of (tables[table] ?? []).entries()) {
    const values = row as Values;
    const invalidColumn = (column: string, why: string) =>
      new ControlError(`snapshot.tables.${table}.${place}.${column} ${why}.`);
    const column = misfit(columns, values);
    if (column !== undefined)
      throw invalidColumn(column, `is not of the type ${baseTypeOf(columns[column] ?? 'text')}`);
    for (const { column, parent, ids } of parents) {
      if (!ids.has(values[column]))
        throw invalidColumn(column, `refers to ${parent} ${values[column]}, which does not exist`);
    }
  }
}

/**
 * @param ids the format of ids of the store that the snapshot is for
 * @throws {ControlError} if `given` is not a valid snapshot
 */
export function checkedSnapshot(given: unknown, ids: IdFormat): Snapshot {
  const snapshot = checked('snapshot', shape, given) as unknown as Snapshot;
  possible(snapshot.clock.frozenAt ?? Date.now() + snapshot.clock.offset);
  for (const name of tableNames) checkRows(name, definitionOf(name, ids), snapshot);
  return snapshot;
}
