import type Database from 'better-sqlite3';
import { Conflict, StorageFailure, StoreUnavailable } from '../store.js';
import type { TableName } from '../tables.js';
import { dialects } from './dialect.js';
import { type Statement, statementsOf } from './statements.js';

const statements = statementsOf(dialects.sqlite);

/** What SQLite answers when another process is in the way. */
const unavailable = /^SQLITE_(BUSY|LOCKED|PROTOCOL)/;
/** What it answers when the disk or the file is in the way, which does not pass by itself. */
const failures: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_FULL/, 'The disk of the database is full, so nothing can be saved. Free some space.'],
  [/^SQLITE_IOERR/, 'The disk of the database reports an error. Check the disk and its free space.'],
  [/^SQLITE_READONLY/, 'The database file may not be written to. Check its permissions and those of its directory.'],
  [/^SQLITE_CANTOPEN/, 'A file of the database cannot be opened. Check its directory, and the limit of open files.'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'The database file is damaged. Stop the server and restore a backup.'],
];
const violation = /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY|ROWID)$/;

export const sqliteCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** One connection of better-sqlite3, with each statement prepared once. All of it is synchronous. */
export class SqliteConnection {
  readonly statements = statements;
  readonly #prepared = new WeakMap<Statement, Database.Statement>();

  constructor(readonly database: Database.Database) {}

  /** The first row, as values in column order. */
  row(statement: Statement, values: readonly unknown[], table?: TableName): readonly unknown[] | undefined {
    return this.#run(() => this.#prepare(statement, true).get(values) as readonly unknown[] | undefined, table);
  }

  rows(statement: Statement, values: readonly unknown[]): readonly (readonly unknown[])[] {
    return this.#run(() => this.#prepare(statement, true).all(values) as (readonly unknown[])[]);
  }

  run(statement: Statement, values: readonly unknown[], table?: TableName): Database.RunResult {
    return this.#run(() => this.#prepare(statement, false).run(values), table);
  }

  execute(text: string): void {
    this.#run(() => this.database.exec(text));
  }

  #prepare(statement: Statement, returnsRows: boolean): Database.Statement {
    const known = this.#prepared.get(statement);
    if (known) return known;
    const prepared = this.database.prepare(statement.text);
    if (returnsRows) prepared.raw();
    this.#prepared.set(statement, prepared);
    return prepared;
  }

  #run<Result>(work: () => Result, table?: TableName): Result {
    try {
      return work();
    } catch (error) {
      const code = sqliteCode(error);
      if (table && violation.test(code)) throw new Conflict(table);
      const failure = failures.find(([pattern]) => pattern.test(code));
      if (failure) throw new StorageFailure(failure[1], { cause: error });
      if (unavailable.test(code) || !this.database.open)
        throw new StoreUnavailable(`The database file cannot be used now (${code || 'it is closed'}).`, {
          cause: error,
        });
      throw error;
    }
  }
}
