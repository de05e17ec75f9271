import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import { type ColumnType, definitionOf, type IndexDefinition, type TableName } from '../tables.js';
import {
  type AnyTables,
  baseTypeOf,
  type Dialect,
  isNullable,
  membership,
  sqlIndexName,
  totalsTableName,
} from './dialect.js';
import { createTotals } from './totals.js';

/** Creates everything that the tables as data describe: tables, indexes, foreign keys and the totals of lists. */
export async function createSchema(
  db: Kysely<AnyTables>,
  dialect: Dialect,
  tableNames: readonly TableName[],
): Promise<void> {
  for (const table of tableNames) {
    await createTable(db, dialect, table);
    await createIndexes(db, table);
  }
  for (const table of tableNames) {
    for (const [name, index] of Object.entries(definitionOf(table).indexes)) {
      if (index.counted) await createTotals(db, dialect, table, totalsTableName(table, name), index);
    }
  }
}

async function createTable(db: Kysely<AnyTables>, dialect: Dialect, table: TableName): Promise<void> {
  const { columns, wide = [] } = definitionOf(table);
  let create = db.schema.createTable(table);
  // The wide columns last: SQLite reads a row from its start, and would walk through a long brief to what follows it.
  const ordered = Object.entries(columns).sort(([a], [b]) => Number(wide.includes(a)) - Number(wide.includes(b)));
  for (const [column, type] of ordered) {
    create = create.addColumn(column, sql.raw(dialect.types[baseTypeOf(type)]), (built) =>
      constrained(built, dialect, table, column, type),
    );
  }
  // Without "strict", SQLite keeps text in an integer column.
  if (dialect.name === 'sqlite') create = create.modifyEnd(sql`strict`);
  await create.execute();
}

function constrained(
  built: ColumnDefinitionBuilder,
  dialect: Dialect,
  table: TableName,
  column: string,
  type: ColumnType,
): ColumnDefinitionBuilder {
  const { serial, references } = definitionOf(table);
  const sqlite = dialect.name === 'sqlite';
  let column_ = isNullable(type) ? built : built.notNull();
  // SQLite counts primary keys alone, so a serial number that is not the id takes the primary key's place there.
  const primary = sqlite && serial ? serial : 'id';
  if (column === primary) column_ = column_.primaryKey();
  else if (column === 'id') column_ = column_.unique();
  if (column === serial) column_ = sqlite ? column_.autoIncrement() : column_.generatedByDefaultAsIdentity();
  const parent = references?.[column];
  return parent ? column_.references(`${parent}.id`) : column_;
}

async function createIndexes(db: Kysely<AnyTables>, table: TableName): Promise<void> {
  const built = new Set<string>();
  for (const [name, index] of Object.entries(definitionOf(table).indexes)) {
    // Two look-ups that differ in where the key ends and the order begins are served by one index.
    const key = physicalKey(index);
    if (built.has(key)) continue;
    built.add(key);
    let create = db.schema.createIndex(sqlIndexName(table, name)).on(table).columns(sqlColumns(index));
    if (index.unique) create = create.unique();
    const inIndex = membership(index);
    if (inIndex) create = create.where(inIndex);
    await create.execute();
  }
}

const sqlColumns = ({ columns, order = [] }: IndexDefinition): string[] => [...columns, ...order];

const physicalKey = (index: IndexDefinition): string =>
  JSON.stringify([sqlColumns(index), index.unique, index.except, index.whereNull]);

/** The counter behind a serial column of PostgreSQL, which names it so. */
export const sequenceName = (table: TableName, serial: string): string => `${table}_${serial}_seq`;
