import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cleanEnvironment, mktFile } from './mkt.js';

/** A running `mkt serve --json`, and all that it has printed. */
export interface Serving {
  readonly url: string;
  readonly pid: number;
  /** The secrets in its first line. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Everything after the first line, stderr included. */
  printed(): string;
  /** What `ps` shows of it. */
  commandLine(): string;
  stop(): Promise<number | null>;
}

/** Starts the published program in a folder and waits until it is ready. */
export async function serving(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Serving> {
  const child = spawn(process.execPath, [mktFile, 'serve', '--port', '0', '--json', ...args], {
    cwd: folder,
    env: { ...cleanEnvironment(folder), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const ended = new Promise<number | null>((done) => child.on('close', done));
  const ready = new Promise<string>((done, fail) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.includes('\n')) done(stdout.slice(0, stdout.indexOf('\n')));
    });
    void ended.then((code) => fail(new Error(`mkt serve ended with ${code}: ${stderr}`)));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const first = JSON.parse(await ready) as { url: string; pid: number; tokens: Record<string, string> };
  return {
    ...first,
    printed: () => stdout.slice(stdout.indexOf('\n') + 1) + stderr,
    commandLine: () => readFileSync(`/proc/${first.pid}/cmdline`, 'utf8').replaceAll('\0', ' '),
    stop() {
      if (child.exitCode === null) child.kill('SIGTERM');
      return ended;
    },
  };
}
