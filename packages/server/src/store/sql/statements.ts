import { type Expression, type ExpressionBuilder, Kysely, type SqlBool, sql } from 'kysely';
import { definitionOf, type IndexDefinition, type TableName } from '../tables.js';
import { RowCodec } from './codec.js';
import { type AnyTables, baseTypeOf, type Dialect, membership, totalsTableName } from './dialect.js';

/** SQL text with a name of its own: PostgreSQL plans a named statement once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
}

/** The statements of one index. Their first values are always the key. */
export interface IndexStatements {
  readonly keyTypes: readonly string[];
  readonly counted: boolean;
  readonly find: Statement;
  /** Values: key, limit, offset. */
  readonly page: Statement;
  /**
   * The same rows backwards, found from the end of a counted index. Values: key, limit, key, the place of the last
   * row. One statement, so that a row that is inserted meanwhile does not move the page.
   */
  readonly pageFromEnd: Statement;
  readonly count: Statement;
  /** Deletes some of them. Values: key, how many at most. */
  readonly deleteSome: Statement;
}

/** The statements of one table. */
export interface TableStatements {
  readonly codec: RowCodec;
  readonly idType: string;
  readonly get: Statement;
  /** Values: one id (SQLite), or an array of ids (PostgreSQL). */
  readonly getListed: Statement;
  readonly insert: Statement;
  /** With the serial number among the values. */
  readonly insertNumbered: Statement;
  readonly update: (columns: readonly string[]) => Statement;
  readonly delete: Statement;
  readonly lock: Statement;
  readonly all: Statement;
  readonly some: Statement;
  readonly index: (name: string) => IndexStatements;
}

/** Stands where a value will be bound. */
const bound = 0;

type Where = (builder: ExpressionBuilder<AnyTables, string>) => Expression<SqlBool>;

const keyed =
  (index: IndexDefinition): Where =>
  (builder) => {
    const inIndex = membership(index);
    return builder.and([...index.columns.map((column) => builder(column, '=', bound)), ...(inIndex ? [inIndex] : [])]);
  };

function indexStatements(
  dialect: Dialect,
  db: Kysely<AnyTables>,
  table: TableName,
  name: string,
  codec: RowCodec,
): IndexStatements {
  const { columns } = definitionOf(table);
  const index = definitionOf(table).indexes[name];
  if (!index) throw new Error(`${table} has no index ${name}.`);
  const statement = (verb: string, query: { compile(): { sql: string } }): Statement => ({
    name: `${table}.${name}.${verb}`,
    text: query.compile().sql,
  });
  const matching = db.selectFrom(table).where(keyed(index));
  const some = matching.select('id').limit(bound);
  const listed = matching.select([...codec.listColumns]);
  const ordered = (direction: 'asc' | 'desc') =>
    (index.order ?? []).reduce((query, column) => query.orderBy(column, direction), listed).limit(bound);
  const total = index.columns.reduce(
    (query, column) => query.where(column, '=', bound),
    db.selectFrom(totalsTableName(table, name)).select('total'),
  );
  const fromEnd = sql<number>`${sql.raw(dialect.greatest)}((${total}) - ${bound}, 0)`;

  return {
    keyTypes: index.columns.map((column) => baseTypeOf(columns[column] ?? 'text')),
    counted: index.counted ?? false,
    find: statement('find', matching.select([...codec.columns])),
    page: statement('page', ordered('asc').offset(bound)),
    pageFromEnd: statement('pageFromEnd', ordered('desc').offset(fromEnd)),
    count: statement('count', index.counted ? total : matching.select(db.fn.countAll().as('total'))),
    deleteSome: statement(
      'deleteSome',
      // PostgreSQL would plan "in" for a tenth of the table, whatever the limit, and read all of it each time.
      dialect.name === 'postgres'
        ? db.deleteFrom(table).where('id', '=', sql`any(array(${some}))`)
        : db.deleteFrom(table).where('id', 'in', some),
    ),
  };
}

/** `make(key)`, made once for each key; forgets everything at `limit`, for keys that requests choose. */
function memoized<Value>(make: (key: string) => Value, limit = 200): (key: string) => Value {
  const made = new Map<string, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    if (made.size >= limit) made.clear();
    made.set(key, value);
    return value;
  };
}

/**
 * An organization that is deleted keeps its rows until they are removed. Whatever is found through its members is not
 * found any more; where rows are read otherwise, they are left out.
 */
function isNotDeleted(table: TableName): Expression<SqlBool> {
  const { references = {} } = definitionOf(table);
  const column =
    table === 'organizations' ? 'id' : Object.keys(references).find((name) => references[name] === 'organizations');
  return column
    ? sql<SqlBool>`not exists (select 1 from deleted_organizations where deleted_organizations.id = ${sql.ref(`${table}.${column}`)})`
    : sql<SqlBool>`true`;
}

function tableStatements(dialect: Dialect, db: Kysely<AnyTables>, table: TableName): TableStatements {
  const { columns, serial } = definitionOf(table);
  const codec = new RowCodec(dialect.name, table);
  const statement = (verb: string, query: { compile(): { sql: string } }): Statement => ({
    name: `${table}.${verb}`,
    text: query.compile().sql,
  });
  const insert = (names: readonly string[]) => {
    const query = db.insertInto(table).values(Object.fromEntries(names.map((column) => [column, bound])));
    // A unique violation would end a transaction of PostgreSQL; "do nothing" returns no row and lets it go on, as the
    // other stores do after a Conflict.
    return dialect.name === 'postgres' ? query.onConflict((on) => on.doNothing()).returning(serial ?? 'id') : query;
  };
  const update = memoized((names) =>
    statement(
      `update.${names}`,
      db
        .updateTable(table)
        .set(Object.fromEntries(names.split(',').map((column) => [column, bound])))
        .where('id', '=', bound)
        .returning([...codec.columns]),
    ),
  );
  const one = db.selectFrom(table).where('id', '=', bound);
  const shown = db.selectFrom(table).where(isNotDeleted(table));
  const listed = (table === 'organizations' ? shown : db.selectFrom(table)).select([...codec.listColumns]);

  return {
    codec,
    idType: baseTypeOf(columns.id ?? 'text'),
    get: statement(
      'get',
      (table === 'organizations' ? one.where(isNotDeleted(table)) : one).select([...codec.columns]),
    ),
    getListed: statement(
      'getListed',
      dialect.name === 'postgres' ? listed.where('id', '=', sql`any(${bound})`) : listed.where('id', '=', bound),
    ),
    insert: statement('insert', insert(codec.columns.filter((column) => column !== serial))),
    insertNumbered: statement('insertNumbered', insert(codec.columns)),
    update: (names) => update(names.join(',')),
    delete: statement('delete', db.deleteFrom(table).where('id', '=', bound)),
    lock: statement('lock', one.select('id').forUpdate()),
    all: statement('all', shown.select([...codec.columns]).orderBy(serial ?? 'id')),
    some: statement('some', db.selectFrom(table).select('id').limit(sql.lit(1))),
    index: memoized((name) => indexStatements(dialect, db, table, name, codec)),
  };
}

/** The statements of every table, each built when first asked for. */
export function statementsOf(dialect: Dialect): (table: TableName) => TableStatements {
  const db = new Kysely<AnyTables>({ dialect: dialect.offline });
  return memoized((table) => tableStatements(dialect, db, table as TableName));
}
