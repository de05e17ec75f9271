import { type AnyRow, type ColumnType, definitionOf, type TableName } from '../tables.js';
import { baseTypeOf, type DialectName } from './dialect.js';

type Convert = (value: unknown) => unknown;

/** Lists of strings repeat a lot (countries, platforms) and are read-only: each text is parsed once. */
const parsedLists = new Map<string, readonly string[]>();
const parsedListsLimit = 1000;

function parseList(text: unknown): readonly string[] {
  const known = parsedLists.get(text as string);
  if (known) return known;
  const list: readonly string[] = Object.freeze(JSON.parse(text as string));
  if (parsedLists.size >= parsedListsLimit) parsedLists.clear();
  parsedLists.set(text as string, list);
  return list;
}

/** A plain array of bytes: drivers hand out Node's Buffer, sometimes a view of memory that they share. */
const plainBytes: Convert = (value) => new Uint8Array(value as Uint8Array);

/** SQLite binds and returns no booleans and no arrays. `pg` converts all but these (see `postgresTypes`). */
const decoders: Record<DialectName, Partial<Record<ColumnType, Convert>>> = {
  sqlite: { boolean: (value) => value === 1, strings: parseList, bytes: plainBytes },
  postgres: { bytes: plainBytes },
};
const encoders: Record<DialectName, Partial<Record<ColumnType, Convert>>> = {
  sqlite: { boolean: (value) => (value ? 1 : 0), strings: (value) => JSON.stringify(value) },
  postgres: {},
};

const orNull = (convert: Convert | undefined): Convert | undefined =>
  convert && ((value) => (value === null ? null : convert(value)));

/** Rows of one table as arrays of driver values, in the order of the columns. */
export class RowCodec {
  readonly columns: readonly string[];
  /** The columns that lists show: all but the wide ones. */
  readonly listColumns: readonly string[];
  readonly decode: (values: readonly unknown[]) => AnyRow;
  readonly decodeListed: (values: readonly unknown[]) => AnyRow;
  readonly #encoders: ReadonlyMap<string, Convert>;

  constructor(dialect: DialectName, table: TableName) {
    const { columns, wide = [] } = definitionOf(table);
    const converters = (all: Partial<Record<ColumnType, Convert>>) =>
      new Map(
        Object.entries(columns).flatMap(([column, type]) => {
          const convert = orNull(all[baseTypeOf(type)]);
          return convert ? [[column, convert] as const] : [];
        }),
      );
    this.columns = Object.keys(columns);
    this.listColumns = this.columns.filter((column) => !wide.includes(column));
    const toRow = converters(decoders[dialect]);
    this.decode = rowOf(this.columns, toRow);
    this.decodeListed = rowOf(this.listColumns, toRow);
    this.#encoders = converters(encoders[dialect]);
  }

  encode(row: Readonly<Record<string, unknown>>, columns: readonly string[]): unknown[] {
    return columns.map((column) => {
      const convert = this.#encoders.get(column);
      return convert ? convert(row[column]) : row[column];
    });
  }
}

function rowOf(columns: readonly string[], converters: ReadonlyMap<string, Convert>) {
  const steps = columns.map((column) => [column, converters.get(column)] as const);
  // A copy that has all its columns already costs a third of a row that grows column by column.
  const blank: Readonly<Record<string, unknown>> = Object.fromEntries(columns.map((column) => [column, null]));
  return (values: readonly unknown[]): AnyRow => {
    const row = { ...blank };
    let position = 0;
    for (const [column, convert] of steps) {
      const value = values[position++];
      row[column] = convert ? convert(value) : value;
    }
    return row as AnyRow;
  };
}
