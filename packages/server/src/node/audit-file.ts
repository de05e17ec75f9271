import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readSync, writeFile } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type Audit, type AuditEntry, AuditedRequest } from '../http/audit.js';
import { inPieces } from '../pieces.js';
import { mutex } from '../store/mutex.js';
import { StorageFailure } from '../store/store.js';
import { ServeError } from './errors.js';
import { jsonLine } from './json-lines.js';

const newline = 0x0a;
/** A block of the disk, of empty lines in case the process ends before they are removed. */
const probe = '\n'.repeat(4096);
/** Milliseconds between two probes, however often `/readyz` is requested. */
const probeInterval = 1000;

/** It begins with a line, or with what a probe has left. */
export const auditLogFile = { option: '--audit', kind: 'an audit log', beginning: /^\n*(\{"time":|$)/ };

/** Creates the file for its owner only. @throws {ServeError} */
export async function appendTo(file: string, what: string, text = ''): Promise<void> {
  await appendFile(file, text, { mode: 0o600 }).catch(({ message }: Error) => {
    throw new ServeError(`${what} ${file} cannot be written (${message}). The server does not start without it.`);
  });
}

/**
 * Appends a JSON line to `file` for each write. The file is opened for each batch of lines, so that it can be rotated by
 * renaming it.
 * @param warn is called with the reason when the file can no longer be written
 * @throws {ServeError} if it cannot be opened now
 */
export async function auditFile(file: string, warn: (message: string) => void): Promise<Audit> {
  await appendTo(file, 'The audit log');
  const inTurn = mutex();
  let failure: StorageFailure | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;

  /**
   * Runs what `begin` returns with the file. If that fails, the file is as before. Opening it is synchronous: writers of SQLite
   * wait meanwhile, and other requests would run after each asynchronous step.
   */
  const changeFile = (begin: () => (opened: number, size: number) => Promise<void>): Promise<void> =>
    inTurn(async () => {
      const write = begin();
      let opened: number | undefined;
      try {
        opened = openSync(file, 'a+', 0o600);
        const { size } = fstatSync(opened);
        try {
          await write(opened, size);
        } catch (error) {
          ftruncateSync(opened, size);
          throw error;
        }
        failure = null;
      } catch (cause) {
        if (!failure)
          warn(`The audit log ${file} cannot be written: ${(cause as Error).message}. Writes are rejected.`);
        failure = new StorageFailure(
          'The audit log cannot be written, so nothing can be changed. Check the disk and the permissions of the file.',
          { cause },
        );
        throw failure;
      } finally {
        checkedAt = performance.now();
        if (opened !== undefined) closeSync(opened);
      }
    });

  let waiting: string[] = [];
  let next: Promise<void> | undefined;
  /** Writes the lines of all requests that wait for the file at once. */
  const flush = () =>
    changeFile(() => {
      const lines = waiting.join('');
      waiting = [];
      next = undefined;
      return (opened, size) => appendToDisk(opened, endsWithinLine(opened, size) ? `\n${lines}` : lines);
    });

  const write = async (entries: readonly AuditEntry[]): Promise<void> => {
    const time = new Date().toISOString();
    const lines = await inPieces(entries, (piece) => piece.map((entry) => jsonLine({ time, ...entry })).join(''));
    waiting.push(...lines);
    next ??= flush();
    return next;
  };

  return {
    async check() {
      if (performance.now() - checkedAt >= probeInterval)
        await changeFile(() => async (opened, size) => {
          await appendToDisk(opened, probe);
          ftruncateSync(opened, size);
        });
      if (failure) throw failure;
    },
    request: () => new AuditedRequest(write),
  };
}

const appendToDisk = async (opened: number, text: string): Promise<void> => {
  await promisify(writeFile)(opened, text);
  await promisify(fdatasync)(opened);
};

/** Whether the last line is incomplete, because the machine lost its power while it was written. */
function endsWithinLine(opened: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size > 0 && readSync(opened, last, 0, 1, size - 1) > 0 && last[0] !== newline;
}
