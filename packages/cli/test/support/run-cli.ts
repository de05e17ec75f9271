import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { builtFile } from '../../../../scripts/lib/builds.mjs';
import type { Io, Prompter } from '../../src/io/io.js';
import { run } from '../../src/root/run-command.js';

export interface Screen {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Terminal {
  /** Columns of a terminal on stdout and stderr; without it both are pipes. */
  readonly columns?: number;
  /** Whether the person can answer; by default where there are columns. */
  readonly answers?: Prompter;
  /** Text that ends, or a stream that a test types into. */
  readonly stdin?: string | Readable;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly now?: () => Date;
  readonly interrupted?: AbortSignal;
  /** Why this cannot run as the built program. */
  readonly inProcess?: 'clock' | 'path' | 'commit' | 'spy';
}

/** A folder that is gone after the test. @param after a concurrent test hands in its own */
export function temporaryFolder(after: (clean: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'mkt-cli-'));
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence that clears a line.
const PROGRESS = /\r\u001b\[2K(?:[\u2800-\u28ff] [^\r\n]*)?/g;

const environment = (cwd: string) => ({ MKT_CONFIG_DIR: join(cwd, 'config'), MKT_NO_KEYRING: '1', NO_COLOR: '1' });

const collector = () => {
  const stream = new PassThrough();
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  return { stream, text: () => Buffer.concat(parts).toString('utf8') };
};

/** What a run in this process touches: streams of its own, whose text is kept. */
export function testIo(terminal: Terminal = {}): { io: Io; screen: () => Omit<Screen, 'code'> } {
  const {
    columns,
    answers,
    stdin = '',
    env = {},
    cwd = temporaryFolder(),
    now = () => new Date('2026-06-01T12:00:00Z'),
    interrupted = new AbortController().signal,
  } = terminal;
  const out = collector();
  const error = collector();
  const isTTY = columns !== undefined;
  const size = { isTTY, columns: columns ?? 80, rows: 24 };
  const io: Io = {
    env: { ...environment(cwd), ...env },
    cwd,
    home: cwd,
    platform: 'linux',
    stdin: { stream: typeof stdin === 'string' ? Readable.from([Buffer.from(stdin)]) : stdin, isTTY },
    stdout: { stream: out.stream, ...size },
    stderr: { stream: error.stream, ...size },
    print: (text) => void out.stream.write(text),
    now,
    interrupted,
    lendTerminal: (work) => work(),
    ...(answers !== undefined && { prompter: answers }),
  };
  // Progress lines are erased again; they appear only on a slow machine.
  const stderr = () => error.text().replaceAll(PROGRESS, '');
  return { io, screen: () => ({ stdout: out.text(), stderr: stderr() }) };
}

/** What only a run in this process has: a clock, a terminal, a person, a stream. */
const isBound = ({ columns, answers, stdin = '', now, interrupted, inProcess }: Terminal): boolean =>
  [columns, answers, now, interrupted, inProcess].some((each) => each !== undefined) || typeof stdin !== 'string';

/** `dist` for the build, or the path of an executable. */
const builtProgram = process.env.MKT_TEST_BUILT;

/** Runs a command line as the built program, in pipes. */
async function runBuilt(argv: readonly string[], { stdin = '', env = {}, cwd = temporaryFolder() }: Terminal) {
  const clock = `--require=${join(import.meta.dirname, 'june.cjs')}`;
  const [file = '', ...args] =
    builtProgram === 'dist' ? [process.execPath, builtFile('cli', 'bin.cjs')] : [builtProgram];
  const child = spawn(file, [...args, ...argv], {
    cwd,
    env: { ...environment(cwd), PATH: process.env.PATH, HOME: cwd, TZ: 'UTC', NODE_OPTIONS: clock, ...env },
  });
  // A program that ends without reading its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  // A stream read as text has no byte order mark.
  const [code, ...outputs] = await Promise.all([ended, buffer(child.stdout), buffer(child.stderr)]);
  const [stdout = '', stderr = ''] = outputs.map(String);
  return { code: code ?? -1, stdout, stderr };
}

/** Runs a command line in this process on streams of its own; with MKT_TEST_BUILT as the built program where it can. */
export async function runCli(argv: readonly string[], terminal: Terminal = {}): Promise<Screen> {
  if (builtProgram !== undefined && !isBound(terminal)) return runBuilt(argv, terminal);
  const { io, screen } = testIo(terminal);
  return { code: await run(argv, io), ...screen() };
}
