/** What a column holds. A type that ends in `?` may be null. */
export interface ColumnTypes {
  /** The id of a numbered resource: an integer or a text, depending on the marketplace. */
  id: number | string;
  integer: number;
  text: string;
  /** ISO 8601, UTC, seconds: the same string on every store. */
  timestamp: string;
  boolean: boolean;
  strings: readonly string[];
  bytes: Uint8Array;
}
export type BaseType = Exclude<keyof ColumnTypes, 'id'>;
/** A `counter` is an integer that is 0 in a new row. */
export type ColumnType = keyof ColumnTypes | `${BaseType}?` | 'counter';
export type ValueOf<Type extends ColumnType> = Type extends `${infer Base extends BaseType}?`
  ? ColumnTypes[Base] | null
  : Type extends keyof ColumnTypes
    ? ColumnTypes[Type]
    : number;

/** A comparison of a column. `has` is for lists of texts. Null is neither `<` nor `>=` a text. */
export interface Condition {
  readonly column: string;
  readonly is: '=' | '<>' | '>=' | '<' | 'has';
  readonly value: string | number;
}

/** What rows of an index have in common. */
export type IndexCondition = Condition | { readonly column: string; readonly is: 'is null' | 'is not null' };

export interface IndexDefinition {
  /** The columns of a lookup, in order. */
  readonly columns: readonly string[];
  /** At most one row per key, enforced by every store. */
  readonly unique?: boolean;
  /** The order of the rows of one key: ascending by these columns. */
  readonly order?: readonly string[];
  /** Only rows that meet these conditions are in the index. */
  readonly only?: readonly IndexCondition[];
  /** There is no index: only lists up to a length are in this order. */
  readonly unindexed?: boolean;
  /** The number of rows of each key is read from the totals of the table, and far pages are found by its blocks. */
  readonly counted?: boolean;
}

/**
 * An order of the lists of web pages. Rows with the same values are in order of creation. Its index has only rows with a
 * value: new rows have none, so that the API's writes do not pay for the orders of web pages.
 */
export const orderOf = (order: readonly string[], ...only: readonly IndexCondition[]): IndexDefinition => ({
  columns: ['organization_id'],
  order: [...order, 'id'],
  only,
});
/** For an index that has only rows with such a number. */
export const positive = (column: string, least = 1) => ({ column, is: '>=', value: least }) as const;

/** A computed field of the contract that databases have as a column, so that lists can be sorted and filtered by it. */
export interface ComputedColumn {
  /** The order of the table by this column. */
  readonly order: string;
  /** In totals, rows are counted from these values on, the highest first. */
  readonly thresholds?: readonly number[];
}
/** What computed columns have instead of null, so that it comes first, as null does. */
export const notComputed = -1;

export interface TableDefinition {
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** The integer column that numbers the rows in order of creation. Numbers are never reused. */
  readonly serial?: string;
  /** Columns too large for lists: `page` and `getMany` leave them out. */
  readonly omittedFromLists?: readonly string[];
  readonly references?: Readonly<Record<string, string>>;
  /** The column in which `scan` finds a text. */
  readonly searched?: string;
  /** They are not part of a row. */
  readonly computed?: Readonly<Record<string, ComputedColumn>>;
  /**
   * What the rows of an organization add up to, for each combination of the columns `by`. It is maintained, because adding
   * up a million rows is too slow for a page.
   */
  readonly totals?: { readonly by: readonly string[]; readonly sums: readonly string[] };
  /** The indexes of `select`, other than `byOrganization`. */
  readonly orders?: Readonly<Record<string, IndexDefinition>>;
  /** Loading a dump adds to the existing rows instead of replacing them. */
  readonly survivesLoad?: boolean;
  readonly indexes: Readonly<Record<string, IndexDefinition>>;
}

export const baseTypeOf = (type: ColumnType): BaseType =>
  type === 'counter' ? 'integer' : (type.replace('?', '') as BaseType);

export function columnType({ columns }: TableDefinition, column: string): ColumnType {
  const type = columns[column];
  if (!type) throw new Error(`The table has no column ${column}, only ${Object.keys(columns).join(', ')}.`);
  return type;
}
