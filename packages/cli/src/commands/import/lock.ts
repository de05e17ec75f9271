import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import { CliError, fileError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { parseJson } from '../../text/json.js';

const lockFile = z.object({ pid: z.number(), host: z.string(), nonce: z.string() });
type Holder = z.output<typeof lockFile>;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Creates a file; false if it exists already. */
function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    const reason = codeOf(error) === 'ENOENT' ? 'there is no such folder' : codeOf(error);
    throw fileError(
      `No report can be written in ${dirname(path)}: ${reason}. Nothing was created.`,
      error,
      'Write it elsewhere: --report FILE',
    );
  }
}

/** Who holds the lock; undefined if the file is gone, or empty: a crash can come before it is filled. */
function holderOf(path: string): Holder | undefined {
  try {
    return z.safeParse(lockFile, parseJson(readFileSync(path, 'utf8'))).data;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether the holder is a process of this computer that has ended. */
function hasEnded({ pid, host }: Holder): boolean {
  if (host !== hostname() || pid <= 0) return false;
  // A process runs one command: a restarted container has assigned the same number again.
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}

function inUse(report: string, path: string): CliError {
  const holder = holderOf(path);
  return new CliError({
    code: 'report_in_use',
    exitCode: exitCodes.usage,
    message: `Another import is using ${report}${holder ? ` (process ${holder.pid} on ${holder.host})` : ''}. Nothing was created.`,
    hints: ['Wait until it has ended', `If it is no longer running: rm ${path}`],
  });
}

/**
 * Reserves a report for this process, and returns a function that releases it. The lock of a killed process is taken
 * over at once; proper-lockfile only knows how old a lock is, and ends the process at the first Ctrl-C.
 */
export function lockReport(report: string): () => void {
  const path = `${report}.lock`;
  const own = JSON.stringify({ pid: process.pid, host: hostname(), nonce: randomUUID() });
  const release = (): void => rmSync(path, { force: true });
  if (create(path, own)) return release;
  const holder = holderOf(path);
  if (holder === undefined && create(path, own)) return release;
  if (holder === undefined || !hasEnded(holder)) throw inUse(report, path);
  // Of several processes that find the holder dead, only one may remove its lock.
  const claim = `${path}.${holder.nonce}`;
  if (!create(claim, own)) throw inUse(report, path);
  try {
    if (holderOf(path)?.nonce !== holder.nonce) throw inUse(report, path);
    rmSync(path);
    if (create(path, own)) return release;
    throw inUse(report, path);
  } finally {
    rmSync(claim, { force: true });
  }
}
