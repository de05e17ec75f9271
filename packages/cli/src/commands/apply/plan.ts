import { idOf } from '../../api/organization.js';
import { cellText, type Row, valueAt } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { cutTo } from '../../text/width.js';
import type { Declared } from './declaration.js';
import type { Fault } from './faults.js';
import type { Match } from './find.js';
import { PURGE } from './kinds.js';
import { nameOf } from './place.js';
import { same } from './same.js';
import { reachable, type Way, wayTo } from './states.js';

/** One field that will change. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** What is to be done about one declared object. */
export interface Change extends Match {
  readonly fields: readonly FieldChange[];
  readonly way: Way | undefined;
  /** In order: `create` or `update` where fields are sent, then the actions. */
  readonly steps: readonly string[];
}

const BANNER = 'banner_image_url';

export const stateOf = (declared: Declared, row: Row): string => cellText(valueAt(row, declared.kind.states.field));

/** The declared fields that a row does not have as declared. */
export function difference(declared: Declared, row: Row): FieldChange[] {
  const changed = Object.entries(declared.fields)
    .filter(([field, to]) => !same(field, valueAt(row, field), to))
    .map(([field, to]) => ({ field, from: valueAt(row, field) ?? null, to }));
  const banner = valueAt(row, BANNER) ?? null;
  return declared.noBanner && banner !== null ? [...changed, { field: BANNER, from: banner, to: null }] : changed;
}

/** The fields of a request that makes these changes. */
export const requestOf = (changes: readonly FieldChange[]): Record<string, unknown> =>
  Object.fromEntries(changes.map(({ field, to }) => (field === BANNER ? [PURGE, '1'] : [field, to])));

function checkState({ declared, row }: Match): { way?: Way | undefined; faults: Fault[] } {
  const { state, kind, positions, at } = declared;
  if (state === undefined) return { faults: [] };
  const { states, resource } = kind;
  const { field } = states;
  const current = row === undefined ? states.initial : stateOf(declared, row);
  const way = wayTo(states, current, state);
  if (way !== undefined) return { way, faults: [] };
  const options = reachable(states, current);
  const possible = options.length === 1 ? 'it stays that' : `it can be ${options.join(', ')}`;
  const what = row === undefined ? `a new ${resource.noun}` : `${resource.noun} ${nameAndId(row)}`;
  const message = `${field}: ${state} cannot be reached: ${what} is ${current}, and ${possible}. Declare that, or leave ${field} out.`;
  return { faults: [{ at: positions.get(field) ?? at, message }] };
}

/** What the service would refuse of these changes, told before anything is sent (api.md, Campaigns rule 3; D33). */
function checkFields({ declared, row }: Match, changes: readonly FieldChange[]): Fault[] {
  const { kind, fields, positions, at } = declared;
  const { locked, money } = kind.description;
  const place = (field: string) => positions.get(field) ?? at;
  const isLocked = locked !== undefined && row !== undefined && (valueAt(row, locked.since) ?? null) !== null;
  const fixed = changes
    .filter(({ field }) => isLocked && locked.fields.includes(field))
    .map(({ field, from, to }) => ({
      at: place(field),
      message: `${field} is fixed since ${kind.resource.noun} ${row === undefined ? '' : idOf(row)} was published: it is ${cellText(from)} and cannot become ${cellText(to)}. Declare ${cellText(from)}, or leave it out.`,
    }));
  if (fixed.length > 0) return fixed;
  const value = (field: string) => fields[field] ?? (row === undefined ? undefined : valueAt(row, field));
  return (money?.ranges ?? []).flatMap(({ min, max }) => {
    const [least, most] = [value(min), value(max)];
    const crossed = typeof least === 'number' && typeof most === 'number' && least > most;
    const field = changes.map((change) => change.field).find((name) => name === min || name === max);
    if (!crossed || field === undefined) return [];
    return { at: place(field), message: `${min} (${least}) must be at most ${max} (${most}).` };
  });
}

function changeFor(match: Match): { change: Change; faults: Fault[] } {
  const { declared, row, similar } = match;
  const fields =
    row === undefined
      ? Object.entries(declared.fields).map(([field, to]) => ({ field, from: null, to }))
      : difference(declared, row);
  const { way, faults } = checkState(match);
  const write = row === undefined ? ['create'] : fields.length > 0 ? ['update'] : [];
  return {
    change: { declared, row, similar, fields, way, steps: [...write, ...(way?.actions ?? [])] },
    faults: [...faults, ...checkFields(match, fields)],
  };
}

/** What it takes to make the service as declared, and what of that cannot be. */
export function planFor(matches: readonly Match[]): { changes: Change[]; faults: Fault[] } {
  const each = matches.map(changeFor);
  return { changes: each.map(({ change }) => change), faults: each.flatMap(({ faults }) => faults) };
}

export interface Counts {
  readonly create: number;
  readonly update: number;
  readonly actions: number;
  readonly unchanged: number;
}

export function countsOf(changes: readonly Change[]): Counts {
  const steps = changes.flatMap((change) => change.steps);
  const create = steps.filter((step) => step === 'create').length;
  const update = steps.filter((step) => step === 'update').length;
  return {
    create,
    update,
    actions: steps.length - create - update,
    unchanged: changes.filter((change) => change.steps.length === 0).length,
  };
}

/** `12 "Summer"`, as a sentence names one. */
export const nameAndId = (row: Row): string => `${idOf(row)} "${cutTo(sanitizeLine(nameOf(row)), 50)}"`;
