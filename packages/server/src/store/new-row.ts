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

/** Letters and digits that are not mistaken for each other. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const digits = 10;
const length = 12;

/** The id for these bytes. It begins with a letter, so that no program reads it as a number. */
const idOf = (bytes: ArrayLike<number>): string =>
  Array.from({ length }, (_, at) => {
    const byte = bytes[at] ?? 0;
    return alphabet[at === 0 ? digits + (byte % (alphabet.length - digits)) : byte % alphabet.length];
  }).join('');

export const randomId = (): string => idOf(crypto.getRandomValues(new Uint8Array(length)));

/** The same id for the same text each time: for the rows of the demo data. @param digest in hex */
export const idOfDigest = (digest: string): string =>
  idOf(Array.from({ length }, (_, at) => Number.parseInt(digest.slice(2 * at, 2 * at + 2), 16)));

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
