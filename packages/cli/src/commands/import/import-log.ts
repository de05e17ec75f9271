import { closeSync, existsSync, fsyncSync, openSync, readFileSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import { type CliError, fileError, usageError } from '../../errors/cli-error.js';
import { jsonLine, parseJson } from '../../text/json.js';
import { INPUT_FORMATS } from './choices.js';

/** The first line of a report. A report never holds a token or the values of a row. */
const header = z.object({
  /** Version of the format. */
  mkt_import: z.literal(1),
  mkt: z.string(),
  command: z.string(),
  noun: z.string(),
  file: z.string(),
  input_format: z.enum(INPUT_FORMATS),
  map: z.readonly(z.array(z.string())),
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

const place = { row: z.int(), line: z.int() };
const id = z.union([z.number(), z.string().check(z.minLength(1))]);

/**
 * `sent` precedes each request. Then comes `created`, `failed`, or `lost` if no response arrived. A lost row that was
 * searched for becomes `created`, `absent` (it can be sent again) or `unclear` (several candidates).
 */
const rowLine = z.discriminatedUnion('state', [
  z.object({ ...place, state: z.literal('sent'), at: z.string(), key: z.string() }),
  z.object({ ...place, state: z.literal('created'), id }),
  z.object({ ...place, state: z.literal('failed'), code: z.string(), error: z.string() }),
  z.object({ ...place, state: z.literal('lost'), at: z.string(), error: z.string() }),
  z.object({ ...place, state: z.literal('absent') }),
  z.object({ ...place, state: z.literal('unclear'), candidates: z.readonly(z.array(z.string())), error: z.string() }),
]);

const logLine = z.union([runLine, rowLine]);
const newerHeader = z.object({ mkt_import: z.number().check(z.gt(1)) });

export type LogHeader = z.output<typeof header>;
type LogLine = z.output<typeof logLine>;
type RowLine = z.output<typeof rowLine>;

/** A row that was sent at least once. */
export interface LoggedRow {
  readonly last: RowLine;
  /** Digest of the fields that were sent. */
  readonly key: string;
  /** When the request or the loss of its response was logged; ISO 8601. */
  readonly at: string;
  /** Ids that existed before the run in which it was sent. */
  readonly existing: ReadonlySet<string>;
}

/** A new name in a folder survives a power failure only when the folder is synced too. Windows opens no folders. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/**
 * The report of an import, which the code calls its log: a line is on the disk before the request that it announces is
 * sent, so that a crash at any moment leaves a record of every row that may have been created.
 */
export class ImportLog {
  readonly path: string;
  readonly header: LogHeader;
  runs = 0;
  /** Digest of the file in the latest run. */
  sha256 = '';
  /** Rows of the file in the latest run. */
  total = 0;
  /** Ids that belong to a row. */
  readonly claimed = new Set<string>();
  readonly #rows = new Map<number, LoggedRow>();
  #existing: ReadonlySet<string> = new Set();
  /** Bytes of the complete lines in the file. A crash may have torn the last line. */
  readonly #size: number;
  #handle: FileHandle | undefined;
  #hint = 'Write it elsewhere: --report FILE';
  #pending: string[] = [];
  #nextWrite: Promise<void> | undefined;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(path: string, given: LogHeader, lines: readonly LogLine[] = [], size = 0) {
    this.path = path;
    this.header = given;
    this.#size = size;
    for (const line of lines) this.#apply(line);
  }

  /**
   * The log at this path; undefined if there is none, or a crash tore its first line: then nothing was sent.
   * @throws a usage error if it is another file, or damaged before its end
   */
  static read(path: string): ImportLog | undefined {
    if (!existsSync(path)) return undefined;
    if (!statSync(path).isFile()) throw usageError(`${path} is not a file, so it cannot be the report.`);
    const bytes = readFileSync(path);
    const size = bytes.lastIndexOf('\n') + 1;
    const [first, ...rest] = bytes.subarray(0, size).toString('utf8').split('\n').slice(0, -1);
    if (first === undefined && '{"mkt_import":'.startsWith(bytes.toString('utf8').slice(0, 14))) return undefined;
    const value = parseJson(first ?? '');
    if (z.safeParse(newerHeader, value).success) {
      throw usageError(`${path} was written by a newer mkt.`, 'npm install -g @mkt/cli@latest');
    }
    const { data } = z.safeParse(header, value);
    if (data === undefined) throw usageError(`${path} is not a report of mkt import.`);
    const lines = rest.map((text, index) => {
      const line = z.safeParse(logLine, parseJson(text)).data;
      if (line !== undefined) return line;
      throw usageError(`${path}:${index + 2} is damaged: it is not a line of an import report.`);
    });
    return new ImportLog(path, data, lines, size);
  }

  #apply(line: LogLine): void {
    if ('run' in line) {
      this.runs = line.run;
      this.sha256 = line.sha256;
      this.total = line.rows;
      this.#existing = new Set(line.existing);
      return;
    }
    if (line.state === 'created') this.claimed.add(String(line.id));
    const { key, at, existing } = this.#rows.get(line.row) ?? { key: '', at: '', existing: this.#existing };
    this.#rows.set(
      line.row,
      line.state === 'sent'
        ? { last: line, key: line.key, at: line.at, existing: this.#existing }
        : { last: line, key, at: line.state === 'lost' ? line.at : at, existing },
    );
  }

  get(row: number): LoggedRow | undefined {
    return this.#rows.get(row);
  }

  rows(): IterableIterator<[number, LoggedRow]> {
    return this.#rows.entries();
  }

  isCreated(row: number): boolean {
    return this.get(row)?.last.state === 'created';
  }

  /** Whether the row was sent, and may or may not have been created. */
  isUnknown(row: number): boolean {
    return ['sent', 'lost', 'unclear'].includes(this.get(row)?.last.state ?? '');
  }

  /**
   * Opens the file for new lines: creates it with its header, or cuts off a torn last line.
   * @param resumeCommand continues this import, for the error if a line cannot be written
   */
  async open(resumeCommand: string): Promise<void> {
    try {
      this.#handle = await open(this.path, this.#size === 0 ? 'w' : 'a');
      await this.#handle.truncate(this.#size);
    } catch (cause) {
      throw this.#writeError(cause);
    }
    if (this.#size === 0) {
      await this.#append(jsonLine(this.header));
      syncFolder(this.path);
    }
    this.#hint = `When it can be written again: ${resumeCommand}`;
  }

  /** What was sent is in the log up to the line that could not be written; `--resume` searches for that row. */
  #writeError(cause: unknown): CliError {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'ENOSPC' ? 'the disk is full' : (code ?? message);
    return fileError(
      `The report ${this.path} cannot be written: ${reason}. No further row was sent.`,
      cause,
      this.#hint,
    );
  }

  /** Adds a line; resolves when it is on the disk. Lines that come at the same time are written together. */
  add(line: LogLine): Promise<void> {
    this.#apply(line);
    return this.#append(jsonLine(line));
  }

  #append(text: string): Promise<void> {
    this.#pending.push(text);
    this.#nextWrite ??= this.#write();
    return this.#nextWrite;
  }

  #write(): Promise<void> {
    const write = this.#lastWrite.then(async () => {
      this.#nextWrite = undefined;
      const text = this.#pending.join('');
      this.#pending = [];
      try {
        await this.#handle?.appendFile(text);
        await this.#handle?.datasync();
      } catch (cause) {
        throw this.#writeError(cause);
      }
    });
    this.#lastWrite = write;
    // After a failed write every later one fails too, so whoever waits for a line learns of it.
    write.catch(() => undefined);
    return write;
  }

  /** Resolves when all lines are on the disk. */
  flushed(): Promise<void> {
    return this.#lastWrite;
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}
