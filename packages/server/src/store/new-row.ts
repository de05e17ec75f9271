import { randomId } from './opaque-id.js';
import type { TableDefinition } from './table-definition.js';
import {
  allTableNames,
  byTable,
  definitionOf,
  type IdFormat,
  type NewRow,
  type OptionalColumn,
  type Row,
  type TableName,
} from './tables.js';

const initial: Readonly<Record<string, unknown>> = { strings: Object.freeze([]), counter: 0 };

const defaults = byTable(allTableNames, (table) => {
  const optional = Object.entries(definitionOf(table).columns).filter(([, type]) =>
    /\?$|^strings$|^counter$/.test(type),
  );
  return Object.fromEntries(optional.map(([column, type]) => [column, initial[type] ?? null]));
});

/** The row with null, the empty list or 0 in every column that may be left out. */
export const withDefaults = <T extends TableName, New extends NewRow<T>>(table: T, row: New) =>
  ({ ...defaults[table], ...row }) as New & Pick<Row<T>, OptionalColumn<T>>;

/** A new row with the values that the store adds, except its serial number. */
export const completeRow = <T extends TableName>(ids: IdFormat, table: T, row: NewRow<T>) => {
  const { serial }: TableDefinition = definitionOf(table);
  return { ...(ids === 'opaque' && serial === 'id' && { id: randomId() }), ...withDefaults(table, row) };
};
