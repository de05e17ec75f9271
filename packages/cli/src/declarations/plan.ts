import type { Marketplace } from '@mkt/sdk';
import { fieldsOfKind } from '@mkt/sdk/contract/resources';
import leven from 'leven';
import { capital } from '../api/errors/explain.js';
import { withErrorContext } from '../api/errors/with-context.js';
import { members } from '../api/labels.js';
import { type Operations, operationsOf } from '../api/operations.js';
import { inParallel } from '../changes/outcomes.js';
import type { FieldChange } from '../changes/plan-lines.js';
import { outdatedPosition, undeletable } from '../changes/service-rules.js';
import type { Context, Organization } from '../context/context.js';
import { asField, exceededRanges, type Problem } from '../fields/problems.js';
import { labelOf } from '../lists/connection.js';
import { readAll } from '../lists/read-pages.js';
import { cellText, groupBy, idOf, type Row, sanitizeLine, textAt, valueAt } from '../text/values.js';
import { isSame } from './compare.js';
import { BANNER, type Declared, PURGE_BANNER } from './declaration.js';
import { allKinds, type Kind, pathsFrom, transitionPath } from './kinds.js';

/** Where changes are made, and how. */
export interface Run {
  readonly context: Context;
  /** Undefined for resources of the user. */
  readonly organization: Organization | undefined;
  readonly operations: (kind: Kind) => Operations;
  /** Whether whole resources are read and compared, and any difference from the plan stops a change. */
  readonly isStrict?: boolean;
  /** No further change is started once it is aborted; what is in progress is finished. */
  readonly stop?: AbortSignal;
  /** How many changes are made at the same time; by default 4. */
  readonly concurrency?: number;
}

/** The organization to change, and how to reach it. */
export interface Target extends Run {
  readonly organization: Organization;
}

export const targetFor = (context: Context, client: Marketplace, organization: Organization): Target => ({
  context,
  organization,
  operations: ({ resource }) => operationsOf(resource, client, organization.id, { signal: context.signal }),
});

/** What to do for one declared object. */
export interface Change {
  readonly declared: Declared;
  /** The object in the service; undefined for a new one. */
  readonly row: Row | undefined;
  /** For a new one: an existing object with almost the same name, which the user may have meant. */
  readonly similar: Row | undefined;
  readonly fields: readonly FieldChange[];
  readonly path: ReturnType<typeof transitionPath>;
  /** In order: `create` or `update` if fields are sent, then the actions; or `delete`. */
  readonly steps: readonly string[];
}

export const nameOf = (row: Row): string => textAt(row, 'name');
export const stateOf = ({ kind }: Declared, row: Row | undefined): string =>
  row === undefined ? kind.states.initial : textAt(row, kind.states.field);

/** `campaign 12 "Summer UGC"`, or of a new one `campaign "Summer UGC"`. */
export const labelOfChange = ({ declared: { kind, name = '' }, row }: Pick<Change, 'declared' | 'row'>): string =>
  row === undefined ? `${kind.resource.singular} "${sanitizeLine(name)}"` : labelOf(kind.resource, row);

/** All objects of a kind, without their briefs, which lists leave out; none for the address. */
export async function listRows({ context, organization, operations }: Run, kind: Kind): Promise<readonly Row[]> {
  const list = operations(kind).list?.();
  if (list === undefined) return [];
  return withErrorContext(context, { action: 'list', resource: kind.resource, organization }, () =>
    readAll(context, kind.resource.plural, list),
  );
}

export const readRow = ({ context, organization, operations }: Run, kind: Kind, id: string) =>
  withErrorContext(context, { action: 'show', resource: kind.resource, id, organization }, () =>
    operations(kind).read(id),
  );

/** The declared fields in which an object differs; all of them for a new one, which has no banner. */
export const differences = ({ kind, fields }: Declared, row: Row | undefined): FieldChange[] =>
  Object.entries(fields)
    .map(([field, to]) => ({ field, from: valueAt(row, field) ?? null, to }))
    .filter(({ field, from, to }) => (row === undefined ? field !== BANNER : !isSame(kind.resource, field, from, to)));

/** The fields of the request that makes these changes. */
export const requestFields = (changes: readonly FieldChange[]): Record<string, unknown> =>
  Object.fromEntries(changes.map(({ field, to }) => (field === BANNER ? [PURGE_BANNER, '1'] : [field, to])));

/** A name without case, accents and spaces. */
const looseName = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}|\s/gu, '')
    .toLowerCase();

const digitsOf = (name: string): string => name.replace(/\P{N}+/gu, ' ').trim();

/** The row whose name is almost the given one: it differs only in case, accents and spaces, or by a letter or two. */
function almostNamed(rows: readonly Row[], name: string): Row | undefined {
  const wanted = looseName(name);
  const most = Math.min(2, Math.floor(wanted.length / 4));
  const isClose = (row: Row): boolean => {
    const other = looseName(nameOf(row));
    // Numbers are meant: "Week 1" and "Week 2" are two campaigns.
    return (
      digitsOf(other) === digitsOf(wanted) &&
      Math.abs(other.length - wanted.length) <= most &&
      leven(wanted, other) <= most
    );
  };
  return rows.find((row) => looseName(nameOf(row)) === wanted) ?? rows.find(isClose);
}

