import { open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { misfit } from '../control/snapshot-check.js';
import { randomText } from '../random.js';
import { batchSizeOf } from '../store/sql/dump.js';
import { schemaVersion } from '../store/sql/schema.js';
import { Conflict, type KeptStore, type Part, StoreNotEmpty } from '../store/store.js';
import { type AnyRow, type DataTableName, definitionOf, type TableName, tableNames } from '../store/tables.js';
import { ServeError } from './errors.js';

/**
 * A backup is a file of JSON lines: what it is, then each row with its table, then the next serial numbers and how many
 * rows there are, by which a file that was cut short is recognized. The same for SQLite and PostgreSQL.
 */
const header = { format: 'mkt-backup', version: 1, schema: schemaVersion };

const bytesColumns = (table: TableName): readonly string[] =>
  Object.entries(definitionOf(table).columns).flatMap(([name, type]) => (type.startsWith('bytes') ? [name] : []));

function withBytes(table: TableName, row: AnyRow, change: (value: never) => unknown): AnyRow {
  const columns = bytesColumns(table);
  if (columns.length === 0) return row;
  return { ...row, ...Object.fromEntries(columns.map((name) => [name, change(row[name] as never)])) };
}
const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const fromBase64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));

/**
 * Writes parts into a file that only its owner may read: it holds digests of access tokens. The file is complete or, after
 * an error, as it was.
 * @returns the number of rows @throws {ServeError} when it cannot be written
 */
export async function writeBackup(file: string, parts: AsyncIterable<Part>, now: string): Promise<number> {
  const unfinished = `${file}.${randomText(6)}.part`;
  let count = 0;
  async function* lines(): AsyncGenerator<string> {
    yield `${JSON.stringify({ ...header, created_at: now })}\n`;
    for await (const part of parts) {
      if ('rows' in part) {
        const { table, rows } = part;
        count += rows.length;
        yield rows.map((row) => `${JSON.stringify({ table, row: withBytes(table, row, toBase64) })}\n`).join('');
      } else yield `${JSON.stringify({ serials: part.serials, rows: count })}\n`;
    }
  }
  const handle = await open(unfinished, 'wx', 0o600).catch((error: unknown) => {
    throw new ServeError(`The backup cannot be written to ${file}: ${reasonOf(error)}.`);
  });
  try {
    await pipeline(lines(), handle.createWriteStream({ flush: true }));
    await rename(unfinished, file);
    return count;
  } catch (error) {
    await rm(unfinished, { force: true });
    if (isFileError(error)) throw new ServeError(`The backup cannot be written to ${file}: ${reasonOf(error)}.`);
    throw error;
  }
}

type OpenStore = (work: (store: KeptStore) => Promise<void>) => Promise<void>;

/**
 * Fills an empty store, with everything or with nothing. The store is opened after the first line of the file was read.
 * @returns the number of rows @throws {ServeError}
 */
export async function restoreBackup(file: string, withStore: OpenStore): Promise<number> {
  const parts = await readBackup(file);
  let count = 0;
  async function* counted(): AsyncGenerator<Part> {
    for await (const part of parts) {
      if ('rows' in part) count += part.rows.length;
      yield part;
    }
  }
  try {
    await withStore((store) => store.restore(counted()));
    return count;
  } catch (error) {
    if (error instanceof StoreNotEmpty)
      throw new ServeError('The database holds data already, and a restore does not replace it. Name an empty one.');
    if (error instanceof Conflict || (error instanceof Error && isConstraintError(error)))
      throw new ServeError(
        `${file} contradicts itself (${error.message}), so nothing was restored. Use another backup.`,
      );
    throw error;
  } finally {
    await parts.return(undefined);
  }
}

/** A row refers to another one that is not there. */
const isConstraintError = (error: Error): boolean =>
  'code' in error && /^(SQLITE_CONSTRAINT|23\d{3}$)/.test(String(error.code));

/**
 * The parts of a backup, read as they are asked for. The header is read before anything is returned.
 * @throws {ServeError} with the line that is not as it must be; the parts throw it too
 */
async function readBackup(file: string): Promise<AsyncGenerator<Part>> {
  const wrong = (line: number, what: string) => new ServeError(`${file}, line ${line}: ${what}`);
  const unreadable = (error: unknown) => new ServeError(`The backup ${file} cannot be read: ${reasonOf(error)}.`);
  const handle = await open(file).catch((error: unknown) => {
    throw unreadable(error);
  });
  async function* linesOf(): AsyncGenerator<string> {
    try {
      for await (const line of handle.readLines()) yield line;
    } catch (error) {
      throw isFileError(error) ? unreadable(error) : error;
    }
  }
  const lines = linesOf();
  let number = 0;
  const next = async (): Promise<Readonly<Record<string, unknown>> | null> => {
    const { value, done } = await lines.next();
    if (done) return null;
    number += 1;
    try {
      const parsed: unknown = JSON.parse(value);
      if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as never;
    } catch {
      // Reported below.
    }
    throw wrong(number, number === 1 ? notABackup : 'this is not a JSON object. The backup is damaged.');
  };

  const first = await next();
  if (first?.format !== header.format) throw wrong(1, notABackup);
  if (first.version !== header.version || first.schema !== header.schema)
    throw wrong(
      1,
      `another version of @mkt/server made this backup (format ${first.version}, schema ${first.schema}; this is format ` +
        `${header.version}, schema ${header.schema}). Restore it with that version: a newer one then upgrades the database.`,
    );

  async function* parts(): AsyncGenerator<Part> {
    let count = 0;
    let table: DataTableName | null = null;
    let rows: AnyRow[] = [];
    for (let line = await next(); line; line = await next()) {
      const ends = 'serials' in line;
      if (table && (ends || line.table !== table || rows.length === batchSizeOf(table))) {
        yield { table, rows };
        rows = [];
      }
      if (ends) {
        if (line.rows !== count)
          throw wrong(number, `the backup says that it has ${line.rows} rows, but it has ${count}.`);
        if (await next()) throw wrong(number, 'there is something after the end of the backup.');
        yield { serials: line.serials as never };
        return;
      }
      rows.push(checkedRow(line));
      table = line.table as DataTableName;
      count += 1;
    }
    throw wrong(number, 'the backup ends here, but it is not complete. Use another one.');
  }

  const checkedRow = ({ table, row }: Readonly<Record<string, unknown>>): AnyRow => {
    if (!(tableNames as readonly unknown[]).includes(table)) throw wrong(number, `there is no table "${table}".`);
    const { columns } = definitionOf(table as TableName);
    const values = (row ?? {}) as AnyRow;
    const column = misfit(columns, values) ?? Object.keys(values).find((name) => !Object.hasOwn(columns, name));
    if (column !== undefined) throw wrong(number, `the column "${column}" of ${table} is not as this version has it.`);
    return withBytes(table as TableName, values, fromBase64);
  };
  return parts();
}

const notABackup = 'this is not a backup. Give a file that "serve backup" has written.';

const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'code' in error;

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
};
const reasonOf = (error: unknown): string => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? message;
};
