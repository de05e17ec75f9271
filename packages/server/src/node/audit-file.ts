import { appendFile, type FileHandle, open } from 'node:fs/promises';
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

  /** Runs what `begin` returns with the file. If that fails, the file is as before. */
  const changeFile = (begin: () => (handle: FileHandle, size: number) => Promise<void>): Promise<void> =>
    inTurn(async () => {
      const write = begin();
      let handle: FileHandle | undefined;
      try {
        handle = await open(file, 'a+', 0o600);
        const { size } = await handle.stat();
        await write(handle, size).catch(async (error: unknown) => {
          await handle?.truncate(size);
          throw error;
        });
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
        await handle?.close();
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
      return async (handle, size) => {
        await handle.appendFile((await endsWithinLine(handle, size)) ? `\n${lines}` : lines);
        await handle.datasync();
      };
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
        await changeFile(() => async (handle, size) => {
          await handle.appendFile(probe);
          await handle.datasync();
          await handle.truncate(size);
        });
      if (failure) throw failure;
    },
    request: () => new AuditedRequest(write),
  };
}

/** Whether the last line is incomplete, because the machine lost its power while it was written. */
async function endsWithinLine(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== newline;
}
