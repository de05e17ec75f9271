import type { CallToolResult, InputRequiredResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { idOf } from '../../api/organization.js';
import type { Context } from '../../context/context.js';
import { type AppliedChange, execute } from '../../declarations/execute.js';
import { inverseOf } from '../../declarations/inverse.js';
import { valueAt } from '../../text/row.js';
import { type Answer, Approval } from './approval.js';
import { changesSince, fileOf, itemOf, type Plan, quietContext, targetIn } from './plan.js';
import { cut, failure, failureOf, type Row, result } from './result.js';
import { registerTool } from './tool.js';

export const BY_HAND = 'A person saves "file" as plan.json and runs: mkt apply plan.json';

/** Plans that are remembered. */
const MAX_PLANS = 20;

interface Proposal {
  readonly plan: Plan;
  readonly approval: Approval;
  isRefused: boolean;
  /** Once it runs. */
  run: Promise<CallToolResult> | undefined;
}

/** Plans that can be applied, by their digest, the oldest first. */
export class Proposals {
  readonly #plans = new Map<string, Proposal>();

  add(context: Context, plan: Plan): void {
    const { digest, question } = plan;
    this.#plans.set(digest, {
      plan,
      approval: new Approval(context, digest, question),
      isRefused: false,
      run: undefined,
    });
    const [oldest = ''] = this.#plans.keys();
    if (this.#plans.size > MAX_PLANS) this.delete(oldest);
  }

  get(digest: string): Proposal | undefined {
    return this.#plans.get(digest);
  }

  delete(digest: string): void {
    this.#plans.get(digest)?.approval.close();
    this.#plans.delete(digest);
  }

  close(): void {
    for (const { approval } of this.#plans.values()) approval.close();
  }
}

/** The plan that takes back what was done. */
function reversePlan({ organization, changes }: Plan, outcomes: readonly AppliedChange[]): Row {
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
    ...(items.length > 0 && { reverse_plan: JSON.parse(fileOf(organization.id, items)) }),
    ...(irreversible.length > 0 && { irreversible }),
  };
}

const stateOfOutcome = ({ error, started }: AppliedChange): string =>
  error === undefined ? 'done' : started ? 'failed' : 'not started';

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
    ...(error !== undefined && { error: error.message, ...error.details.fields }),
  };
}

/** Applies an approved plan: the one in which the text was shown, and each resource as it was read then. */
async function apply(context: Context, plan: Plan, { mcpReq }: ServerContext): Promise<CallToolResult> {
  // A cancelled call stops after the change in progress, so it does not end its requests.
  const own = quietContext(context, undefined);
  const { target } = await targetIn(own, String(plan.organization.id));
  const changed = await changesSince(target, plan);
  if (changed.length > 0)
    return failure({
      message: 'Something has changed since the plan was made. Nothing was applied. Plan again.',
      changed,
    });
  const { progressToken } = mcpReq._meta ?? {};
  let progress = 0;
  const notices: Promise<void>[] = [];
  const report = async (): Promise<void> => {
    progress += 1;
    if (progressToken === undefined || mcpReq.signal.aborted) return;
    const params = { progressToken, progress, total: plan.changes.length };
    notices.push(mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined));
  };
  const outcomes = await execute({ ...target, stop: mcpReq.signal }, plan.changes, 'Applying', report);
  await own.journal.save();
  // After the result, no one would read them.
  await Promise.all(notices);
  const { number } = own.journal;
  const done = outcomes.filter(({ error }) => error === undefined).length;
  const summary = `Applied ${done} of ${outcomes.length} changes.`;
  const more = {
    applied: done,
    ...(number !== undefined && { undo: number, undo_command: `mkt undo ${number}` }),
    ...reversePlan(plan, outcomes),
  };
  const all = result(summary, cut(outcomes.map(outcomeData)), more);
  return done === outcomes.length ? all : { ...all, isError: true };
}

const messages: Partial<Readonly<Record<Answer, string>>> = {
  refused: 'The user did not approve the plan. Nothing was changed.',
  asking: 'The user is being asked about this plan already.',
  foreign:
    'This answer does not belong to the open question about this plan. Nothing was changed. Call apply_plan again without an answer.',
};

/** What is returned for any answer but an approval. */
function withoutApproval(answer: Exclude<Answer, 'approved'>, { plan, isRefused }: Proposal): CallToolResult {
  if (answer === 'waiting')
    return failure({
      message: 'The user is asked on a page of this machine, and has not answered yet. Nothing was changed.',
      next: ['Call apply_plan again with this digest'],
    });
  const message = messages[answer];
  if (message !== undefined)
    return failure({
      message,
      ...(isRefused && { next: ['After a new request of the user, call plan_changes again'] }),
    });
  const reason =
    answer === 'dismissed'
      ? 'The question was closed without an answer. Nothing was changed.'
      : 'This client cannot ask its user for approval, so nothing was changed.';
  return failure({ message: reason, next: [BY_HAND], file: plan.file });
}

async function decide(
  server: McpServer,
  context: Context,
  proposals: Proposals,
  digest: string,
  request: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const proposal = proposals.get(digest);
  if (proposal === undefined)
    return failure({ message: 'There is no plan with this digest. Call plan_changes first.' });
  const { plan, approval } = proposal;
  const earlier = async (run: Promise<CallToolResult>): Promise<CallToolResult> => {
    const { structuredContent, ...found } = await run;
    const earlier = 'A plan runs once. This is what it did then.';
    return { ...found, structuredContent: { earlier, ...(structuredContent as Row) } };
  };
  if (proposal.run !== undefined) return earlier(proposal.run);
  if (proposal.isRefused)
    return failure({ message: 'The user refused this plan. Call plan_changes again after a new request of the user.' });
  const { target } = await targetIn(
    quietContext(context, undefined, request.mcpReq.signal),
    String(plan.organization.id),
  );
  const changed = await changesSince(target, plan);
  if (changed.length > 0) {
    proposals.delete(digest);
    const message = 'Something has changed since the plan was made. Nothing was applied. Plan again.';
    return failure({ message, changed });
  }
  const answer = await approval.ask(server, request);
  if (typeof answer !== 'string') return answer;
  if (answer === 'refused') proposal.isRefused = true;
  if (answer !== 'approved') return withoutApproval(answer, proposal);
  // Another call with this digest may have had its answer meanwhile.
  if (proposal.run !== undefined) return earlier(proposal.run);
  proposal.run = apply(context, plan, request).catch(failureOf);
  return proposal.run;
}

/** Applies plans that the user approves. */
export function registerApplyPlan(server: McpServer, context: Context, proposals: Proposals): void {
  registerTool<{ readonly digest: string }>(server, 'apply_plan', {
    title: 'Apply a plan',
    description: 'Ask the user to approve a plan, then apply it, once. Returns how to undo it.',
    properties: { digest: { type: 'string', description: 'From plan_changes' } },
    required: ['digest'],
    output: { undo: { type: 'integer' }, reverse_plan: { type: 'object' } },
    writes: true,
    run: ({ digest }, request) => decide(server, context, proposals, digest, request),
  });
}
