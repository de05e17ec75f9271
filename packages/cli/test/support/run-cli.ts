import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
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
}

/** A folder that is gone after the test. @param after a concurrent test hands in its own */
export function temporaryFolder(after: (clean: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'mkt-cli-'));
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence that clears a line.
const PROGRESS = /\r\u001b\[2K(?:[\u2800-\u28ff] [^\r\n]*)?/g;

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
    env: { MKT_CONFIG_DIR: join(cwd, 'config'), MKT_NO_KEYRING: '1', NO_COLOR: '1', ...env },
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

/** Runs a command line in this process on streams of its own. */
export async function runCli(argv: readonly string[], terminal: Terminal = {}): Promise<Screen> {
  const { io, screen } = testIo(terminal);
  return { code: await run(argv, io), ...screen() };
}
