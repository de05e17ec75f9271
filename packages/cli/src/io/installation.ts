import { existsSync, realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';

declare const COMMIT: string | null | undefined;

/** The commit that was built; null if it is unknown, and when the sources run unbuilt. */
export const commit = typeof COMMIT === 'string' ? COMMIT : null;

/** How `mkt` came to this computer. */
export type Installation = 'npm' | 'archive' | 'deb' | 'source';

/** @param program the file that Node runs; in a single executable, that is the executable */
export function installationOf(program: string, executable: boolean): Installation {
  if (executable) return dirname(program) === '/usr/bin' ? 'deb' : 'archive';
  return program.split(sep).includes('node_modules') ? 'npm' : 'source';
}

const sea = process.getBuiltinModule?.('node:sea') as typeof import('node:sea') | undefined;

/** Whether this is the executable that contains Node. */
export const isExecutable = sea?.isSea() === true;

/** Where this program is, without links. Without /proc, Linux cannot name the file of an executable that is on the PATH. */
export function programPath(): string {
  const program = isExecutable ? process.execPath : (process.argv[1] ?? '');
  return existsSync(program) ? realpathSync(program) : program;
}

export const installation = (): Installation => installationOf(programPath(), isExecutable);
