import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Context } from '../../context/context.js';
import { type AppliedChange, execute } from '../../declarations/execute.js';
import { inverseOf } from '../../declarations/inverse.js';
import { doneText } from '../../history/changes.js';
import { withHistory } from '../../history/open.js';
import { idOf, isObject, valueAt } from '../../text/values.js';
import { effectsOf } from '../../undo/store.js';
import { recordUndo, type Undoing } from '../../undo/undo.js';
import type { PageResult } from './approval-page.js';
import { CHANGED, changesSince, leftOutData, type Plan, placeOf, summaryOf, targetOf, WAITS } from './plan.js';
import { cut, failure, type Row, result } from './result.js';
import type { Session } from './session.js';

/** Why what was done, or a part of it, cannot be taken back; and whether a part can. */
function reversibility({ changes }: Plan, outcomes: readonly AppliedChange[]) {
  const irreversible: string[] = [];
  let isReversible = false;
  for (const [index, { row, declared, done }] of outcomes.entries()) {
    if (done.length === 0 || row === undefined) continue;
    const { kind, isDeleted } = declared;
    const after = isDeleted ? undefined : row;
    const inverse = inverseOf({ kind, id: idOf(row), before: changes[index]?.row, after });
    irreversible.push(...inverse.irreversible.map((reason) => `${kind.resource.singular} ${idOf(row)}: ${reason}`));
    isReversible ||= inverse.declared !== undefined;
  }
  return { isReversible, irreversible };
}

const stateOfOutcome = ({ error, started, path }: AppliedChange): string => {
  if (error !== undefined) return started ? 'failed' : 'not started';
  return path?.waitsForReview === true ? `done, now ${WAITS}` : 'done';
};

function outcomeData(outcome: AppliedChange): Row {
  const { declared, row, done, differs, error } = outcome;
  const { kind, name } = declared;
  return {
    kind: kind.resource.singular,
    id: row === undefined ? null : (valueAt(row, 'id') ?? null),
    name: name ?? valueAt(row, kind.resource.title) ?? null,
    outcome: stateOfOutcome(outcome),
    done,
    ...(differs.length > 0 && { stored_differently: differs }),
    ...(done.length > 0 && leftOutData(declared, row)),
    ...(error !== undefined && { error: error.message, ...error.details.fields }),
  };
}

/** Makes the changes of an undo, and records what they take back. @returns undefined if that has happened meanwhile */
const carryOutUndo = (
  context: Context,
  { changes }: Plan,
  undoing: Undoing,
  make: (after: (outcome: AppliedChange) => Promise<void>) => Promise<readonly AppliedChange[]>,
): Promise<readonly AppliedChange[] | undefined> =>
  withHistory(context, async (file) => {
    const open = new Set(effectsOf(file, undoing.command.id).flatMap((effect) => effect.changes));
    if (!undoing.steps.every(({ effect }) => effect.changes.every((change) => open.has(change)))) return undefined;
    let outcomes: readonly AppliedChange[] = [];
    await recordUndo(context, file, undoing, async (due, done) => {
      outcomes = await make(async (outcome) => {
        const step = due[changes.findIndex(({ declared }) => declared === outcome.declared)];
        if (step !== undefined) await done(step, outcome);
      });
    });
    return outcomes;
  });

/**
 * Applies an approved plan: the one in which the text was shown, and each resource as it was read then. `stop` ends it after
 * the change in progress.
 */
export async function carryOut(
  session: Session,
  plan: Plan,
  report: (done: number) => void,
  stop: AbortSignal,
): Promise<CallToolResult> {
  const bound = await session.open();
  const own = bound.quiet({ argv: ['mcp', summaryOf(plan)] });
  const target = await targetOf(own, plan);
  const changed = await changesSince(target, plan);
  if (changed.length > 0) return failure({ message: CHANGED, changed });
  let count = 0;
  const make = (after?: (outcome: AppliedChange) => Promise<void>) =>
    execute({ ...target, stop }, plan.changes, 'Applying', async (outcome) => {
      count += 1;
      report(count);
      await after?.(outcome);
    });
  const outcomes = plan.undoes === undefined ? await make() : await carryOutUndo(own, plan, plan.undoes, make);
  if (outcomes === undefined)
    return failure({ message: CHANGED, changed: ['The command was undone, or a part of it.'] });
  await own.journal.save();
  const { number } = own.journal;
  const done = outcomes.filter(({ error }) => error === undefined).length;
  const { isReversible, irreversible } = reversibility(plan, outcomes);
  const all = result(`Applied ${doneText(done, outcomes.length)}.`, cut(outcomes.map(outcomeData)), {
    ...placeOf(plan),
    applied: done,
    ...(number !== undefined && isReversible && { undo: number, undo_command: `mkt undo ${number}` }),
    ...(irreversible.length > 0 && { irreversible }),
  });
  return done === outcomes.length ? all : { ...all, isError: true };
}

/** What the page shows after an approval. */
export function pageResult({ structuredContent }: CallToolResult): PageResult {
  const { error, summary, data, undo_command: undo } = structuredContent as Row;
  if (isObject(error)) {
    const lines = [error.message, ...(Array.isArray(error.changed) ? error.changed : [])];
    return { title: 'Nothing was changed', text: lines.join('\n') };
  }
  const rows = data as readonly Row[];
  const lines = rows.map(({ kind, id, name, outcome, error: problem }) =>
    [kind, id, JSON.stringify(name), `: ${outcome}`, problem].filter((part) => part != null).join(' '),
  );
  return { title: String(summary), text: [...lines, ...(undo === undefined ? [] : [`To undo: ${undo}`])].join('\n') };
}
