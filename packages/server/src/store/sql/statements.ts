import {
  type AnyRow,
  allTableNames,
  type BaseType,
  baseTypeOf,
  byTable,
  definitionOf,
  type TableName,
} from '../tables.js';
import { type Dialect, indexCondition, totalsTable } from './schema.js';

/** A statement with a name is prepared once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
}

/** The statements of one index. Their first values are the key. */
interface IndexStatements {
  readonly keyTypes: readonly BaseType[];
  readonly counted: boolean;
  readonly find: Statement;
  /** Values: key, limit, offset. */
  readonly page: Statement;
  /**
   * The same rows backwards, found from the end of a counted index. Values: key, limit, key, the position of the last
   * row. One statement, so that a row that is inserted meanwhile does not move the page.
   */
  readonly pageFromEnd: Statement;
  readonly count: Statement;
  /** Values: key, how many at most. */
  readonly deleteSome: Statement;
}

/** The statements of one table, and how its rows differ from the driver's. */
export interface TableStatements {
  readonly columns: readonly string[];
  readonly idType: BaseType;
  readonly get: Statement;
  /** Values: an array of ids (PostgreSQL), or the same as JSON (SQLite). */
  readonly getMany: Statement;
  readonly insert: Statement;
  /** With the serial number among the values. */
  readonly insertNumbered: Statement;
  readonly update: (columns: readonly string[]) => Statement;
  readonly delete: Statement;
  readonly lock: Statement;
  /** What dumps hold. */
  readonly all: Statement;
  readonly index: (name: string) => IndexStatements;
  readonly encode: (row: Readonly<Record<string, unknown>>, columns: readonly string[]) => unknown[];
  /** Changes the driver's row. */
  readonly decode: (row: AnyRow) => AnyRow;
}

export type Statements = Readonly<Record<TableName, TableStatements>>;

export const statementsOf = (dialect: Dialect): Statements =>
  byTable(allTableNames, (table) => tableStatements(dialect, table));

/** `pg` converts everything else (see `driverTypes`). A plain array of bytes, not a view of memory that drivers share. */
const decoders: Readonly<Record<Dialect, Partial<Record<BaseType, (value: never) => unknown>>>> = {
  sqlite: {
    boolean: (value: number) => value === 1,
    strings: (value: string) => JSON.parse(value),
    bytes: (value: Uint8Array) => new Uint8Array(value),
  },
  postgres: { bytes: (value: Uint8Array) => new Uint8Array(value) },
};
const encoders: typeof decoders = {
  sqlite: { boolean: (value: boolean) => Number(value), strings: (value: readonly string[]) => JSON.stringify(value) },
  postgres: {},
};

