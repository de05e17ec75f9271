import type { IdFormat } from '@mkt/server';
import { baseTypeOf, definitionOf, type TableDefinition, tableNames } from '@mkt/server/extend';
import { misfit } from '@mkt/server/seeds';
import { possible } from './clock.js';
import { ControlError, checked } from './errors.js';
import { type Snapshot, snapshotShape } from './inputs.js';

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
  const snapshot = checked('snapshot', snapshotShape, given);
  possible(snapshot.clock.frozenAt ?? Date.now() + snapshot.clock.offset);
  for (const name of tableNames) checkRows(name, definitionOf(name, ids), snapshot);
  return snapshot;
}
