import type { Context } from '../context/context.js';
import type { AppliedChange } from '../declarations/execute.js';
import { type CliError, failure, toType, usageError } from '../errors/cli-error.js';
import { subjectOf } from '../history/changes.js';
import type { HistoryFile } from '../history/database.js';
import { hostOf } from '../history/place.js';
import { clock, timeZone } from '../text/local-time.js';
import { sanitizeLine } from '../text/values.js';
import { cutTo } from '../text/width.js';
import { planStep, runFor, type Step } from './plan.js';
import { settle } from './settle.js';
import { commandIn, effectsOf, finish, lastCommand, leave, markUndone, type RecordedCommand, rename } from './store.js';

/** The line of a command, within a message. */
export const shownLine = ({ line }: RecordedCommand): string => cutTo(sanitizeLine(line), 200);

/** The command to undo, at the service in use: by default the last one. */
function chosen(context: Context, file: HistoryFile, word: string | undefined): RecordedCommand {
  const host = hostOf(context.settings.requiredBaseUrl);
  if (word === undefined) {
    const last = lastCommand(file, host);
    if (last !== undefined) return last;
    throw failure('not_found', `There is nothing to undo at ${host}.`, toType('mkt undo --list'));
  }
  const command = /^\d{1,15}$/.test(word) ? commandIn(file, Number(word)) : undefined;
  if (command === undefined)
    throw failure('not_found', `There is no command "${sanitizeLine(word)}".`, toType('mkt undo --list'));
  const { id, host: there, undone_at } = command;
  if (there !== host)
    throw usageError(
      `Command ${id} changed ${there}, and this is ${host}: ${shownLine(command)}`,
      toType(`mkt undo ${id} --profile NAME`, 'Use the profile of that service'),
    );
  if (undone_at !== null)
    throw failure('rejected', `Command ${id} was undone at ${clock(undone_at)} ${timeZone()}: ${shownLine(command)}`);
  return command;
}

/** A command and how it is taken back, the last change first. */
export interface Undoing {
  readonly command: RecordedCommand;
  readonly steps: readonly Step[];
}

/** Plans to take back a command, by its number. It only reads. */
export async function planUndo(context: Context, file: HistoryFile, word: string | undefined): Promise<Undoing> {
  const command = chosen(context, file, word);
  const client = await context.client();
  await settle(context, file, command);
  const steps: Step[] = [];
  for (const effect of effectsOf(file, command.id))
    steps.unshift(await planStep(runFor(context, client, effect.organization), effect));
  return { command, steps };
}

export const labelOf = ({ effect }: Step): string => subjectOf(effect, 50);

/** Whether nothing of it stays as it is now. */
export const isWhole = ({ skipped, refused }: Step): boolean => skipped.length === 0 && refused === undefined;

export const isDue = ({ change }: Step): boolean => change !== undefined && change.steps.length > 0;

/** What stays as it is, and why: `campaign 3 "Curl week": status has changed since`. */
export const leftBehind = (steps: readonly Step[]): string[] =>
  steps.flatMap((step) => {
    const reasons = [...step.skipped, ...(step.refused === undefined ? [] : [step.refused])];
    return reasons.length === 0 ? [] : [`${labelOf(step)}: ${reasons.join('; ')}`];
  });

export interface StepResult {
  readonly step: Step;
  readonly result: 'done' | 'planned' | 'unchanged' | 'skipped' | 'refused' | 'failed' | 'not_started';
  readonly error?: CliError;
  /** Of what was created again. */
  readonly newId?: string;
}

export function plannedResult(step: Step): StepResult {
  const { skipped, refused } = step;
  if (isDue(step)) return { step, result: 'planned' };
  if (refused !== undefined) return { step, result: 'refused' };
  return { step, result: skipped.length > 0 ? 'skipped' : 'unchanged' };
}

function resultOf(step: Step, { done, declared, error, started }: AppliedChange): StepResult {
  if (error === undefined) return { step, result: done.length > 0 ? 'done' : 'unchanged' };
  if (!started) return { step, result: 'not_started', error };
  const { code } = error.details;
  if (code === 'changed_meanwhile')
    return { step: { ...step, skipped: [...step.skipped, 'it has changed since'] }, result: 'skipped' };
  if (code === 'not_found' && declared.isDeleted) return { step, result: 'unchanged' };
  return { step, result: 'failed', error };
}

/**
 * Takes steps back with `apply`, and records each at once: a further undo continues where this one ended. If nothing is left,
 * the command is undone.
 * @param apply makes the changes, and reports what became of each step
 */
export async function recordUndo(
  context: Context,
  file: HistoryFile,
  { command, steps }: Undoing,
  apply: (due: readonly Step[], done: (step: Step, outcome: AppliedChange) => Promise<void>) => Promise<unknown>,
): Promise<readonly StepResult[]> {
  context.journal.undoes = command.id;
  const results = new Map<Step['effect'], StepResult>();
  const add = async (outcome: StepResult): Promise<void> => {
    const { result, step } = outcome;
    results.set(step.effect, outcome);
    await context.journal.record();
    const { number } = context.journal;
    if ((result === 'done' || result === 'unchanged') && isWhole(step)) markUndone(file, step.effect, number);
    if (step.effect.deleted === undefined || result !== 'done' || number === undefined) return;
    const newId = rename(file, step.effect, number);
    if (newId === undefined) return;
    results.set(step.effect, { ...outcome, newId });
    context.note(`Created ${labelOf(step)} again, as ${newId}.`);
  };
  for (const step of steps) if (!isDue(step)) await add(plannedResult(step));
  await apply(steps.filter(isDue), (step, outcome) => add(resultOf(step, outcome)));
  const all = steps.flatMap(({ effect }) => results.get(effect) ?? []);
  const isLeft = all.some(({ step, error }) => !isWhole(step) || error !== undefined);
  const now = context.journal.now();
  if (!isLeft) finish(file, command.id, now);
  else if (all.every(({ error }) => error === undefined)) leave(file, command.id, now);
  return all;
}
