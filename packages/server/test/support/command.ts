import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { inject } from 'vitest';
import { isLong } from './long.js';

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** A bound for what hangs, below that of a test, so that the failure shows the output. The machine is busy in long runs. */
const patience = isLong ? 300_000 : 25_000;

/** A run of `mkt-server`, with what it prints. */
export class Run {
  stdout = '';
  stderr = '';
  readonly ended: Promise<number | null>;
  readonly #child: Child;

  /**
   * @param openFiles the limit of file descriptors, as `ulimit -n` sets it
   * @param command another build
   * @param user the numeric user that runs it, if it is another one
   */
  constructor(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    openFiles: number | null = null,
    command = inject('serverCommand'),
    user: number | null = null,
  ) {
    const [program = '', ...all] = [
      ...(openFiles === null ? [] : ['/bin/sh', '-c', `ulimit -n ${openFiles}; exec "$0" "$@"`]),
      process.execPath,
      command,
      ...args,
    ];
    this.#child = spawn(program, all, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
      ...(user !== null && { uid: user, gid: user }),
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = once(this.#child, 'close').then(([code]) => code as number | null);
  }

  /** Waits until stdout holds `text`. */
  async printed(text: string): Promise<void> {
    const deadline = Date.now() + patience;
    while (!this.stdout.includes(text)) {
      if (this.#child.exitCode !== null || Date.now() > deadline)
        throw new Error(`It never printed ${JSON.stringify(text)}.\nstdout: ${this.stdout}\nstderr: ${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** As `| head -1` does. */
  hangUp(): void {
    this.#child.stdout.destroy();
  }

  /** The moment that it prints its first word, and not a poll later. */
  signalAtFirstWord(name: NodeJS.Signals): void {
    this.#child.stdout.once('data', () => this.#child.kill(name));
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async stop(): Promise<number | null> {
    if (this.#child.exitCode === null) this.signal('SIGTERM');
    return this.ended;
  }
}
