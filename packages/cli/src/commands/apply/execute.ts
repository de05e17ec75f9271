import { type ApiResult, PreconditionFailedError } from '@mkt/sdk';
import { capital, explain } from '../../api/errors/explain.js';
import { idOf } from '../../api/organization.js';
import { CliError, interrupted } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import type { Operations } from '../../shared/operations.js';
import { inParallel } from '../../shared/parallel.js';
import { type Row, valueAt } from '../../text/row.js';
import { isSame } from './compare.js';
import { type Kind, transitionPath } from './kinds.js';
import {
  type Change,
  differences,
  type FieldChange,
  listRows,
  nameOf,
  requestFields,
  stateOf,
  type Target,
} from './plan.js';

/** The result of one change. */
export interface Outcome {
  readonly change: Change;
  /** The object as the service last returned it; undefined if it never did. */
  readonly row: Row | undefined;
  /** The completed steps, in order. */
  readonly done: readonly string[];
  readonly error?: CliError;
  /** False after Ctrl-C, or after an error that every other change would meet too. */
  readonly started: boolean;
  /** Fields that the service stored differently from what was sent. */
  readonly differs: readonly string[];
}

/** After one of these, every other request would fail the same way. */
const FATAL: readonly number[] = [exitCodes.authentication, exitCodes.forbidden];

/** After one of these, an object may have been created although no response came. */
const UNCERTAIN: readonly number[] = [exitCodes.network, exitCodes.interrupted];

const changedMeanwhile = (message: string): CliError =>
  new CliError({
    code: 'changed_meanwhile',
    exitCode: exitCodes.rejected,
    message: `${message} It was left as it is. Run the command again to see the new plan.`,
  });

/** What is left to do for an object as it is now. @throws if someone else changed what would be overwritten */
function remaining(
  { declared, row: planned = {}, path }: Change,
  current: Row,
): { fields: FieldChange[]; actions: readonly string[] } {
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

type Read = Pick<ApiResult<Row>, 'data' | 'meta'>;

/** Updates an object only if it is still as it was read. A service without ETags cannot check that. */
async function updateIfUnchanged(operations: Operations, change: Change, read: Read): Promise<Row> {
  for (let { data, meta } = read; ; ) {
    const id = idOf(data);
    const { fields } = remaining(change, data);
    // An earlier attempt may have made the change, and only its response was lost.
    if (fields.length === 0) return data;
    try {
      return await operations.update(id, requestFields(fields), meta.etag ?? undefined);
    } catch (error) {
      if (!(error instanceof PreconditionFailedError)) throw error;
    }
    const rejected = meta.etag;
    ({ data, meta } = await operations.get(id).withResponse());
    if (meta.etag === rejected) {
      throw changedMeanwhile(
        `The service reports that ${change.declared.kind.resource.singular} ${id} has changed (412).`,
      );
    }
  }
}

/** The ids by kind and name, read just before anything is created: another user may have taken a name meanwhile. */
type Names = ReadonlyMap<string, string>;
const nameKey = (kind: Kind, name: string): string => `${kind.name} ${name}`;

async function currentNames(target: Target, changes: readonly Change[]): Promise<Names> {
  const names = new Map<string, string>();
  for (const kind of new Set(changes.filter(({ row }) => row === undefined).map(({ declared }) => declared.kind))) {
    for (const row of await listRows(target, kind)) names.set(nameKey(kind, nameOf(row)), idOf(row));
  }
  return names;
}

async function applyChange(target: Target, change: Change, names: Names): Promise<Outcome> {
  const { declared } = change;
  const { kind, fields, name = '' } = declared;
  const { resource } = kind;
  const operations = target.operations(kind);
  const done: string[] = [];
  let { row } = change;
  let action = row === undefined ? 'create' : 'update';
  const step = async (name: string, send: () => PromiseLike<Row>): Promise<Row> => {
    action = name;
    const result = await send();
    done.push(name);
    return result;
  };
  try {
    let actions = change.path?.actions ?? [];
    if (row === undefined) {
      const id = names.get(nameKey(kind, name));
      if (id !== undefined) {
        throw changedMeanwhile(
          `${resource.singular} ${id} has been given the name "${name}" since the plan was shown.`,
        );
      }
      row = await step('create', () => operations.create(fields));
    } else {
      const read = await operations.get(idOf(row)).withResponse();
      const left = remaining(change, read.data);
      actions = left.actions;
      row = read.data;
      if (left.fields.length > 0) row = await step('update', () => updateIfUnchanged(operations, change, read));
    }
    const id = idOf(row);
    for (const action of actions) {
      const send = operations.actions[action];
      if (send === undefined) throw new Error(`There is no action ${action}.`);
      row = await step(action, () => send(id));
    }
    if (done.length === 0) return { change, row, done, differs: [], started: true };
    const isComplete = Object.keys(fields).every((field) => valueAt(row, field) !== undefined);
    const stored = isComplete ? row : await operations.get(id);
    const differs = differences(declared, stored).map(({ field }) => field);
    return { change, row, done, differs, started: true };
  } catch (cause) {
    const subject = { action, resource, id: row === undefined ? '' : idOf(row), organization: target.organization };
    const error = await explain(cause, subject, target.context);
    if (!(error instanceof CliError)) throw error;
    const outcome = { change, row, done, differs: [], started: true };
    if (action !== 'create' || !UNCERTAIN.includes(error.exitCode)) return { ...outcome, error };
    const message = `${error.message} It may have been created. The next run finds it by its name.`;
    return { ...outcome, error: new CliError({ ...error.details, message }) };
  }
}

/** Makes all changes. One that fails does not stop the others. */
export async function execute(target: Target, changes: readonly Change[]): Promise<readonly Outcome[]> {
  const { context } = target;
  const names = await currentNames(target, changes);
  let fatal: CliError | undefined;
  return inParallel(context, 'Applying', changes, async (change) => {
    const error = context.io.interrupted.aborted ? interrupted('Not started: interrupted.') : fatal;
    if (error !== undefined) return { change, row: change.row, done: [], differs: [], error, started: false };
    const outcome = await applyChange(target, change, names);
    if (outcome.error !== undefined && FATAL.includes(outcome.error.exitCode)) {
      fatal = new CliError({ ...outcome.error.details, message: 'Not started, for the same reason.' });
    }
    return outcome;
  });
}
