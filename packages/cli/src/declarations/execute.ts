import { PreconditionFailedError } from '@mkt/sdk';
import { capital, explain, mayHaveArrived, neverReached, notFound } from '../api/errors/explain.js';
import type { Read } from '../api/operations.js';
import { inParallel, MAX_LOST_IN_A_ROW } from '../changes/outcomes.js';
import type { FieldChange } from '../changes/plan-lines.js';
import { CliError, exitCodes, interrupted, isTyped } from '../errors/cli-error.js';
import { idOf, type Row, sanitizeLine, valueAt } from '../text/values.js';
import { cutTo } from '../text/width.js';
import { changedFields, isSame } from './compare.js';
import { type Kind, transitionPath } from './kinds.js';
import { type Change, differences, listRows, nameOf, type Run, requestFields, stateOf } from './plan.js';

/** A change and its result; `row` is the object as the service last returned it. */
export interface AppliedChange extends Change {
  readonly done: readonly string[];
  readonly error?: CliError;
  /** False after Ctrl-C, or after an error that every other change would meet too. */
  readonly started: boolean;
  /** Whether the last request did not reach the service. */
  readonly isUnreachable?: boolean;
  /** Fields whose stored values differ from those of the request. */
  readonly differs: readonly string[];
}

/** After one of these, every other request would fail the same way. */
const FATAL: readonly number[] = [exitCodes.authentication, exitCodes.forbidden, exitCodes.rateLimited];

/** After one of these, an object may have been created although no response came. */
const UNCERTAIN: readonly number[] = [exitCodes.network, exitCodes.interrupted];

const changedMeanwhile = ({ isStrict }: Run, message: string): CliError =>
  new CliError({
    code: 'changed_meanwhile',
    exitCode: exitCodes.rejected,
    namesObject: true,
    message: `${message} It was left as it is. ${isStrict ? 'Plan it again.' : 'Run the command again to see the new plan.'}`,
  });

/** `cpm_amount is 4999 now, not 500`, with long values cut. */
const nowText = ({ field, from, to }: FieldChange): string => {
  const text = (value: unknown) => cutTo(sanitizeLine(JSON.stringify(value)), 60);
  return `${field} is ${text(to)} now, not ${text(from)}`;
};

const nameFor = ({ declared: { kind } }: Change, row: Row): string =>
  `${kind.name === 'members' ? 'member' : kind.resource.singular} ${idOf(row)}`;
const labelFor = (change: Change, row: Row): string => capital(nameFor(change, row));

/** What is left to do for an object as it is now. @throws if someone else changed what would be overwritten */
function remaining(target: Run, change: Change, current: Row, wasSent: boolean) {
  const { declared, row: planned, path } = change;
  const { kind, state } = declared;
  const conflict = (what: string) =>
    changedMeanwhile(target, `${labelFor(change, current)} has changed since the plan was shown: ${what}.`);
  if (target.isStrict === true) {
    const others = changedFields(kind.resource, planned, current).filter(
      ({ field, to }) =>
        !(wasSent && field in declared.fields && isSame(kind.resource, field, declared.fields[field], to)),
    );
    if (others.length > 0) throw conflict(others.map(nowText).join(', '));
  }
  const fields = differences(declared, current);
  const changed = fields.filter(({ field, from }) => !isSame(kind.resource, field, valueAt(planned, field), from));
  if (changed.length > 0) throw conflict(changed.map(({ field }) => field).join(', '));
  const currentState = stateOf(declared, current);
  if (state === undefined || currentState === stateOf(declared, planned)) {
    return { fields, actions: path?.actions ?? [] };
  }
  if (transitionPath(kind, currentState, state)?.actions.length === 0) return { fields, actions: [] };
  throw conflict(`it is ${currentState} now`);
}

/** The object as it is now. @throws if it has been deleted, or hidden, since the plan was shown */
async function readAgain(target: Run, change: Change, row: Row): Promise<Read> {
  const read = await target.operations(change.declared.kind).read(idOf(row));
  if (read !== undefined) return read;
  const { kind } = change.declared;
  const subject = { action: 'show', resource: kind.resource, id: idOf(row), organization: target.organization };
  throw new CliError(await notFound(subject, target.context));
}

