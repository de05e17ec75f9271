import {
  DummyDriver,
  type Dialect as KyselyDialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import type { ColumnType, IndexDefinition, TableName } from '../tables.js';

/** The tables as Kysely sees them: their names and columns are data here, so it cannot check them. */
export type AnyTables = Record<string, Record<string, unknown>>;
export type DialectName = 'sqlite' | 'postgres';

type BaseType = ColumnType extends infer Type ? (Type extends `${string}?` ? never : Type) : never;

export interface Dialect {
  readonly name: DialectName;
  /** Builds SQL text and runs nothing. */
  readonly offline: KyselyDialect;
  readonly types: Readonly<Record<BaseType, string>>;
  /** The larger of two numbers. */
  readonly greatest: string;
}

const offlineSqlite: KyselyDialect = {
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
};
const offlinePostgres: KyselyDialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  sqlite: {
    name: 'sqlite',
    offline: offlineSqlite,
    types: {
      integer: 'integer',
      text: 'text',
      timestamp: 'text',
      boolean: 'integer',
      strings: 'text',
      bytes: 'blob',
    },
    greatest: 'max',
  },
  postgres: {
    name: 'postgres',
    offline: offlinePostgres,
    types: {
      integer: 'bigint',
      // Byte order, as on SQLite, whatever language the database was set up for.
      text: 'text collate "C"',
      timestamp: 'timestamptz',
      boolean: 'boolean',
      strings: 'text[]',
      bytes: 'bytea',
    },
    greatest: 'greatest',
  },
};

export const baseTypeOf = (type: ColumnType): BaseType => type.replace('?', '') as BaseType;
export const isNullable = (type: ColumnType): boolean => type.endsWith('?');

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const sqlIndexName = (table: TableName, index: string): string => `${table}_${snakeCase(index)}`;
/** The table that keeps the number of rows of each key of a counted index. */
export const totalsTableName = (table: TableName, index: string): string => `${sqlIndexName(table, index)}_totals`;

/** Which rows stand in the index: the same text in the index and in the look-up, or the planner would not use it. */
export function membership({ except, whereNull }: IndexDefinition): RawBuilder<boolean> | null {
  if (except) return sql<boolean>`${sql.ref(except.column)} <> ${sql.lit(except.value)}`;
  return whereNull ? sql<boolean>`${sql.ref(whereNull)} is null` : null;
}
