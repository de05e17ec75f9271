import { type ChildProcess, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { builtFile } from '../../../../scripts/lib/builds.mjs';
import { temporaryFolder } from './run-cli.js';

/** The program as it is shipped. */
export const bundle = builtFile('cli', 'bin.cjs');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

const bare = { PATH: process.env.PATH ?? '', MKT_NO_KEYRING: '1', TZ: 'UTC' };

/** Starts a program with nothing of our own environment but PATH, in an empty home. @param after a concurrent test hands in its own @param folder by default the home */
export function start(
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stdin?: string,
  after = onTestFinished,
  folder?: string,
): Running {
  const [file = '', ...args] = command;
  const home = temporaryFolder(after);
  const child = spawn(file, args, {
    env: { ...bare, HOME: home, ...env },
    cwd: folder ?? home,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  after(() => {
    child.kill('SIGKILL');
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
  });
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
  });
  if (stdin !== undefined) child.stdin?.end(stdin);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { child, ended };
}

/** Runs the built program to its end. */
export const mkt = (argv: readonly string[], env?: Readonly<Record<string, string>>, stdin?: string): Promise<Ended> =>
  start([process.execPath, bundle, ...argv], env, stdin).ended;

/** Runs a line of bash in which `mkt` is the built program. */
export const bash = (line: string, env?: Readonly<Record<string, string>>): Promise<Ended> =>
  start(['bash', '-c', `set -o pipefail; mkt() { '${process.execPath}' '${bundle}' "$@"; }; ${line}`], env).ended;
