import { idValue } from '../api/organization.js';
import { CliError } from '../errors/cli-error.js';
import { type Row, valueAt } from '../text/row.js';
import { failureCode } from './parallel.js';

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
    hints: [...new Set(errors.flatMap(({ details }) => details.hints?.slice(0, 1) ?? []))],
    results: outcomes.map((outcome) =>
      outcome.error === undefined
        ? { id: valueAt(outcome.data, 'id'), ok: true }
        : { id: idValue(outcome.id), ok: false, error: outcome.error.message },
    ),
  });
}
