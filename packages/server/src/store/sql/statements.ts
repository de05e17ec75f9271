import { maxTested, type Scan, type Slice, StoreUnavailable, searchText } from '../store.js';
import { type BaseType, baseTypeOf, type Condition, columnType, type IndexDefinition } from '../table-definition.js';
import {
  type AnyRow,
  allTableNames,
  byTable,
  childrenOf,
  definitionOf,
  type IdFormat,
  type TableName,
} from '../tables.js';
import {
  blockBits,
  blocksTable,
  type Dialect,
  indexCondition,
  indexName,
  searchedColumn,
  searchTable,
  totalsTable,
} from './schema.js';
import type { SelectionPlan } from './selection-plan.js';
import { converted, decode, encode, pieceOfBytes, selectedAs } from './values.js';

/** PostgreSQL prepares a statement with a name once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  /** In PostgreSQL: the same for a list as the last value. The column `by` of its rows has the value that they are for. */
  readonly many?: { readonly statement: Statement; readonly by: string };
}

export interface Query {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** Not a letter of folded text. One of ASCII, because in most databases pg_trgm skips other characters. */
const mark = 'Q';
const marked = (text: string): string => `${mark}${[...text].join(mark)}${mark}`;

/** A name as it is stored for searches: its folded text, then each character between marks. */
function indexedText(name: string): string {
  const folded = searchText(name);
  return `${folded} ${marked(folded)}`;
}

/** The index has parts of three characters: it has shorter words with their marks. */
const indexedWord = (word: string): string => ([...word].length > 2 ? word : marked(word));

/** What the index of SQLite has of these words and of the organization, as FTS5 takes it. */
function partsOfWords(words: readonly string[], organization: unknown): string {
  const owner =
    typeof organization === 'number'
      ? `OO${String.fromCodePoint(0x20000 + (organization % 0x10000))}`
      : String(organization).slice(-3).toUpperCase();
  const parts = words.flatMap((word) => {
    const characters = [...indexedWord(word)];
    return characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(''));
  });
  return [...new Set([owner, ...parts])].map((part) => `"${part.replaceAll('"', '""')}"`).join(' ');
}

export type Statements = Readonly<Record<TableName, ReturnType<typeof tableStatements>>>;

/** Made once, because every transaction of PostgreSQL has a connection of its own. */
const prepared = new Map<string, Statements>();

export function statementsOf(dialect: Dialect, ids: IdFormat): Statements {
  const key = `${dialect} ${ids}`;
  const statements = prepared.get(key) ?? byTable(allTableNames, (table) => tableStatements(dialect, table, ids));
  prepared.set(key, statements);
  return statements;
}

/** The rows that belong to those of `table` with a condition, and what belongs to these: the innermost first. */
const rowsBelow = (table: TableName, condition: string): { readonly child: TableName; readonly where: string }[] =>
  childrenOf(table).flatMap(({ table: child, column }) => {
    const where = `${column} in (select id from ${table} where ${condition})`;
    return [...rowsBelow(child, where), { child, where }];
  });

/** Excludes rows that belong to a row of a deleted organization. */
function parentCondition(table: TableName, ids: IdFormat): string {
  const { references = {} } = definitionOf(table, ids);
  const conditions = Object.entries(references).flatMap(([column, parent]) => {
    const { references: above = {} } = definitionOf(parent as TableName, ids);
    const owner = Object.keys(above).find((name) => above[name] === 'organizations');
    const deleted = owner && `${owner} in (select id from deleted_organizations)`;
    return deleted ? [`${column} not in (select id from ${parent} where ${deleted})`] : [];
  });
  return conditions.join(' and ') || 'true';
}

type WholeScan = { readonly [Name in Exclude<keyof Scan, 'by'>]-?: NonNullable<Scan[Name]> };

type TableParts = ReturnType<typeof partsOf>;

