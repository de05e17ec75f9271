import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { tracing } from '../../tracing.js';
import { FairTurns, type Group } from '../fair-turns.js';
import { StoreUnavailable, TooExpensive } from '../store.js';
import type { AnyRow } from '../tables.js';
import { Usage } from '../usage.js';
import { type SqliteConnection, storeError } from './sqlite-connection.js';
import { withSqliteCode } from './sqlite-driver.js';
import type { Statement } from './statements.js';

/** Pages of 4 KiB. In a smaller file no read takes long, so it is not worth a thread: 10 MB of memory. */
const smallFile = 2500;

/** Milliseconds that a read waits for those before it. */
const maxWait = 4000;

/** As text, because not every bundle can have a file for it: one is an executable. */
const program = `
  const { parentPort, workerData: { module, file, readOnly } } = require('node:worker_threads');
  // Of Node 22, that node:sqlite is experimental.
  process.emitWarning = () => undefined;
  // Elsewhere this would be the priority of the process.
  const os = require('node:os');
  if (readOnly && process.platform === 'linux') os.setPriority(Math.min(os.getPriority() + 10, 19));
  const driver = require(module);
  const database = driver.DatabaseSync
    ? new driver.DatabaseSync(file, { readOnly })
    : new driver(file, { readonly: readOnly, timeout: 0 });
  parentPort.on('message', (query) => {
    if (query === null) {
      database.close();
      return parentPort.close();
    }
    try {
      parentPort.postMessage({ rows: database.prepare(query.text).all(...query.values) });
    } catch ({ message, code, errcode }) {
      parentPort.postMessage({ error: { message, code, errcode } });
    }
  });`;

type Answer = { readonly rows: AnyRow[] } | { readonly error: { readonly message: string } };

/** A connection in a thread of its own, which starts with its first statement. It runs one at a time. */
export class SqliteThread {
  #thread: Worker | null = null;
  #isClosed = false;

  constructor(private readonly data: { readonly module: string; readonly file: string; readonly readOnly: boolean }) {}

  async run({ text }: Statement, values: readonly unknown[] = []): Promise<AnyRow[]> {
    if (this.#isClosed) throw new StoreUnavailable('The database file is closed.');
    this.#thread ??= this.#start();
    const thread = this.#thread;
    thread.ref();
    try {
      thread.postMessage({ text, values });
      const [answer] = (await once(thread, 'message')) as [Answer];
      if ('rows' in answer) return answer.rows;
      throw Object.assign(new Error(answer.error.message), answer.error);
    } catch (error) {
      throw storeError(withSqliteCode(error), true);
    } finally {
      thread.unref();
    }
  }

  /** Waits for the statement that is running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = this.#thread;
    if (!thread) return;
    thread.ref();
    thread.postMessage(null);
    await once(thread, 'exit');
  }

  #start(): Worker {
    const thread = new Worker(program, { eval: true, workerData: this.data });
    // The next statement starts another one.
    thread.on('error', () => {
      this.#thread = null;
    });
    return thread;
  }
}

/**
 * Runs reads that may take long among many rows in a thread, one after the other, because SQLite would block this one, and
 * every request in it.
 */
export class ExpensiveReads {
  readonly #turns = new FairTurns(
    1,
    () => new TooExpensive('Too many expensive requests run at once.'),
    1,
    new Usage(),
  );

  /** @param connection to the same file, for reads while it is small */
  constructor(
    private readonly connection: SqliteConnection,
    private readonly thread: SqliteThread,
  ) {}

  async run(group: Group, statement: Statement, values: readonly unknown[] = []): Promise<AnyRow[]> {
    const [size] = this.connection.runSync({ text: 'pragma page_count' });
    if (Number(size?.page_count) < smallFile) return this.connection.run(statement, values);
    const run = () => this.#turns.run(group, maxWait, () => this.thread.run(statement, values));
    return tracing()?.statement('sqlite', statement, run) ?? run();
  }

  /** The reads that wait are rejected. */
  close(): Promise<void> {
    return this.thread.close();
  }
}
