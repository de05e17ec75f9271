import { NotFoundError } from '@mkt/sdk';
import { capital, withErrorContext } from '../../api/errors/explain.js';
import { idOf } from '../../api/organization.js';
import type { Context, Organization } from '../../context/context.js';
import { exceededRanges } from '../../shared/fields/problems.js';
import type { Operations } from '../../shared/operations.js';
import { inParallel } from '../../shared/parallel.js';
import { labelOf } from '../../shared/presenter.js';
import { readAll } from '../../shared/walk.js';
import { cellText, type Row, valueAt } from '../../text/row.js';
import { isSame } from './compare.js';
import { type Declared, type Problem, PURGE_BANNER } from './declaration.js';
import { type Kind, kinds, reachableStates, type TransitionPath, transitionPath } from './kinds.js';

/** The organization to change, and how to reach it. */
export interface Target {
  readonly context: Context;
  readonly organization: Organization;
  readonly operations: (kind: Kind) => Operations;
}

export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** What to do for one declared object. */
export interface Change {
  readonly declared: Declared;
  /** The object in the service; undefined for a new one. */
  readonly row: Row | undefined;
  /** For a new one: an existing object with almost the same name, which the user may have meant. */
  readonly similar: Row | undefined;
  readonly fields: readonly FieldChange[];
  readonly path: TransitionPath | undefined;
  /** In order: `create` or `update` if fields are sent, then the actions. */
  readonly steps: readonly string[];
}

const BANNER = 'banner_image_url';

export const nameOf = (row: Row): string => cellText(valueAt(row, 'name'));
export const stateOf = ({ kind }: Declared, row: Row): string => cellText(valueAt(row, kind.states.field));

/** All objects of a kind, without their briefs, which lists leave out. */
export const listRows = ({ context, organization, operations }: Target, kind: Kind): Promise<readonly Row[]> =>
  withErrorContext(context, { action: 'list', resource: kind.resource, organization }, () =>
    readAll(context, kind.resource.plural, operations(kind).list()),
  );

