import { StorageFailure, StoreConfigurationError } from '../store.js';
import { definitionOf, type IdFormat, serialTables } from '../tables.js';
import type { SchemaFile } from './schema/files.generated.js';
import { type Dialect, recordTable, type SchemaConnection, withIds } from './schema.js';

// Someone may have changed a database by hand. Without a trigger its totals are wrong, without a unique index two users
// can have one account, and with one more trigger writes fail: nothing would report it.

/** A column, index, trigger or the like: of a database, or as the files make it. */
interface Part {
  /** What it is compared by. */
  readonly text: string;
  /** As operators see it if the database lacks it, or has another one. */
  readonly shown?: string;
  /** Removes it; the statement that is shown makes it again. */
  readonly drop?: string | null;
  /** Shown if no file makes it and it could reject or change what the program writes. */
  readonly harm?: string | null;
  /** The table without which it is not shown. */
  readonly table?: string;
}
/** By kind and name. */
type Parts = ReadonlyMap<string, Part>;
type Entry = readonly [id: string, part: Part];

/** Case, white space and quotes make no difference. */
const plain = (sql: string): string =>
  sql
    .replace(/--.*|"/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),]) ?/g, '$1')
    .trim()
    .toLowerCase();

interface Statement {
  readonly type: 'table' | 'index' | 'trigger' | 'function';
  readonly name: string;
  readonly sql: string;
}

/** The statements of the files that make something, as a database has them in the end. */
function statementsOf(files: readonly SchemaFile[], ids: IdFormat): Statement[] {
  const text = files.map((file) => withIds(file.text, ids).replace(/^ *--.*\n/gm, '')).join('\n');
  const create =
    /^create (?:unique |virtual )?(table|index|trigger|function) (\w+)[^;]*?(?: begin$[\s\S]*?^end[^;]*)?(?=;)/gm;
  const added = [...text.matchAll(/^alter table (\w+) add column ([^;]*)/gm)];
  return [...text.matchAll(create)].map(([statement, type, name = '']) => ({
    type: type as Statement['type'],
    name,
    sql: added
      .filter(([, table]) => type === 'table' && table === name)
      .reduce((sql, [, , column]) => sql.replace(/\)([^)]*)$/, `, ${column})$1`), statement),
  }));
}

const definition = /(?:'[^']*'|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|[^,()'])+/g;
/** The columns and constraints of a table, and what follows them. */
function tableOf(sql: string) {
  const [, body = '', options = ''] = /^[^(]*\(([\s\S]*)\)([^)]*)$/.exec(sql.replace(/--.*/g, '')) ?? [];
  return { definitions: (body.match(definition) ?? []).map((each) => each.trim()), options: options.trim() };
}
const isConstraint = /^(constraint|check|unique|primary|foreign)\b/i;
const split = (column: string) => /^"?(\w+)"? *([\s\S]*)/.exec(column)?.slice(1) ?? [];

/** Of the statements of the files, and in the same way of those that SQLite has kept. */
function sqliteParts(statements: readonly Statement[]): Entry[] {
  return statements.flatMap(({ type, name, sql }): Entry[] => {
    const drop = `drop ${type} "${name}";`;
    const made: Part = { text: plain(sql), shown: `${sql};`, drop };
    if (type === 'trigger' || /^create unique/i.test(sql)) return [[`${type} ${name}`, { ...made, harm: drop }]];
    if (type !== 'table' || /^create virtual/i.test(sql)) return [[`${type} ${name}`, made]];
    const { definitions, options } = tableOf(sql);
    return [
      [`table ${name}`, { ...made, text: '' }],
      [`options ${name}`, { text: plain(options), shown: `table ${name} (${options})`, table: name }],
      ...definitions.map((each): Entry => {
        const [column = '', rest = ''] = split(each);
        if (isConstraint.test(each))
          return [
            `constraint ${name} ${plain(each)}`,
            { text: '', shown: `table ${name}, with: ${each}`, harm: `table ${name}, without: ${each}`, table: name },
          ];
        const isHarmful =
          /\b(unique|check|references|primary)\b/i.test(rest) || /^(?!.*default).*not null/is.test(rest);
        const harm = isHarmful ? `alter table ${name} drop column ${column};` : null;
        return [
          `column ${name}.${column}`,
          { text: plain(rest), shown: `column ${name}.${column} (${rest})`, harm, table: name },
        ];
      }),
    ];
  });
}

const columnType = /^(bigint|text\[\]|text|timestamptz|boolean|bytea|numeric|double precision|integer|real)/;
/** PostgreSQL's own names. */
const longTypes: Readonly<Record<string, string>> = { timestamptz: 'timestamp with time zone' };

