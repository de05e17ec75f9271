import { createRequire } from 'node:module';
import type BetterSqlite from 'better-sqlite3';

export type SqliteDriverName = 'node:sqlite' | 'better-sqlite3';

export interface SqliteStatement {
  /** Runs the statement; the rows are empty if it returns none. */
  all(values?: readonly unknown[]): Record<string, unknown>[];
  iterate(values?: readonly unknown[]): Iterable<Record<string, unknown>>;
}

/** An open file. Every statement runs synchronously, and errors have the code of SQLite: `SQLITE_BUSY`. */
export interface SqliteDatabase {
  readonly isOpen: boolean;
  prepare(text: string): SqliteStatement;
  /** Runs statements that are separated by semicolons. */
  exec(text: string): void;
  close(): void;
}

export interface SqliteDriver {
  readonly name: SqliteDriverName;
  /** What `require` takes for it. */
  readonly module: string;
  /** Opens a file, which is created unless it is only read. Statements do not wait for other processes. */
  open(file: string, options?: { readonly readOnly?: boolean }): SqliteDatabase;
}

/** This Node has no SQLite, and the package that would replace it is missing. */
export class SqliteDriverMissing extends Error {
  override readonly name = 'SqliteDriverMissing';
  /** What ends it: one of these. */
  readonly hints = [
    'Use Node 22.13 or newer, which has SQLite',
    'Or: npm install better-sqlite3',
    'Or, if it is installed: npm rebuild better-sqlite3',
  ] as const;
  constructor(cause: unknown) {
    super('the optional package better-sqlite3 is missing or was not built for this version of Node', { cause });
  }
}

/** What is used of `node:sqlite`, which the types of Node 20 lack. */
interface NodeSqlite {
  readonly DatabaseSync: new (
    file: string,
    options: { readonly readOnly: boolean },
  ) => {
    readonly isOpen?: boolean;
    prepare(text: string): {
      all(...values: readonly unknown[]): Record<string, unknown>[];
      iterate(...values: readonly unknown[]): Iterable<Record<string, unknown>>;
    };
    exec(text: string): void;
    close(): void;
  };
}

const results = new Map<number, string>([
  [5, 'SQLITE_BUSY'],
  [6, 'SQLITE_LOCKED'],
  [8, 'SQLITE_READONLY'],
  [10, 'SQLITE_IOERR'],
  [11, 'SQLITE_CORRUPT'],
  [13, 'SQLITE_FULL'],
  [14, 'SQLITE_CANTOPEN'],
  [15, 'SQLITE_PROTOCOL'],
  [19, 'SQLITE_CONSTRAINT'],
  [26, 'SQLITE_NOTADB'],
  [1555, 'SQLITE_CONSTRAINT_PRIMARYKEY'],
  [1811, 'SQLITE_CONSTRAINT_TRIGGER'],
  [2067, 'SQLITE_CONSTRAINT_UNIQUE'],
  [2579, 'SQLITE_CONSTRAINT_ROWID'],
]);

/** Gives an error of `node:sqlite` the code that better-sqlite3 gives it. The lowest byte of a result is its kind. */
export function withSqliteCode(error: unknown): unknown {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return error;
  const code = results.get(error.errcode) ?? results.get(error.errcode & 0xff);
  return Object.assign(error, { code: code ?? `SQLITE_ERROR_${error.errcode}` });
}

const coded = <Result>(work: () => Result): Result => {
  try {
    return work();
  } catch (error) {
    throw withSqliteCode(error);
  }
};

function* codedRows(rows: Iterable<Record<string, unknown>>): Generator<Record<string, unknown>> {
  try {
    yield* rows;
  } catch (error) {
    throw withSqliteCode(error);
  }
}

const nodeDriver = ({ DatabaseSync }: NodeSqlite): SqliteDriver => ({
  name: 'node:sqlite',
  module: 'node:sqlite',
  open(file, { readOnly = false } = {}) {
    const database = coded(() => new DatabaseSync(file, { readOnly }));
    let isOpen = true;
    return {
      get isOpen() {
        return isOpen;
      },
      prepare: (text) => {
        const statement = coded(() => database.prepare(text));
        return {
          all: (values = []) => coded(() => statement.all(...values)),
          iterate: (values = []) => codedRows(statement.iterate(...values)),
        };
      },
      exec: (text) => coded(() => database.exec(text)),
      close: () => {
        if (isOpen) database.close();
        isOpen = false;
      },
    };
  },
});

function betterDriver(Driver: typeof BetterSqlite): SqliteDriver {
  const { resolve } = createRequire(import.meta.filename);
  let built: { nativeBinding?: string } = {};
  try {
    // Without its path the package searches a dozen folders, which takes 2 ms.
    built = { nativeBinding: resolve('better-sqlite3/build/Release/better_sqlite3.node') };
  } catch {
    // Built elsewhere: the package finds it.
  }
  return {
    name: 'better-sqlite3',
    module: resolve('better-sqlite3'),
    open(file, { readOnly = false } = {}) {
      const database = new Driver(file, { readonly: readOnly, timeout: 0, ...built });
      return {
        get isOpen() {
          return database.open;
        },
        prepare: (text) => {
          const statement = database.prepare(text);
          return {
            all: (values = []) => {
              if (statement.reader) return statement.all(values) as Record<string, unknown>[];
              statement.run(values);
              return [];
            },
            iterate: (values = []) => statement.iterate(values) as Iterable<Record<string, unknown>>,
          };
        },
        exec: (text) => database.exec(text),
        close: () => database.close(),
      };
    },
  };
}

/** `node:sqlite`, without the warning that it is experimental; undefined if this Node has none. */
function nodeSqlite(): SqliteDriver | undefined {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    const module = process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined;
    return module && nodeDriver(module);
  } finally {
    process.emitWarning = emitWarning;
  }
}

async function betterSqlite(): Promise<SqliteDriver> {
  const { default: Driver } = await import('better-sqlite3');
  const driver = betterDriver(Driver);
  // A package that was not built for this Node fails only when a file is opened.
  driver.open(':memory:').close();
  return driver;
}

/** `node:sqlite` was experimental before Node 24: there it is used only if better-sqlite3 is missing. */
async function load(): Promise<SqliteDriver> {
  const [major = 0] = process.versions.node.split('.').map(Number);
  const preferred = major >= 24 ? nodeSqlite() : undefined;
  if (preferred) return preferred;
  try {
    return await betterSqlite();
  } catch (cause) {
    const fallback = nodeSqlite();
    if (fallback) return fallback;
    throw new SqliteDriverMissing(cause);
  }
}

let loaded: Promise<SqliteDriver> | undefined;

/** The SQLite driver of this machine, loaded at its first use. @throws {SqliteDriverMissing} */
export function sqliteDriver(): Promise<SqliteDriver> {
  loaded ??= load();
  return loaded;
}

/** Ends the transaction. Some errors (a full disk) have ended it already. */
export function rollback(database: SqliteDatabase): void {
  try {
    database.exec('rollback');
  } catch (error) {
    if (!(error instanceof Error && /no transaction is active/.test(error.message))) throw error;
  }
}
