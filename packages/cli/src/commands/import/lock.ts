import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { CliError, fileError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { isObject } from '../../text/json.js';

/** Who holds a lock. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly nonce: string;
}

const hasCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;

/** Makes a file that must not exist yet; false where it does. */
function made(path: string, text: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such folder' : code;
    throw fileError(
      `No report can be kept in ${dirname(path)}: ${reason}. Nothing was created.`,
      error,
      'Keep it elsewhere: --report FILE',
    );
  }
  writeFileSync(file, text);
  closeSync(file);
  return true;
}

function holderOf(path: string): Holder | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  // A crash between making the file and filling it leaves it empty: nobody whose end we could see.
  const value: unknown = text.startsWith('{') && text.endsWith('}') ? JSON.parse(text) : {};
  if (!isObject(value)) return undefined;
  return { pid: Number(value.pid ?? 0), host: String(value.host ?? ''), nonce: String(value.nonce ?? '') };
}

/** Whether the holder is a process of this computer that has ended. */
function isGone({ pid, host }: Holder): boolean {
  if (host !== hostname() || pid <= 0) return false;
  // One process is one command: a container that was started again has given the number anew.
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

const busy = (report: string, path: string, { pid, host }: Holder): CliError =>
  new CliError({
    code: 'report_in_use',
    exitCode: exitCodes.usage,
    message: `Another import is at work on ${report}${pid > 0 ? ` (process ${pid} on ${host})` : ''}. Nothing was created.`,
    hints: ['Wait until it has ended', `If it has ended for certain: rm ${path}`],
  });

/**
 * Keeps a report to one process. A lock that a killed process left is taken over at once: proper-lockfile, which the
 * settings are kept with, only knows the age of a lock, and ends the process at the first Ctrl-C.
 * @returns gives the lock back
 */
export function lockReport(report: string): () => void {
  const path = `${report}.lock`;
  const mine = JSON.stringify({ pid: process.pid, host: hostname(), nonce: randomUUID() });
  const release = (): void => rmSync(path, { force: true });
  if (made(path, mine)) return release;
  const holder = holderOf(path);
  if (holder === undefined && made(path, mine)) return release;
  if (holder === undefined || !isGone(holder)) throw busy(report, path, holder ?? { pid: 0, host: '', nonce: '' });
  // Of several that see the same dead holder one alone may take its lock away.
  const claim = `${path}.${holder.nonce}`;
  if (!made(claim, mine)) throw busy(report, path, holder);
  try {
    if (holderOf(path)?.nonce !== holder.nonce) throw busy(report, path, holderOf(path) ?? holder);
    rmSync(path);
    if (made(path, mine)) return release;
    throw busy(report, path, holderOf(path) ?? holder);
  } finally {
    rmSync(claim, { force: true });
  }
}
