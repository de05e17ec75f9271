import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import { allTableNames, tableNames } from '../tables.js';
import { type AnyTables, type Dialect, dialects } from './dialect.js';
import { SchemaTooNew, StoreConfigurationError } from './errors.js';
import { createSchema } from './schema.js';

/**
 * A version makes whole tables as `tables.ts` says, so it changes with `tables.ts`: right as long as no released version
 * has made a database. After that, for the first change of a table:
 * 1. copy the `tables` of the release, let `createSchema` take the definitions as a parameter and give the existing
 *    versions the copy: what made existing databases never changes again;
 * 2. write the next version with `db.schema` (add a column, an index, ...), for both dialects, down to the triggers of
 *    `totals.ts`;
 * 3. `store-schema.test.ts` checks both: each version keeps its fingerprint, and a database that was migrated is the
 *    same as one made from `tables.ts`.
 */
const migrations = (dialect: Dialect): Record<string, Migration> => ({
  1: { up: (db: Kysely<AnyTables>) => createSchema(db, dialect, tableNames) },
  2: { up: (db: Kysely<AnyTables>) => createSchema(db, dialect, ['ended_sessions']) },
  3: { up: (db: Kysely<AnyTables>) => createSchema(db, dialect, ['deleted_organizations']) },
});

/** The newest one. */
export const schemaVersion = Object.keys(migrations(dialects.sqlite)).at(-1);

const migrationTable = 'mkt_schema';

/**
 * Whether `migrate` has work to do; changes nothing. `database` names it in messages.
 * @throws {SchemaTooNew}
 * @throws {StoreConfigurationError} when another program has tables of our names there
 */
export async function needsMigration(db: Kysely<AnyTables>, dialect: Dialect, database: string): Promise<boolean> {
  const tables = await tablesIn(db, dialect);
  const present = tables.includes(migrationTable) ? await versionsIn(db) : [];
  const known = Object.keys(migrations(dialect));
  const newer = present.filter((version) => !known.includes(version));
  if (newer.length > 0) throw new SchemaTooNew(database, newer);
  // Looked at before the versions: whoever makes our tables records the version in the same transaction.
  const foreign = allTableNames.filter((name) => tables.includes(name));
  if (present.length === 0 && foreign.length > 0)
    throw new StoreConfigurationError(
      `${database} cannot be used: it holds the tables of another program (${foreign.join(', ')}).`,
    );
  return present.length < known.length;
}

/** The names of the tables that a statement without a schema finds. */
async function tablesIn(db: Kysely<AnyTables>, dialect: Dialect): Promise<string[]> {
  const tables = await db.introspection.getTables();
  if (dialect.name === 'sqlite') return tables.map(({ name }) => name);
  const { rows } = await sql<{ current: string }>`select current_schema() as current`.execute(db);
  return tables.filter(({ schema }) => schema === rows[0]?.current).map(({ name }) => name);
}

async function versionsIn(db: Kysely<AnyTables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(migrationTable)}`.execute(db);
  return rows.map(({ name }) => name);
}

/** Brings the schema to the newest version. The caller runs it in a transaction in which no other process migrates. */
export async function migrate(db: Kysely<AnyTables>, dialect: Dialect): Promise<void> {
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: async () => migrations(dialect) },
    migrationTableName: migrationTable,
    migrationLockTableName: `${migrationTable}_lock`,
    disableTransactions: true,
  }).migrateToLatest();
  if (error) throw error;
}