function getRow({ context, organization, operations }: Target, kind: Kind, id: string): Promise<Row | undefined> {
  return withErrorContext(context, { action: 'show', resource: kind.resource, id, organization }, async () => {
    try {
      return await operations(kind).get(id);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  });
}

/** The declared fields in which a row differs. */
export function differences({ fields, noBanner }: Declared, row: Row): FieldChange[] {
  const changed = Object.entries(fields)
    .map(([field, to]) => ({ field, from: valueAt(row, field) ?? null, to }))
    .filter(({ field, from, to }) => !isSame(field, from, to));
  const banner = valueAt(row, BANNER) ?? null;
  return noBanner && banner !== null ? [...changed, { field: BANNER, from: banner, to: null }] : changed;
}

/** The fields of the request that makes these changes. */
export const requestFields = (changes: readonly FieldChange[]): Record<string, unknown> =>
  Object.fromEntries(changes.map(({ field, to }) => (field === BANNER ? [PURGE_BANNER, '1'] : [field, to])));

const looseName = (name: string): string => name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

type Found = Pick<Change, 'declared' | 'row' | 'similar'>;

/** Finds an object by its id, else by its exact name. */
function finder(target: Target, rows: readonly Row[], objects: readonly Declared[]) {
  const byId = new Map(rows.map((row) => [idOf(row), row]));
  const byName = new Map<string, Row[]>();
  for (const row of rows) byName.set(nameOf(row), [...(byName.get(nameOf(row)) ?? []), row]);
  const declaredIds = new Set(objects.map(({ id }) => id));
  const declaredNames = new Set(objects.map(({ name }) => name));
  const others = rows.filter((row) => !declaredIds.has(idOf(row)) && !declaredNames.has(nameOf(row)));
  const similar = new Map(others.map((row) => [looseName(nameOf(row)), row]));

  return async (declared: Declared): Promise<Found | Problem> => {
    const { kind, name = '', positionOf } = declared;
    const named = declared.id === undefined ? (byName.get(name) ?? []) : [];
    if (named.length > 1) {
      const ids = named.map(idOf).join(', ');
      const message = `${named.length} ${kind.resource.plural} have the name "${name}" (ids ${ids}). Add the id of the one to change.`;
      return { ...positionOf('name'), message };
    }
    const listed = declared.id === undefined ? named[0] : byId.get(declared.id);
    const id = declared.id ?? (listed && idOf(listed));
    if (id === undefined) return { declared, row: undefined, similar: similar.get(looseName(name)) };
    const row = listed === undefined || 'brief' in declared.fields ? await getRow(target, kind, id) : listed;
    if (row !== undefined) return { declared, row, similar: undefined };
    const message = `${kind.resource.singular} ${id} was not found in ${await target.organization.label()}.`;
    return { ...positionOf('id'), message, notFound: true };
  };
}

function stateProblems({ declared, row, path }: Change): Problem[] {
  const { state, kind, positionOf } = declared;
  if (state === undefined || path !== undefined) return [];
  const { states, resource } = kind;
  const current = row === undefined ? states.initial : stateOf(declared, row);
  const options = reachableStates(kind, current);
  const possible = options.length === 1 ? `its ${states.field} cannot change` : `it can be ${options.join(', ')}`;
  const what = row === undefined ? `a new ${resource.singular}` : labelOf(resource, row);
  const message = `${states.field}: ${state} is not possible. ${capital(what)} is ${current}, and ${possible}. Change or remove ${states.field}.`;
  return [{ ...positionOf(states.field), message }];
}

/** The changes that the service would reject, found before anything is sent. */
function fieldProblems({ declared, row = {}, fields }: Change): Problem[] {
  const { kind, positionOf } = declared;
  const { locked } = kind.description;
  const isLocked = locked !== undefined && (valueAt(row, locked.since) ?? null) !== null;
  const fixed = fields.filter(({ field }) => isLocked && locked.fields.includes(field));
  if (fixed.length > 0) {
    return fixed.map(({ field, from, to }) => ({
      ...positionOf(field),
      message: `${field} cannot change once a ${kind.resource.singular} has been published: ${kind.resource.singular} ${idOf(row)} has ${cellText(from)}, not ${cellText(to)}. Declare ${cellText(from)}, or remove ${field}.`,
    }));
  }
  const value = (field: string) => declared.fields[field] ?? valueAt(row, field);
  return exceededRanges(kind.description, value).flatMap(({ min, max, message }) => {
    const changed = fields.find(({ field }) => field === min || field === max);
    return changed === undefined ? [] : [{ ...positionOf(changed.field), message: `${min} ${message}` }];
  });
}

function changeFor({ declared, row, similar }: Found): Change {
  const { state, kind } = declared;
  const fields =
    row === undefined
      ? Object.entries(declared.fields).map(([field, to]) => ({ field, from: null, to }))
      : differences(declared, row);
  const current = row === undefined ? kind.states.initial : stateOf(declared, row);
  const path = state === undefined ? undefined : transitionPath(kind, current, state);
  const write = row === undefined ? ['create'] : fields.length > 0 ? ['update'] : [];
  return { declared, row, similar, fields, path, steps: [...write, ...(path?.actions ?? [])] };
}

/** Objects that are declared twice: once by id, once by name. */
function sharedProblems(changes: readonly Change[]): Problem[] {
  const first = new Map<string, Declared>();
  return changes.flatMap(({ declared, row }) => {
    if (row === undefined) return [];
    const what = `${declared.kind.resource.singular} ${idOf(row)}`;
    const earlier = first.get(what);
    first.set(what, earlier ?? declared);
    if (earlier === undefined) return [];
    const message = `this is ${what}, which is already declared on line ${earlier.positionOf().line}.`;
    return [{ ...declared.positionOf(), message }];
  });
}

/** Compares the declared objects with those of the service. */
export async function makePlan(
  target: Target,
  declared: readonly Declared[],
): Promise<{ readonly changes: readonly Change[]; readonly problems: readonly Problem[] }> {
  const changes: Change[] = [];
  const problems: Problem[] = [];
  for (const kind of kinds) {
    const objects = declared.filter((object) => object.kind === kind);
    if (objects.length === 0) continue;
    const rows = objects.some(({ id }) => id === undefined) ? await listRows(target, kind) : [];
    const find = finder(target, rows, objects);
    for (const found of await inParallel(target.context, `Comparing ${kind.name}`, objects, find)) {
      if ('message' in found) problems.push(found);
      else changes.push(changeFor(found));
    }
  }
  const rejected = changes.flatMap((change) => [...stateProblems(change), ...fieldProblems(change)]);
  return { changes, problems: [...problems, ...sharedProblems(changes), ...rejected] };
}

export function countSteps(changes: readonly Change[]) {
  const steps = changes.flatMap((change) => change.steps);
  const create = steps.filter((step) => step === 'create').length;
  const update = steps.filter((step) => step === 'update').length;
  const unchanged = changes.filter((change) => change.steps.length === 0).length;
  return { create, update, actions: steps.length - create - update, unchanged };
}
