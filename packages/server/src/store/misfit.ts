import { isTimestamp } from '../timestamp.js';
import { type BaseType, baseTypeOf, type TableDefinition } from './table-definition.js';

const isText = (value: unknown): boolean => typeof value === 'string';
const isBase64 = (value: unknown): boolean =>
  typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);

const holds: Readonly<Record<BaseType, (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  text: isText,
  timestamp: isTimestamp,
  boolean: (value) => typeof value === 'boolean',
  strings: (value) => Array.isArray(value) && value.every(isText),
  bytes: isBase64,
};

/** The first column whose value in a row of JSON does not match the table. */
export const misfit = (columns: TableDefinition['columns'], values: Readonly<Record<string, unknown>>) =>
  Object.entries(columns).find(([column, type]) =>
    values[column] === null ? !type.endsWith('?') : !holds[baseTypeOf(type)](values[column]),
  )?.[0];