/** Updates an object only if it is still as it was read. A service without ETags cannot check that. */
async function updateIfUnchanged(target: Run, change: Change, planned: Row) {
  const { resource } = change.declared.kind;
  const { update } = target.operations(change.declared.kind);
  if (update === undefined) throw new Error(`A ${resource.singular} cannot be changed.`);
  for (let sent: string | undefined, wasSent = false; ; ) {
    const { row, etag } = await readAgain(target, change, planned);
    const { fields, actions } = remaining(target, change, row, wasSent);
    // If it was sent before, an earlier attempt made the change, and only its response was lost.
    if (fields.length === 0) return { row, before: row, actions, isUpdated: wasSent };
    if (wasSent && sent === etag)
      throw changedMeanwhile(target, `The service reports that ${nameFor(change, row)} has changed (412).`);
    [sent, wasSent] = [etag, true];
    try {
      return { row: await update(idOf(row), requestFields(fields), sent), before: row, actions, isUpdated: true };
    } catch (error) {
      if (!(error instanceof PreconditionFailedError)) throw error;
    }
  }
}

async function deleteIfUnchanged(target: Run, change: Change, planned: Row): Promise<void> {
  const { row, etag } = await readAgain(target, change, planned);
  const changed = changedFields(change.declared.kind.resource, planned, row);
  if (changed.length > 0)
    throw changedMeanwhile(
      target,
      `${labelFor(change, row)} has changed since the plan was shown: ${changed.map(nowText).join(', ')}.`,
    );
  await target.operations(change.declared.kind).delete?.(idOf(row), etag);
}

/** @throws if an action would publish or submit values that the plan did not show */
function checkStored(target: Run, change: Change, before: Row | undefined, row: Row, actions: readonly string[]) {
  if (target.isStrict !== true || actions.length === 0) return;
  const { kind, fields } = change.declared;
  const others =
    before === undefined ? [] : changedFields(kind.resource, before, row).filter(({ field }) => !(field in fields));
  const stored = differences(change.declared, row).map(({ field, from, to }) => ({ field, from: to, to: from }));
  const found = [...stored, ...others];
  if (found.length > 0)
    throw changedMeanwhile(
      target,
      `${labelFor(change, row)} was stored differently, so there was no ${actions.join(' or ')}: ${found.map(nowText).join(', ')}.`,
    );
}

/** Makes the steps of a change, and adds each to `done`; `current` holds the latest row and the step in progress. */
async function makeSteps(
  target: Run,
  change: Change,
  takenBy: string | undefined,
  current: { row: Row | undefined; step: string },
  done: string[],
): Promise<readonly string[]> {
  const { declared, row: planned } = change;
  const { kind, name } = declared;
  const operations = target.operations(kind);
  let actions = change.path?.actions ?? [];
  let isFresh = true;
  if (planned === undefined) {
    if (takenBy !== undefined) {
      throw changedMeanwhile(
        target,
        `${kind.resource.singular} ${takenBy} has been given the name "${name}" since the plan was shown.`,
      );
    }
    if (operations.create === undefined) throw new Error(`A ${kind.resource.singular} cannot be created.`);
    if (kind.name === 'address' && (await operations.read('')) !== undefined)
      throw changedMeanwhile(target, 'An address has been set since the plan was shown.');
    current.row = await operations.create(requestFields(change.fields));
    done.push(current.step);
    checkStored(target, change, undefined, current.row, actions);
  } else if (declared.isDeleted) {
    await deleteIfUnchanged(target, change, planned);
    done.push(current.step);
    return [];
  } else {
    const updated = await updateIfUnchanged(target, change, planned);
    ({ actions } = updated);
    current.row = updated.row;
    if (updated.isUpdated) {
      done.push(current.step);
      checkStored(target, change, updated.before, updated.row, actions);
      isFresh = false;
    }
  }
  for (const action of actions) {
    current.step = action;
    const row: Row = current.row;
    if (target.isStrict === true && !isFresh) {
      const changed = changedFields(kind.resource, row, (await readAgain(target, change, row)).row);
      if (changed.length > 0)
        throw changedMeanwhile(target, `${labelFor(change, row)} has changed: ${changed.map(nowText).join(', ')}.`);
    }
    const send = operations.actions?.[action];
    if (send === undefined) throw new Error(`There is no action ${action}.`);
    current.row = await send(idOf(row));
    done.push(action);
    isFresh = false;
  }
  const fields = Object.keys(declared.fields);
  const isWhole = fields.every((field) => valueAt(current.row, field) !== undefined);
  const stored = isWhole ? current.row : (await operations.read(idOf(current.row)))?.row;
  return differences(declared, stored).map(({ field }) => field);
}

