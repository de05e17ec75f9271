import { sanitizeLine } from '../text/sanitize.js';
import { type ExitCode, exitCodes } from './exit-codes.js';

export interface Details {
  /** Stable word for scripts, in the JSON of an error. */
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly message: string;
  /** What to type next, most useful first. */
  readonly hints?: readonly string[] | undefined;
  /** HTTP status, where there was an answer. */
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  /** Shown to people below the message, one on each line; programs read `results`. */
  readonly lines?: readonly string[];
  /** The result of each of several operations, in the order given. */
  readonly results?: readonly unknown[];
  readonly cause?: unknown;
}

/** An error that is shown as it is: what happened, to what, what to do next. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly details: Details;

  constructor(details: Details) {
    super(details.message, { cause: details.cause });
    this.details = details;
  }

  get exitCode(): ExitCode {
    return this.details.exitCode;
  }
}

/** The command line is wrong, or a value in it. */
export const usageError = (message: string, ...hints: string[]): CliError =>
  new CliError({ code: 'usage', exitCode: exitCodes.usage, message, hints });

/** A file of ours, or one that was named, cannot be read or written. */
export const fileError = (message: string, cause: unknown, ...hints: string[]): CliError =>
  new CliError({ code: 'file', exitCode: exitCodes.unexpected, message, hints, cause });

export const confirmationNeeded = (message: string, ...hints: string[]): CliError =>
  new CliError({ code: 'confirmation_needed', exitCode: exitCodes.confirmation, message, hints });

export const interrupted = (message = 'Interrupted.'): CliError =>
  new CliError({ code: 'interrupted', exitCode: exitCodes.interrupted, message });

/** commander's message as our error: one line with its suggestion, and where help is. */
export function usageErrorFrom(error: Error, help: string): CliError {
  const [line = '', ...suggestion] = error.message.replace(/^error: /, '').split('\n');
  const sentence = `${line.charAt(0).toUpperCase()}${line.slice(1).replace(/\.?$/, '.')}`;
  return usageError([sentence, ...suggestion.map((text) => text.replace(/^\((.*)\)$/, '$1'))].join(' '), help);
}

/** A service's message as it is read next to the field's name: `Cpm amount must be positive` would name it twice. */
export function fieldMessage(field: string, message: string): string {
  const text = sanitizeLine(message);
  const words = field.replaceAll('_', ' ').toLowerCase();
  for (const name of [words, words.replace(/ ids?$/, '')]) {
    const rest = text.slice(name.length);
    if (text.toLowerCase().startsWith(name) && /^ [a-z]/.test(rest)) return rest.trimStart();
  }
  return text;
}
