import { CliError } from '../../errors/cli-error.js';
import type { ExitCode } from '../../errors/exit-codes.js';

/** The result of one check. `skipped`: it depends on one that failed, or there is no way to know. */
export type Status = 'ok' | 'warn' | 'fail' | 'skipped';

export interface Check {
  /** What was checked, in a word or two. */
  readonly check: string;
  readonly status: Status;
  readonly detail: string;
  /** What to do about it, most useful first. */
  readonly try: readonly string[];
  /** Of a failure: the exit code of the run if it is the first one. */
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

/** The failure of a check with the error that a command would end with. @throws errors of any other kind */
export function failedBy(check: string, error: unknown): Check {
  if (!(error instanceof CliError)) throw error;
  return fail(check, error.exitCode, error.message, ...(error.details.hints ?? []));
}

/** `ECONNREFUSED`, or the message if there is no code; of several attempts the first. */
export function reasonOf(error: unknown): string {
  const { code, message, errors } = error as NodeJS.ErrnoException & { errors?: readonly unknown[] };
  const [first] = errors ?? [];
  return code ?? (first === undefined ? message : reasonOf(first));
}
