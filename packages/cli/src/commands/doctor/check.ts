import type { CliError } from '../../errors/cli-error.js';
import type { ExitCode } from '../../errors/exit-codes.js';

/** What became of one check. `skipped`: it depends on one that failed, or it cannot be told. */
export type Status = 'ok' | 'warn' | 'fail' | 'skipped';

export interface Check {
  /** What was looked at, in a word or two. */
  readonly check: string;
  readonly status: Status;
  readonly detail: string;
  /** What mends it, most useful first. */
  readonly try: readonly string[];
  /** Of a failure: what the whole run ends with when it is the first. */
  readonly exitCode?: ExitCode;
}

export const ok = (check: string, detail: string): Check => ({ check, status: 'ok', detail, try: [] });

export const warn = (check: string, detail: string, ...hints: readonly string[]): Check => ({
  check,
  status: 'warn',
  detail,
  try: hints,
});

export const fail = (check: string, exitCode: ExitCode, detail: string, ...hints: readonly string[]): Check => ({
  check,
  status: 'fail',
  detail,
  try: hints,
  exitCode,
});

export const skipped = (check: string, detail: string): Check => ({ check, status: 'skipped', detail, try: [] });

/** A check that ended as a command would have ended. */
export const failedBy = (check: string, { message, exitCode, details }: CliError): Check =>
  fail(check, exitCode, message, ...(details.hints ?? []));
