import { createReadStream, existsSync, type ReadStream, readdirSync, rmSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
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
import { fileReason, isFileError, ServeError } from './errors.js';
import { jsonLine, readJsonLines } from './json-lines.js';
import { checkOwnFile } from './own-file.js';

/**
 * A backup is a file of JSON lines: a header, each row with its table, and at the end the next serial numbers and the number
 * of rows, so that an incomplete file is recognized. The format is the same for SQLite and PostgreSQL.
 */
const header = { format: 'mkt-backup', version: 1, schema: schemaVersion };

/** Columns that an older backup lacks get their defaults. Before the first release, schemas had the numbers 1 to 5. */
const schemasOfBackups: readonly unknown[] = [...schemaVersions, '1', '2', '3', '4', '5'];

/**
 * Writes a backup. Only the owner of the file may read it, because it contains digests of access tokens. After an error or a
 * signal that ends the process, the file is as it was before.
 * @param to The path of the file, or `-` for stdout
 * @param db Where the store is, which a backup must not replace
 * @returns the number of rows @throws {ServeError} if the file cannot be written
 */
export async function writeBackup(to: string, store: PersistentStore, db?: string): Promise<number> {
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
  if (to === '-') {
    await pipeline(lines(), process.stdout, { end: false }).catch((error: unknown) => {
      throw isFileError(error) ? new ServeError(`The backup is incomplete: ${fileReason(error)}.`) : error;
    });
    return count;
  }
  // A program that has another file open goes on writing into the one that has lost its name.
  const file = checkOwnFile(to, { option: '--out', kind: 'a backup', beginning: /^\{"format":"mkt-backup"/ }, db);
  removeAbandoned(file);
  const unfinished = `${file}.${randomText(6)}.part`;
  const interrupted = (signal: NodeJS.Signals): void => {
    rmSync(unfinished, { force: true });
    for (const each of endingSignals) process.off(each, interrupted);
    process.kill(process.pid, signal);
  };
  // Before the file exists, so that no signal leaves it behind.
  for (const each of endingSignals) process.once(each, interrupted);
  try {
    const handle = await open(unfinished, 'wx', 0o600);
    await pipeline(lines(), handle.createWriteStream({ flush: true }));
    await rename(unfinished, file);
    return count;
  } catch (error) {
    await rm(unfinished, { force: true });
    if (isFileError(error)) throw new ServeError(`The backup cannot be written to ${to}: ${fileReason(error)}.`);
    throw error;
  } finally {
    for (const each of endingSignals) process.off(each, interrupted);
  }
}

const endingSignals = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** A backup that is still written changes its file all the time. */
const abandonedAfter = 60_000;

/** Removes what backups to this file left that were killed. */
function removeAbandoned(file: string): void {
  const folder = dirname(file);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names) {
    if (!name.startsWith(`${basename(file)}.`) || !/\.[\w-]{8}\.part$/.test(name)) continue;
    const path = join(folder, name);
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - changed > abandonedAfter) rmSync(path, { force: true });
  }
}

type OpenStore = (work: (store: PersistentStore) => Promise<void>, ids: IdFormat) => Promise<void>;

/**
 * Fills an empty store with all rows or with none. The store is opened after the first line of the file was read, because
 * that line has the format of the ids.
 * @param from The path of the file, or `-` for stdin
 * @returns the number of rows @throws {ServeError}
 */
export async function restoreBackup(from: string, withStore: OpenStore): Promise<number> {
  const { file, text } = sourceOf(from);
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

/** Reads a backup to its end. @returns the number of rows @throws {ServeError} with the line that is not valid */
export async function verifyBackup(from: string): Promise<number> {
  const { file, text } = sourceOf(from);
  let count = 0;
  try {
    for await (const part of (await readBackup(file, text)).parts) if ('rows' in part) count += part.rows.length;
    return count;
  } finally {
    text.destroy();
  }
}

const sourceOf = (from: string): { readonly file: string; readonly text: ReadStream } =>
  from === '-'
    ? { file: 'stdin', text: createReadStream('', { fd: 0, encoding: 'utf8' }) }
    : { file: from, text: createReadStream(from, { encoding: 'utf8' }) };

/** A row refers to a row that does not exist. */
const isConstraintError = (error: Error): boolean =>
  'code' in error && /^(SQLITE_CONSTRAINT|23\d{3}$)/.test(String(error.code));

/**
 * Reads a backup: its header immediately, its parts when they are needed.
 * @throws {ServeError} with the line that is not valid; the parts throw it too
 */
async function readBackup(file: string, text: ReadStream) {
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
  const ids: IdFormat = first.ids === 'opaque' ? 'opaque' : 'integer';

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
