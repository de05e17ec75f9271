import { placeFlags } from '../../context/flags.js';
import { CliError, firstHints, type Hint, toType } from '../../errors/cli-error.js';
import { firstLines } from '../../fields/problems.js';
import { labelOf } from '../../lists/connection.js';
import { renderTable } from '../../output/table.js';
import type { View } from '../../output/view.js';
import { groupBy, idOf, type Row, sanitizeLine } from '../../text/values.js';
import { cutTo } from '../../text/width.js';
import { type Job, nameKey, nameOf, type RowError } from './create-rows.js';
import type { LoggedRow } from './log.js';
import type { CheckedRow } from './rows.js';

/** The command that continues the import of this report. */
export const resumeCommand = ({ context }: Pick<Job, 'context'>, report: string): string =>
  context.commandWith({ report: undefined, map: undefined, resume: report, 'dry-run': undefined });

const SHOWN = 5;

const quotedName = (name: string): string => `"${cutTo(sanitizeLine(name), 40)}"`;

const firstOf = (texts: readonly string[]): string =>
  `${texts.slice(0, SHOWN).join(', ')}${texts.length > SHOWN ? ` and ${texts.length - SHOWN} more` : ''}`;

/** Names that several rows have, with their lines: valid, but rarely intended. */
function repeatedNames({ rows, table }: Job): string[] {
  const byName = groupBy(rows, ({ name }) => name && nameKey(name));
  byName.delete(undefined);
  const repeated = [...byName.values()].filter((same) => same.length > 1);
  return repeated.map((same) => {
    const lines = same.slice(0, SHOWN).map(({ row }) => table.placeOf(row).line);
    return `${quotedName(same[0]?.name ?? '')} (lines ${lines.join(', ')})`;
  });
}

/** The first rows as a table with what matters about a draft; the service fills what the file leaves out. */
function rowsTable({ context, type: { fields, resource } }: Job, rows: readonly CheckedRow[]): string {
  const { states, defaults } = resource;
  const columns = ['name', 'countries', 'cpm_amount', 'currency']
    .filter((field) => fields.has(field))
    .concat(states.field)
    .map((field, priority) => ({ field, header: field.replace('_amount', '').toUpperCase(), priority }));
  const unset = Object.fromEntries(columns.map(({ field }) => [field, '(default)']));
  const { isTTY, columns: width } = context.io.stderr;
  const table = renderTable(
    rows.slice(0, SHOWN).map((row) => ({ ...unset, ...defaults, [states.field]: states.initial, ...row.fields })),
    columns,
    { header: true, style: context.styleOf('stderr'), width: isTTY ? width - 2 : undefined, keepColumns: false },
  );
  return table.trimEnd().replaceAll(/^/gm, '  ');
}

/** Shows what will be created. `existing` are resources of the organization with a name of the file. */
export async function showPlan(job: Job, left: readonly CheckedRow[], existing: readonly Row[]): Promise<void> {
  const { context, type, organization, file, notes, rows, log } = job;
  const { singular, plural } = type.resource;
  const created = rows.filter(({ row }) => log.statusOf(row) === 'created').length;
  const unknown = rows.length - created - left.length;
  const name = await organization.name();
  const lines = [
    `Create ${left.length} ${left.length === 1 ? singular : plural} from ${file.name} in ${await organization.label()}${left.length > 0 ? ':' : '.'}`,
  ];
  if (left.length > 0) lines.push(rowsTable(job, left));
  if (left.length > SHOWN) lines.push(`  ... and ${left.length - SHOWN} more`);
  if (created > 0) lines.push(`Skipping ${created} row${created === 1 ? '' : 's'} already created.`);
  if (unknown > 0) {
    const lost = unknown === 1 ? '1 row whose response was' : `${unknown} rows whose responses were`;
    lines.push(`Searching ${name} first for ${lost} lost.`);
  }
  lines.push(...notes);
  const repeated = repeatedNames(job);
  if (repeated.length > 0) lines.push(`Creating every row of these repeated names: ${firstOf(repeated)}.`);
  context.note(lines.join('\n'));
  const names = new Set(left.map((row) => row.name && nameKey(row.name)));
  const others = existing.filter((each) => !log.claimed.has(idOf(each)) && names.has(nameOf(each)));
  const byName = new Map(others.map((each) => [nameOf(each), each]));
  if (byName.size > 0) {
    const labels = firstOf([...byName.values()].map((each) => labelOf(type.resource, each)));
    context.warn(`${name} already has ${labels}. The import creates another ${singular} for each of these names.`);
  }
}

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

