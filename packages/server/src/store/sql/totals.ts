import { type CreateTableBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import { definitionOf, type IndexDefinition, type TableName } from '../tables.js';
import { type AnyTables, baseTypeOf, type Dialect, membership } from './dialect.js';

/**
 * Keeps the number of rows of each key of a counted index in a table, by triggers: so it is right whoever writes, in
 * the transaction that writes, without a further round trip.
 */
export async function createTotals(
  db: Kysely<AnyTables>,
  dialect: Dialect,
  table: TableName,
  totals: string,
  index: IndexDefinition,
): Promise<void> {
  const { columns, references } = definitionOf(table);
  let create: CreateTableBuilder<string, string> = db.schema.createTable(totals);
  for (const column of index.columns) {
    create = create.addColumn(column, sql.raw(dialect.types[baseTypeOf(columns[column] ?? 'text')]), (built) => {
      const parent = references?.[column];
      // A total goes with its organization.
      return parent ? built.notNull().references(`${parent}.id`).onDelete('cascade') : built.notNull();
    });
  }
  create = create
    .addColumn('total', sql.raw(dialect.types.integer), (built) => built.notNull())
    .addPrimaryKeyConstraint(`${totals}_key`, [...index.columns]);
  if (dialect.name === 'sqlite') create = create.modifyEnd(sql`strict, without rowid`);
  await create.execute();
  for (const trigger of triggers[dialect.name](table, totals, index)) await trigger.execute(db);
}

const columnList = (columns: readonly string[], prefix = '') =>
  sql.join(columns.map((column) => sql.ref(`${prefix}${column}`)));

const onKnownKey = (totals: string, index: IndexDefinition) =>
  sql`on conflict (${columnList(index.columns)}) do update set total = ${sql.ref(`${totals}.total`)} + excluded.total`;

/** The columns whose change moves a row into or out of a key. */
const decisive = (index: IndexDefinition): string[] => [
  ...index.columns,
  ...(index.except ? [index.except.column] : []),
  ...(index.whereNull ? [index.whereNull] : []),
];

/** Row by row, the only way there is in SQLite. */
function sqliteTriggers(table: TableName, totals: string, index: IndexDefinition): RawBuilder<unknown>[] {
  const trigger = (name: string, event: RawBuilder<unknown>, row: 'new' | 'old', step: number) => {
    const { except, whereNull } = index;
    const inIndex = membership({
      ...index,
      ...(except && { except: { ...except, column: `${row}.${except.column}` } }),
      ...(whereNull && { whereNull: `${row}.${whereNull}` }),
    });
    return sql`
      create trigger ${sql.ref(`${totals}_${name}`)} after ${event} on ${sql.table(table)}
      ${inIndex ? sql`when ${inIndex}` : sql``}
      begin
        insert into ${sql.table(totals)} (${columnList(index.columns)}, total)
        values (${columnList(index.columns, `${row}.`)}, ${sql.lit(step)})
        ${onKnownKey(totals, index)};
      end`;
  };
  const moved = sql`update of ${columnList(decisive(index))}`;
  return [
    trigger('inserted', sql`insert`, 'new', 1),
    trigger('deleted', sql`delete`, 'old', -1),
    trigger('moved_out', moved, 'old', -1),
    trigger('moved_in', moved, 'new', 1),
  ];
}

/**
 * Once for each statement: a total changed row by row would leave a dead copy of itself for each of the rows. An
 * update that moves no row leaves the total alone, so that it does not wait for other writers.
 */
function postgresTriggers(table: TableName, totals: string, index: IndexDefinition): RawBuilder<unknown>[] {
  const inIndex = membership(index);
  const rows = (from: string, step: number) =>
    sql`select ${columnList(index.columns)}, ${sql.lit(step)}::bigint as step from ${sql.table(from)}
      ${inIndex ? sql`where ${inIndex}` : sql``}`;
  const gone = rows('old_rows', -1);
  const come = rows('new_rows', 1);
  const trigger = (event: 'insert' | 'update' | 'delete', changes: RawBuilder<unknown>, transition: string) => {
    const name = sql.ref(`${totals}_${event}`);
    return [
      sql`
        create function ${name}() returns trigger language plpgsql as $$
        begin
          insert into ${sql.table(totals)} (${columnList(index.columns)}, total)
          select ${columnList(index.columns)}, sum(step) from (${changes}) as changes
          group by ${columnList(index.columns)} having sum(step) <> 0
          ${onKnownKey(totals, index)};
          return null;
        end $$`,
      sql`
        create trigger ${name} after ${sql.raw(event)} on ${sql.table(table)} referencing ${sql.raw(transition)}
        for each statement execute function ${name}()`,
    ];
  };
  return [
    ...trigger('insert', come, 'new table as new_rows'),
    ...trigger('delete', gone, 'old table as old_rows'),
    ...trigger('update', sql`${come} union all ${gone}`, 'new table as new_rows old table as old_rows'),
  ];
}

const triggers = { sqlite: sqliteTriggers, postgres: postgresTriggers };