/** What the files make, in the texts that `postgresQuery` returns. */
function postgresParts(statements: readonly Statement[]): Entry[] {
  return statements.flatMap(({ type, name, sql }): Entry[] => {
    const shown = `${sql};`;
    if (type === 'function') {
      const source = /\$\$([\s\S]*)\$\$/.exec(sql)?.[1] ?? '';
      return [[`function ${name}`, { text: plain(source), shown: shown.replace('create', 'create or replace') }]];
    }
    if (type === 'trigger') {
      const [, table] = / on (\w+)/.exec(sql) ?? [];
      const text = plain(sql).replace(/(new table as \w+) (old table as \w+)/, '$2 $1');
      return [[`trigger ${table}.${name}`, { text, shown }]];
    }
    if (type === 'index') {
      const [, unique, table, columns = '', where] =
        /^create (unique )?.* on (\w+) \((.*?)\)( where .*)?$/.exec(sql) ?? [];
      const text = [!!unique, true, table, columns.replaceAll(' nulls first', ''), !!where].join(' ');
      return [[`index ${name}`, { text: plain(text), shown }]];
    }
    const constraint = (text: string, added = text): Entry => [
      `constraint ${name} ${text.replaceAll(' (', '(')}`,
      { text: '', shown: `alter table ${name} add ${added};`, table: name },
    ];
    return [
      [`table ${name}`, { text: '', shown }],
      [`persistence ${name}`, { text: 'p', shown: `alter table ${name} set logged;`, table: name }],
      ...tableOf(sql).definitions.flatMap((each): Entry[] => {
        if (isConstraint.test(each)) return [constraint(each.replace(/^constraint \w+ /, ''), each)];
        const [column = '', rest = ''] = split(each);
        const [, type = ''] = columnType.exec(rest) ?? [];
        const has = (text: string) => rest.includes(text);
        const text = [
          longTypes[type] ?? type,
          has('collate "C"'),
          has('as identity'),
          has(' stored'),
          has('not null'),
        ].join(' ');
        const [, parent] = /references (.*)/.exec(rest) ?? [];
        return [
          [`column ${name}.${column}`, { text, shown: `column ${name}.${column} (${rest})`, table: name }],
          ...(has('primary key') ? [constraint(`primary key (${column})`)] : []),
          ...(parent ? [constraint(`foreign key (${column}) references ${parent}`)] : []),
        ];
      }),
    ];
  });
}

/**
 * All parts of the tables in one statement, because each one is a round trip. Twins of unique indexes and triggers of
 * extensions do no harm: `reindex concurrently` and pg_repack make them for a while.
 */
const postgresQuery = (tables: readonly string[]): string => `
  with own as (
    select oid, relname, relpersistence from pg_class where relname in ('${tables.join("', '")}')
      and relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
  )
  select 'table ' || relname as id, '' as text, null as drop, null as harm from own
  union all select 'persistence ' || relname, relpersistence::text, null, null from own
  union all select format('column %s.%s', relname, attname),
      concat_ws(' ', format_type(atttypid, null), (attcollation = '"C"'::regcollation)::text,
        (attidentity = 'd')::text, (attgenerated = 's')::text, attnotnull::text),
      null, case when attnotnull and not atthasdef and attidentity = ''
        then format('alter table %I drop column %I;', relname, attname) end
    from own join pg_attribute on attrelid = own.oid where attnum > 0 and not attisdropped
  union all select 'index ' || i.relname,
      concat_ws(' ', indisunique::text, indisvalid::text, own.relname,
        (select string_agg(pg_get_indexdef(indexrelid, place, true), ', ' order by place)
          from generate_series(1, indnkeyatts) place), (indpred is not null)::text),
      format('drop index %I;', i.relname), case when indisunique and not exists (select from pg_index twin
        where twin.indrelid = own.oid and twin.indexrelid <> pg_index.indexrelid and twin.indisunique
          and twin.indkey::text = pg_index.indkey::text and twin.indexprs is null and twin.indpred is null)
        then format('drop index %I;', i.relname) end
    from own join pg_index on indrelid = own.oid join pg_class i on i.oid = indexrelid
    where not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
  union all select format('constraint %s %s', relname,
        lower(replace(replace(pg_get_constraintdef(pg_constraint.oid), ' NOT VALID', ''), ' (', '('))),
      '', null, format('alter table %I drop constraint %I;', relname, conname)
    from own join pg_constraint on conrelid = own.oid where contype in ('p', 'f', 'u', 'c', 'x')
  union all select format('trigger %s.%s', relname, tgname),
      case when tgenabled in ('O', 'A') then pg_get_triggerdef(pg_trigger.oid, true) else '' end,
      format('drop trigger %I on %I;', tgname, relname), case when tgenabled <> 'D' and not exists (select from pg_depend
        where classid = 'pg_proc'::regclass and objid = tgfoid and deptype = 'e')
        then format('drop trigger %I on %I;', tgname, relname) end
    from own join pg_trigger on tgrelid = own.oid where not tgisinternal
  union all select format('rule %s.%s', relname, rulename), '', null, format('drop rule %I on %I;', rulename, relname)
    from own join pg_rewrite on ev_class = own.oid where ev_enabled <> 'D'
  union all select 'function ' || proname, prosrc, null, null
    from pg_proc where pronamespace = current_schema()::regnamespace and prorettype = 'trigger'::regtype
  union all select 'sequence ' || relname, '', null, null
    from pg_class where relkind = 'S' and relnamespace = current_schema()::regnamespace and has_table_privilege(oid, 'select')`;

