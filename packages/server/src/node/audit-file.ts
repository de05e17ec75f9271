import { appendFile, open } from 'node:fs/promises';
import type { Audit, AuditEntry } from '../http/audit.js';
import { mutex } from '../store/mutex.js';
import { StorageFailure } from '../store/store.js';
import { ServeError } from './errors.js';
import { jsonLine } from './json-lines.js';

const mode = 0o600;

/**
 * Appends a JSON line to `file` for each write. The file is opened for each batch of lines, so that it can be rotated by
 * renaming it.
 * @param warn is called with the reason when the file can no longer be written
 * @throws {ServeError} if it cannot be opened now
 */
export async function auditFile(file: string, warn: (message: string) => void): Promise<Audit> {
  await open(file, 'a', mode).then(
    (handle) => handle.close(),
    (error: Error) => {
      throw new ServeError(
        `The audit log ${file} cannot be written (${error.message}). The server does not start without it.`,
      );
    },
  );
  const inTurn = mutex();
  let waiting: string[] = [];
  let failure: StorageFailure | null = null;

  /** Writes the lines of all waiting requests in one call. */
  const flush = async (): Promise<void> => {
    const lines = waiting;
    if (lines.length === 0) return;
    waiting = [];
    try {
      // After a failure the file may end with an incomplete line.
      await appendFile(file, (failure ? '\n' : '') + lines.join(''), { mode });
      failure = null;
    } catch (cause) {
      waiting = [...lines, ...waiting];
      if (!failure) warn(`The audit log ${file} cannot be written: ${(cause as Error).message}. Writes are rejected.`);
      failure = new StorageFailure(
        'The audit log cannot be written, so nothing can be changed. Check the disk and the permissions of the file.',
        { cause },
      );
    }
  };

  return {
    async check() {
      if (failure) await inTurn(flush);
      if (failure) throw failure;
    },
    async record(entry: AuditEntry) {
      waiting.push(jsonLine({ time: new Date().toISOString(), ...entry }));
      await inTurn(flush);
    },
  };
}
