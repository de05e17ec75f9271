import { tracing } from '../../tracing.js';
import { Conflict, StorageDamaged, StorageFailure, StoreUnavailable } from '../store.js';
import { type AnyRow, definitionOf, type IdFormat, type TableName } from '../tables.js';
import type { Connection } from './access.js';
import { changedByHand } from './schema-check.js';
import type { SqliteDatabase, SqliteStatement } from './sqlite-driver.js';
import { type Statement, type Statements, statementsOf } from './statements.js';

/** Errors that mean that another process is using the file. */
const unavailable = /^SQLITE_(BUSY|LOCKED|PROTOCOL)/;
/** Errors of the disk or the file, which do not go away by themselves. */
const failures: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_FULL/, 'The disk of the database is full, so nothing can be saved. Free some space.'],
  [/^SQLITE_IOERR/, 'The disk of the database reports an error. Check the disk and its free space.'],
  [/^SQLITE_READONLY/, 'The database file may not be written to. Check its permissions and those of its directory.'],
  [/^SQLITE_CANTOPEN/, 'A file of the database cannot be opened. Check its directory and the limit on open files.'],
  [/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY|ROWID|TRIGGER)$/, changedByHand],
];
const damaged = /^SQLITE_(CORRUPT|NOTADB)/;
/** SQLite has no code for it. */
const lacksPart = /no such (table|column)|has no column named|ON CONFLICT clause does not match/;

export const sqliteCode = (error: unknown): string => {
  if (error instanceof StoreUnavailable) return sqliteCode(error.cause);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
};

export function storeError(error: unknown, isOpen: boolean): unknown {
  const code = sqliteCode(error);
  if (damaged.test(code))
    return new StorageDamaged('The database file is damaged. Stop the server and restore a backup.', { cause: error });
  const failure = failures.find(([pattern]) => pattern.test(code));
  if (failure) return new StorageFailure(failure[1], { cause: error });
  if (code.startsWith('SQLITE_ERROR') && lacksPart.test((error as Error).message))
    return new StorageFailure(changedByHand, { cause: error });
  if (unavailable.test(code) || !isOpen)
    return new StoreUnavailable(`The database file is not available (${code || 'it is closed'}).`, { cause: error });
  return error;
}

const maxPrepared = 500;

/** A connection to an SQLite file. Statements run synchronously; only their result is a promise. */
export class SqliteConnection implements Connection {
  readonly statements: Statements;
  /** Called with each statement. */
  onStatement: () => void = () => undefined;
  readonly #prepared = new Map<string, SqliteStatement>();

  constructor(
    readonly database: SqliteDatabase,
    readonly ids: IdFormat,
  ) {
    this.statements = statementsOf('sqlite', ids);
  }

  async run(statement: Statement, values: readonly unknown[] = []): Promise<AnyRow[]> {
    return this.runSync(statement, values);
  }

  runSync(statement: Statement, values: readonly unknown[] = []): AnyRow[] {
    this.onStatement();
    const spans = tracing();
    return spans
      ? spans.statement('sqlite', statement, () => this.#run(statement, values))
      : this.#run(statement, values);
  }

  #run({ text }: Statement, values: readonly unknown[]): AnyRow[] {
    try {
      const prepared = this.#prepared.get(text) ?? this.database.prepare(text);
      // Preparing takes longer than an update. Requests choose the columns of updates, so there may be many statements.
      if (this.#prepared.size >= maxPrepared) this.#prepared.clear();
      this.#prepared.set(text, prepared);
      return prepared.all(values) as AnyRow[];
    } catch (error) {
      throw storeError(error, this.database.isOpen);
    }
  }

  async *batches({ text }: Statement, size: number): AsyncGenerator<AnyRow[]> {
    let rows: AnyRow[] = [];
    try {
      for (const row of this.database.prepare(text).iterate()) {
        rows.push(row as AnyRow);
        if (rows.length < size) continue;
        yield rows;
        rows = [];
      }
    } catch (error) {
      throw storeError(error, this.database.isOpen);
    }
    if (rows.length > 0) yield rows;
  }

  async insertAll(table: TableName, rows: readonly AnyRow[]): Promise<void> {
    const { columns, encode, insertNumbered } = this.statements[table];
    for (const row of rows) {
      const stored = this.runSync(insertNumbered, encode(row, columns));
      if (stored.length === 0 && !definitionOf(table).survivesLoad) throw new Conflict(table);
    }
  }

  /** `sqlite_sequence` is where SQLite stores the last serial number of each table. */
  async nextSerial(table: TableName): Promise<number> {
    const [row] = this.runSync({ text: 'select seq from sqlite_sequence where name = ?' }, [table]);
    return Number(row?.seq ?? 0) + 1;
  }

  async setNextSerial(table: TableName, next: number): Promise<void> {
    this.runSync({ text: 'delete from sqlite_sequence where name = ?' }, [table]);
    this.runSync({ text: 'insert into sqlite_sequence (name, seq) values (?, ?)' }, [table, next - 1]);
  }

  list(values: readonly unknown[]): unknown {
    return JSON.stringify(values);
  }
}