/** Whether a change is as far as the user can bring it, and the marketplace has to review it. */
export const isWaiting = ({ steps, path }: Change): boolean => steps.length === 0 && path?.waitsForReview === true;

/** The declaration of an address also clears what says where the earlier place is on the map. */
const completed = (declared: Declared, row: Row | undefined): Declared =>
  declared.kind.name === 'address'
    ? {
        ...declared,
        fields: {
          ...declared.fields,
          ...Object.fromEntries(outdatedPosition(row, declared.fields).map((field) => [field, null])),
        },
      }
    : declared;

/** What is to do for an object. @param row as it is now */
export function changeFor(given: Declared, row: Row | undefined, similar: Row | undefined): Change {
  const declared = completed(given, row);
  const { state, kind, isDeleted } = declared;
  if (isDeleted) return { declared, row, similar, fields: [], path: undefined, steps: ['delete'] };
  const fields = differences(declared, row);
  const path = state === undefined ? undefined : transitionPath(kind, stateOf(declared, row), state);
  const write = row === undefined ? ['create'] : fields.length > 0 ? ['update'] : [];
  return { declared, row, similar, fields, path, steps: [...write, ...(path?.actions ?? [])] };
}

function stateProblems({ declared, row, path }: Change): Problem[] {
  const { state, kind, positionOf } = declared;
  if (state === undefined || path !== undefined) return [];
  const { states, resource } = kind;
  const current = stateOf(declared, row);
  const options = [...pathsFrom(kind, current).keys()];
  const possible =
    options.length === 1
      ? `its ${states.field} cannot change`
      : `it can become ${options.join(' or ').replaceAll('_', ' ')}`;
  const what = row === undefined ? `a new ${resource.singular}` : labelOf(resource, row);
  const message = `${states.field}: ${state} is not possible. ${capital(what)} is ${current === 'draft' ? 'a draft' : current.replaceAll('_', ' ')}, and ${possible}. Change or remove ${states.field}.`;
  return [{ ...positionOf(states.field), message }];
}

/** Only drafts are deleted, and only by those who may. */
function deletionProblems({ declared, row }: Change): Problem[] {
  const { kind, isDeleted, positionOf } = declared;
  if (!isDeleted || row === undefined) return [];
  const { resource, states } = kind;
  const reason = undeletable(resource, row);
  const state = stateOf(declared, row);
  if (reason !== undefined)
    return [{ ...positionOf('delete'), message: `${labelOf(resource, row)} cannot be deleted: ${reason}.` }];
  if (state === states.initial) return [];
  const message = `only drafts are deleted here, and ${labelOf(resource, row)} is ${state.replaceAll('_', ' ')}. A person runs: mkt ${resource.command} delete ${idOf(row)}`;
  return [{ ...positionOf('delete'), message }];
}

/** The roles that the service does not change: those of the owner and of the last admin. */
function roleProblems(changes: readonly Change[], rows: readonly Row[]): Problem[] {
  const planned = changes.filter(({ declared, steps }) => declared.kind.name === 'members' && steps.length > 0);
  const isAdmin = (row: Row) => valueAt(row, 'role') === 'admin' || valueAt(row, 'is_owner') === true;
  const demoted = planned.filter(({ declared }) => declared.fields.role === 'member');
  const owned = planned.flatMap(({ declared: { positionOf }, row = {} }) =>
    valueAt(row, 'is_owner') === true
      ? [{ ...positionOf('role'), message: `${memberLabel(row)} owns the organization and always is an admin.` }]
      : [],
  );
  const promoted = planned.length - demoted.length;
  const left = rows.filter(isAdmin).length + promoted - demoted.length;
  const [first] = demoted;
  if (owned.length > 0 || first === undefined || left > 0) return owned;
  return [{ ...first.declared.positionOf('role'), message: 'the organization would have no admin left.' }];
}

/** `member mem_5_ben "Ben" (ben@acme.example)`: names are not unique. */
export const memberLabel = (row: Row): string => `${labelOf(members, row)} (${textAt(row, 'user.email')})`;

/** The changes that the service would reject, found before anything is sent. */
function fieldProblems({ declared, row, fields }: Change): Problem[] {
  const { kind, positionOf } = declared;
  const { singular, locked = { since: '', fields: [] } } = kind.resource;
  const isLocked = (valueAt(row, locked.since) ?? null) !== null;
  const fixed = fields.filter(({ field }) => isLocked && locked.fields.includes(field));
  const value = (field: string) => declared.fields[field] ?? valueAt(row, field);
  return [
    ...fixed.map(({ field, from, to }) => ({
      ...positionOf(field),
      message: `${field} cannot change once a ${singular} has been published: ${singular} ${valueAt(row, 'id')} has ${cellText(from)}, not ${cellText(to)}. Declare ${cellText(from)}, or remove ${field}.`,
    })),
    ...exceededRanges(kind.resource, value).flatMap(({ min, max, message }) => {
      const changed = fields.find(({ field }) => field === min || field === max);
      return changed === undefined ? [] : [{ ...positionOf(changed.field), message: `${min} ${message(asField)}` }];
    }),
  ];
}

