import { placeFlags } from '../../context/next-command.js';
import { CliError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import type { View } from '../../output/view.js';
import { cellText, type Row, valueAt } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { cutTo } from '../../text/width.js';
import type { CheckedRow } from './check.js';
import type { Job, RowCreator } from './create-rows.js';
import type { ImportLog } from './import-log.js';
import type { Problem } from './read-file.js';
import { nameKey, nameOf } from './reconcile.js';
import { resumeCommand } from './resume.js';

const LINES_SHOWN = 20;
/** How many problems the JSON of an error holds at most. */
const MAX_RESULTS = 1000;

/** The first lines of many, and how many more there are. */
function firstLines<Item>(items: readonly Item[], text: (item: Item) => string): string[] {
  const lines = items.slice(0, LINES_SHOWN).map(text);
  return items.length > LINES_SHOWN ? [...lines, `... and ${items.length - LINES_SHOWN} more`] : lines;
}

function lineFor(file: string, { line, sheetRow = line, column, message }: Problem): string {
  const place = `${file}:${line}${sheetRow === line ? '' : ` (row ${sheetRow})`}`;
  return `${place}: ${column === undefined ? '' : `"${sanitizeLine(column)}" `}${sanitizeLine(message)}`;
}

/** All problems of a file in one error. */
export function problemsError(file: string, problems: readonly Problem[], hints: readonly string[] = []): CliError {
  const sorted = [...problems].sort((one, other) => one.line - other.line);
  return new CliError({
    code: 'invalid_file',
    exitCode: exitCodes.usage,
    message: `${problems.length} problem${problems.length === 1 ? '' : 's'} in ${file}. Nothing was created.`,
    lines: firstLines(sorted, (problem) => lineFor(file, problem)),
    hints,
    results: sorted.slice(0, MAX_RESULTS).map(({ line, column, message }) => ({
      line,
      ...(column !== undefined && { column: sanitizeLine(column) }),
      message: sanitizeLine(message),
    })),
  });
}

/** How many names the plan shows. */
const NAMES = 5;

/** Rows that were not created, and how many were created or have lost their responses. */
export function countRows(rows: readonly CheckedRow[], log: ImportLog) {
  return {
    created: rows.filter(({ row }) => log.isCreated(row)).length,
    unknown: rows.filter(({ row }) => log.isUnknown(row)).length,
    left: rows.filter(({ row }) => !log.isCreated(row) && !log.isUnknown(row)),
  };
}

const quotedName = (name: string): string => `"${cutTo(sanitizeLine(name), 40)}"`;

/** Names of several rows, with their lines: valid, but rarely intended. */
function duplicates(rows: readonly CheckedRow[]): string[] {
  const byName = new Map<string, CheckedRow[]>();
  for (const row of rows) {
    if (row.name === undefined) continue;
    const key = nameKey(row.name);
    byName.set(key, [...(byName.get(key) ?? []), row]);
  }
  return [...byName.values()]
    .filter((same) => same.length > 1)
    .map((same) => {
      const lines = same.slice(0, 5).map(({ line }) => line);
      return `${quotedName(same[0]?.name ?? '')} (lines ${lines.join(', ')})`;
    });
}

/** Shows what will be created. `existing` are resources of the organization with a name of the file. */
export async function showPlan(job: Job, existing: readonly Row[]): Promise<void> {
  const { context, type, organization, file, columns, rows, log } = job;
  const { noun, plural } = type.resource;
  const { created, unknown, left } = countRows(rows, log);
  const name = await organization.name();
  const lines = [
    `Create ${left.length} ${left.length === 1 ? noun : plural} from ${file.name} in ${await organization.label()}${left.length > 0 ? ':' : '.'}`,
    ...left
      .slice(0, NAMES)
      .map((row) => `  ${row.name === undefined ? '(no name)' : cutTo(sanitizeLine(row.name), 70)}`),
  ];
  if (left.length > NAMES) lines.push(`  ... and ${left.length - NAMES} more`);
  if (created > 0) lines.push(`Already created, and skipped: ${created}.`);
  if (unknown > 0) lines.push(`Response lost, searched for in ${name} first: ${unknown}.`);
  if (columns.readOnly.length > 0) {
    lines.push(`Skipped columns that only the service sets: ${columns.readOnly.map(sanitizeLine).join(', ')}.`);
  }
  const repeated = duplicates(rows);
  if (repeated.length > 0) {
    const shown = `${repeated.slice(0, NAMES).join(', ')}${repeated.length > NAMES ? ', ...' : ''}`;
    lines.push(`Names of several rows, each of which is created: ${shown}.`);
  }
  context.note(lines.join('\n'));
  const others = new Set(existing.filter((each) => !log.claimed.has(cellText(valueAt(each, 'id')))).map(nameOf));
  const again = left.filter((row) => row.name !== undefined && others.has(nameKey(row.name))).length;
  if (again > 0) {
    const subject = again === 1 ? '1 of these names exists' : `${again} of these names exist`;
    context.warn(`${subject} in ${name} already. The import creates another ${noun} for each.`);
  }
}

/** The result of a row in JSON: `pending` was not sent, the response to `unknown` was lost. */
interface Outcome {
  readonly row: CheckedRow;
  readonly state: 'created' | 'failed' | 'unknown' | 'unclear' | 'pending';
  readonly id?: string | number;
  readonly code?: string;
  readonly error?: string;
}

function outcomeOf(row: CheckedRow, log: ImportLog): Outcome {
  const last = log.get(row.row)?.last;
  if (last === undefined || last.state === 'absent') return { row, state: 'pending' };
  if (last.state === 'created') return { row, state: 'created', id: last.id };
  if (last.state === 'failed') return { row, state: 'failed', code: last.code, error: last.error };
  if (last.state === 'unclear') return { row, state: 'unclear', code: 'unclear', error: last.error };
  return { row, state: 'unknown', code: 'answer_lost', error: 'The response was lost. It may have been created.' };
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

export const outcomeData = ({ row: { row, line, name }, ...more }: Outcome): Row => ({
  row,
  line,
  name: name ?? null,
  ...more,
});

function hintsFor(job: Job, outcomes: readonly Outcome[], { errors }: RowCreator): string[] {
  const { context, invocation, file, type, log } = job;
  const hints = [...errors.values()].flatMap((error) => error.hints?.slice(0, 1) ?? []);
  if (outcomes.some(({ state }) => state === 'unclear')) {
    const show = `mkt ${type.resource.command} show ID${placeFlags(context)}`;
    hints.push(`Compare the candidates, and delete surplus ones: ${show}`);
  }
  const rejected = [...errors.values()].some(({ code }) => code === 'rejected');
  const resume = rejected ? `Correct the rows in ${file.name}, then` : 'To import the rest';
  return [...new Set([...hints, `${resume}: ${resumeCommand(context, invocation, log.path)}`])];
}

/** Prints the result. @throws an error that says what is left and how to continue, unless all rows are created */
export async function showResult(job: Job, creator: RowCreator): Promise<void> {
  const { context, type, organization, rows, log, file } = job;
  const { noun, plural, command } = type.resource;
  const outcomes = rows.map((row) => outcomeOf(row, log));
  const { created } = countRows(rows, log);
  const where = await organization.name();
  const done = created === rows.length;
  if (done) {
    const message =
      creator.created < created
        ? `All ${rows.length} rows of ${file.name} are created`
        : `Created ${created} ${created === 1 ? noun : plural}`;
    context.note(`${message} in ${where}, as drafts. Report: ${log.path}`);
    context.note(`Next: mkt ${command} list ${type.drafts}${placeFlags(context)}`);
  }
  const { fields, jq } = context.print.options;
  if (created > 0 && (!context.print.forPeople || fields !== undefined || jq !== undefined)) {
    await context.print.rows([outcomes.map(outcomeData)], outcomeView);
  }
  if (done) return;
  const failed = outcomes.filter(({ error }) => error !== undefined);
  const pending = outcomes.filter(({ state }) => state === 'pending').length;
  const [first = { code: 'answer_lost', exitCode: exitCodes.network }] = creator.errors.values();
  const { code, exitCode } = creator.interrupted
    ? { code: 'interrupted', exitCode: exitCodes.interrupted }
    : created > 0
      ? { code: 'partly_done', exitCode: exitCodes.partial }
      : first;
  const count = `${creator.interrupted ? 'Interrupted: created' : 'Created'} ${created === 0 ? 'none' : created} of ${rows.length} ${plural}`;
  const notSent = pending === 0 ? '' : ` ${pending} ${pending === 1 ? 'was' : 'were'} not sent.`;
  throw new CliError({
    code,
    exitCode,
    message: `${count} in ${where}.${notSent} Report: ${log.path}`,
    lines: firstLines(failed, ({ row: { line, name }, error }) => {
      return `${file.name}:${line}${name === undefined ? '' : ` ${quotedName(name)}`}: ${error}`;
    }),
    results: failed.slice(0, MAX_RESULTS).map(outcomeData),
    hints: hintsFor(job, outcomes, creator),
  });
}