async function applyChange(target: Run, change: Change, takenBy: string | undefined): Promise<AppliedChange> {
  const { resource } = change.declared.kind;
  const done: string[] = [];
  const step = change.declared.isDeleted ? 'delete' : change.row === undefined ? 'create' : 'update';
  const current = { row: change.row, step };
  try {
    const differs = await makeSteps(target, change, takenBy, current, done);
    return { ...change, row: current.row, done, differs, started: true };
  } catch (cause) {
    const { row, step: action } = current;
    const subject = { action, resource, id: row === undefined ? '' : idOf(row), organization: target.organization };
    const error = await explain(cause, subject, target.context);
    if (!(error instanceof CliError)) throw error;
    const wasSent = !neverReached(cause);
    const outcome = { ...change, row, done, differs: [], started: true, isUnreachable: !wasSent };
    const isOpen = UNCERTAIN.includes(error.exitCode) && (!wasSent || mayHaveArrived(cause));
    if (action !== 'create' || !isOpen) return { ...outcome, error };
    if (!wasSent) {
      const message = `It was not created, because it could not be sent. ${error.message}`;
      return { ...outcome, error: new CliError({ ...error.details, message }) };
    }
    const message = `${error.message} It may have been created. The next run finds it by its name.`;
    // The next run looks for it, so the user does not have to.
    const hints = error.details.hints?.filter((hint) => !(isTyped(hint) && hint.code === 'check_first'));
    return { ...outcome, error: new CliError({ ...error.details, message, hints }) };
  }
}

/** Makes all changes. One that fails does not stop the others. @param after runs after each, before the next */
export async function execute(
  target: Run,
  changes: readonly Change[],
  label = 'Applying',
  after?: (outcome: AppliedChange) => Promise<void>,
): Promise<readonly AppliedChange[]> {
  const { context } = target;
  // Read just before anything is created: another user may have taken a name meanwhile.
  const taken = new Map<string, string>();
  const key = ({ name: list }: Kind, name: string | undefined): string => `${list} ${name}`;
  const created = changes.filter(({ row, declared }) => row === undefined && declared.name !== undefined);
  for (const kind of new Set(created.map(({ declared }) => declared.kind))) {
    for (const row of await listRows(target, kind)) taken.set(key(kind, nameOf(row)), idOf(row));
  }
  let fatal: CliError | undefined;
  let lostInARow = 0;
  const make = async (change: Change): Promise<AppliedChange> => {
    const { kind, name } = change.declared;
    const isStopped = context.io.interrupted.aborted || target.stop?.aborted === true;
    const error = isStopped ? interrupted('Not started: interrupted.') : fatal;
    if (error !== undefined) return { ...change, done: [], differs: [], error, started: false };
    const outcome = await applyChange(target, change, taken.get(key(kind, name)));
    lostInARow = outcome.error?.exitCode === exitCodes.network ? lostInARow + 1 : 0;
    const isGone = outcome.isUnreachable === true || lostInARow >= MAX_LOST_IN_A_ROW;
    if (outcome.error !== undefined && (FATAL.includes(outcome.error.exitCode) || isGone)) {
      fatal ??= new CliError({ ...outcome.error.details, message: 'Not started, for the same reason.' });
    }
    return outcome;
  };
  const work = async (change: Change): Promise<AppliedChange> => {
    const outcome = await make(change);
    await after?.(outcome);
    return outcome;
  };
  return inParallel(context, label, changes, work, target.concurrency);
}
