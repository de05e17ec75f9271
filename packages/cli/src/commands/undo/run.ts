import { confirm } from '../../changes/confirm.js';
import { failureCode } from '../../changes/outcomes.js';
import { type FieldChange, fieldLines, INDENT, type Layout, signed } from '../../changes/plan-lines.js';
import type { Invocation } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { serviceFlags } from '../../context/flags.js';
import { type AppliedChange, execute as apply } from '../../declarations/execute.js';
import { stateOf } from '../../declarations/plan.js';
import { CliError, exitCodes, firstHints, toType, usageError } from '../../errors/cli-error.js';
import { doneText } from '../../history/changes.js';
import { type HistoryFile, withHistory } from '../../history/database.js';
import { isAlive } from '../../io/io.js';
import type { View } from '../../output/view.js';
import { clock, timeZone } from '../../text/local-time.js';
import { idValue } from '../../text/values.js';
import { runFor, type Step } from '../../undo/plan.js';
import { commandsIn, lastCommand, type RecordedCommand } from '../../undo/store.js';
import {
  isDue,
  isWhole,
  labelOf,
  plannedResult,
  planUndo,
  recordUndo,
  type StepResult,
  shownLine,
} from '../../undo/undo.js';

interface UndoFlags {
  readonly list?: boolean;
  readonly 'dry-run'?: boolean;
}

const listView: View = {
  kinds: { at: 'timestamp', undone_at: 'timestamp' },
  columns: [
    { field: 'number', header: 'NUMBER', priority: 0, whole: true },
    { field: 'at', header: 'WHEN', priority: 0, whole: true },
    { field: 'undone_at', header: 'UNDONE', priority: 2, whole: true },
    { field: 'host', header: 'HOST', priority: 3 },
    { field: 'line', header: 'COMMAND', priority: 0 },
  ],
  fields: ['number', 'host', 'organization_id', 'at', 'profile', 'line', 'undoes', 'undone_at', 'left_at', 'state'],
};

const resultView: View = { columns: [], fields: ['number', 'undoes', 'line', 'changes'] };

const MOST_LISTED = 50;

async function listCommands(context: Context, file: HistoryFile): Promise<void> {
  const { print } = context;
  const isTable = print.isText;
  const rows = commandsIn(file, MOST_LISTED).map(({ id, at, undone_at, pid, unanswered, line, ...others }) => {
    const isRunning = pid !== null && isAlive(pid);
    const state = isRunning ? 'running' : pid !== null || unanswered > 0 ? 'interrupted' : 'ended';
    return {
      number: id,
      ...others,
      // In front, because a terminal cuts the end of a long line.
      line: isTable && state !== 'ended' ? `(${state}) ${line}` : line,
      at: isTable ? clock(at) : at,
      undone_at: isTable && undone_at !== null ? clock(undone_at) : undone_at,
      state,
    };
  });
  await print.rows([rows], listView);
  if (rows.length === 0) context.note('No command of this machine has changed anything yet.');
}

function changesOf({ change }: Step): readonly FieldChange[] {
  if (change === undefined) return [];
  const { declared, fields, path, row } = change;
  if (path === undefined || path.actions.length === 0) return fields;
  return [...fields, { field: declared.kind.states.field, from: stateOf(declared, row), to: path.to }];
}

/** A step as the plan of `mkt apply` shows it. */
function stepLines(step: Step, layout: Layout): string[] {
  const { change, skipped, refused } = step;
  const label = labelOf(step);
  const lines = (change?.steps ?? []).flatMap((name) => {
    if (name === 'create') return signed('+', `create ${label} again, with a new id`, layout);
    if (name === 'delete') return signed('-', `delete ${label}`, layout);
    if (name !== 'update') return signed('>', `${name} ${label}`, layout);
    const fields =
      change?.fields.flatMap((field) => fieldLines(change.declared.kind.resource, field, false, layout)) ?? [];
    return [...signed('~', `update ${label}`, layout), ...fields];
  });
  if (!isDue(step) && skipped.length === 0 && refused === undefined)
    lines.push(...signed('=', `${label} is as it was before`, layout));
  if (refused !== undefined) lines.push(...signed('!', `${label} cannot go back. ${refused}`, layout));
  if (skipped.length > 0) {
    const text = `skipped: ${skipped.join('; ')}`;
    lines.push(...(isDue(step) ? signed('!', text, layout, INDENT) : signed('!', `${label} ${text}`, layout)));
  }
  return lines;
}

const MOST_SHOWN = 20;

/** The plan. Of many steps, those that are carried out whole are summed up by kind. */
function planLines({ options }: Context, steps: readonly Step[], layout: Layout): string[] {
  if (steps.length <= MOST_SHOWN || options.verbose) return steps.flatMap((step) => stepLines(step, layout));
  const sums = new Map<string, number>();
  const isSummed = (step: Step) => isDue(step) && isWhole(step);
  for (const { change, effect } of steps.filter(isSummed)) {
    const text = `${change?.steps.join(', ')} ${effect.resource}`;
    sums.set(text, (sums.get(text) ?? 0) + 1);
  }
  return [
    ...[...sums].flatMap(([text, count]) => signed('~', `${text}: ${count}`, layout)),
    ...steps.filter((step) => !isSummed(step)).flatMap((step) => stepLines(step, layout)),
    'To see each: --verbose',
  ];
}

const resultRow = ({ step, result, error, newId }: StepResult) => ({
  resource: step.effect.resource,
  id: idValue(step.effect.id),
  name: step.effect.name,
  step: step.change?.steps.join(', ') || 'none',
  fields: Object.fromEntries(changesOf(step).map(({ field, from, to }) => [field, { from, to }])),
  skipped: step.skipped,
  refused: step.refused ?? null,
  result,
  ...(newId !== undefined && { new_id: idValue(newId) }),
  ...(error !== undefined && { error: error.message }),
});

