import { existsSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { Invocation } from '../../context/command.js';
import { type InputFormat, importable } from '../../context/importable.js';
import { usageError } from '../../errors/cli-error.js';
import { sanitizeLine } from '../../text/sanitize.js';
import type { InputFile } from './read-file.js';

export interface Options {
  readonly noun: (typeof importable)[number];
  readonly file: string;
  readonly inputFormat: InputFormat | undefined;
  /** Undefined where none is given: a resumed import goes on with those of its report. */
  readonly maps: readonly string[] | undefined;
  readonly dryRun: boolean;
  readonly continueOnError: boolean;
  readonly report: string | undefined;
  readonly resume: string | undefined;
}

/** The command line as this command takes it. @throws a usage error where it cannot be meant */
export function readOptions({ args: [noun = ''], flags }: Invocation): Options {
  const known = importable.find((each) => each === noun);
  if (known === undefined) {
    throw usageError(`"${sanitizeLine(noun)}" cannot be imported.`, `One of: ${importable.join(', ')}`);
  }
  if (flags.file === undefined) {
    throw usageError('--file is missing: what holds the rows?', `mkt import ${known} --file ${known}.csv`);
  }
  if (flags.report !== undefined && flags.resume !== undefined) {
    throw usageError('--resume goes on in its report: --report is for a new import.', 'Leave one of them out');
  }
  return {
    noun: known,
    file: String(flags.file),
    inputFormat: flags['input-format'] as InputFormat | undefined,
    maps: flags.map as readonly string[] | undefined,
    dryRun: flags['dry-run'] === true,
    continueOnError: flags['continue-on-error'] === true,
    report: flags.report as string | undefined,
    resume: flags.resume as string | undefined,
  };
}

/** Beside the file: `campaigns.import.ndjson`. What came through a pipe is named by its digest. */
export function defaultReport({ path, sha256 }: InputFile, noun: string): string {
  if (path === '-') return `${noun}-${sha256.slice(0, 8)}.import.ndjson`;
  return join(dirname(path), `${basename(path, extname(path))}.import.ndjson`);
}

/** A name that is free: `campaigns.import-2.ndjson`. */
export function freeReport(taken: string): string {
  const ending = extname(taken);
  const start = taken.slice(0, taken.length - ending.length);
  for (let number = 2; ; number += 1) {
    const name = `${start}-${number}${ending}`;
    if (!existsSync(name)) return name;
  }
}