interface RowResult {
  readonly row: number;
  readonly line: number;
  readonly name: string | null;
  /** `pending` was not sent, the response to `unknown` was lost, `unclear` has several candidates. */
  readonly state: 'created' | 'failed' | 'unknown' | 'unclear' | 'pending';
  readonly id?: string | number;
  readonly code?: string;
  readonly error?: string;
}

/** @param last the latest log line of the row */
export function outcomeOf({ row, name }: CheckedRow, { table }: Job, last?: LoggedRow['last']): RowResult {
  const outcome = { row, line: table.placeOf(row).line, name: name ?? null };
  if (last === undefined || last.state === 'absent') return { ...outcome, state: 'pending' };
  if (last.state === 'sent' || last.state === 'lost') {
    const error = 'The response was lost. It may have been created.';
    return { ...outcome, state: 'unknown', code: 'answer_lost', error };
  }
  if (last.state === 'created') return { ...outcome, state: 'created', id: last.id };
  return { ...outcome, state: last.state, code: last.state === 'failed' ? last.code : 'unclear', error: last.error };
}

function hintsFor(job: Job, outcomes: readonly RowResult[], errors: ReadonlyMap<number, RowError>): Hint[] {
  const hints = firstHints([...errors.values()]);
  if (outcomes.some(({ state }) => state === 'unclear')) {
    const show = `mkt ${job.type.resource.command} show ID${placeFlags(job.context)}`;
    hints.push(toType(show, 'Compare the candidates and delete duplicates'));
  }
  const rejected = [...errors.values()].some(({ code }) => code === 'rejected');
  const resume = rejected ? `Correct the rows in ${job.file.name}, then` : 'To import the rest';
  return [...hints, toType(resumeCommand(job, job.log.path), resume)];
}

/** Prints the result. @throws an error that says what is left and how to continue, unless all rows are created */
export async function showResult(job: Job, errors: ReadonlyMap<number, RowError>): Promise<void> {
  const { context, type, organization, rows, log, file } = job;
  const { singular, plural, command, states } = type.resource;
  const created = rows.filter(({ row }) => log.statusOf(row) === 'created').length;
  const where = await organization.name();
  const isDone = created === rows.length;
  if (isDone) {
    const message = log.isResumed
      ? `Every row of ${file.name} has been created`
      : `Created ${created} ${created === 1 ? singular : plural}`;
    context.note(
      `${message} in ${where}${context.onService} as ${created === 1 ? 'a draft' : 'drafts'}. Report: ${log.path}`,
    );
    context.note(`Next: mkt ${command} list --${states.field} ${states.initial}${placeFlags(context)}`);
  }
  const { print } = context;
  const prints = created > 0 && (!print.isHumanReadable || print.options.fields !== undefined);
  if (isDone && !prints) return;
  const outcomes = rows.map((row) => outcomeOf(row, job, log.rows.get(row.row)?.last));
  if (prints) await print.rows([outcomes], outcomeView);
  if (isDone) return;
  const failed = outcomes.filter(({ error }) => error !== undefined);
  const pending = outcomes.filter(({ state }) => state === 'pending').length;
  const [first] = errors.values();
  const isInterrupted = context.io.interrupted.aborted;
  const isLimited = [...errors.values()].some((error) => error.code === 'rate_limited');
  const firstCode = first?.code ?? 'answer_lost';
  const partCode = isLimited ? 'rate_limited' : created > 0 ? 'partly_done' : firstCode;
  const code = isInterrupted ? 'interrupted' : partCode;
  const count = `${isInterrupted ? 'Interrupted: created' : 'Created'} ${created} of ${rows.length} ${plural}`;
  const notSent = pending === 0 ? '' : ` ${pending} ${pending === 1 ? 'was' : 'were'} not sent.`;
  throw new CliError({
    code,
    message: `${count} in ${where}.${notSent} Report: ${log.path}`,
    lines: firstLines(failed, ({ line, name, error }) => {
      return `${file.name}:${line}${name === null ? '' : ` ${quotedName(name)}`}: ${error}`;
    }),
    results: failed,
    hints: hintsFor(job, outcomes, errors),
  });
}
