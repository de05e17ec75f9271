import { PreconditionFailedError } from '@mkt/sdk';
import { capital, explain, neverReached } from '../../api/errors/explain.js';
import { idOf } from '../../api/organization.js';
import { CliError, exitCodes, interrupted } from '../../errors/cli-error.js';
import type { Operations } from '../../shared/operations.js';
import { inParallel } from '../../shared/parallel.js';
import { type Row, valueAt } from '../../text/row.js';
import { isSame } from './compare.js';
import { type Kind, transitionPath } from './kinds.js';
import { type Change, differences, listRows, nameOf, requestFields, stateOf, type Target } from './plan.js';

/** A change and its result; `row` is the object as the service last returned it. */
export interface Outcome extends Change {
  /** The completed steps, in order. */
  readonly done: readonly string[];
  readonly error?: CliError;
  /** False after Ctrl-C, or after an error that every other change would meet too. */
  readonly started: boolean;
  /** Whether the last request did not reach the service. */
  readonly isUnreachable?: boolean;
  /** Fields that the service stored differently from what was sent. */
  readonly differs: readonly string[];
}

/** After one of these, every other request would fail the same way. */
const FATAL: readonly number[] = [exitCodes.authentication, exitCodes.forbidden];

/** After this many lost responses in a row, the service counts as gone. */
const MAX_LOST_IN_A_ROW = 4;

/** After one of these, an object may have been created although no response came. */
const UNCERTAIN: readonly number[] = [exitCodes.network, exitCodes.interrupted];

const changedMeanwhile = (message: string): CliError =>
  new CliError({
    code: 'changed_meanwhile',
    exitCode: exitCodes.rejected,
    message: `${message} It was left as it is. Run the command again to see the new plan.`,
  });

/** What is left to do for an object as it is now. @throws if someone else changed what would be overwritten */
function remaining({ declared, row: planned, path }: Change, current: Row) {
  const { kind, state } = declared;
  const label = capital(`${kind.resource.singular} ${idOf(current)}`);
  const conflict = (what: string) => changedMeanwhile(`${label} has changed since the plan was shown: ${what}.`);
  const fields = differences(declared, current);
  const changed = fields.filter(({ field, from }) => !isSame(field, valueAt(planned, field), from));
  if (changed.length > 0) throw conflict(changed.map(({ field }) => field).join(', '));
  const currentState = stateOf(declared, current);
  if (state === undefined || currentState === stateOf(declared, planned)) {
    return { fields, actions: path?.actions ?? [] };
  }
  if (transitionPath(kind, currentState, state)?.actions.length === 0) return { fields, actions: [] };
  throw conflict(`it is ${currentState} now`);
}

/** Updates an object only if it is still as it was read. A service without ETags cannot check that. */
async function updateIfUnchanged({ get, update }: Operations, change: Change, id: string) {
  for (let sent: string | null | undefined; ; ) {
    const { data: row, meta } = await get(id).withResponse();
    const { fields, actions } = remaining(change, row);
    // If it was sent before, an earlier attempt made the change, and only its response was lost.
    if (fields.length === 0) return { row, actions, isUpdated: sent !== undefined };
    if (sent !== undefined && sent === meta.etag) {
      const { singular } = change.declared.kind.resource;
      throw changedMeanwhile(`The service reports that ${singular} ${id} has changed (412).`);
    }
    sent = meta.etag;
    try {
      return { row: await update(id, requestFields(fields), sent ?? undefined), actions, isUpdated: true };
    } catch (error) {
      if (!(error instanceof PreconditionFailedError)) throw error;
    }
  }
}

async function applyChange(target: Target, change: Change, takenBy: string | undefined): Promise<Outcome> {
  const { declared } = change;
  const { kind, name } = declared;
  const { resource } = kind;
  const operations = target.operations(kind);
  const done: string[] = [];
  let { row } = change;
  let actions = change.path?.actions ?? [];
  let action = row === undefined ? 'create' : 'update';
  try {
    if (row === undefined) {
      if (takenBy !== undefined) {
        throw changedMeanwhile(
          `${resource.singular} ${takenBy} has been given the name "${name}" since the plan was shown.`,
        );
      }
      row = await operations.create(requestFields(change.fields));
      done.push(action);
    } else {
      const updated = await updateIfUnchanged(operations, change, idOf(row));
      ({ row, actions } = updated);
      if (updated.isUpdated) done.push(action);
    }
    for (action of actions) {
      const send = operations.actions[action];
      if (send === undefined) throw new Error(`There is no action ${action}.`);
      row = await send(idOf(row));
      done.push(action);
    }
    const fields = Object.keys(declared.fields);
    const stored = fields.every((field) => valueAt(row, field) !== undefined) ? row : await operations.get(idOf(row));
    const differs = differences(declared, stored).map(({ field }) => field);
    return { ...change, row, done, differs, started: true };
  } catch (cause) {
    const subject = { action, resource, id: row === undefined ? '' : idOf(row), organization: target.organization };
    const error = await explain(cause, subject, target.context);
    if (!(error instanceof CliError)) throw error;
    const wasSent = !neverReached(cause);
    const outcome = { ...change, row, done, differs: [], started: true, isUnreachable: !wasSent };
    if (action !== 'create' || !UNCERTAIN.includes(error.exitCode)) return { ...outcome, error };
    if (!wasSent) {
      const message = `It was not created, because it could not be sent. ${error.message}`;
      return { ...outcome, error: new CliError({ ...error.details, message }) };
    }
    const message = `${error.message} It may have been created. The next run finds it by its name.`;
    return { ...outcome, error: new CliError({ ...error.details, message }) };
  }
}

/** Makes all changes. One that fails does not stop the others. */
export async function execute(
  target: Target,
  changes: readonly Change[],
  label = 'Applying',
): Promise<readonly Outcome[]> {
  const { context } = target;
  // Read just before anything is created: another user may have taken a name meanwhile.
  const taken = new Map<string, string>();
  const key = ({ name: list }: Kind, name: string | undefined): string => `${list} ${name}`;
  for (const kind of new Set(changes.filter(({ row }) => row === undefined).map(({ declared }) => declared.kind))) {
    for (const row of await listRows(target, kind)) taken.set(key(kind, nameOf(row)), idOf(row));
  }
  let fatal: CliError | undefined;
  let lostInARow = 0;
  return inParallel(context, label, changes, async (change) => {
    const { kind, name } = change.declared;
    const error = context.io.interrupted.aborted ? interrupted('Not started: interrupted.') : fatal;
    if (error !== undefined) return { ...change, done: [], differs: [], error, started: false };
    const outcome = await applyChange(target, change, taken.get(key(kind, name)));
    lostInARow = outcome.error?.exitCode === exitCodes.network ? lostInARow + 1 : 0;
    const isGone = outcome.isUnreachable === true || lostInARow >= MAX_LOST_IN_A_ROW;
    if (outcome.error !== undefined && (FATAL.includes(outcome.error.exitCode) || isGone)) {
      fatal ??= new CliError({ ...outcome.error.details, message: 'Not started, for the same reason.' });
    }
    return outcome;
  });
}
