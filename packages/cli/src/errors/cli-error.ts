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
  /** What people read below the message, one on each line; programs read `results`. */
  readonly lines?: readonly string[];
  /** What became of each of several, in the order given. */
  readonly results?: readonly unknown[];
  readonly cause?: unknown;
}

/** An error that is told to the person as it stands: what happened, to what, what to do next. */
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
