import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { cleanEnvironment, type Ended, mktFile } from './mkt.js';

/** A copy of an example's folder, with `mkt` and other programs in front of the PATH. */
export interface Workshop {
  readonly folder: string;
  /** Runs a program there, in a clean environment. */
  run(command: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended>;
  /** Puts a shell script onto the PATH. */
  program(name: string, script: string): void;
  close(): void;
}

export function workshop(example: string): Workshop {
  const root = mkdtempSync(join(tmpdir(), 'mkt-example-'));
  const [folder, programs] = [join(root, 'work'), join(root, 'bin')];
  cpSync(example, folder, { recursive: true });
  mkdirSync(programs);
  const program = (name: string, script: string) =>
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  program('mkt', `exec '${process.execPath}' '${mktFile}' "$@"`);
  return {
    folder,
    program,
    run([file = '', ...args], env) {
      const clean = cleanEnvironment(root);
      const child = spawn(file, args, {
        cwd: folder,
        env: { ...clean, PATH: `${programs}${delimiter}${clean.PATH}`, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let [stdout, stderr] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      return new Promise((ended, fail) => {
        child.on('error', fail);
        child.on('close', (code) => ended({ code, stdout, stderr }));
      });
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}
