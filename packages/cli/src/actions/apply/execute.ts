import { CliError, interrupted } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { explain } from '../../errors/explain.js';
import { idOf } from '../../organization.js';
import { type Row, valueAt } from '../../output/row.js';
import type { Progress } from '../../terminal/progress.js';
import { pool } from '../pool.js';
import { allRows, nameOf, type Place, WIDTH } from './current.js';
import { type Change, difference, type FieldChange, requestOf, stateOf } from './plan.js';
import { same } from './same.js';
import { wayTo } from './states.js';

/** What became of one change. */
export interface Outcome {
  readonly change: Change;
  /** As the service last answered; undefined where it never did. */
  readonly row: Row | undefined;
  /** The steps that were done, in order. */
  readonly done: readonly string[];
  readonly error: CliError | undefined;
  /** Declared fields that the service keeps otherwise than declared, although they were sent. */
  readonly differs: readonly string[];
}

/** Failures after which every other request would fail the same way. */
const HOPELESS: readonly number[] = [exitCodes.authentication, exitCodes.forbidden];

/** A lost answer to a creation leaves open whether it happened; the name tells on the next run. */
const OPEN: readonly number[] = [exitCodes.network, exitCodes.interrupted];

const changedMeanwhile = (message: string): CliError =>
  new CliError({
    code: 'changed_meanwhile',
    exitCode: exitCodes.rejected,
    message: `${message} Nothing was done to it: run the command again to see the new difference.`,
  });

/** What is left to do for an object, from how it is now. Stops where somebody else changed what would be overwritten. */
function leftToDo(
  { declared, row: planned, way }: Change,
  now: Row,
): { fields: FieldChange[]; actions: readonly string[] } {
  const { kind, state } = declared;
  const what = `${kind.resource.noun} ${idOf(now)} was changed since the difference was shown`;
  const fields = difference(declared, now);
  const moved = fields.filter(
    ({ field, from }) => planned !== undefined && !same(field, valueAt(planned, field), from),
  );
  if (moved.length > 0) {
    throw changedMeanwhile(`${what[0]?.toUpperCase()}${what.slice(1)}: ${moved.map(({ field }) => field).join(', ')}.`);
  }
  const current = stateOf(declared, now);
  if (state === undefined || planned === undefined || current === stateOf(declared, planned)) {
    return { fields, actions: way?.actions ?? [] };
  }
  if (wayTo(kind.states, current, state)?.actions.length === 0) return { fields, actions: [] };
  throw changedMeanwhile(`${what[0]?.toUpperCase()}${what.slice(1)}: it is ${current} now.`);
}

/** The part of a run that every change shares. */
interface Work {
  readonly place: Place;
  /** Names that the service has by now, of the nouns in which something is created. */
  readonly names: ReadonlyMap<unknown, ReadonlyMap<string, string>>;
  stopped: CliError | undefined;
}

/** Does one change step by step; tells how far it came. */
async function perform(
  { place, names }: Work,
  change: Change,
  advance: (step: string, row: Row) => void,
): Promise<void> {
  const { declared } = change;
  const { kind, fields, name = '' } = declared;
  const verbs = place.verbs(kind);
  let id: string;
  let actions = change.way?.actions ?? [];
  if (change.row === undefined) {
    const other = names.get(kind)?.get(name);
    if (other !== undefined) {
      throw changedMeanwhile(
        `${kind.resource.noun} ${other} has got the name "${name}" since the difference was shown.`,
      );
    }
    const row = await verbs.create(fields);
    advance('create', row);
    id = idOf(row);
  } else {
    id = idOf(change.row);
    const now = await verbs.get(id);
    const left = leftToDo(change, now);
    actions = left.actions;
    if (left.fields.length > 0) advance('update', await verbs.update(id, requestOf(left.fields)));
  }
  for (const action of actions) {
    const act = verbs.actions[action];
    if (act === undefined) throw new Error(`There is no action ${action}.`);
    advance(action, await act(id));
  }
}

/** The verb of the step that failed, for the sentence. */
const verbAt = ({ steps }: Change, done: readonly string[]): string => steps[done.length] ?? 'update';

async function outcomeOf(work: Work, change: Change): Promise<Outcome> {
  const { context, organization } = work.place;
  const { resource } = change.declared.kind;
  const done: string[] = [];
  let row = change.row;
  const advance = (step: string, answer: Row) => {
    done.push(step);
    row = answer;
  };
  const failed = (error: CliError): Outcome => ({ change, row, done, error, differs: [] });
  if (context.io.interrupted.aborted) return failed(interrupted('Not begun: interrupted.'));
  if (work.stopped !== undefined) return failed(work.stopped);
  try {
    await perform(work, change, advance);
  } catch (error) {
    const verb = verbAt(change, done);
    const id = row === undefined ? '' : idOf(row);
    const told = await explain(error, { verb, resource, id, organization }, context);
    if (!(told instanceof CliError)) throw told;
    if (HOPELESS.includes(told.exitCode))
      work.stopped = new CliError({ ...told.details, message: 'Not begun, for the same reason.' });
    return failed(verb === 'create' && OPEN.includes(told.exitCode) ? maybeCreated(told) : told);
  }
  const differs =
    row === undefined || done.length === 0 ? [] : difference(change.declared, row).map(({ field }) => field);
  return { change, row, done, error: undefined, differs };
}

const maybeCreated = ({ details }: CliError): CliError =>
  new CliError({
    ...details,
    message: `${details.message} It may have been created all the same: the next run finds it by its name.`,
  });

/** Just before something is created: who has which name. Somebody may have created it while the question was open. */
async function namesNow(place: Place, changes: readonly Change[]): Promise<Work['names']> {
  const creating = new Set(changes.filter(({ row }) => row === undefined).map(({ declared }) => declared.kind));
  const names = new Map<unknown, ReadonlyMap<string, string>>();
  for (const kind of creating) {
    names.set(kind, new Map((await allRows(place, kind)).map((row) => [nameOf(row), idOf(row)])));
  }
  return names;
}

/** Does all changes, four at a time; one that fails keeps no other from being done. */
export async function execute(place: Place, changes: readonly Change[]): Promise<readonly Outcome[]> {
  const work: Work = { place, names: await namesNow(place, changes), stopped: undefined };
  const run = (progress: Progress) => {
    let finished = 0;
    return pool(changes, WIDTH, async (change) => {
      const outcome = await outcomeOf(work, change);
      finished += 1;
      progress.update(finished, changes.length);
      return outcome;
    });
  };
  return place.context.withProgress('Applying', run);
}