/** What the statements of a table are made of. */
function partsOf(dialect: Dialect, table: TableName, ids: IdFormat) {
  const definition = definitionOf(table, ids);
  const { columns, omittedFromLists = [] } = definition;
  const postgres = dialect === 'postgres';
  const names = Object.keys(columns);
  const numbered = (text: string): string => {
    let number = 0;
    return postgres ? text.replace(/\?/g, () => `$${++number}`) : text;
  };
  const typeOf = (column: string): BaseType =>
    column === searchedColumn ? 'text' : baseTypeOf(columnType(definition, column));
  return {
    table,
    postgres,
    definition,
    names,
    typeOf,
    all: names.map((name) => selectedAs(dialect, name, typeOf(name))).join(', '),
    listed: names.filter((column) => !omittedFromLists.includes(column)).join(', '),
    numbered,
    /** The last value is a list of ids (see `Connection.list`). */
    amongIds: postgres ? '= any(?)' : 'in (select value from json_each(?))',
    among: (ids: string): string => (postgres ? `= any(array(${ids}))` : `in (${ids})`),
    /** The first value is the organization: in PostgreSQL, positions have no index without it. */
    inOrganization: postgres ? 'organization_id = $1 and ' : '',
    statement: (action: string, text: string): Statement => ({ name: `${table}.${action}`, text: numbered(text) }),
    /** The last value is that of the column `by`. */
    alsoForMany: (statement: Statement, by = 'id'): Statement => {
      const text = statement.text.replace(/= (\$\d+)(?!.*\$)/s, '= any($1)');
      const name = statement.name && `${statement.name}.many`;
      return postgres ? { ...statement, many: { statement: { text, ...(name && { name }) }, by } } : statement;
    },
  };
}

function conditionsOf({ postgres }: TableParts, conditions: readonly Condition[]) {
  const textOf = ({ column, is }: Condition): string => {
    if (is !== 'has') return `${column} ${is} ?`;
    return postgres ? `? = any(${column})` : `instr(${column}, ?) > 0`;
  };
  return {
    text: conditions.map(textOf).join(' and '),
    // In SQLite, lists of texts are JSON.
    values: conditions.map(({ is, value }) => (is === 'has' && !postgres ? JSON.stringify(value) : value)),
  };
}

/** The statements of the lists of web pages: totals, and rows that are filtered and sorted. */
function selectionStatements(parts: TableParts) {
  const { table, postgres, definition, listed, statement, numbered, among, inOrganization } = parts;
  const { totals = { by: [], sums: [] }, orders = {}, serial = 'id', columns } = definition;
  const indexes: Readonly<Record<string, Partial<IndexDefinition>>> = { ...definition.indexes, ...orders };
  const sums = totals.sums.map((column) => `cast(${column} as double precision) as ${column}`);
  /** As SQLite sorts null. */
  const sorted = (column: string, descending: boolean): string => {
    const nulls = postgres && columns[column]?.endsWith('?') ? ` nulls ${descending ? 'last' : 'first'}` : '';
    return `${column} ${descending ? 'desc' : 'asc'}${nulls}`;
  };
  return {
    /** Value: the organization. */
    totals: statement(
      'totals',
      `select ${[...totals.by, 'total', ...sums].join(', ')} from ${totalsTable(table)} where organization_id = ? and total > 0`,
    ),
    /** The statements of a plan: for a page, for the ids of all rows, and for their number. */
    select(organization: number | string, { index, found, tested, order, descending }: SelectionPlan) {
      const definition = indexes[index] ?? {};
      const by = postgres ? '' : ` indexed by ${indexName(table, index)}`;
      const ordering = `order by ${order.map((column) => sorted(column, descending)).join(', ')}`;
      const backwards = `order by ${order.map((column) => sorted(column, !descending)).join(', ')}`;
      const filter = conditionsOf(parts, found);
      const test = conditionsOf(parts, tested);
      const conditions = ['organization_id = ?', indexCondition(definition), filter.text].filter(Boolean).join(' and ');
      const rows = `from ${table}${by} where ${conditions}`;
      const first = [organization, ...filter.values];
      const query = (text: string, ...values: readonly unknown[]): Query => ({
        statement: { text: numbered(text) },
        values: [...first, ...values],
      });
      const firstRows = `select ${serial} ${rows} ${ordering} limit ${maxTested}`;
      return {
        page: ({ limit, offset }: Slice, fromEnd = false): Query => {
          const direction = fromEnd ? backwards : ordering;
          const numbers = `select ${serial} ${rows} ${direction} limit ? offset ?`;
          const text = `select ${listed} from ${table} where ${inOrganization}${serial} ${among(numbers)} ${direction}`;
          return query(text, limit, offset);
        },
        ids: (): Query =>
          tested.length === 0
            ? query(`select id ${rows} ${ordering} limit ${maxTested}`)
            : query(
                `select id from ${table} where ${inOrganization}${serial} ${among(firstRows)} and ${test.text} ${ordering}`,
                ...test.values,
              ),
        count: (): Query => query(`select count(*) as total from (select 1 ${rows} limit ${maxTested}) as counted`),
      };
    },
  };
}

