import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import type { AnyTables, Dialect } from './dialect.js';
import { SchemaTooNew } from './errors.js';
import { createSchema } from './schema.js';

/**
 * Version 1 is what `tables.ts` says, so it changes with `tables.ts`: right as long as no released version has made a
 * database. After that, for the first change of `tables.ts`:
 * 1. copy the `tables` of the release into `version-1.ts`, let `createSchema` take the definitions as a parameter and
 *    give '1' the copy: what made existing databases never changes again;
 * 2. write '2' with `db.schema` (add a column, an index, ...), for both dialects, down to the triggers of `totals.ts`;
 * 3. `store-schema.test.ts` holds you to both: version 1 keeps its fingerprint, and a database that was migrated is the
 *    same as one made from `tables.ts`.
 */
const migrations = (dialect: Dialect): Record<string, Migration> => ({
  1: { up: (db: Kysely<AnyTables>) => createSchema(db, dialect) },
});

const migrationTable = 'mkt_schema';

const versionsIn = async (db: Kysely<AnyTables>): Promise<string[]> => {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === migrationTable)) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(migrationTable)}`.execute(db);
  return rows.map(({ name }) => name);
};

/** Whether `migrate` has work to do. @throws {SchemaTooNew} `database` names it in the message. */
export async function needsMigration(db: Kysely<AnyTables>, dialect: Dialect, database: string): Promise<boolean> {
  const present = await versionsIn(db);
  const known = Object.keys(migrations(dialect));
  const newer = present.filter((version) => !known.includes(version));
  if (newer.length > 0) throw new SchemaTooNew(database, newer);
  return present.length < known.length;
}

/** Brings the schema to the newest version. PostgreSQL: under an advisory lock. SQLite: the caller holds the lock. */
export async function migrate(db: Kysely<AnyTables>, dialect: Dialect): Promise<void> {
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: async () => migrations(dialect) },
    migrationTableName: migrationTable,
    migrationLockTableName: `${migrationTable}_lock`,
    // SQLite's lock is a transaction around all of it.
    disableTransactions: dialect.name === 'sqlite',
  }).migrateToLatest();
  if (error) throw error;
}
