import { StorageFailure, StoreConfigurationError } from '../store.js';
import type { IdFormat } from '../tables.js';
import type { SchemaFile } from './schema/files.generated.js';
import { type Dialect, recordTable, type SchemaConnection, storedTables, withIds } from './schema.js';

// Someone may have changed a database by hand. Without a trigger its totals are wrong, and without a unique index two
// users can have one account: nothing would report it.

const columnTypes = 'bigint|text\\[\\]|text|timestamptz|boolean|bytea|numeric|double precision|integer|real|blob';
const column = new RegExp(`(?:^ {2}|, )(\\w+) (${columnTypes})(?!\\w)([^,\\n]*)`, 'gm');

/** PostgreSQL's own names. */
const longTypes: Readonly<Record<string, string>> = { timestamptz: 'timestamp with time zone' };

const columnKey = (table: unknown, name: unknown, type: unknown, isRequired: boolean): string =>
  `column ${table}.${name} ${longTypes[String(type)] ?? String(type).toLowerCase()}${isRequired ? ' not null' : ''}`;

const plain = (sql: unknown): string => String(sql).replace(/\s+/g, ' ').trim().toLowerCase();

type Queries = Pick<SchemaConnection, 'query'>;

/** What the files create, by a text that a database has too, with what shows it to an operator. */
function expectedObjects(dialect: Dialect, files: readonly SchemaFile[], ids: IdFormat): Map<string, string> {
  const expected = new Map<string, string>();
  const text = files.map((file) => withIds(file.text, ids).replace(/^ *--.*\n/gm, '')).join('\n');
  for (const [, table, body = ''] of text.matchAll(/^create table (\w+) \(\n([\s\S]*?)^\)/gm))
    for (const [, name, type, rest = ''] of body.matchAll(column))
      expected.set(columnKey(table, name, type, rest.includes('not null')), `column ${table}.${name} (${type}${rest})`);
  for (const [, table, name, type, rest = ''] of text.matchAll(
    new RegExp(`^alter table (\\w+) add column (\\w+) (${columnTypes})([^;]*)`, 'gm'),
  ))
    expected.set(columnKey(table, name, type, rest.includes('not null')), `column ${table}.${name} (${type}${rest})`);
  for (const [statement, unique = '', name] of text.matchAll(/^create (unique )?index (\w+) on [^;]*/gm))
    expected.set(dialect === 'sqlite' ? plain(statement) : `${unique}index ${name}`, `${statement};`);
  if (dialect === 'sqlite') {
    for (const [statement] of text.matchAll(/^create trigger [\s\S]*?^end/gm))
      expected.set(plain(statement), `${statement};`);
    for (const [statement, name] of text.matchAll(/^create virtual table (\w+)[^;]*/gm))
      expected.set(`table ${name}`, `${statement};`);
    return expected;
  }
  for (const [statement, name] of text.matchAll(/^create trigger (\w+) [^;]*/gm))
    expected.set(`trigger ${name}`, `${statement};`);
  for (const [statement, name, source] of text.matchAll(/^create function (\w+)\(\)[^$]*\$\$([\s\S]*?)\$\$/gm))
    expected.set(`function ${name} ${plain(source)}`, `${statement};`);
  return expected;
}

/** What the database has, in the same texts. */
async function presentObjects({ query }: Queries, dialect: Dialect): Promise<Set<string>> {
  if (dialect === 'sqlite') {
    const objects = await query("select type, name, sql from sqlite_master where name not like 'sqlite_%'");
    const columns = await query(
      'select m.name as "table", c.name, c.type, c."notnull" as required from sqlite_master m, pragma_table_xinfo(m.name) c ' +
        "where m.type = 'table' and m.sql like 'create table%'",
    );
    return new Set([
      ...objects.map(({ type, name, sql }) => (type === 'table' ? `table ${name}` : plain(sql))),
      ...columns.map(({ table, name, type, required }) => columnKey(table, name, type, required === 1)),
    ]);
  }
  const own = 'pg_class c on c.oid = {} and c.relnamespace = current_schema()::regnamespace';
  const columns = await query(
    `select c.relname as "table", attname as name, format_type(atttypid, null) as type, attnotnull as required
     from pg_attribute join ${own.replace('{}', 'attrelid')} where attnum > 0 and not attisdropped and c.relkind in ('r', 'p')`,
  );
  const named = await query(
    `select case when indisunique then 'unique ' else '' end || 'index ' || c.relname as object
     from pg_index join ${own.replace('{}', 'indexrelid')} where indisvalid
     union all select 'trigger ' || tgname from pg_trigger join ${own.replace('{}', 'tgrelid')} where tgenabled <> 'D'`,
  );
  const functions = await query(
    'select proname as name, prosrc as source from pg_proc where pronamespace = current_schema()::regnamespace',
  );
  return new Set([
    ...columns.map(({ table, name, type, required }) => columnKey(table, name, type, required === true)),
    ...named.map(({ object }) => String(object)),
    ...functions.map(({ name, source }) => `function ${name} ${plain(source)}`),
  ]);
}

/** Constraints that were added to the tables of the program: they reject rows that it writes. No file has one. */
const addedConstraints = `
  select format('alter table %I drop constraint %I;', relname, conname) as shown
  from pg_constraint join pg_class on pg_class.oid = conrelid
  where contype in ('c', 'u', 'x') and relnamespace = current_schema()::regnamespace
    and relname in ('${storedTables.join("', '")}')`;

/** What a database lacks of the files that made it, as SQL. What else it has beyond them is not looked at. */
async function missingObjects(
  connection: Queries,
  dialect: Dialect,
  ids: IdFormat,
  files: readonly SchemaFile[],
): Promise<readonly string[]> {
  const present = await presentObjects(connection, dialect);
  const missing = [...expectedObjects(dialect, files, ids)].flatMap(([key, shown]) => (present.has(key) ? [] : shown));
  const added = dialect === 'sqlite' ? [] : await connection.query(addedConstraints);
  return [...missing, ...added.map(({ shown }) => String(shown))];
}

/** @throws {StoreConfigurationError} naming what is missing or was changed */
export async function checkSchema(database: string, ...schema: Parameters<typeof missingObjects>): Promise<void> {
  const missing = await missingObjects(...schema);
  if (missing.length === 0) return;
  throw new StoreConfigurationError(
    `${database} was changed by hand: parts of its schema are missing or different; nothing was changed. ` +
      'Restore a backup into a new database, or repair these:\n' +
      missing.map((shown) => `  ${shown.replace(/\s+/g, ' ')}`).join('\n'),
  );
}

export const changedByHand =
  'The schema of the database was changed by hand. The command "check" names what is missing.';

/** For a database that is served. A newer version may have migrated it meanwhile. @throws {StorageFailure} */
export async function checkServedSchema(...schema: Parameters<typeof missingObjects>): Promise<void> {
  const [connection, , , files] = schema;
  const records = await connection.query(`select file from ${recordTable}`);
  if (records.length === files.length && (await missingObjects(...schema)).length > 0)
    throw new StorageFailure(changedByHand);
}
