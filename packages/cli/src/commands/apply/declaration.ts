import { isBlank } from '@mkt/sdk/contract';
import { fieldNames } from '../../api/field-flags.js';
import type { Position } from '../../shared/fields/read-yaml.js';
import { nearest } from '../../text/nearest.js';
import { type Folders, referredText } from './brief-file.js';
import type { Entry, Part } from './document.js';
import type { Fault } from './faults.js';
import { type FieldSchema, type Issue, type Kind, kinds, PURGE } from './kinds.js';

/** One campaign or collab as the file wants it. */
export interface Declared {
  readonly kind: Kind;
  readonly at: Position;
  readonly id: string | undefined;
  /** Its name, where it is declared. */
  readonly name: string | undefined;
  /** What the service is sent, by field; null clears. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly state: string | undefined;
  /** Whether it is to have no banner. */
  readonly noBanner: boolean;
  /** Where each key stands. */
  readonly positions: ReadonlyMap<string, Position>;
}

export interface Declaration {
  /** Id or exact name. */
  readonly organization: string | undefined;
  readonly objects: readonly Declared[];
}

type Complain = (at: Position, message: string) => void;

const kindOfValue = (value: unknown): string =>
  value === null
    ? 'nothing'
    : Array.isArray(value)
      ? 'a list'
      : typeof value === 'boolean'
        ? 'a yes or no'
        : `a ${typeof value}`;

/** The contract's own words where it has some, else what the type asks for. */
function complaint({ message, expected }: Issue, value: unknown): string {
  if (message !== 'Invalid input') return `${message}.`;
  if (expected === 'string' && (typeof value === 'number' || typeof value === 'boolean')) {
    return `must be text, and ${String(value)} is ${kindOfValue(value)}: put it in quotes, "${String(value)}".`;
  }
  const wanted: Readonly<Record<string, string>> = { string: 'text', array: 'a list, such as [US, CA]' };
  return `must be ${wanted[expected ?? ''] ?? 'another kind of value'}, not ${kindOfValue(value)}.`;
}

/** A scalar, or a list of them; undefined where it is anything deeper. */
function plainValue(part: Part): unknown {
  const items = part.items();
  if (items === undefined) return part.scalar();
  const values = items.map((item) => item.scalar());
  return values.includes(undefined) ? undefined : values;
}

/** Blank text in a field that may be null is null, as the service keeps it (D51). */
const normalised = (value: unknown, schema: FieldSchema): unknown =>
  typeof value === 'string' && isBlank(value) && schema.safeParse(null).success ? null : value;

function checkField(name: string, { value: part }: Entry, schema: FieldSchema, complain: Complain): unknown {
  const value = plainValue(part);
  if (value === undefined) {
    complain(part.at, `${name} must be a single value or a list of them.`);
    return undefined;
  }
  const kept = normalised(value, schema);
  for (const issue of schema.safeParse(kept).error?.issues ?? []) {
    const [index] = issue.path;
    const item = typeof index === 'number' ? part.items()?.[index] : undefined;
    const wrong = item === undefined ? kept : item.scalar();
    complain((item ?? part).at, `${name} ${complaint(issue, wrong)}`);
  }
  return kept;
}

function unknownKey(key: string, kind: Kind, known: readonly string[]): string {
  if (fieldNames(kind.resource.schema).includes(key)) {
    return `${key} is read-only: the service sets it. Leave it out.`;
  }
  // The state has another name in the other noun, and no letters in common with it that would tell.
  const guess = /^(status|state)$/i.test(key) ? kind.states.field : nearest(key, known);
  return `unknown key "${key}" in a ${kind.resource.noun}.${guess === undefined ? ` Known: ${known.join(', ')}.` : ` Did you mean ${guess}?`}`;
}

function identifier({ value: part }: Entry, complain: Complain): string | undefined {
  const id = part.scalar();
  if ((typeof id === 'number' && Number.isSafeInteger(id) && id > 0) || (typeof id === 'string' && !isBlank(id))) {
    return String(id);
  }
  complain(part.at, 'id must be the id of one that exists, as list shows it.');
  return undefined;
}

function stateOf({ value: part }: Entry, { states }: Kind, complain: Complain): string | undefined {
  const state = part.scalar();
  if (typeof state === 'string' && states.names.includes(state)) return state;
  const guess = typeof state === 'string' ? nearest(state, states.names) : undefined;
  complain(
    part.at,
    `${states.field} must be one of ${states.names.join(', ')}.${guess === undefined ? '' : ` Did you mean ${guess}?`}`,
  );
  return undefined;
}

