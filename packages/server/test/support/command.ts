import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** `mkt-server`, built from the source as it is now: what a process does shows only in a process. */
export async function buildCommand() {
  // Inside the package, so that what is not bundled is found.
  const folder = mkdtempSync(join(root, 'node_modules', '.command-'));
  await build({
    entryPoints: [join(root, 'src/bin.ts')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['mkt-source', 'module'],
    plugins: [
      {
        name: 'libraries-stay-outside',
        setup: ({ onResolve }) =>
          // Except those that the published command takes in: to find and open their files is a third of a start.
          onResolve({ filter: /^[^.]/ }, ({ path, kind }) =>
            kind === 'entry-point' || /^(hono|@hono|zod|@noble|@mkt)(\/|$)/.test(path)
              ? null
              : { path, external: true },
          ),
      },
    ],
  });
  return { file: join(folder, 'bin.mjs'), remove: () => rmSync(folder, { recursive: true }) };
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** A bound for what hangs, below that of a test, so that the failure shows the output. The machine is busy in long runs. */
const patience = process.env.TEST_LONG === '1' ? 300_000 : 25_000;

/** A run of the command, with what it prints. */
export class Run {
  stdout = '';
  stderr = '';
  readonly ended: Promise<number | null>;
  readonly #child: Child;

  /** @param openFiles the limit of file descriptors, as `ulimit -n` sets it */
  constructor(
    file: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    openFiles: number | null = null,
  ) {
    const [program = '', ...all] = [
      ...(openFiles === null ? [] : ['/bin/sh', '-c', `ulimit -n ${openFiles}; exec "$0" "$@"`]),
      process.execPath,
      file,
      ...args,
    ];
    this.#child = spawn(program, all, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
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
