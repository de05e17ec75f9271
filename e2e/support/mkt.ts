import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtFile } from '../../scripts/lib/builds.mjs';

/** The command line as it is published. */
export const mktFile = builtFile('cli', 'bin.cjs');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface MktOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Called with the process id while it runs. */
  readonly whileRunning?: (pid: number) => void;
}

/** An environment that knows nothing of the person who runs the tests. */
export const cleanEnvironment = (folder: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  MKT_CONFIG_DIR: join(folder, 'config'),
  MKT_NO_KEYRING: '1',
  NO_COLOR: '1',
});

/** Runs `mkt` to its end, in a folder of its own. */
export function mkt(args: readonly string[], { env = {}, stdin = '', whileRunning }: MktOptions = {}): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'mkt-e2e-'));
  const child = spawn(process.execPath, [mktFile, ...args], {
    cwd: folder,
    env: { ...cleanEnvironment(folder), ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    if (child.pid !== undefined) whileRunning?.(child.pid);
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  return new Promise((ended, fail) => {
    child.on('error', fail);
    child.on('close', (code) => {
      rmSync(folder, { recursive: true, force: true });
      ended({ code, stdout, stderr });
    });
  });
}
