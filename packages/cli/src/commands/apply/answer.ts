import type { Organization } from '../../context/context.js';
import { CliError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import type { View } from '../../output/view.js';
import { type Row, valueAt } from '../../text/row.js';
import type { Outcome } from './execute.js';
import { type Change, countsOf } from './plan.js';

/** What `--json` prints, in this order. */
const FIELDS = ['organization', 'dry_run', 'up_to_date', 'counts', 'changes'];
/** What each of `changes` holds, and a row of csv, tsv and ndjson. */
const CHANGE_FIELDS = [
  'kind',
  'id',
  'name',
  'line',
  'steps',
  'fields',
  'similar',
  'outcome',
  'done',
  'differs',
  'error',
];

export const viewOfAnswer = (inRows: boolean): View => ({ columns: [], fields: inRows ? CHANGE_FIELDS : FIELDS });

const failure = ({ details, message }: CliError): Row => ({
  code: details.code,
  message,
  ...(details.fields !== undefined && { fields: details.fields }),
});

/** One declared object for a program: what was to be done and what became of it. */
export function changeRow(change: Change, outcome?: Outcome): Row {
  const { declared, row, fields, steps, similar } = change;
  const { error, done = [], differs = [] } = outcome ?? {};
  const latest = outcome?.row ?? row;
  return {
    kind: declared.kind.resource.noun,
    id: latest === undefined ? null : valueAt(latest, 'id'),
    name: declared.name ?? (latest === undefined ? null : valueAt(latest, 'name')),
    line: declared.at.line,
    steps,
    fields: Object.fromEntries(fields.map(({ field, from, to }) => [field, { from, to }])),
    ...(similar !== undefined && { similar: { id: valueAt(similar, 'id'), name: valueAt(similar, 'name') } }),
    outcome:
      steps.length === 0 ? 'unchanged' : outcome === undefined ? 'planned' : error === undefined ? 'done' : 'failed',
    done,
    differs,
    error: error === undefined ? null : failure(error),
  };
}

/** The one object that a program reads: the plan, and once it was carried out what came of it. */
export async function answerRow(
  organization: Organization,
  changes: readonly Change[],
  outcomes: readonly Outcome[] | undefined,
): Promise<Row> {
  const rows = changes.map((change) =>
    changeRow(
      change,
      outcomes?.find((each) => each.change === change),
    ),
  );
  const counts = countsOf(changes);
  return {
    organization: { id: organization.id, name: await organization.name() },
    dry_run: outcomes === undefined,
    up_to_date: counts.unchanged === changes.length,
    counts,
    changes: rows,
  };
}

/** How a run ends in which something failed: 9 where something was done, else as the first failure ends. */
export function failureOf(failed: readonly Outcome[], all: readonly Outcome[]): CliError {
  const [first] = failed;
  const steps = all.flatMap(({ done }) => done).length;
  const stopped = failed.some(({ error }) => error?.exitCode === exitCodes.interrupted);
  const told = first?.error;
  const succeeded = all.length - failed.length;
  const partly = failed.filter(({ done }) => done.length > 0).length;
  return new CliError({
    code: stopped ? 'interrupted' : steps > 0 ? 'partly_done' : (told?.details.code ?? 'failed'),
    exitCode: stopped
      ? exitCodes.interrupted
      : steps > 0
        ? exitCodes.partial
        : (told?.exitCode ?? exitCodes.unexpected),
    message: `${stopped ? 'Interrupted: applied' : 'Applied'} ${succeeded === 0 ? 'none' : succeeded} of ${all.length} changes${partly === 0 ? '' : `, ${partly} in part`}.`,
    hints: [
      ...new Set(failed.flatMap(({ error }) => error?.details.hints?.slice(0, 1) ?? [])),
      'To go on, run the same command again: it does what is left',
    ],
    results: all.map((outcome) => changeRow(outcome.change, outcome)),
  });
}
