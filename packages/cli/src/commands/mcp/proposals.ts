import type { CallToolResult, InputRequiredResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { Context } from '../../context/context.js';
import { type AppliedChange, execute } from '../../declarations/execute.js';
import { inverseOf } from '../../declarations/inverse.js';
import { doneText } from '../../history/changes.js';
import { withHistory } from '../../history/database.js';
import { idOf, isObject, valueAt } from '../../text/values.js';
import { effectsOf } from '../../undo/store.js';
import { recordUndo, type Undoing } from '../../undo/undo.js';
import { type Answer, Approval, QUESTION_MS } from './approval.js';
import { hasPerson, openApprovalPage, type PageResult } from './approval-page.js';
import { CHANGED, changesSince, leftOutData, type Plan, placeOf, summaryOf, targetOf, WAITS } from './plan.js';
import { cut, failure, failureOf, type Row, result, resultOf } from './result.js';
import type { Bound, Session } from './session.js';

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
async function carryOut(
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
function pageResult({ structuredContent }: CallToolResult): PageResult {
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

/** How long a call waits for the page, in milliseconds. Most clients give up after a minute. */
const WAIT_MS = 45_000;
/** How often a client hears that a person is still reading, in milliseconds. */
const TICK_MS = 10_000;
const MAX_PLANS = 20;
/** After so many refusals of what a plan does, no one is asked about it again. */
const MAX_REFUSALS = 3;

/** A call that waits for an answer or a result, and reports progress, so that its client goes on waiting. */
class Caller {
  readonly #request: ServerContext['mcpReq'];
  readonly #total: number;
  readonly #timer: NodeJS.Timeout;
  readonly #notices: Promise<void>[] = [];
  #progress = 0;

  constructor({ mcpReq }: ServerContext, total: number) {
    this.#request = mcpReq;
    this.#total = total;
    // Progress has to grow: a thousandth each time, and a whole with each change.
    this.#timer = setInterval(() => this.report(this.#progress + 0.001, 'Waiting for the user'), TICK_MS);
  }

  report(progress: number, message?: string): void {
    const { _meta: { progressToken } = {}, signal } = this.#request;
    this.#progress = progress;
    if (progressToken === undefined || signal.aborted) return;
    const params = { progressToken, progress, total: this.#total, ...(message !== undefined && { message }) };
    this.#notices.push(this.#request.notify({ method: 'notifications/progress', params }).catch(() => undefined));
  }

  /** After the result, no one would read the notices. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#notices);
  }
}

const PLAN_AGAIN = 'Call plan_changes again after a new request of the user';

const messages: Partial<Readonly<Record<Answer | 'withdrawn', string>>> = {
  refused: 'The user did not approve the plan. Nothing was changed.',
  asking: 'The user is being asked about this plan already.',
  withdrawn: 'The question was taken back. Nothing was changed.',
  foreign:
    'This answer does not belong to the open question about this plan. Nothing was changed. Call apply_plan again without an answer.',
};

/** A plan that a person may approve. It runs once. */
class Proposal {
  readonly #callers = new Set<Caller>();
  readonly #stop = new AbortController();
  readonly #approval: Approval;
  #page: ReturnType<typeof openApprovalPage> | undefined;
  #answered: (answer: 'approved' | 'refused' | 'withdrawn') => void = () => undefined;
  #answer: Promise<'approved' | 'refused' | 'withdrawn'> | undefined;
  #run: Promise<CallToolResult> | undefined;
  #isRefused = false;

  constructor(
    readonly plan: Plan,
    readonly session: Session,
    readonly refused: () => void,
  ) {
    this.#approval = new Approval(plan.digest, plan.question);
  }

  /** Carries the plan out, also if no call waits for it any more. */
  #start(): Promise<CallToolResult> {
    const report = (done: number): void => {
      for (const caller of this.#callers) caller.report(done);
    };
    this.#run ??= carryOut(this.session, this.plan, report, this.#stop.signal).catch(failureOf);
    return this.#run;
  }

  #refuse(): void {
    this.#isRefused = true;
    this.refused();
  }

  /** What a cancelled call means: no further change, or no question any more. */
  #cancel(): void {
    if (this.#run === undefined) this.withdraw();
    else this.#stop.abort();
  }

  withdraw(): void {
    void this.#page?.then((page) => page.withdraw());
    this.#page = undefined;
    this.#answered('withdrawn');
  }

  close(): void {
    void this.#page?.then((page) => page.close());
  }

  async call(server: McpServer, bound: Bound, request: ServerContext): Promise<CallToolResult | InputRequiredResult> {
    const caller = new Caller(request, this.plan.changes.length);
    const { signal } = request.mcpReq;
    const cancel = (): void => this.#cancel();
    this.#callers.add(caller);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await this.#ask(server, bound, request);
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#callers.delete(caller);
      await caller.end();
    }
  }

  async #ask(server: McpServer, bound: Bound, request: ServerContext): Promise<CallToolResult | InputRequiredResult> {
    const { signal } = request.mcpReq;
    const isOpen = this.#run === undefined && !this.#isRefused;
    const changed = isOpen ? await changesSince(await targetOf(bound.quiet({ signal }), this.plan), this.plan) : [];
    // Another call with this digest may have had its answer meanwhile.
    if (this.#run !== undefined) return earlier(this.#run);
    if (this.#isRefused) return failure({ message: `The user refused this plan. ${PLAN_AGAIN}.` });
    if (changed.length > 0) {
      this.#run = Promise.resolve(failure({ message: CHANGED, changed }));
      return this.#run;
    }
    if (this.#page !== undefined) return this.#afterPage(signal);
    const answer = await this.#approval.ask(server, request);
    if (typeof answer !== 'string') return answer;
    if (signal.aborted) return this.#without(messages.withdrawn ?? '');
    if (answer === 'approved') return this.#run === undefined ? this.#start() : earlier(this.#run);
    if (answer === 'refused') this.#refuse();
    const message = messages[answer];
    if (message !== undefined) return this.#without(message);
    if (hasPerson(bound.context)) return this.#askOnPage(bound, signal);
    const reason =
      answer === 'dismissed'
        ? 'The question was closed without an answer. Nothing was changed.'
        : 'This client cannot ask its user for approval, so nothing was changed.';
    return failure({ message: reason, next: [this.plan.byHand], file: this.plan.file });
  }

  #without(message: string): CallToolResult {
    return failure({ message, ...(this.#isRefused && { next: [PLAN_AGAIN] }) });
  }

  /** Opens one page, also for calls that come at the same time. */
  async #askOnPage({ context }: Bound, signal: AbortSignal): Promise<CallToolResult> {
    if (this.#page === undefined) {
      this.#answer = new Promise((resolve) => {
        this.#answered = resolve;
      });
      const page = openApprovalPage(context, this.plan.question, async (isApproved) => {
        if (!isApproved) this.#refuse();
        this.#answered(isApproved ? 'approved' : 'refused');
        return isApproved ? pageResult(await this.#start()) : { title: 'Refused', text: 'Nothing was changed.' };
      });
      this.#page = page;
      setTimeout(() => void (this.#page === page && this.withdraw()), QUESTION_MS).unref();
    }
    await this.#page;
    return this.#afterPage(signal);
  }

  /** Waits for the answer on the page, which stays open for the next call if there is none yet. */
  async #afterPage(signal: AbortSignal): Promise<CallToolResult> {
    let stop: () => void = () => undefined;
    const waited = new Promise<'waiting'>((resolve) => {
      stop = () => resolve('waiting');
      signal.addEventListener('abort', stop, { once: true });
    });
    const timer = setTimeout(stop, WAIT_MS);
    const answer = await Promise.race([this.#answer ?? ('withdrawn' as const), waited]);
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    if (answer === 'approved') return this.#start();
    if (answer !== 'waiting') return this.#without(messages[answer] ?? '');
    return failure({
      message:
        'The user is asked on a page of this machine, and has not answered yet. The plan is applied as soon as they approve it.',
      next: ['Call apply_plan again with this digest for the result'],
    });
  }
}

async function earlier(run: Promise<CallToolResult>): Promise<CallToolResult> {
  const found = await run;
  const about = { earlier: 'A plan runs once. This is what it did then.' };
  return { ...found, ...resultOf({ ...about, ...(found.structuredContent as Row) }) };
}

/** Plans that can be applied, by their digest, the oldest first. */
export class Proposals {
  readonly #plans = new Map<string, Proposal>();
  readonly #refusals = new Map<string, number>();

  constructor(readonly session: Session) {}

  add(plan: Plan): void {
    const { digest, content } = plan;
    const refused = () => void this.#refusals.set(content, (this.#refusals.get(content) ?? 0) + 1);
    this.#plans.set(digest, new Proposal(plan, this.session, refused));
    const [oldest = ''] = this.#plans.keys();
    if (this.#plans.size <= MAX_PLANS) return;
    this.#plans.get(oldest)?.withdraw();
    this.#plans.delete(oldest);
  }

  get(digest: string): Proposal | undefined {
    return this.#plans.get(digest);
  }

  /** Whether the person does not want what the plan does. */
  isUnwanted({ content }: Plan): boolean {
    return (this.#refusals.get(content) ?? 0) >= MAX_REFUSALS;
  }

  close(): void {
    for (const proposal of this.#plans.values()) proposal.close();
  }
}
