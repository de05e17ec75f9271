import { closeSync, existsSync, lstatSync, openSync, readlinkSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileReason, isFileError, ServeError } from './errors.js';

/** Of the files next to a database of SQLite, which may be missing until the next server starts. */
const ending = /-(wal|shm|journal)$/i;

export interface OwnFile {
  readonly option: string;
  /** Such as `a backup`. */
  readonly kind: string;
  /** Matches the beginning of such a file. */
  readonly beginning: RegExp;
}

/**
 * Called before a file is written: it may be new, empty, or one that was written for the same option.
 * @param db where the store is @returns where the file is, if it is a link @throws {ServeError}
 */
export function checkOwnFile(file: string, own: OwnFile, db: string | undefined): string {
  try {
    return ownPath(file, own, db);
  } catch (error) {
    if (isFileError(error))
      throw new ServeError(`${file} cannot be used: ${fileReason(error)}. Give ${own.option} another file.`);
    throw error;
  }
}

function ownPath(file: string, { option, kind, beginning }: OwnFile, db: string | undefined): string {
  const path = realPath(file);
  const databases = db === undefined ? [] : ['', '-wal', '-shm', '-journal'].map((each) => realPath(db) + each);
  if (databases.some((each) => isSameFile(path, each) || isSameFile(path.replace(ending, ''), each)))
    throw new ServeError(`${file} is a file of the database. Give ${option} another file.`);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && !(stats.isFile() && (stats.size === 0 || beginning.test(textAt(path)))))
    throw new ServeError(`${file} exists and is not ${kind}, so it was not changed. Give ${option} another file.`);
  return path;
}

/** Where the path leads, also if the file does not exist yet. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  const target = resolve(dirname(path), isLink ? readlinkSync(path) : basename(path));
  const folder = dirname(target);
  return existsSync(folder) ? join(realpathSync(folder), basename(target)) : target;
}

/** Also by inode, because of hard links. */
export function isSameFile(path: string, other: string): boolean {
  const [a, b] = [path, other].map((each) => statSync(each, { bigint: true, throwIfNoEntry: false }));
  return realPath(path) === realPath(other) || (a !== undefined && a.ino === b?.ino && a.dev === b.dev);
}

function textAt(path: string): string {
  const descriptor = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(8192);
    return bytes.toString('latin1', 0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}
