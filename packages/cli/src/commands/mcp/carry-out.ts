import type { CallToolResult } from '@modelcontextprotocol/server';
import { idOf } from '../../api/organization.js';
import { type AppliedChange, execute } from '../../declarations/execute.js';
import { inverseOf } from '../../declarations/inverse.js';
import { isObject } from '../../text/json.js';
import { valueAt } from '../../text/row.js';
import type { PageResult } from './approval-page.js';
import { CHANGED, changesSince, fileOf, itemOf, leftOutData, type Plan, summaryOf, targetIn } from './plan.js';
import { cut, failure, type Row, result } from './result.js';
import type { Session } from './session.js';

/** The plan that takes back what was done. */
function reversePlan({ organization, changes }: Plan, outcomes: readonly AppliedChange[]) {
  const items: (readonly [kind: string, item: Row])[] = [];
  const irreversible: string[] = [];
  for (const [index, { row, declared, done }] of outcomes.entries()) {
    const { kind, isDeleted } = declared;
    if (done.length === 0 || row === undefined) continue;
    const after = isDeleted ? undefined : row;
    const inverse = inverseOf({ kind, id: idOf(row), before: changes[index]?.row, after });
    irreversible.push(...inverse.irreversible.map((reason) => `${kind.resource.singular} ${idOf(row)}: ${reason}`));
    if (inverse.declared?.isDeleted && !kind.isDraft)
      irreversible.push(`The new ${kind.resource.singular}: a person runs mkt ${kind.resource.command} delete.`);
    else if (inverse.declared !== undefined) items.push(itemOf(inverse.declared, after));
  }
  return {
    ...(items.length > 0 && { reverse_plan: JSON.parse(fileOf(organization.id, items)) as Row }),
    ...(irreversible.length > 0 && { irreversible }),
  };
}

const stateOfOutcome = ({ error, started, path }: AppliedChange): string => {
  if (error !== undefined) return started ? 'failed' : 'not started';
  return path?.waitsForReview === true ? 'done, now waits for the review of the marketplace' : 'done';
};

/** What was done, for the assistant. */
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
  const { target } = await targetIn(own, String(plan.organization.id));
  const changed = await changesSince(target, plan);
  if (changed.length > 0) return failure({ message: CHANGED, changed });
  let count = 0;
  const outcomes = await execute({ ...target, stop }, plan.changes, 'Applying', async () => {
    count += 1;
    report(count);
  });
  await own.journal.save();
  const { number } = own.journal;
  const done = outcomes.filter(({ error }) => error === undefined).length;
  const reverse = reversePlan(plan, outcomes);
  const all = result(`Applied ${done} of ${outcomes.length} changes.`, cut(outcomes.map(outcomeData)), {
    session: plan.place,
    organization: plan.organization,
    applied: done,
    ...(number !== undefined && 'reverse_plan' in reverse && { undo: number, undo_command: `mkt undo ${number}` }),
    ...reverse,
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
