import type { TableDefinition } from '../store/tables.js';
import { ControlError } from './errors.js';

type Values = Readonly<Record<string, unknown>>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isBase64 = (value: unknown): boolean =>
  typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);

const holds: Readonly<Record<string, (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  text: isText,
  timestamp: isText,
  boolean: (value) => typeof value === 'boolean',
  strings: (value) => Array.isArray(value) && value.every(isText),
  bytes: isBase64,
};

/**
 * Holds the rows of a snapshot against their table.
 * @throws {ControlError} for those that it cannot hold, such as those of an older version of this program
 */
export function checkRows(
  table: string,
  { columns, references = {} }: TableDefinition,
  tables: Readonly<Record<string, readonly object[]>>,
): void {
  const parents = Object.entries(references).map(([column, parent]) => {
    const ids = new Set((tables[parent] ?? []).map((row) => (row as Values).id));
    return { column, parent, ids };
  });
  for (const [place, row] of (tables[table] ?? []).entries()) {
    const values = row as Values;
    const refused = (column: string, why: string) =>
      new ControlError(`snapshot.tables.${table}.${place}.${column} ${why}.`);
    for (const [column, type] of Object.entries(columns)) {
      const base = type.replace('?', '');
      if (values[column] === null ? type === base : !holds[base]?.(values[column]))
        throw refused(column, `is no ${base}`);
    }
    for (const { column, parent, ids } of parents) {
      if (!ids.has(values[column])) throw refused(column, `names ${parent} ${values[column]}, and there is none`);
    }
  }
}
