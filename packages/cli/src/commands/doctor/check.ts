import type { Setting } from '../../config/settings.js';
import type { Context } from '../../context/context.js';
import { CliError, type ExitCode, type Hint, isTyped } from '../../errors/cli-error.js';

/** `skipped`: it depends on a check that failed, or it cannot be checked. */
export type Status = 'ok' | 'warn' | 'fail' | 'skipped';

export interface Result {
  readonly status: Status;
  readonly detail: string;
  /** What to do about it, most useful first. */
  readonly try: readonly Hint[];
  /** Of a failure: the exit code of the run if it is the first one. */
  readonly exitCode?: ExitCode;
}

export const ok = (detail: string): Result => ({ status: 'ok', detail, try: [] });
export const skipped = (detail: string): Result => ({ status: 'skipped', detail, try: [] });
export const warn = (detail: string, ...hints: Hint[]): Result => ({ status: 'warn', detail, try: hints });
export const fail = (exitCode: ExitCode, detail: string, ...hints: Hint[]): Result => {
  const others = hints.filter((hint) => !(isTyped(hint) && hint.code === 'doctor'));
  return { status: 'fail', detail, try: others, exitCode };
};

export interface Findings {
  /** Without the settings that an earlier check could not read. */
  context: Context;
  token?: Setting;
  /** The response of the service, and when it came. */
  response?: Response;
  receivedAt?: Date;
  /** How many organizations the token has access to. */
  organizations?: number;
  /** Why the service rejects the token. */
  rejection?: CliError;
}

export interface Check {
  readonly name: string;
  /** Earlier checks that this one depends on: it is skipped if one of them failed or was skipped. */
  readonly needs?: (context: Context) => readonly string[];
  /** A `CliError` that it throws counts as a failure. */
  readonly run: (findings: Findings) => Result | Promise<Result>;
  /** If it fails: the context for later checks, without the settings that could not be read. */
  readonly without?: (context: Context) => Context;
}

export async function* runChecks(context: Context, checks: readonly Check[]): AsyncGenerator<[string, Result]> {
  const findings: Findings = { context };
  /** For each failed or skipped check, the failed check that caused it. */
  const causes = new Map<string, string>();
  for (const { name, needs, run, without } of checks) {
    let result: Result;
    try {
      const [cause] = (needs?.(findings.context) ?? []).flatMap((need) => causes.get(need) ?? []);
      if (cause !== undefined) causes.set(name, cause);
      result = cause === undefined ? await run(findings) : skipped(`"${cause}" failed`);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      result = fail(error.exitCode, error.message, ...(error.details.hints ?? []));
    }
    if (result.status === 'fail') {
      causes.set(name, name);
      findings.context = without?.(findings.context) ?? findings.context;
    }
    yield [name, result];
  }
}