function tableStatements(dialect: Dialect, table: TableName): TableStatements {
  const { columns, omittedFromLists = [], serial, references = {}, indexes } = definitionOf(table);
  const postgres = dialect === 'postgres';
  const names = Object.keys(columns);
  const all = names.join(', ');
  const listed = names.filter((column) => !omittedFromLists.includes(column)).join(', ');
  const statement = (verb: string, text: string): Statement => ({ name: `${table}.${verb}`, text: numbered(text) });
  const numbered = (text: string): string => {
    let number = 0;
    return postgres ? text.replace(/\?/g, () => `$${++number}`) : text;
  };

  // An organization that is deleted keeps its rows until they are removed. Whatever is found through its members is not
  // found any more; other queries leave these rows out.
  const owner = Object.keys(references).find((column) => references[column] === 'organizations');
  const organizationId = table === 'organizations' ? 'id' : owner;
  const notDeleted = organizationId
    ? `not exists (select 1 from deleted_organizations where deleted_organizations.id = ${table}.${organizationId})`
    : 'true';
  const visible = table === 'organizations' ? ` and ${notDeleted}` : '';

  // A conflict that ended the statement would end a transaction of PostgreSQL; "do nothing" returns no row instead.
  const insert = (inserted: readonly string[]) =>
    `insert into ${table} (${inserted.join(', ')}) values (${inserted.map(() => '?').join(', ')})
    on conflict do nothing returning ${serial ?? 'id'}`;

  const indexStatements = (name: string): IndexStatements => {
    const index = indexes[name];
    if (!index) throw new Error(`${table} has no index ${name}.`);
    const { counted = false, order = [] } = index;
    const condition = indexCondition(index);
    const key = index.columns.map((column) => `${column} = ?`).join(' and ') || 'true';
    const rows = `from ${table} where ${key}${condition ? ` and ${condition}` : ''}`;
    const total = `from ${totalsTable(table, name)} where ${key}`;
    const ordered = (direction: string) =>
      order.length > 0 ? `order by ${order.map((column) => `${column} ${direction}`).join(', ')}` : '';
    const some = `select id ${rows} limit ?`;
    const max = postgres ? 'greatest' : 'max';
    return {
      keyTypes: index.columns.map((column) => baseTypeOf(columns[column] ?? 'text')),
      counted,
      find: statement(`${name}.find`, `select ${all} ${rows}`),
      page: statement(`${name}.page`, `select ${listed} ${rows} ${ordered('asc')} limit ? offset ?`),
      pageFromEnd: statement(
        `${name}.pageFromEnd`,
        `select ${listed} ${rows} ${ordered('desc')} limit ? offset ${max}((select total ${total}) - ?, 0)`,
      ),
      count: statement(`${name}.count`, counted ? `select total ${total}` : `select count(*) as total ${rows}`),
      deleteSome: statement(
        `${name}.deleteSome`,
        // PostgreSQL would plan "in" for a tenth of the table, whatever the limit, and read all of it each time.
        `delete from ${table} where ${postgres ? `id = any(array(${some}))` : `id in (${some})`} returning id`,
      ),
    };
  };
  const byIndex = new Map(Object.keys(indexes).map((name) => [name, indexStatements(name)]));

  const converters = (convert: (typeof decoders)[Dialect]) =>
    new Map(
      names.flatMap((name) => {
        const converter = convert[baseTypeOf(columns[name] ?? 'text')];
        return converter ? [[name, converter as (value: unknown) => unknown] as const] : [];
      }),
    );
  const toRow = converters(decoders[dialect]);
  const fromRow = converters(encoders[dialect]);

  return {
    columns: names,
    idType: baseTypeOf(columns.id ?? 'text'),
    get: statement('get', `select ${all} from ${table} where id = ?${visible}`),
    getMany: statement(
      'getMany',
      `select ${listed} from ${table}
      where id ${postgres ? '= any(?)' : 'in (select value from json_each(?))'}${visible}`,
    ),
    insert: statement('insert', insert(names.filter((column) => column !== serial))),
    insertNumbered: statement('insertNumbered', insert(names)),
    // Without a name: requests choose the columns, and the connection would keep a plan for every choice.
    update: (changed) => ({
      text: numbered(
        `update ${table} set ${changed.map((column) => `${column} = ?`).join(', ')} where id = ? returning ${all}`,
      ),
    }),
    delete: statement('delete', `delete from ${table} where id = ? returning id`),
    lock: statement('lock', `select id from ${table} where id = ? for update`),
    all: statement('all', `select ${all} from ${table} where ${notDeleted} order by ${serial ?? 'id'}`),
    index(name) {
      const found = byIndex.get(name);
      if (!found) throw new Error(`${table} has no index ${name}.`);
      return found;
    },
    encode: (row, encoded) =>
      encoded.map((column) => {
        const value = row[column];
        return value === null ? null : (fromRow.get(column)?.(value) ?? value);
      }),
    decode(row) {
      for (const [column, convert] of toRow) if (row[column] != null) row[column] = convert(row[column]);
      return row;
    },
  };
}
