import pMap from 'p-map';
import type { Context } from '../context/context.js';
import { CliError, type ErrorCode, type ExitCode, errorCodes, exitCodes, firstHints } from '../errors/cli-error.js';
import { idValue, type Row, valueAt } from '../text/values.js';

/** After this many lost responses in a row, the service counts as gone. */
export const MAX_LOST_IN_A_ROW = 4;

/** Runs `work` for all items, by default four at a time, with a counter on stderr if there are several. */
export const inParallel = <Item, Result>(
  context: Context,
  label: string,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  concurrency = 4,
): Promise<Result[]> =>
  context.withProgress(label, (progress) => {
    let finished = 0;
    const counted = async (item: Item): Promise<Result> => {
      const result = await work(item);
      finished += 1;
      if (items.length > 1) progress.update(finished, items.length);
      return result;
    };
    return pMap(items, counted, { concurrency });
  });

/** The code of a run with failures: interrupted, too many requests, partly done, or that of the first failure. */
export function failureCode(errors: readonly CliError[], isPartial: boolean): { code: ErrorCode; exitCode: ExitCode } {
  for (const code of ['interrupted', 'rate_limited'] as const)
    if (errors.some(({ details }) => details.code === code)) return { code, exitCode: errorCodes[code] };
  if (isPartial) return { code: 'partly_done', exitCode: exitCodes.partial };
  const [first] = errors;
  return { code: first?.details.code ?? 'failed', exitCode: first?.exitCode ?? exitCodes.unexpected };
}

/** The result for one id: `label` is for the receipt, `data` for programs. */
export interface Done {
  readonly id: string;
  readonly error?: undefined;
  readonly receipt: string;
  readonly data: Row;
  /** Whether it is already as wanted. */
  readonly isUnchanged?: boolean;
}
export type Outcome = Done | { readonly id: string; readonly error: CliError };

/** One error for a run in which some failed: `done` begins its message. */
export function combinedError(outcomes: readonly Outcome[], done: string, plural: string): CliError {
  const errors = outcomes.flatMap(({ error }) => error ?? []);
  const count = outcomes.length - errors.length;
  const unchanged = outcomes.filter((outcome) => outcome.error === undefined && outcome.isUnchanged).length;
  const others = unchanged === 0 ? '' : `; ${unchanged} needed no change`;
  return new CliError({
    ...failureCode(errors, count > 0),
    message: `${done} ${count - unchanged} of ${outcomes.length} ${plural}${others}.`,
    hints: firstHints(errors.map(({ details }) => details)),
    results: outcomes.map((outcome) =>
      outcome.error === undefined
        ? { id: valueAt(outcome.data, 'id'), ok: true }
        : { id: idValue(outcome.id), ok: false, error: outcome.error.message },
    ),
  });
}
