import { closeSync, fchmodSync, fstatSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { rollback, type SqliteDatabase, SqliteDriverMissing, sqliteDriver } from '@mkt/server/sqlite';
import { makeFolder } from '../config/folders.js';
import type { Settings } from '../config/settings.js';
import { CliError, toType, usageError } from '../errors/cli-error.js';
import type { Io } from '../io/io.js';
import { historyPath, hostOf } from './place.js';
import { Recorder } from './record.js';

/** Why the history cannot be used: the end of a sentence. */
export class HistoryUnusable extends Error {
  override readonly name = 'HistoryUnusable';
  constructor(
    message: string,
    /** Whether SQLite itself is missing, which every other command works without. */
    readonly withoutDriver: boolean,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}

/** Who made each reading, how many drafts it has, which some accounts do not see, and the token ids of each account. */
const viewers = `
alter table observations add column viewer integer;
alter table observations add column drafts integer not null default 0;
create table mkt_accounts (
  host text not null, token_id text not null, account integer not null, primary key (host, token_id)) without rowid;
create index observations_with_drafts on observations (host, organization_id, viewer) where drafts > 0;
`;

/**
 * Commands that have not ended, their requests that have no answer yet, the `updated_at` of what a command changed, the new
 * ids of what an undo created again, and how wrong the clock of this machine is.
 */
const attempts = `
create table mkt_running (command_id integer primary key references commands (id), pid integer not null);
create table mkt_attempts (
  id integer primary key, command_id integer not null references commands (id), host text not null,
  organization_id text not null, resource text not null, resource_id text, method text not null, action text, before text,
  sent text, at text not null);
create index attempts_by_command on mkt_attempts (command_id);
alter table changes add column stamp text;
create table mkt_clocks (host text primary key, ahead integer not null) without rowid;
create table mkt_renamed (
  host text not null, organization_id text not null, resource text not null, old_id text not null, new_id text not null,
  primary key (host, organization_id, resource, old_id)) without rowid;
`;

/** Up to which row of `changes` each watch, which is its conditions and its command, has reported. */
const watches = `
create table mkt_watches (
  host text not null, organization_id text not null, watch text not null, latest integer not null,
  primary key (host, organization_id, watch)) without rowid;
`;

/** Which command an undo takes back, and since when an undo has left a part of a command as it is. */
const undos = `
alter table commands add column undoes integer;
alter table commands add column left_at text;
update commands set undoes = (
  select c.command_id from mkt_undone u join changes c on c.rowid = u.change_id where u.command_id = commands.id);
create index commands_by_undo on commands (undoes) where undoes is not null;
`;

/**
 * The first three tables are documented, and queried by other programs. The others are the present state of each list, with
 * rows that were deleted, and the alerts that are raised.
 */
const schema = `
create table observations (
  host text not null, organization_id text not null, resource text not null, at text not null, rows integer not null);
create table commands (
  id integer primary key autoincrement, host text not null, organization_id text not null, at text not null,
  profile text not null, line text not null, undone_at text);
create table changes (
  host text not null, organization_id text not null, resource text not null, resource_id text not null, name text,
  at text not null, kind text not null check (kind in ('created', 'changed', 'deleted')), field text, before text,
  after text, command_id integer references commands (id));
create table mkt_rows (
  host text not null, organization_id text not null, resource text not null, resource_id text not null, row text not null,
  at text not null, gone integer not null, primary key (host, organization_id, resource, resource_id)) without rowid;
create table mkt_alerts (
  host text not null, organization_id text not null, resource text not null, resource_id text not null,
  condition text not null, at text not null,
  primary key (host, organization_id, resource, resource_id, condition)) without rowid;
create table mkt_undone (
  change_id integer primary key, command_id integer references commands (id));
create index observations_by_list on observations (host, organization_id, resource, at);
create index changes_by_time on changes (host, organization_id, at);
create index changes_by_field on changes (host, organization_id, resource, field, at);
create index changes_by_row on changes (host, organization_id, resource, resource_id, at);
create index changes_by_command on changes (command_id) where command_id is not null;
`;

/** What leads from each version of the file to the next one. */
const steps = [schema, viewers, attempts, watches, undos];

/** `pragma user_version` of the file. */
const version = steps.length;

const reasons: readonly (readonly [RegExp, string])[] = [
  [/^(SQLITE_FULL|ENOSPC)/, 'the disk is full'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'the file is damaged or is not an SQLite database'],
  [/^(SQLITE_READONLY|EACCES|EPERM|EROFS)/, 'it may not be written to'],
  [/^(SQLITE_BUSY|SQLITE_LOCKED|SQLITE_PROTOCOL)/, 'other programs have been using it for a second'],
  [/^(SQLITE_CANTOPEN|ENOENT|ENOTDIR|EISDIR|EEXIST)/, 'it cannot be opened or created there'],
  [/^SQLITE_IOERR/, 'the disk reports an error'],
];

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** The same error for users; one that is not about the file stays. */
function historyError(error: unknown, file: string): unknown {
  if (error instanceof HistoryUnusable) return error;
  if (error instanceof SqliteDriverMissing) return new HistoryUnusable(`${file}: ${error.message}`, true, error);
  const reason = reasons.find(([pattern]) => pattern.test(codeOf(error)))?.[1];
  return reason === undefined ? error : new HistoryUnusable(`${file}: ${reason}`, false, error);
}

/** How long a command waits for others that write, in milliseconds. */
const timeoutMs = 900;

/** The file with the record of one user. Every method is one transaction. */
export class HistoryFile {
  #recorder: Recorder | undefined;

  constructor(
    readonly path: string,
    readonly database: SqliteDatabase,
  ) {}

  /** Records inside a transaction of `write`. */
  get recorder(): Recorder {
    this.#recorder ??= new Recorder(this.database);
    return this.#recorder;
  }

  /** Runs `work` in a transaction. @throws {HistoryUnusable} */
  write<Result>(work: (database: SqliteDatabase) => Result): Result {
    try {
      this.database.exec('begin immediate');
      try {
        const result = work(this.database);
        this.database.exec('commit');
        return result;
      } catch (error) {
        rollback(this.database);
        throw error;
      }
    } catch (error) {
      throw historyError(error, this.path);
    }
  }

  /** The rows of a query. @throws {HistoryUnusable} */
  all<Result = Record<string, unknown>>(text: string, ...values: readonly unknown[]): Result[] {
    try {
      return this.database.prepare(text).all(values) as Result[];
    } catch (error) {
      throw historyError(error, this.path);
    }
  }

  /** Reads the whole file. @throws {HistoryUnusable} if it is damaged */
  check(): void {
    const [found] = this.all<{ quick_check: string }>('pragma quick_check(1)');
    if (found?.quick_check !== 'ok')
      throw new HistoryUnusable(`${this.path}: the file is damaged (${found?.quick_check})`, false, undefined);
  }

  close(): void {
    this.database.close();
  }
}

/** Only the user may read a new file. SQLite gives its other files the same mode. */
function createPrivately(path: string): void {
  makeFolder(dirname(path));
  const descriptor = openSync(path, 'a', 0o600);
  try {
    const stats = fstatSync(descriptor);
    if (stats.isFile() && stats.size === 0) fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
}

/** Opens the history, and creates it if there is none. @throws {HistoryUnusable} */
export async function openHistory(path: string): Promise<HistoryFile> {
  let database: SqliteDatabase | undefined;
  try {
    const driver = await sqliteDriver();
    createPrivately(path);
    database = driver.open(path);
    database.exec(`pragma busy_timeout = ${timeoutMs}; pragma synchronous = normal`);
    const file = new HistoryFile(path, database);
    const found = () => Number(file.all<{ user_version: number }>('pragma user_version')[0]?.user_version);
    const upgrade = (given: SqliteDatabase): void => {
      for (const step of steps.slice(found())) given.exec(step);
      given.exec(`pragma user_version = ${version}`);
    };
    if (found() === 0) {
      // A file that others are creating too stays as they leave it.
      database.exec('pragma journal_mode = wal');
      file.write((given) => {
        if (found() > 0) return;
        const [other] = file.all("select name from sqlite_master where type = 'table' limit 1");
        if (other !== undefined)
          throw new HistoryUnusable(`${path}: it contains the data of another program`, false, null);
        upgrade(given);
      });
    } else if (found() < version) file.write(upgrade);
    if (found() > version)
      throw new HistoryUnusable(`${path}: it was written by a newer version of mkt`, false, undefined);
    return file;
  } catch (error) {
    database?.close();
    throw historyError(error, path);
  }
}

interface Running {
  readonly io: Io;
  readonly settings: Settings;
}

/** What helps if the file cannot be used. Only these commands need it. */
export const historyHints = [
  toType('mkt config reset-history', 'To begin a new one and keep this file under another name'),
  'To use another file: MKT_HISTORY=FILE',
  'Other commands work without it',
];

/** The error of a command that needs the history. */
export function withoutHistory({ message, cause }: HistoryUnusable): CliError {
  const hints = cause instanceof SqliteDriverMissing ? cause.hints : historyHints;
  return new CliError({ code: 'history', message: `The history cannot be used. ${message}.`, hints, cause });
}

function requiredPath({ io }: Running): string {
  const path = historyPath(io);
  if (path !== undefined) return path;
  throw usageError('MKT_HISTORY=off: there is no history.', 'To have one again: unset MKT_HISTORY');
}

/** Runs `work` with the history, and closes it. @throws the error for users if it cannot be used */
export async function withHistory<Result>(
  context: Running,
  work: (file: HistoryFile) => Result | Promise<Result>,
): Promise<Result> {
  let file: HistoryFile | undefined;
  try {
    file = await openHistory(requiredPath(context));
    return await work(file);
  } catch (error) {
    throw error instanceof HistoryUnusable ? withoutHistory(error) : error;
  } finally {
    file?.close();
  }
}

/** An organization as the history names it. */
export interface Place {
  readonly host: string;
  readonly organization: string;
}

export const placeOf = ({ settings }: Running, { id }: { readonly id: string }): Place => ({
  host: hostOf(settings.requiredBaseUrl),
  organization: id,
});
