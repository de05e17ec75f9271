import { sanitizeLine } from '../text/sanitize.js';
import { type ErrorCode, type ExitCode, errorCodes } from './exit-codes.js';

export interface Details {
  readonly code: ErrorCode;
  /** Instead of the exit code of `code`. */
  readonly exitCode?: ExitCode | undefined;
  readonly message: string;
  /** Commands or steps to try next, most useful first. */
  readonly hints?: readonly string[] | undefined;
  /** HTTP status, if there was a response. */
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  /** Shown below the message, one per line; in JSON there are `results` instead. */
  readonly lines?: readonly string[];
  /** The result of each of several operations, in the order given. */
  readonly results?: readonly unknown[];
  /** Only the exit code counts; nothing is printed. */
  readonly silent?: boolean;
  readonly cause?: unknown;
}

/** An error that is shown as it is: what happened, and what to do next. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly details: Details;

  constructor(details: Details) {
    super(details.message, { cause: details.cause });
    this.details = details;
  }

  get exitCode(): ExitCode {
    return this.details.exitCode ?? errorCodes[this.details.code];
  }
}

export const failure = (code: ErrorCode, message: string, ...hints: string[]): CliError =>
  new CliError({ code, message, hints });

/** An invalid command line, or an invalid value in it. */
export const usageError = (message: string, ...hints: string[]): CliError => failure('usage', message, ...hints);

/** A file cannot be read or written. */
export const fileError = (message: string, cause: unknown, ...hints: string[]): CliError =>
  new CliError({ code: 'file', message, hints, cause });

export const interrupted = (message = 'Interrupted.'): CliError => failure('interrupted', message);

/** Converts commander's error: one line with its suggestion, and a hint that names the help. */
export function usageErrorFrom(error: Error, help: string): CliError {
  const [line = '', ...suggestion] = error.message.replace(/^error: /, '').split('\n');
  const sentence = `${line.charAt(0).toUpperCase()}${line.slice(1).replace(/\.?$/, '.')}`;
  return usageError([sentence, ...suggestion.map((text) => text.replace(/^\((.*)\)$/, '$1'))].join(' '), help);
}

/** Removes the field's name from a message that is shown next to it: `Cpm amount must be positive`. */
export function fieldMessage(field: string, message: string): string {
  const text = sanitizeLine(message);
  const words = field.replaceAll('_', ' ').toLowerCase();
  for (const name of [words, words.replace(/ ids?$/, '')]) {
    const rest = text.slice(name.length);
    if (text.toLowerCase().startsWith(name) && /^ [a-z]/.test(rest)) return rest.trimStart();
  }
  return text;
}