type Queries = Pick<SchemaConnection, 'query'>;

interface Expected {
  readonly tables: readonly string[];
  readonly parts: Parts;
}
const kept = new WeakMap<readonly SchemaFile[], Map<IdFormat, Expected>>();

/** What the files make. It is kept, because `/readyz` asks each second. */
function expectedParts(dialect: Dialect, ids: IdFormat, files: readonly SchemaFile[]): Expected {
  const byIds = kept.get(files) ?? new Map<IdFormat, Expected>();
  const known = byIds.get(ids);
  if (known) return known;
  const statements = statementsOf(files, ids);
  const tables = statements.filter(({ type }) => type === 'table').map(({ name }) => name);
  const expected = { tables, parts: new Map((dialect === 'sqlite' ? sqliteParts : postgresParts)(statements)) };
  kept.set(files, byIds.set(ids, expected));
  return expected;
}

/** The statements that repair the sequences of ids that were set back, or not copied with their tables. */
async function sequencesBehind({ query }: Queries, ids: IdFormat, present: Parts): Promise<string[]> {
  const behind = serialTables
    .filter((table) => definitionOf(table, ids).serial === 'id')
    .filter((table) => present.has(`sequence ${table}_id_seq`) && present.has(`column ${table}.id`))
    .map(
      (table) => `select 'select setval(''${table}_id_seq'', (select max(id) from ${table}));' as repair
        from ${table}_id_seq where last_value - (not is_called)::int < (select max(id) from ${table})`,
    );
  if (behind.length === 0) return [];
  return (await query(behind.join(' union all '))).map(({ repair }) => String(repair));
}

/**
 * What differs from what the files make, as SQL where it can be repaired by a statement. What does no harm may be added.
 * @param withSequences takes 40 % longer, so that not every probe of `/readyz` does it
 */
async function differences(
  connection: Queries,
  dialect: Dialect,
  ids: IdFormat,
  files: readonly SchemaFile[],
  withSequences = false,
): Promise<string[]> {
  const { query } = connection;
  const { tables, parts: expected } = expectedParts(dialect, ids, files);
  const sqliteQuery = `select type, name, sql from sqlite_master where sql is not null and tbl_name collate nocase in ('${tables.join("', '")}')`;
  const present: Parts = new Map(
    dialect === 'sqlite'
      ? sqliteParts((await query(sqliteQuery)) as unknown as Statement[])
      : (await query(postgresQuery(tables))).map(({ id, text, ...part }) => [
          String(id),
          { text: plain(String(text)), ...part },
        ]),
  );
  const added = [...present].flatMap(([id, { harm }]) => (harm && !expected.has(id) ? harm : []));
  const changed = [...expected].flatMap(([id, { text, shown = '', table }]) => {
    const found = present.get(id);
    if (found?.text === text || (table && !present.has(`table ${table}`))) return [];
    return found?.drop ? `${found.drop} ${shown}` : shown;
  });
  return [...changed, ...added, ...(withSequences ? await sequencesBehind(connection, ids, present) : [])];
}

/** @throws {StoreConfigurationError} naming what was changed */
export async function checkSchema(database: string, ...schema: Parameters<typeof differences>): Promise<void> {
  const found = await differences(...schema);
  if (found.length === 0) return;
  throw new StoreConfigurationError(
    `${database} was changed by hand: parts of its schema are missing, different or added; nothing was changed. ` +
      'Restore a backup into a new database, or repair these:\n' +
      found.map((shown) => `  ${shown.replace(/\s+/g, ' ')}`).join('\n'),
  );
}

export const changedByHand =
  'The schema of the database was changed by hand. The command "check" names what was changed.';

/** For a database that is served. A newer version may have migrated it meanwhile. @throws {StorageFailure} */
export async function checkServedSchema(...schema: Parameters<typeof differences>): Promise<void> {
  const [connection, , , files] = schema;
  const records = await connection.query(`select file from ${recordTable}`);
  if (records.length === files.length && (await differences(...schema)).length > 0)
    throw new StorageFailure(changedByHand);
}
