import { createHash } from 'node:crypto';
import { StoreConfigurationError } from '../store.js';
import type { IndexDefinition } from '../table-definition.js';
import { allTableNames, definitionOf, type IdFormat, type TableName } from '../tables.js';
import { type SchemaFile, schemaFiles } from './schema/files.generated.js';

export type Dialect = keyof typeof schemaFiles;

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const indexName = (table: TableName, index: string): string => `${table}_${snakeCase(index)}`;

/** The table that holds the totals of an organization's rows. */
export const totalsTable = (table: TableName): string => `${table}_totals`;

/** The table that counts an organization's rows per state and block. */
export const blocksTable = (table: TableName): string => `${table}_blocks`;
/** All tables that writes change, through triggers too. */
export const storedTables: readonly string[] = allTableNames.flatMap((name) =>
  definitionOf(name).totals ? [name, totalsTable(name), blocksTable(name)] : name,
);
/** The numbers of a block's rows differ in this many bits. The SQL files have it too. */
export const blockBits = 15;

/** In SQLite, the index of `searchedColumn`. */
export const searchTable = (table: TableName): string => `${table}_search`;
/** The column with the text as `indexedText` returns it. */
export const searchedColumn = 'searched_text';

/** The condition of an index. Queries must use the same text, or the planner does not use the index. */
export function indexCondition({ only = [] }: Partial<IndexDefinition>): string {
  const literal = (value: string | number) => (typeof value === 'number' ? value : `'${value}'`);
  return only
    .map((each) => `${each.column} ${each.is}${'value' in each ? ` ${literal(each.value)}` : ''}`)
    .join(' and ');
}

/** The schemas that databases of this version and earlier ones have: each is named after its newest file. */
export const schemaVersions: readonly string[] = schemaFiles.sqlite.map(({ name }) => name);
export const schemaVersion = schemaVersions.at(-1);

/** Runs SQL that has no parameters. */
export interface SchemaConnection {
  /** One statement. */
  query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Any number of statements. */
  script(text: string): Promise<unknown>;
}

/** Where the files that were applied are recorded. */
export const recordTable = 'mkt_schema_files';
const recordColumns = ['applied_at', 'file', 'ids', 'sha256'];
/** Where the versions before the first release recorded theirs. */
const formerRecordTable = 'mkt_schema';

const namesQuery: Readonly<Record<Dialect, string>> = {
  sqlite: "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%'",
  postgres:
    'select relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace where nspname = current_schema()',
};
const columnsQuery: Readonly<Record<Dialect, string>> = {
  sqlite: `select name from pragma_table_info('${recordTable}')`,
  postgres: `select column_name as name from information_schema.columns where table_schema = current_schema() and table_name = '${recordTable}'`,
};

/** The same for a checkout with the line ends of Windows. */
const hashOf = ({ text }: SchemaFile): string =>
  createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');

/** What a command needs of a database. */
export interface WantedSchema {
  /** The format of ids. @default that of the database; integers in a new one */
  readonly ids?: IdFormat | undefined;
  /** Whether a new database is an error; by default it is set up. */
  readonly mustExist?: boolean;
}

export interface SchemaState {
  readonly ids: IdFormat;
  /** The files that `migrate` has to apply. */
  readonly missing: readonly SchemaFile[];
}

/**
 * Reads the state of a database; changes nothing. `database` names it in messages.
 * @param wanted `ids`: by default those of the database, or integers if it is new. `mustExist`: it may not be new.
 * @throws {StoreConfigurationError} unless the database is new, or made by this version or a released one before it
 */
