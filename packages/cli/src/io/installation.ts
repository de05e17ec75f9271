import { realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';

declare const COMMIT: string | null | undefined;

/** The commit that was built; null if it is unknown, and when the sources run unbuilt. */
export const commit = typeof COMMIT === 'string' ? COMMIT : null;

/** How `mkt` came to this computer. */
export type Installation = 'npm' | 'archive' | 'deb' | 'source';

/** @param program the file that Node runs; in a single executable, that is the executable */
export function installationOf(program: string, isExecutable: boolean): Installation {
  if (isExecutable) return dirname(program) === '/usr/bin' ? 'deb' : 'archive';
  return program.split(sep).includes('node_modules') ? 'npm' : 'source';
}

export function installation(): Installation {
  const sea = process.getBuiltinModule('node:sea') as typeof import('node:sea') | undefined;
  const isExecutable = sea?.isSea() === true;
  return installationOf(realpathSync(isExecutable ? process.execPath : (process.argv[1] ?? '')), isExecutable);
}
