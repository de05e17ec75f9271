import { closeSync, existsSync, fsyncSync, openSync, readFileSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { usageError } from '../../errors/cli-error.js';
import { jsonLine } from '../../text/json.js';
import { Memory } from './memory.js';
import { type Header, parseReport, type ReportLine } from './report-lines.js';

export interface ReadReport {
  readonly header: Header;
  readonly memory: Memory;
  readonly whole: number;
}

/** The report at this path; undefined where there is none, or none that says anything. */
export function readReport(path: string): ReadReport | undefined {
  if (!existsSync(path)) return undefined;
  if (!statSync(path).isFile()) throw usageError(`${path} is no file, and a report is kept in one.`);
  const { header, lines, whole } = parseReport(readFileSync(path), path);
  return header === undefined ? undefined : { header, memory: new Memory(lines), whole };
}

/** A new name in a folder survives a loss of power only when the folder is written too; Windows opens no folders. */
function keepName(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** Why a line cannot be kept. */
export class UnwritableReport extends Error {
  constructor(cause: unknown) {
    super('The report cannot be written.', { cause });
  }
}

async function opened(path: string, how: 'w' | 'a'): Promise<FileHandle> {
  try {
    return await open(path, how);
  } catch (cause) {
    throw new UnwritableReport(cause);
  }
}

/** The report of the run at work: a line is on the disk before what it announces happens. */
export class Report {
  readonly path: string;
  readonly memory: Memory;
  readonly #handle: FileHandle;
  #waiting: string[] = [];
  #next: Promise<void> | undefined;
  #tail: Promise<void> = Promise.resolve();

  private constructor(path: string, handle: FileHandle, memory: Memory) {
    this.path = path;
    this.#handle = handle;
    this.memory = memory;
  }

  /** A new report. */
  static async begin(path: string, header: Header): Promise<Report> {
    const report = new Report(path, await opened(path, 'w'), new Memory());
    await report.#append(jsonLine(header));
    keepName(path);
    return report;
  }

  /** Goes on with one that was read; what a crash has torn at its end is cut off. */
  static async continue(path: string, { memory, whole }: ReadReport): Promise<Report> {
    const handle = await opened(path, 'a');
    await handle.truncate(whole);
    return new Report(path, handle, memory);
  }

  /** Adds a line; resolved when it is on the disk. Lines that come at the same time are written at once. */
  add(line: ReportLine): Promise<void> {
    this.memory.take(line);
    return this.#append(jsonLine(line));
  }

  #append(text: string): Promise<void> {
    this.#waiting.push(text);
    this.#next ??= this.#flushNext();
    return this.#next;
  }

  #flushNext(): Promise<void> {
    const next = this.#tail.then(async () => {
      this.#next = undefined;
      const text = this.#waiting.join('');
      this.#waiting = [];
      try {
        await this.#handle.appendFile(text);
        await this.#handle.datasync();
      } catch (cause) {
        throw new UnwritableReport(cause);
      }
    });
    this.#tail = next;
    // Told by whoever waits for it, now or at the next line: after a failure every further one fails.
    next.catch(() => undefined);
    return next;
  }

  /** Resolved when every line is on the disk. */
  written(): Promise<void> {
    return this.#tail;
  }

  /** Lets the file go. What could not be written is told by whoever added it. */
  close(): Promise<void> {
    return this.#handle.close();
  }
}