/** The statements of one index. Their first values are the key. */
function indexStatements(parts: TableParts, name: string, index: IndexDefinition) {
  const { table, postgres, definition, typeOf, all, listed, statement, numbered, among, inOrganization, alsoForMany } =
    parts;
  const { serial } = definition;
  const { counted = false, order = [] } = index;
  const condition = indexCondition(index);
  const key = index.columns.map((column) => `${column} = ?`).join(' and ') || 'true';
  // After "analyze", SQLite would read a long list in the order of the table, past the rows of other organizations: in the
  // benchmark "Growth", the first page of most campaigns took 2.3 times that of 100, instead of 1.1.
  const by = counted && !postgres ? ` indexed by ${indexName(table, name)}` : '';
  // PostgreSQL adds bigints up to a numeric.
  const sum = `select cast(coalesce(sum(total), 0) as bigint) as total`;
  const where = `where ${key}${condition ? ` and ${condition}` : ''}`;
  const rows = `from ${table}${by} ${where}`;
  const ordered = (direction: string) =>
    order.length > 0 ? `order by ${order.map((column) => `${column} ${direction}`).join(', ')}` : '';
  const number = serial ?? 'id';
  /** Skips the blocks before the page by their counts, and the rest of the rows in the index. */
  const far = (direction: 'asc' | 'desc') => {
    const block = '(select block from start)';
    const from = direction === 'asc' ? `>= ${block} << ${blockBits}` : `< (${block} + 1) << ${blockBits}`;
    const numbers = `select ${number} ${rows} and ${number} ${from} ${ordered(direction)}
      limit ? offset ? - coalesce((select skipped from start), 0)`;
    return statement(
      `${name}.far.${direction}`,
      `with counts as (
        select block, sum(total) as total, sum(sum(total)) over (order by block ${direction}) as reached
        from ${blocksTable(table)} ${where} group by block
      ), start as (
        select block, cast(reached - total as bigint) as skipped from counts where reached > ? and reached - total <= ?
      ) select ${listed} from ${table} where ${inOrganization}${number} ${among(numbers)} ${ordered(direction)}`,
    );
  };
  return {
    keyTypes: index.columns.map(typeOf),
    find: alsoForMany(statement(`${name}.find`, `select ${all} ${rows}`), index.columns.at(-1)),
    /** Values: key, limit, offset. */
    page: statement(`${name}.page`, `select ${listed} ${rows} ${ordered('asc')} limit ? offset ?`),
    /** Pages of a counted index, however far. Values: key, offset, offset, key, limit, offset. */
    far: counted ? { asc: far('asc'), desc: far('desc') } : null,
    scan(values: readonly unknown[], { limit, after, newestFirst, text, having, offset }: WholeScan): Query {
      const [sign, direction] = newestFirst ? ['<', 'desc'] : ['>', 'asc'];
      const ordering = `order by ${number} ${direction} limit ?`;
      if (text === '')
        return {
          statement: statement(
            `${name}.scan.${direction}`,
            `select ${listed} ${rows} and ${number} ${sign} ? ${ordering}`,
          ),
          values: [...values, after, limit],
        };
      const isTested = having.length > 0;
      const selected = isTested ? number : listed;
      const most = isTested ? maxTested : limit;
      const words = text.split(' ');
      const searched = searchTable(table);
      const test = postgres ? `${searchedColumn} like ?` : `instr(${searchedColumn}, ?) > 0`;
      const patterns = postgres ? words.map((word) => `%${indexedWord(word).replace(/[\\%_]/g, '\\$&')}%`) : words;
      const tests = words.map(() => test).join(' and ');
      const tested = conditionsOf(parts, having);
      if (postgres && isTested) {
        // The index has the block and state too: blocks are read one after the other, until enough rows are found.
        const [state] = definition.totals?.by ?? [];
        const part = (block: string) => `organization_id || ' ' || ${block} || ' ' || ${state}`;
        const blocks = `select array_agg(${part('block')}) as parts, block from ${blocksTable(table)} ${where}
          group by block order by block ${direction}`;
        const inOrder = `order by block ${direction}, ${number} ${direction} limit`;
        // "offset 0" keeps PostgreSQL from reading the names of all organizations first.
        const ofBlock = `select * from ${table} where array[${part(`(${number} >> ${blockBits})`)}] && parts
          and ${number} ${sign} ? and ${tests} offset 0`;
        const found = `select rows.*, block from (${blocks}) as blocks cross join lateral (${ofBlock}) as rows
          ${inOrder} ${maxTested}`;
        const query = `select ${listed} from (${found}) as found where ${tested.text} ${inOrder} ?`;
        return {
          statement: { text: numbered(query) },
          values: [...values, after, ...patterns, ...tested.values, limit],
        };
      }
      const inIndex = `from ${searched} cross join ${table} on ${number} = ${searched}.rowid ${where} and ${searched} match ?`;
      const [source, position] = postgres ? [rows, number] : [inIndex, `${searched}.rowid`];
      const found = {
        text: `select ${selected} ${source} and ${position} ${sign} ? and ${tests}
          order by ${position} ${direction} limit ? offset ?`,
        values: [...values, ...(postgres ? [] : [partsOfWords(words, values[0])]), after, ...patterns, most, offset],
      };
      // With a text it has no name, because PostgreSQL must plan for the text: in one row, or in every row.
      if (!isTested) return { statement: { text: numbered(found.text) }, values: found.values };
      const query = `select ${listed} from ${table} where ${number} in (${found.text}) and ${tested.text} ${ordering}`;
      return { statement: { text: query }, values: [...found.values, ...tested.values, limit] };
    },
    count: statement(
      `${name}.count`,
      counted ? `${sum} from ${totalsTable(table)} ${where}` : `select count(*) as total ${rows}`,
    ),
    /** First of what belongs to the rows, then of the rows. Values of each: key, limit. */
    deleteSome: [...rowsBelow(table, key), { child: table, some: `select id ${rows} limit ?` }].map(
      ({ child, ...rows }, step) =>
        statement(
          `${name}.deleteSome.${step}`,
          // PostgreSQL would plan "in" for a tenth of the table, regardless of the limit, and read all of it each time.
          `delete from ${child} where id ${among('some' in rows ? rows.some : `select id from ${child} where ${rows.where} limit ?`)} returning id`,
        ),
    ),
  };
}

