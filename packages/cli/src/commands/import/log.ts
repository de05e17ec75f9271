import {
  appendFileSync,
  closeSync,
  existsSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { type CliError, failure, fileError, toType, usageError } from '../../errors/cli-error.js';
import { isAlive } from '../../io/io.js';
import { jsonLine, parseJson, valueAt } from '../../text/values.js';
import { INPUT_FORMATS } from './flags.js';

/** The first line of a report. A report never contains a token or the values of a row. */
const headerSchema = z.object({
  mkt_import: z.literal(1),
  mkt: z.string(),
  command: z.string(),
  noun: z.string(),
  file: z.string(),
  input_format: z.enum(INPUT_FORMATS),
  map: z.readonly(z.array(z.string())),
  sheet: z.optional(z.string()),
  delimiter: z.optional(z.string()),
  'skip-lines': z.optional(z.number()),
  service: z.string(),
  organization: z.string(),
});

/** Begins a run: the first one, and each `--resume`. */
const runLine = z.object({
  run: z.number(),
  at: z.string(),
  /** Of the file at that time. */
  sha256: z.string(),
  rows: z.number(),
  /** Ids that existed before the run with a row's name, so this import did not create them. */
  existing: z.array(z.string()),
});

const row = z.int();
/** The id of a created resource, as the service gave it. */
export const createdId = z.union([z.number(), z.string().check(z.minLength(1))]);

/**
 * `sent` is written before each request, then `created`, `failed`, or `lost` if no response arrived. A lost row that was
 * searched for becomes `created`, `absent` (it can be sent again) or `unclear` (several candidates).
 */
const rowLine = z.discriminatedUnion('state', [
  z.object({ row, state: z.literal('sent'), at: z.string(), key: z.string() }),
  z.object({ row, state: z.literal('created'), id: createdId }),
  z.object({ row, state: z.literal('failed'), code: z.string(), error: z.string() }),
  z.object({ row, state: z.literal('lost'), at: z.string(), error: z.string() }),
  z.object({ row, state: z.literal('absent') }),
  z.object({ row, state: z.literal('unclear'), candidates: z.readonly(z.array(z.string())), error: z.string() }),
]);

const logLine = z.union([runLine, rowLine]);

export type LogHeader = z.output<typeof headerSchema>;
type LogLine = z.output<typeof logLine>;

/** A row that was sent at least once. */
export interface LoggedRow {
  readonly last: z.output<typeof rowLine>;
  /** Digest of the fields that were sent. */
  readonly key: string;
  /** When the request or the loss of its response was logged; ISO 8601. */
  readonly at: string;
  /** Ids that existed before the run in which it was sent. */
  readonly existing: ReadonlySet<string>;
}

const datasync = promisify(fdatasync);

/** A new file survives a power failure only if its folder is synced too. Windows cannot open folders. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/**
 * The report of an import, called log in the code: its line about a request is on the disk before the request is sent,
 * so that after a crash every row that may have been created is recorded.
 */
export class ImportLog {
  readonly path: string;
  readonly header: LogHeader;
  /** The latest run; undefined before the first. */
  latest: z.output<typeof runLine> | undefined;
  /** Ids that belong to a row. */
  readonly claimed = new Set<string>();
  readonly rows = new Map<number, LoggedRow>();
  /** Bytes of whole lines when it was read. */
  readonly #size: number;
  #existing: ReadonlySet<string> = new Set();
  #file: number | undefined;
  #hint = toType('--report FILE', 'To write it elsewhere');
  #failure: CliError | undefined;

  constructor(path: string, header: LogHeader, lines: readonly LogLine[] = [], size = 0) {
    this.path = path;
    this.header = header;
    this.#size = size;
    for (const line of lines) this.#apply(line);
  }

  /**
   * The log at this path; undefined if there is none, or if its first line is incomplete after a crash: nothing was sent.
   * @throws a usage error if it is another file, or damaged before its end
   */
  static read(path: string): ImportLog | undefined {
    if (!existsSync(path)) return undefined;
    if (!statSync(path).isFile()) throw usageError(`${path} is not a file, so it cannot be the report.`);
    const bytes = readFileSync(path);
    const size = bytes.lastIndexOf('\n') + 1;
    const text = bytes
      .subarray(0, size)
      .toString('utf8')
      .replace(/^\ufeff/, '');
    const [first, ...rest] = text.split('\n').slice(0, -1);
    if (first === undefined && '{"mkt_import":'.startsWith(bytes.toString('utf8').slice(0, 14))) return undefined;
    const value = parseJson(first ?? '');
    if (Number(valueAt(value, 'mkt_import')) > 1) {
      throw usageError(`${path} was written by a newer mkt.`, toType('npm install -g @mkt/cli@latest'));
    }
    const header = z.safeParse(headerSchema, value).data;
    if (header === undefined) throw usageError(`${path} is not a report of mkt import.`);
    const lines = rest.map((text, index) => {
      const line = z.safeParse(logLine, parseJson(text)).data;
      if (line !== undefined) return line;
      throw usageError(`${path}:${index + 2} is damaged: it is not a line of an import report.`);
    });
    return new ImportLog(path, header, lines, size);
  }

  #apply(line: LogLine): void {
    if ('run' in line) {
      this.latest = line;
      this.#existing = new Set(line.existing);
      return;
    }
    if (line.state === 'created') this.claimed.add(String(line.id));
    const before = this.rows.get(line.row) ?? { key: '', at: '', existing: this.#existing };
    this.rows.set(line.row, {
      ...before,
      ...('key' in line && { key: line.key, existing: this.#existing }),
      ...('at' in line && { at: line.at }),
      last: line,
    });
  }

  /** Whether the import was begun by an earlier command. */
  get isResumed(): boolean {
    return this.#size > 0;
  }

  /** An `open` row can be sent, also again; an `unknown` one was sent, and may have been created. */
  statusOf(row: number): 'created' | 'unknown' | 'open' {
    const state = this.rows.get(row)?.last.state;
    if (state === 'created') return state;
    return state === 'sent' || state === 'lost' || state === 'unclear' ? 'unknown' : 'open';
  }

  /**
   * Opens the file for new lines: creates it with its header, or removes an incomplete last line.
   * @param resumeCommand continues this import, for the error if a line cannot be written
   */
  open(resumeCommand: string): void {
    try {
      this.#file = openSync(this.path, this.isResumed ? 'a' : 'w');
      ftruncateSync(this.#file, this.#size);
      if (!this.isResumed) {
        this.#write(this.header);
        syncFolder(this.path);
      }
    } catch (cause) {
      this.#fail(cause);
    }
    this.#hint = toType(resumeCommand, 'When it can be written again');
  }

  /** Adds a line. It survives a crash of this process, and after the next `sync` a power failure. */
  add(line: LogLine): void {
    this.#apply(line);
    this.#write(line);
  }

  #write(line: LogLine | LogHeader): void {
    // No line may follow an incomplete one.
    if (this.#failure !== undefined) throw this.#failure;
    try {
      appendFileSync(this.#file ?? this.path, jsonLine(line));
    } catch (cause) {
      this.#fail(cause);
    }
  }

  /** Resolves when all lines so far are on the disk. */
  async sync(): Promise<void> {
    if (this.#file !== undefined) await datasync(this.#file).catch((cause: unknown) => this.#fail(cause));
  }

  /** All lines before the one that failed are in the log; `--resume` searches for the row of that line. */
  #fail(cause: unknown): never {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'ENOSPC' ? 'the disk is full' : (code ?? message);
    const text = `The report ${this.path} cannot be written: ${reason}. No further row was sent.`;
    this.#failure ??= fileError(text, cause, this.#hint);
    throw this.#failure;
  }

  async close(): Promise<void> {
    if (this.#file === undefined) return;
    await this.sync();
    closeSync(this.#file);
  }
}

const holderSchema = z.object({ pid: z.number(), host: z.string() });

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

function create(path: string): boolean {
  try {
    writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname() }), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    const reason = codeOf(error) === 'ENOENT' ? 'the folder does not exist' : codeOf(error);
    throw fileError(
      `The report cannot be written in ${dirname(path)}: ${reason}. Nothing was created.`,
      error,
      toType('--report FILE', 'To write it elsewhere'),
    );
  }
}

/** The process that holds the lock; undefined if the file is gone, or still empty because of a crash. */
function holderOf(path: string) {
  try {
    return z.safeParse(holderSchema, parseJson(readFileSync(path, 'utf8'))).data;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether the holder is a process of this computer that has ended. */
function hasEnded(holder: ReturnType<typeof holderOf>): boolean {
  if (holder?.host !== hostname() || holder.pid <= 0) return false;
  // A process runs one command, so this lock is older: a restarted container assigns the same ids again.
  return holder.pid === process.pid || !isAlive(holder.pid);
}

/** Replaces the lock of a process that has ended. Only the process that creates the claim looks again and does it. */
function takeOver(path: string): boolean {
  const claim = `${path}.claim`;
  if (!hasEnded(holderOf(path)) || !create(claim)) return false;
  try {
    if (!hasEnded(holderOf(path))) return false;
    rmSync(path);
    return create(path);
  } finally {
    rmSync(claim);
  }
}

/**
 * Reserves a report for this process, and returns a function that releases it. The lock of a killed process is taken
 * over at once; proper-lockfile only knows how old a lock is, and quits at the first Ctrl-C.
 */
export function lockReport(report: string): () => void {
  const path = `${report}.lock`;
  if (!create(path) && !takeOver(path)) {
    const holder = holderOf(path);
    const process = holder === undefined ? '' : ` (process ${holder.pid} on ${holder.host})`;
    throw failure(
      'report_in_use',
      `Another import is using ${report}${process}. Nothing was created.`,
      'Wait until it has ended',
      toType(`rm ${path}`, 'If it is no longer running'),
    );
  }
  return () => rmSync(path, { force: true });
}
