import { spawn } from 'node:child_process';
import { cleanEnvironment, mktFile } from './mkt.js';
import { commandLineOf } from './process-watch.js';

/** A running `mkt serve --json`, and all that it has printed. */
export interface Serving {
  readonly url: string;
  readonly pid: number;
  /** The secrets in its first line. */
  readonly tokens: Readonly<Record<string, string>>;
  /** The control API, where it is on. */
  readonly control: { readonly url: string; readonly token: string } | null;
  /** Where its metrics are, with `--metrics-port`. */
  readonly metrics?: string;
  /** Everything after the first line, stderr included; nothing where the logs are dropped. */
  printed(): string;
  /** What `ps` shows of it. */
  commandLine(): string;
  stop(): Promise<number | null>;
}

export interface ServingOptions {
  /** The file of the command; by default the built one. */
  readonly program?: string;
  /** The Node that runs it; by default this one. */
  readonly node?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether what it logs is thrown away: a long run would fill the memory of the test. */
  readonly dropLogs?: boolean;
}

/** Starts the published program in a folder and waits until it is ready. */
export async function serving(
  folder: string,
  args: readonly string[],
  { program = mktFile, node = process.execPath, env = {}, dropLogs = false }: ServingOptions = {},
): Promise<Serving> {
  const child = spawn(node, [program, 'serve', '--port', '0', '--json', ...args], {
    cwd: folder,
    env: { ...cleanEnvironment(folder), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const ended = new Promise<number | null>((done) => child.on('close', done));
  let isReady = false;
  const ready = new Promise<string>((done, fail) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (isReady && dropLogs) return;
      stdout += text;
      isReady = stdout.includes('\n');
      if (isReady) done(stdout.slice(0, stdout.indexOf('\n')));
    });
    void ended.then((code) => fail(new Error(`mkt serve ended with ${code}: ${stderr}`)));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const first = JSON.parse(await ready) as Pick<Serving, 'url' | 'pid' | 'tokens' | 'control' | 'metrics'>;
  return {
    ...first,
    printed: () => stdout.slice(stdout.indexOf('\n') + 1) + stderr,
    commandLine: () => commandLineOf(first.pid),
    stop() {
      if (child.exitCode === null) child.kill('SIGTERM');
      return ended;
    },
  };
}