/** The statements of one table, and how its rows differ from the driver's. */
function tableStatements(dialect: Dialect, table: TableName, ids: IdFormat) {
  const parts = partsOf(dialect, table, ids);
  const { postgres, definition, names, typeOf, all, listed, statement, numbered, alsoForMany, amongIds } = parts;
  const { serial, references = {}, indexes } = definition;
  const decoded = names.filter((column) => converted[dialect].includes(typeOf(column)));
  const inserted = names.filter((column) => column !== serial);

  const { searched } = definition;
  const stored = (values: readonly string[]): readonly string[] =>
    searched !== undefined && values.includes(searched) ? [...values, searchedColumn] : values;
  const storedRow = (row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
    searched !== undefined && searched in row ? { ...row, [searchedColumn]: indexedText(String(row[searched])) } : row;

  const update = (changed: readonly string[], rows: string): Statement => {
    const assigned = stored(changed).map((column) => `${column} = ?`);
    return { text: numbered(`update ${table} set ${assigned.join(', ')} where ${rows}`) };
  };

  // The rows of a deleted organization stay until they are removed. Rows that are found through its members cannot be
  // found anymore; other queries exclude these rows.
  const owner = Object.keys(references).find((column) => references[column] === 'organizations');
  const organizationId = table === 'organizations' ? 'id' : owner;
  const notDeleted = organizationId
    ? `not exists (select 1 from deleted_organizations where deleted_organizations.id = ${table}.${organizationId})`
    : parentCondition(table, ids);
  const visible = table === 'organizations' ? ` and ${notDeleted}` : '';

  const [unique] = Object.values(indexes).filter((index) => index.unique);
  // In PostgreSQL a failed statement would abort the transaction. "do nothing" returns no row instead. A new serial number
  // that is taken is an error: someone has set the sequence back.
  const key = unique ? `on conflict (${unique.columns.join(', ')}) do nothing` : '';
  const insert = (values: readonly string[]) =>
    `insert into ${table} (${stored(values).join(', ')}) values (${stored(values)
      .map(() => '?')
      .join(', ')})
    ${serial === 'id' && values === inserted ? key : 'on conflict do nothing'} returning ${serial ?? 'id'}`;

  const byIndex = new Map(Object.entries(indexes).map(([name, index]) => [name, indexStatements(parts, name, index)]));

  return {
    columns: names,
    inserted,
    serial,
    idType: typeOf('id'),
    get: alsoForMany(statement('get', `select ${all} from ${table} where id = ?${visible}`)),
    isInPieces: postgres && names.includes('bytes'),
    getPiece: statement('getPiece', `select ${listed}, ${pieceOfBytes} from ${table} where id = ?${visible}`),
    getMany: statement('getMany', `select ${listed} from ${table} where id ${amongIds}${visible}`),
    versions: statement(
      'versions',
      `select id, ${postgres ? `encode(sha256(convert_to(${table}::text, 'UTF8')), 'hex')` : `json_array(${all})`} as version
      from ${table} where id ${amongIds}`,
    ),
    insert: statement('insert', insert(inserted)),
    /** With the serial number among the values, for dumps. */
    insertNumbered: statement('insertNumbered', insert(names)),
    // Without a name, because requests choose the columns and PostgreSQL would store a plan for every combination.
    update: (changed: readonly string[]) => update(changed, `id = ? returning ${all}`),
    updateMany: (changed: readonly string[]) => update(changed, `id ${amongIds}`),
    delete: statement('delete', `delete from ${table} where id ${amongIds} returning id`),
    /** The same for the rows that belong to them, which are deleted before them. Their value is the list of these ids. */
    deleteBelow: rowsBelow(table, `id ${amongIds}`).map(({ child, where }, step) =>
      statement(`deleteBelow.${step}`, `delete from ${child} where ${where} returning id`),
    ),
    lock: statement(
      'lock',
      `select id${table === 'users' ? ', pg_advisory_xact_lock(hashtextextended(id, 0))' : ''} from ${table} where id = ? for update`,
    ),
    // Not a row "for share": while others share it in turns, a transaction that locks it would wait forever.
    lockSharing: statement(
      'lockSharing',
      `with locked as materialized (select id from ${table} where id = ? for update)
      select pg_advisory_xact_lock_shared(hashtextextended(?, 0)) from locked`,
    ),
    /** The rows for dumps. */
    all: statement('all', `select ${all} from ${table} where ${notDeleted} order by ${serial ?? 'id'}`),
    selection: definition.totals ? selectionStatements(parts) : null,
    index(name: string) {
      const found = byIndex.get(name);
      if (!found) throw new Error(`${table} has no index ${name}.`);
      return found;
    },
    /** The columns of a row as it is stored, and the row with all of them. */
    stored: stored(names),
    storedRow,
    encode: (row: Readonly<Record<string, unknown>>, encoded: readonly string[]): unknown[] => {
      const values = storedRow(row);
      return stored(encoded).map((column) => (postgres ? values[column] : encode(typeOf(column), values[column])));
    },
    /** Changes the driver's row. @throws {StoreUnavailable} if it was damaged by hand */
    decode(row: AnyRow): AnyRow {
      for (const column of decoded) {
        if (row[column] == null) continue;
        try {
          row[column] = decode(typeOf(column), row[column]);
        } catch (cause) {
          throw new StoreUnavailable(
            `The column ${column} of ${table} ${row.id} in the database is damaged. Repair it, or restore a backup.`,
            { cause },
          );
        }
      }
      return row;
    },
  };
}