/** Objects that are declared twice, and a name that is declared twice where it is not clear whose it is. */
function duplicateProblems(changes: readonly Change[]): Problem[] {
  const ids = changes.map(({ row }) => row && idOf(row));
  return changes.flatMap(({ declared: { kind, id, name, positionOf } }, index) => {
    const { singular, plural } = kind.resource;
    if (kind.name === 'address') return [];
    const earlier = (test: (declared: Declared, id: string | undefined) => boolean): string | undefined => {
      const found = changes.find(({ declared }, at) => at < index && declared.kind === kind && test(declared, ids[at]));
      const { line, item } = found?.declared.positionOf() ?? {};
      return found && (item ?? `on line ${line}`);
    };
    const same = earlier((_, other) => other !== undefined && other === ids[index]);
    if (same !== undefined) {
      return [{ ...positionOf(), message: `this is ${singular} ${ids[index]}, which is already declared ${same}.` }];
    }
    const named = earlier((other) => name !== undefined && other.name === name && !(other.id && id));
    if (named === undefined) return [];
    const message = `two ${plural} have the name "${name}", the first ${named}. Add the id of each.`;
    return [{ ...positionOf('name'), message }];
  });
}

/** A plan of someone who cannot look creates nothing that is probably misspelt. */
function nearNameProblems({ declared: { kind, name, positionOf }, similar }: Change): Problem[] {
  if (similar === undefined) return [];
  const message = `there is no ${kind.resource.singular} "${name}". Did you mean ${labelOf(kind.resource, similar)}? To create another one, add create: true.`;
  return [{ ...positionOf('name'), message }];
}

/** Compares the declared objects with those of the service, which are found by id, or by exact name. */
export async function makePlan(target: Target, declared: readonly Declared[]) {
  const missing: Problem[] = [];
  const problems: Problem[] = [];
  const changes: Change[] = [];
  for (const kind of allKinds) {
    const { plural, singular } = kind.resource;
    const objects = declared.filter((object) => object.kind === kind);
    const isListed = kind.name === 'members' ? objects.length > 0 : objects.some(({ id }) => id === undefined);
    const rows = isListed ? await listRows(target, kind) : [];
    const byName = groupBy(rows, nameOf);
    const isDeclared = (row: Row): boolean =>
      objects.some(({ id, name }) => id === idOf(row) || (name !== undefined && name === nameOf(row)));

    const found = await inParallel(
      target.context,
      `Comparing ${plural}`,
      objects,
      async (object): Promise<Change[]> => {
        const { name = '', positionOf } = object;
        const [named, ...others] = object.id === undefined ? (byName.get(name) ?? []) : [];
        if (named !== undefined && others.length > 0) {
          const ids = [named, ...others].map(idOf).join(', ');
          const message = `${others.length + 1} ${plural} have the name "${name}" (ids ${ids}). Add the id of the one to change.`;
          problems.push({ ...positionOf('name'), message });
          return [];
        }
        const id = object.id ?? (named && idOf(named)) ?? (kind.name === 'address' ? '' : undefined);
        const isComplete =
          named !== undefined &&
          fieldsOfKind(kind.resource.fields, 'richText').every((field) => !(field in object.fields)) &&
          target.isStrict !== true;
        const row = id === undefined || isComplete ? named : (await readRow(target, kind, id))?.row;
        if (id !== undefined && id !== '' && row === undefined) {
          const message = `${singular} ${id} was not found in ${await target.organization.label()}.`;
          missing.push({ ...positionOf('id'), message });
          return [];
        }
        const similar = row === undefined && kind.isDraft && !object.isNew ? almostNamed(rows, name) : undefined;
        return [changeFor(object, row, similar === undefined || isDeclared(similar) ? undefined : similar)];
      },
    );
    changes.push(...found.flat());
    if (kind.name === 'members') problems.push(...roleProblems(found.flat(), rows));
  }
  problems.push(
    ...duplicateProblems(changes),
    ...(target.isStrict === true ? changes.flatMap(nearNameProblems) : []),
    ...changes.flatMap((change) => [...stateProblems(change), ...fieldProblems(change), ...deletionProblems(change)]),
  );
  return { changes, missing, problems };
}

export function countSteps(changes: readonly Change[]) {
  const steps = changes.flatMap((change) => change.steps);
  const create = steps.filter((step) => step === 'create').length;
  const update = steps.filter((step) => step === 'update').length;
  const deleted = steps.filter((step) => step === 'delete').length;
  const waiting = changes.filter(isWaiting).length;
  const unchanged = changes.filter((change) => change.steps.length === 0).length - waiting;
  return { create, update, delete: deleted, actions: steps.length - create - update - deleted, unchanged, waiting };
}