export async function schemaState(
  { query }: SchemaConnection,
  dialect: Dialect,
  database: string,
  wanted: WantedSchema,
  files: readonly SchemaFile[] = schemaFiles[dialect],
): Promise<SchemaState> {
  const unusable = (problem: string) => new StoreConfigurationError(`${database} ${problem}`);
  const names = async (text: string) => (await query(text)).map(({ name }) => String(name));
  const present = await names(namesQuery[dialect]);
  if (!present.includes(recordTable)) {
    checkNew(present, dialect, unusable);
    if (wanted.mustExist) throw unusable('has no data of mkt. Check --db, or start a server with it first.');
    return { ids: wanted.ids ?? 'integer', missing: files };
  }
  const columns = await names(columnsQuery[dialect]);
  const isKnown = columns.sort().join() === recordColumns.join();
  const records = isKnown ? await query(`select file, ids, sha256 from ${recordTable} order by file`) : [];
  const ids = records[0]?.ids;
  if ((ids !== 'integer' && ids !== 'opaque') || records.some((record) => record.ids !== ids))
    throw unusable(
      `has a record of its schema (${recordTable}) that this version cannot read; nothing was changed. ${useAnother}`,
    );
  const newer = records.map(({ file }) => String(file)).filter((name) => !files.some((file) => file.name === name));
  if (newer.length > 0)
    throw unusable(
      `was made by a newer version of @mkt/server (it has schema version ${newer.join(', ')}); nothing was changed. ` +
        'Update @mkt/server, or use another database.',
    );
  for (const [at, { file, sha256: applied }] of records.entries()) {
    const source = files[at];
    if (source === undefined || source.name !== file)
      throw unusable(
        `has no record of the schema file ${source?.name}.${dialect}.sql, but one of ${file}; nothing was changed. ${useAnother}`,
      );
    if (applied !== hashOf(source))
      throw unusable(
        `was made with another text of the schema file ${file}.${dialect}.sql, which was changed after it was applied; ` +
          'nothing was changed. Put changes of the schema into a new file, or use a new database.',
      );
  }
  const absent = records.length === files.length ? allTableNames.filter((name) => !present.includes(name)) : [];
  if (absent.length > 0)
    throw unusable(`is incomplete: it has no table ${absent.join(', ')}; nothing was changed. ${useAnother}`);
  if (wanted.ids !== undefined && wanted.ids !== ids)
    throw unusable(`has ${ids} ids, which cannot be changed. Omit --ids, or use a new database for ${wanted.ids} ids.`);
  return { ids, missing: files.slice(records.length) };
}

const useAnother = 'Restore a backup into a new database, or use another one.';

/** @throws {StoreConfigurationError} if a database without a record cannot become one of this program */
function checkNew(present: readonly string[], dialect: Dialect, unusable: (problem: string) => Error): void {
  if (present.includes(formerRecordTable))
    throw unusable(
      'was made by a version of mkt before its first release; nothing was changed. Back it up with the version that made it ' +
        '("serve backup"), then restore that file into a new database with this one ("serve restore").',
    );
  // A schema of PostgreSQL may be shared with other programs; a file of theirs is a wrong path.
  const tables = dialect === 'sqlite' ? present : allTableNames.filter((name) => present.includes(name));
  if (tables.length > 0)
    throw unusable(
      `contains tables that are not in a record of this program (${tables.slice(0, 5).join(', ')}): they belong to another ` +
        `program, or to an incomplete copy; nothing was changed. ${useAnother}`,
    );
}

/** Applies the missing files. The caller runs it in a transaction in which no other process migrates. */
export async function migrate({ script }: SchemaConnection, { ids, missing }: SchemaState): Promise<void> {
  const columns = recordColumns.map((column) => `${column} text not null${column === 'file' ? ' primary key' : ''}`);
  await script(`create table if not exists ${recordTable} (${columns.join(', ')})`);
  for (const file of missing) {
    await script(withIds(file.text, ids));
    const values = [new Date().toISOString(), file.name, ids, hashOf(file)];
    await script(`insert into ${recordTable} (${recordColumns.join(', ')}) values ('${values.join("', '")}')`);
  }
}

/** Replaces each `{a|b}` of a file: a for integers, b for opaque ids. */
export const withIds = (text: string, ids: IdFormat): string =>
  text.replace(/\{([^{}|]*)\|([^{}|]*)\}/g, ids === 'integer' ? '$1' : '$2');
