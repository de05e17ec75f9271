import { createReadStream, type ReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { randomText } from '../random.js';
import { jsonRow, rowOfJson } from '../store/json-rows.js';
import { misfit } from '../store/misfit.js';
import { withDefaults } from '../store/new-row.js';
import { batchSizeOf } from '../store/sql/dump.js';
import { schemaVersion, schemaVersions } from '../store/sql/schema.js';
import { Conflict, type Dump, type Part, type PersistentStore } from '../store/store.js';
import {
  type AnyRow,
  type DataTableName,
  definitionOf,
  type IdFormat,
  type TableName,
  tableNames,
} from '../store/tables.js';
import { timestamp } from '../timestamp.js';
import { fileReason, ServeError } from './errors.js';
import { jsonLine, readJsonLines } from './json-lines.js';

/**
 * A backup is a file of JSON lines: a header, each row with its table, and at the end the next serial numbers and the number
 * of rows, so that an incomplete file is recognized. The format is the same for SQLite and PostgreSQL.
 */
const header = { format: 'mkt-backup', version: 1, schema: schemaVersion };

/** Columns that an older backup lacks get their defaults. Before the first release, schemas had the numbers 1 to 5. */
const schemasOfBackups: readonly unknown[] = [...schemaVersions, '1', '2', '3', '4', '5'];

/**
 * Writes a backup. Only the owner of the file may read it, because it contains digests of access tokens. After an error the
 * file is as it was before.
 * @returns the number of rows @throws {ServeError} if the file cannot be written
 */
export async function writeBackup(file: string, store: PersistentStore): Promise<number> {
  const unfinished = `${file}.${randomText(6)}.part`;
  let count = 0;
  async function* lines(): AsyncGenerator<string> {
    yield jsonLine({ ...header, ids: store.ids, created_at: timestamp(Date.now()) });
    for await (const part of store.backup()) {
      if ('rows' in part) {
        const { table, rows } = part;
        count += rows.length;
        yield rows.map((row) => jsonLine({ table, row: jsonRow(table, row) })).join('');
      } else yield jsonLine({ serials: part.serials, rows: count });
    }
  }
  const handle = await open(unfinished, 'wx', 0o600).catch((error: unknown) => {
    throw new ServeError(`The backup cannot be written to ${file}: ${fileReason(error)}.`);
  });
  try {
    await pipeline(lines(), handle.createWriteStream({ flush: true }));
    await rename(unfinished, file);
    return count;
  } catch (error) {
    await rm(unfinished, { force: true });
    if (isFileError(error)) throw new ServeError(`The backup cannot be written to ${file}: ${fileReason(error)}.`);
    throw error;
  }
}

type OpenStore = (work: (store: PersistentStore) => Promise<void>, ids: IdFormat) => Promise<void>;

/**
 * Fills an empty store with all rows or with none. The store is opened after the first line of the file was read, because
 * that line has the format of the ids.
 * @returns the number of rows @throws {ServeError}
 */
export async function restoreBackup(file: string, withStore: OpenStore): Promise<number> {
  const text = createReadStream(file, { encoding: 'utf8' });
  try {
    const { ids, parts } = await readBackup(file, text);
    let count = 0;
    async function* counted(): AsyncGenerator<Part> {
      for await (const part of parts) {
        if ('rows' in part) count += part.rows.length;
        yield part;
      }
    }
    await withStore((store) => store.restore(counted()), ids);
    return count;
  } catch (error) {
    if (error instanceof Conflict || (error instanceof Error && isConstraintError(error)))
      throw new ServeError(`${file} is inconsistent (${error.message}), so nothing was restored. Use another backup.`);
    throw error;
  } finally {
    text.destroy();
  }
}

/** A row refers to a row that does not exist. */
const isConstraintError = (error: Error): boolean =>
  'code' in error && /^(SQLITE_CONSTRAINT|23\d{3}$)/.test(String(error.code));

/**
 * Reads a backup: its header immediately, its parts when they are needed.
 * @throws {ServeError} with the line that is not valid; the parts throw it too
 */
async function readBackup(
  file: string,
  text: ReadStream,
): Promise<Readonly<{ ids: IdFormat; parts: AsyncGenerator<Part> }>> {
  const wrong = (line: number, what: string) => new ServeError(`${file}, line ${line}: ${what}`);
  const lines = readJsonLines(text);
  let number = 0;
  const next = async (): Promise<Line | null> => {
    const { value, done } = await lines.next().catch((error: unknown) => {
      throw isFileError(error) ? new ServeError(`The backup ${file} cannot be read: ${fileReason(error)}.`) : error;
    });
    if (done) return null;
    number += 1;
    const line = lineOf(value);
    if (line) return line;
    throw wrong(number, number === 1 ? notABackup : 'this is not a JSON object. The backup is damaged.');
  };

  const first = await next();
  if (first?.format !== header.format) throw wrong(1, notABackup);
  if (first.version !== header.version || !schemasOfBackups.includes(first.schema))
    throw wrong(
      1,
      `this backup was made by another version of @mkt/server (format ${first.version}, schema ${first.schema}; this is format ` +
        `${header.version}, schema ${header.schema}). Restore it with that version, or a newer one.`,
    );
  const isOlder = first.schema !== header.schema;

  // Backups of older versions do not name the format.
  const ids = first.ids === 'opaque' ? 'opaque' : 'integer';

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
        if (line.rows !== count) throw wrong(number, `the backup should have ${line.rows} rows, but it has ${count}.`);
        if (await next()) throw wrong(number, 'there is more data after the end of the backup.');
        yield { serials: line.serials as Dump['serials'] };
        return;
      }
      rows.push(checkedRow(line));
      table = line.table as DataTableName;
      count += 1;
    }
    throw wrong(number, 'the backup is incomplete: it ends here. Use another one.');
  }

  const checkedRow = ({ table, row }: Line): AnyRow => {
    if (!(tableNames as readonly unknown[]).includes(table)) throw wrong(number, `there is no table "${table}".`);
    const { columns } = definitionOf(table as TableName, ids);
    const given = (row ?? {}) as AnyRow;
    const values = isOlder ? (withDefaults(table as TableName, given as never) as AnyRow) : given;
    const column = misfit(columns, values) ?? Object.keys(values).find((name) => !Object.hasOwn(columns, name));
    if (column !== undefined) throw wrong(number, `the column "${column}" of ${table} does not match this version.`);
    return rowOfJson(table as TableName, values);
  };
  return { ids, parts: parts() };
}

type Line = Readonly<Record<string, unknown>>;

/** Null if the text is not a JSON object. */
function lineOf(text: string): Line | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? (value as Line | null) : null;
  } catch {
    return null;
  }
}

const notABackup = 'this is not a backup. Use a file that "serve backup" has written.';

const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'code' in error;
