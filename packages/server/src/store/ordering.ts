import { computedFieldsOf, computedValue } from '@mkt/sdk/contract';
import { meets } from './store.js';
import { type Condition, notComputed } from './table-definition.js';
import { definitionOf, type IdFormat, type TableName } from './tables.js';

/** Null comes first. */
export const compare = (left: unknown, right: unknown): number => {
  if (left === right) return 0;
  const isLess = left === null || (right !== null && (left as string | number) < (right as string | number));
  return isLess ? -1 : 1;
};

type Values = Readonly<Record<string, unknown>>;

/** The value of a column, also of a computed one. */
export const columnValue = (table: TableName, row: Values, column: string): unknown => {
  const field = computedFieldsOf(table)[column];
  return field ? (computedValue(field, row) ?? notComputed) : row[column];
};

export const meetsAll = (table: TableName, row: Values, conditions: readonly Condition[]): boolean =>
  conditions.every((condition) => meets({ [condition.column]: columnValue(table, row, condition.column) }, condition));

/** Compares by UTF-16 units as databases do by code points: U+E000 to U+FFFF come before the characters of two units. */
const comparable = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/[\ue000-\uffff]/g, '\ud7ff$&') : value;

/** The rows in an order of their table, or in the order of creation. */
export function inOrder<Listed extends object>(
  table: TableName,
  ids: IdFormat,
  rows: readonly Listed[],
  order: string | undefined,
  descending: boolean,
): Listed[] {
  const { serial = 'id', orders = {} } = definitionOf(table, ids);
  const columns = orders[order ?? '']?.order ?? [serial];
  return rows
    .map((row) => ({ row, values: columns.map((column) => comparable(columnValue(table, row as Values, column))) }))
    .sort((left, right) => {
      const place = left.values.findIndex((value, at) => value !== right.values[at]);
      return compare(left.values[place], right.values[place]) * (descending ? -1 : 1);
    })
    .map(({ row }) => row);
}