/** Throws if something was left: 9 if a part was done or skipped, 6 if it was refused. */
function checkOutcomes(
  context: Context,
  file: HistoryFile,
  command: RecordedCommand,
  outcomes: readonly StepResult[],
): void {
  const isPartial = outcomes.some(({ result }) => result === 'done' || result === 'unchanged' || result === 'planned');
  const failed = outcomes.flatMap(({ error }) => error ?? []);
  const skipped = outcomes.filter(({ step }) => step.skipped.length > 0).length;
  const refused = outcomes.filter(({ step }) => step.refused !== undefined).length;
  if (failed.length === 0 && skipped === 0 && refused === 0) return;
  const reasons = [
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(refused > 0 ? [`${refused} impossible`] : []),
  ];
  const code =
    failed.length > 0
      ? failureCode(failed, isPartial)
      : skipped > 0 || isPartial
        ? ({ code: 'partly_done', exitCode: exitCodes.partial } as const)
        : ({ code: 'rejected', exitCode: exitCodes.rejected } as const);
  const mayFollow = failed.length > 0 || outcomes.some(({ step }) => step.skipped.length > 0 && step.isLost !== true);
  // Otherwise each further undo would meet this command again.
  const earlier = failed.length > 0 ? undefined : lastCommand(file, command.host, command.id);
  const hint = (words: string, id: number) => toType(`mkt undo ${id}${serviceFlags(context)}`, words);
  throw new CliError({
    ...code,
    message: `Not all of command ${command.id} was undone: ${reasons.join(', ')}.`,
    hints: [
      ...firstHints(failed.map(({ details }) => details)),
      ...(mayFollow ? [hint('For the rest, later', command.id)] : []),
      ...(earlier ? [hint('The command before it', earlier.id)] : []),
    ],
    lines: failed.slice(0, 5).map(({ message }) => message),
    results: outcomes.map(resultRow),
  });
}

/** Makes the changes of steps, organization by organization, and stops where none of the others can be made either. */
async function applySteps(
  context: Context,
  due: readonly Step[],
  done: (step: Step, outcome: AppliedChange) => Promise<void>,
): Promise<void> {
  const client = await context.client();
  let stopped: CliError | undefined;
  for (const organization of new Set(due.map(({ effect }) => effect.organization))) {
    const own = due.filter(({ effect }) => effect.organization === organization);
    const changes = own.flatMap(({ change }) => change ?? []);
    const after = async (outcome: AppliedChange): Promise<void> => {
      if (!outcome.started) stopped = outcome.error;
      const step = own.find(({ change }) => change?.declared === outcome.declared);
      if (step !== undefined) await done(step, outcome);
    };
    if (stopped === undefined) await apply(runFor(context, client, organization), changes, 'Undoing', after);
    else
      for (const change of changes) await after({ ...change, done: [], differs: [], error: stopped, started: false });
  }
}

async function undoOne(
  context: Context,
  file: HistoryFile,
  invocation: Invocation & { flags: UndoFlags },
): Promise<void> {
  const undoing = await planUndo(context, file, invocation.args[0]);
  const { command } = undoing;
  const isDryRun = invocation.flags['dry-run'] === true;
  // As it was made.
  const steps = [...undoing.steps].reverse();
  const { print, io } = context;
  const layout = { style: context.styleOf('stderr'), width: io.stderr.isTTY ? io.stderr.columns : undefined };
  context.note(`Undo command ${command.id} of ${clock(command.at)} ${timeZone()}: ${shownLine(command)}`);
  if (print.isHumanReadable) for (const line of planLines(context, steps, layout)) context.note(line);
  const planned = steps.map(plannedResult);
  const isPossible = planned.some(({ result }) => result === 'planned' || result === 'unchanged');
  if (!isDryRun && planned.some(({ result }) => result === 'planned')) await confirm(context, 'Undo this');
  const outcomes = isDryRun
    ? planned
    : await recordUndo(context, file, undoing, (due, done) => applySteps(context, due, done));
  const { number = null } = context.journal;
  const done = outcomes.filter(({ result }) => result === 'done');
  if (!print.isHumanReadable) {
    const changes = outcomes.map(resultRow);
    await print.row({ number, undoes: command.id, line: command.line, changes }, resultView);
  } else if (done.length > 0) {
    const partly = done.filter(({ step }) => !isWhole(step)).length;
    const inPart = partly === 0 ? '' : `, and ${partly} in part`;
    const due = outcomes.filter(({ result }) => result !== 'unchanged').length;
    const sum = `${doneText(done.length - partly, due)} of command ${command.id}${inPart}`;
    const again = number === null ? '' : ` To take that back: mkt undo ${number}${serviceFlags(context)}`;
    context.note(`Undid ${sum}${context.onService}.${again}`);
  }
  if (isDryRun && isPossible) return;
  checkOutcomes(context, file, command, outcomes);
}

/** Takes back a command of this machine, or lists them. */
export async function undo(context: Context, invocation: Invocation & { readonly flags: UndoFlags }): Promise<void> {
  const { list = false, 'dry-run': isDryRun = false } = invocation.flags;
  if (list && (isDryRun || invocation.args.length > 0)) throw usageError('--list takes no number and no --dry-run.');
  await context.print.checkKnown(list ? listView : resultView);
  await withHistory(context, (file) => (list ? listCommands(context, file) : undoOne(context, file, invocation)));
}
