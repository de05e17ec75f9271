import { placeFlags } from '../../context/next-command.js';
import { CliError } from '../../errors/cli-error.js';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.js';
import type { View } from '../../output/view.js';
import type { Row } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { cutTo } from '../../text/width.js';
import type { CheckedRow } from './check.js';
import type { Ran } from './create-rows.js';
import { firstLines, REPORTED } from './faults.js';
import { type Job, resumeCommand } from './job.js';
import type { Memory } from './memory.js';

/** What became of a row, for programs; `pending` was not tried, `unknown` has lost its answer. */
interface Outcome {
  readonly row: CheckedRow;
  readonly state: 'created' | 'failed' | 'unknown' | 'unclear' | 'pending';
  readonly id?: string | number;
  readonly code?: string;
  readonly error?: string;
}

const LOST = 'Its answer was lost; whether it was created is not known yet.';

function outcomeOf(row: CheckedRow, memory: Memory): Outcome {
  const last = memory.of(row.row)?.last;
  if (last === undefined || last.state === 'absent') return { row, state: 'pending' };
  if (last.state === 'created') return { row, state: 'created', id: last.id };
  if (last.state === 'failed') return { row, state: 'failed', code: last.code, error: last.error };
  if (last.state === 'unclear') return { row, state: 'unclear', code: 'unclear', error: last.error };
  return { row, state: 'unknown', code: 'answer_lost', error: LOST };
}

/** Fields of an outcome, in their order; what csv prints and --fields picks from. */
export const outcomeView: View = {
  columns: [
    { field: 'line', header: 'LINE', priority: 0, align: 'right' },
    { field: 'id', header: 'ID', priority: 0, whole: true },
    { field: 'name', header: 'NAME', priority: 0 },
    { field: 'state', header: 'STATE', priority: 0 },
    { field: 'error', header: 'ERROR', priority: 1 },
  ],
  fields: ['row', 'line', 'name', 'state', 'id', 'code', 'error'],
};

export const asData = ({ row, name, line }: CheckedRow, more: object): Row => ({
  row,
  line,
  name: name ?? null,
  ...more,
});

const dataOf = ({ row, state, id, code, error }: Outcome): Row =>
  asData(row, {
    state,
    ...(id !== undefined && { id }),
    ...(code !== undefined && { code }),
    ...(error !== undefined && { error }),
  });

const shownName = ({ name }: CheckedRow): string => (name === undefined ? '' : ` "${cutTo(sanitizeLine(name), 40)}"`);

/** Where data is asked for, every row with what became of it; people read the receipt, and the report has the rest. */
async function print({ context }: Job, outcomes: readonly Outcome[]): Promise<void> {
  const { fields, jq } = context.print.options;
  if (!context.print.forPeople || fields !== undefined || jq !== undefined) {
    await context.print.rows([outcomes.map(dataOf)], outcomeView);
  }
}

function exitCodeOf(outcomes: readonly Outcome[], { refusals, interrupted }: Ran): ExitCode {
  if (interrupted) return exitCodes.interrupted;
  if (outcomes.some(({ state }) => state === 'created')) return exitCodes.partial;
  const [first] = refusals.values();
  return first?.exitCode ?? exitCodes.network;
}

function hintsOf(job: Job, outcomes: readonly Outcome[], { refusals }: Ran): string[] {
  const { context, invocation, file, kind, report } = job;
  const has = (state: Outcome['state']): boolean => outcomes.some((outcome) => outcome.state === state);
  const resume = resumeCommand(context, invocation, report.path);
  const first = [...refusals.values()].flatMap(({ hints }) => hints.slice(0, 1));
  const unclear = has('unclear')
    ? [
        `Look at those that may be it, delete what is too many: mkt ${kind.resource.command} show ID${placeFlags(context)}`,
      ]
    : [];
  const mend = [...refusals.values()].some(({ code }) => code === 'rejected')
    ? `Mend the rows in ${file.name}, then`
    : 'To do what is left';
  return [...new Set([...first, ...unclear, `${mend}: ${resume}`])];
}

/** Tells how the import stands: a receipt, or an error that says what is left and how to go on. */
export async function tell(job: Job, ran: Ran): Promise<void> {
  const { context, kind, organization, rows, report, file } = job;
  const { plural, command } = kind.resource;
  const outcomes = rows.map((row) => outcomeOf(row, report.memory));
  const created = outcomes.filter(({ state }) => state === 'created').length;
  const where = await organization.name();
  if (created === rows.length) {
    const count = created === 1 ? `1 ${kind.resource.noun}` : `${created} ${plural}`;
    const all = ran.created < created ? `All ${created} rows of ${file.name} are created` : `Created ${count}`;
    context.note(`${all} in ${where}, as drafts. Report: ${report.path}`);
    context.note(`Next: mkt ${command} list ${kind.drafts}${placeFlags(context)}`);
    await print(job, outcomes);
    return;
  }
  if (created > 0) await print(job, outcomes);
  const failed = outcomes.filter(({ error }) => error !== undefined);
  const pending = outcomes.filter(({ state }) => state === 'pending').length;
  const left = pending === 0 ? '' : ` ${pending} ${pending === 1 ? 'was' : 'were'} not begun.`;
  const [first] = ran.refusals.values();
  throw new CliError({
    code: ran.interrupted ? 'interrupted' : created > 0 ? 'partly_done' : (first?.code ?? 'answer_lost'),
    exitCode: exitCodeOf(outcomes, ran),
    message: `${ran.interrupted ? 'Interrupted: created' : 'Created'} ${created === 0 ? 'none' : created} of ${rows.length} ${plural} in ${where}.${left} Report: ${report.path}`,
    lines: firstLines(failed, ({ row, error }) => `${file.name}:${row.line}${shownName(row)}: ${error}`),
    results: failed.slice(0, REPORTED).map(dataOf),
    hints: hintsOf(job, outcomes, ran),
  });
}
