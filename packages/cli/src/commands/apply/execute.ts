import { type ApiResult, PreconditionFailedError } from '@mkt/sdk';
import pMap from 'p-map';
import { explain } from '../../api/errors/explain.js';
import { idOf } from '../../api/organization.js';
import { CliError, interrupted } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import type { Progress } from '../../output/progress.js';
import type { Operations } from '../../shared/operations.js';
import { type Row, valueAt } from '../../text/row.js';
import { allRows, nameOf, type Place, WIDTH } from './place.js';
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
  /** Whether it was tried at all: after Ctrl-C, or a failure that all others would share, it is not. */
  readonly begun: boolean;
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

type Read = Pick<ApiResult<Row>, 'data' | 'meta'>;

/** Updates an object only if it is still as it was read, where the service can tell: one without ETags cannot. */
async function updateAsRead(verbs: Operations, change: Change, read: Read): Promise<Row> {
  for (let { data, meta } = read; ; ) {
    const id = idOf(data);
    const { fields } = leftToDo(change, data);
    // An earlier attempt may have made the change, and only its response was lost.
    if (fields.length === 0) return data;
    try {
      return await verbs.update(id, requestOf(fields), meta.etag ?? undefined);
    } catch (error) {
      if (!(error instanceof PreconditionFailedError)) throw error;
    }
    const rejected = meta.etag;
    ({ data, meta } = await verbs.get(id).withResponse());
    if (meta.etag === rejected)
      throw changedMeanwhile(`The service says that ${change.declared.kind.resource.noun} ${id} has changed (412).`);
  }
}

/** The part of a run that every change shares. */
interface Work {
  readonly place: Place;
  /** Names that the service has by now, of the nouns in which something is created. */
  readonly names: ReadonlyMap<unknown, ReadonlyMap<string, string>>;
  stopped: CliError | undefined;
}

/** Does one step of a change and keeps what the service answers. */
type Step = (verb: string, work: () => PromiseLike<Row>) => Promise<Row>;

async function perform({ place, names }: Work, change: Change, step: Step): Promise<void> {
  const { kind, fields, name = '' } = change.declared;
  const verbs = place.verbs(kind);
  let latest: Row;
  let actions = change.way?.actions ?? [];
  if (change.row === undefined) {
    const other = names.get(kind)?.get(name);
    if (other !== undefined) {
      throw changedMeanwhile(
        `${kind.resource.noun} ${other} has got the name "${name}" since the difference was shown.`,
      );
    }
    latest = await step('create', () => verbs.create(fields));
  } else {
    const read = await verbs.get(idOf(change.row)).withResponse();
    const left = leftToDo(change, read.data);
    latest = read.data;
    actions = left.actions;
    if (left.fields.length > 0) latest = await step('update', () => updateAsRead(verbs, change, read));
  }
  const id = idOf(latest);
  for (const action of actions) {
    const act = verbs.actions[action];
    if (act === undefined) throw new Error(`There is no action ${action}.`);
    latest = await step(action, () => act(id));
  }
}

/** Declared fields that the service keeps otherwise; it is asked again where its answer left one out. */
async function differing({ verbs }: Place, { declared }: Change, answer: Row): Promise<string[]> {
  const whole = Object.keys(declared.fields).every((field) => valueAt(answer, field) !== undefined);
  const row = whole ? answer : await verbs(declared.kind).get(idOf(answer));
  return difference(declared, row).map(({ field }) => field);
}

async function outcomeOf(work: Work, change: Change): Promise<Outcome> {
  const { context, organization } = work.place;
  const { resource } = change.declared.kind;
  const done: string[] = [];
  let row = change.row;
  let verb = 'update';
  const step: Step = async (name, doing) => {
    verb = name;
    row = await doing();
    done.push(name);
    return row;
  };
  const failed = (error: CliError, begun = true): Outcome => ({ change, row, done, error, begun, differs: [] });
  if (context.io.interrupted.aborted) return failed(interrupted('Not begun: interrupted.'), false);
  if (work.stopped !== undefined) return failed(work.stopped, false);
  try {
    await perform(work, change, step);
    const differs = row === undefined || done.length === 0 ? [] : await differing(work.place, change, row);
    return { change, row, done, error: undefined, begun: true, differs };
  } catch (error) {
    const id = row === undefined ? '' : idOf(row);
    const told = await explain(error, { verb, resource, id, organization }, context);
    if (!(told instanceof CliError)) throw told;
    if (HOPELESS.includes(told.exitCode)) {
      work.stopped = new CliError({ ...told.details, message: 'Not begun, for the same reason.' });
    }
    return failed(verb === 'create' && OPEN.includes(told.exitCode) ? maybeCreated(told) : told);
  }
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
    return pMap(
      changes,
      async (change) => {
        const outcome = await outcomeOf(work, change);
        finished += 1;
        progress.update(finished, changes.length);
        return outcome;
      },
      { concurrency: WIDTH },
    );
  };
  return place.context.withProgress('Applying', run);
}