function declared(part: Part, kind: Kind, folders: Folders, complain: Complain): Declared | undefined {
  const entries = part.entries();
  if (entries === undefined) {
    complain(part.at, `a ${kind.resource.noun} must be an object of fields, such as {name: Summer, cpm_amount: 500}.`);
    return undefined;
  }
  const known = ['id', ...Object.keys(kind.schemas), kind.states.field];
  const fields: Record<string, unknown> = {};
  const positions = new Map<string, Position>();
  let id: string | undefined;
  let state: string | undefined;
  for (const entry of entries) {
    const { key } = entry;
    positions.set(key, entry.at);
    const schema = Object.hasOwn(kind.schemas, key) ? kind.schemas[key] : undefined;
    if (key === 'id') id = identifier(entry, complain);
    else if (key === kind.states.field) state = stateOf(entry, kind, complain);
    else if (schema === undefined) complain(entry.at, unknownKey(key, kind, known));
    else if (key === PURGE) {
      fields[key] = entry.value.scalar();
      if (typeof fields[key] !== 'boolean') complain(entry.value.at, `${key} must be true or false.`);
    } else fields[key] = checkField(key, briefRead(entry, folders, complain), schema, complain);
  }
  const { name, [PURGE]: purge, ...others } = fields;
  const misspelt = entries.some(({ key }) => nearest(key, known) === 'name');
  if (!positions.has('id') && !positions.has('name') && !misspelt) {
    complain(part.at, `this ${kind.resource.noun} has neither an id nor a name: one of them says which it is.`);
  }
  return {
    kind,
    at: part.at,
    id,
    name: typeof name === 'string' ? name : undefined,
    fields: positions.has('name') ? { name, ...others } : others,
    state,
    noBanner: purge === true,
    positions,
  };
}

/** `brief: "@file"` as if the text of the file stood there. */
function briefRead(entry: Entry, folders: Folders, complain: Complain): Entry {
  const text = entry.key === 'brief' ? entry.value.scalar() : undefined;
  if (typeof text !== 'string' || !text.startsWith('@')) return entry;
  const read = referredText(text, folders);
  if ('complaint' in read) complain(entry.value.at, `brief ${read.complaint}`);
  const content = 'text' in read ? read.text : '';
  return { ...entry, value: { ...entry.value, scalar: () => content } };
}

/** The same id twice, or the same name where it is what tells them apart. */
function checkTwice(objects: readonly Declared[], complain: Complain): void {
  const ids = new Map<string, Declared>();
  const names = new Map<string, Declared[]>();
  for (const object of objects) {
    const { kind, id, name, positions, at } = object;
    const sameId = id === undefined ? undefined : ids.get(`${kind.key} ${id}`);
    const sameName = name === undefined ? [] : (names.get(`${kind.key} ${name}`) ?? []);
    const mistaken = sameName.find((before) => before.id === undefined || id === undefined);
    if (sameId !== undefined) {
      complain(
        positions.get('id') ?? at,
        `${kind.resource.noun} ${id} is declared twice, first on line ${sameId.at.line}.`,
      );
    } else if (mistaken !== undefined) {
      complain(
        positions.get('name') ?? at,
        `two ${kind.key} are named "${name}", the first on line ${mistaken.at.line}: a name that is not unique needs ids.`,
      );
    }
    if (id !== undefined) ids.set(`${kind.key} ${id}`, object);
    if (name !== undefined) names.set(`${kind.key} ${name}`, [...sameName, object]);
  }
}

function organizationOf({ value: part }: Entry, complain: Complain): string | undefined {
  const value = part.scalar();
  if ((typeof value === 'string' && !isBlank(value)) || typeof value === 'number') return String(value);
  complain(part.at, 'organization must be an id or an exact name.');
  return undefined;
}

const TOP = ['organization', ...kinds.map(({ key }) => key)];

/** What a file declares. Every fault in it is found, not the first alone. */
export function readDeclaration(root: Part, folders: Folders): Declaration | { readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const complain: Complain = (at, message) => faults.push({ at, message });
  const entries = root.entries();
  if (entries === undefined) {
    const found = root.items() === undefined ? kindOfValue(root.scalar()) : 'a list';
    return { faults: [{ at: root.at, message: `an object with ${TOP.join(', ')} is expected, not ${found}.` }] };
  }
  let organization: string | undefined;
  const objects: Declared[] = [];
  for (const entry of entries) {
    const kind = kinds.find(({ key }) => key === entry.key);
    if (entry.key === 'organization') organization = organizationOf(entry, complain);
    else if (kind === undefined) {
      const guess = nearest(entry.key, TOP);
      complain(
        entry.at,
        `unknown key "${entry.key}".${guess === undefined ? ` Known: ${TOP.join(', ')}.` : ` Did you mean ${guess}?`}`,
      );
    } else {
      const items = entry.value.items();
      if (items === undefined) complain(entry.value.at, `${entry.key} must be a list.`);
      for (const item of items ?? []) {
        const object = declared(item, kind, folders, complain);
        if (object !== undefined) objects.push(object);
      }
    }
  }
  checkTwice(objects, complain);
  if (faults.length === 0 && !entries.some(({ key }) => key !== 'organization')) {
    complain(root.at, 'nothing is declared: a list under campaigns or collabs is missing.');
  }
  return faults.length > 0 ? { faults } : { organization, objects };
}
