import { hasKind } from '@mkt/sdk/contract/resources';
import { diffArrays } from 'diff';
import type { Resource } from '../../api/labels.js';
import type { FieldChange } from '../../changes/plan-lines.js';
import type { Declared } from '../../declarations/declaration.js';
import type { Change } from '../../declarations/plan.js';
import { publicationText } from '../../declarations/publication.js';
import type { Rehearsal } from '../../declarations/rehearse.js';
import { countText } from '../../history/changes.js';
import { escapedCharacter, withEscapes } from '../../text/escapes.js';
import { idOf, valueAt } from '../../text/values.js';
import { leftBehind, type Undoing } from '../../undo/undo.js';
import type { Place } from './session.js';

/** How large a question may be, in bytes: people do not read more. */
export const MAX_QUESTION = 64 * 1024;

/** A line of a text, with what cannot be seen as an escape. In HTML, `<\p>` is text and not a tag, as `&\amp;` is not an entity. */
const visible = (text: string): string =>
  withEscapes(text.replaceAll('\\', '\\\\'))
    .replace(/[<&]+(?=\\)/g, (marks) => [...marks].map(escapedCharacter).join(''))
    .replace(/[<&](?=[a-z/!?#])/gi, '$&\\');

/** Backticks that no text of these contains in a row, so that none ends the code. */
const fenceFor = (texts: readonly string[], least: number): string => {
  const runs = texts.flatMap((text) => text.match(/`+/g) ?? []);
  return '`'.repeat(Math.max(least, ...runs.map(({ length }) => length + 1)));
};

/** Code of Markdown on one line: a client that shows Markdown reads nothing in it. */
function code(text: string): string {
  const fence = fenceFor([text], 1);
  return `${fence}${text}${fence}`;
}

const quotedValue = (value: unknown): string => {
  if (typeof value === 'string') return `"${visible(value).replaceAll('"', '\\"')}"`;
  if (Array.isArray(value)) return `[${value.map(quotedValue).join(', ')}]`;
  return visible(JSON.stringify(value));
};

/** A whole value on one line. Texts are in quotes, and no quote or line break inside can end them. */
const shownValue = (value: unknown): string => {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : code(quotedValue(value));
};

/** Between two sentences or lines of HTML. */
const SENTENCE_END =
  /(?!\s)(?<=<\/(?:p|div|h[1-6]|li|ul|ol|blockquote|pre|tr|table)>\s*|<br\s*\/?>\s*|<(?:ul|ol|table)>\s*|[\p{L}\p{N}>)][.!?]\s+|[\u3002\uff01\uff1f\u0964\u06d4]|\n\s*)/giu;

/** How long two texts are compared, in milliseconds: some take very long. */
const PATIENCE_MS = 2000;

/** Every sentence in which two briefs differ, whole. White space counts only where browsers show it. */
export function briefChanges(from: string, to: string): string[] {
  const squeezed = (text: string) => text.replace(/[^\S\u00a0]+/g, ' ').replace(/^ | $/g, '');
  const seen = /<pre/i.test(from + to) ? (text: string) => text : squeezed;
  const comparator = (one: string, other: string) => seen(one) === seen(other);
  const signed = (sign: string, lines: readonly string[]) => lines.map((line) => `${sign} ${line}`);
  const sentences = (text: string) => (text === '' ? [] : text.split(SENTENCE_END));
  const [before, after] = [sentences(from), sentences(to)];
  const parts = diffArrays(before, after, { comparator, timeout: PATIENCE_MS });
  if (parts === undefined) return [...signed('-', before), ...signed('+', after)];
  return parts.flatMap(({ value, added, removed }) => (added || removed ? signed(added ? '+' : '-', value) : []));
}

function fieldLines({ fields }: Resource, { field, from, to }: FieldChange, isNew: boolean): string[] {
  if (hasKind(fields, field, 'richText') && to !== null) {
    const lines = briefChanges(String(from ?? ''), String(to)).map(
      (line) => `${line.slice(0, 2)}${visible(line.slice(2))}`,
    );
    const fence = fenceFor(lines, 3);
    return [`  - ${field}:`, ...[fence, ...lines, fence].map((line) => `    ${line}`)];
  }
  // With a word between them, texts that run from right to left do not change places.
  return [isNew ? `  - ${field}: ${shownValue(to)}` : `  - ${field}: from ${shownValue(from)} to ${shownValue(to)}`];
}

const shownId = (id: string): string => (/^\w+$/.test(id) ? id : code(visible(id)));

/** The name that a new one gets; what an undo creates again has it among its fields. */
export const newName = ({ name, fields }: Declared): string | undefined => name ?? (fields.name as string | undefined);

/** `3 "Curl week"`; `mem_5_ben "Ben" "ben@acme.example"`. */
function labelOf({ declared, row }: Change): string {
  const { kind } = declared;
  const name = newName(declared);
  if (row === undefined) return name === undefined ? '' : shownValue(name);
  const email = kind.name === 'members' ? ` ${shownValue(valueAt(row, 'user.email'))}` : '';
  return `${shownId(idOf(row))} ${shownValue(valueAt(row, kind.resource.title))}${email}`;
}

/** What happens to a resource, without its name. */
function effectLines(change: Change, rehearsal: Rehearsal | undefined): string[] {
  const { declared, row, fields } = change;
  const consequences = [
    ...(declared.kind.name === 'address' ? ['It belongs to the user, not to an organization.'] : []),
    ...(declared.isDeleted ? ['It cannot be restored with the same id.'] : []),
    ...publicationText(change, rehearsal?.spends, shownValue),
  ];
  return [
    ...fields
      .filter(({ field }) => row !== undefined || field !== 'name')
      .flatMap((field) => fieldLines(declared.kind.resource, field, row === undefined)),
    ...consequences.map((line) => `  - ${line}`),
  ];
}

/** Changes that do the same to several resources. */
export interface ChangeGroup {
  readonly changes: readonly [Change, ...Change[]];
  readonly lines: readonly string[];
}

export interface Question {
  readonly place: Place;
  readonly organization: { readonly id: unknown; readonly name: string };
  readonly groups: readonly ChangeGroup[];
  /** The command that is taken back. */
  readonly undoes: Undoing | undefined;
}

/** The changes, with those together that a person sees as the same. */
export function groupsOf(
  changes: readonly Change[],
  rehearsalOf: (change: Change) => Rehearsal | undefined,
): ChangeGroup[] {
  const groups = new Map<string, { changes: [Change, ...Change[]]; lines: readonly string[] }>();
  for (const change of changes) {
    const rehearsal = rehearsalOf(change);
    const lines = effectLines(change, rehearsal);
    const { kind } = change.declared;
    const rejected = rehearsal?.outcome.error?.message;
    const key = JSON.stringify([kind.name, change.row === undefined, change.steps, lines, rejected]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { changes: [change], lines });
    else group.changes.push(change);
  }
  return [...groups.values()];
}

function groupLines({ changes, lines }: ChangeGroup): string[] {
  const [{ declared, steps }] = changes;
  const { singular, plural } = declared.kind.resource;
  const what = changes.length === 1 ? singular : `${changes.length} ${plural}:`;
  return [`- ${steps.join(', ')} ${what} ${changes.map(labelOf).join(', ')}`.trimEnd(), ...lines];
}

/** Whether nothing of the organization changes. */
export const isOfUser = (groups: readonly ChangeGroup[]): boolean =>
  groups.every(({ changes }) => changes.every(({ declared }) => declared.kind.name === 'address'));

/** Where the changes are made, as a person reads it. */
const placeText = ({ service, isLocal, profile, token }: Place): string =>
  `Service ${code(visible(service))}${isLocal ? ' (on this machine: a copy, or for tests)' : ''}, profile ${shownValue(profile)}, token ending in ${shownValue(token)}.`;

/** Which command is taken back, and what of it stays. */
const undoLines = ({ command: { id, line }, steps }: Undoing): string[] => [
  `This takes back command ${id}: ${shownValue(line)}.`,
  ...leftBehind(steps).map((text) => `It leaves ${code(visible(text))}`),
  '',
];

/**
 * The text that a person approves: everything that will be written, and what follows from it. It is Markdown that can be read
 * as it is; texts of users are only in code.
 */
export function questionText({ place, organization: { id, name }, groups, undoes }: Question): string {
  const count = groups.reduce((sum, { changes }) => sum + changes.length, 0);
  const where = isOfUser(groups) ? '' : ` in ${shownValue(name)} (organization ${shownId(String(id))})`;
  return [
    `Apply ${countText(count)}${where}?`,
    '',
    placeText(place),
    '',
    ...(undoes === undefined ? [] : undoLines(undoes)),
    ...groups.flatMap(groupLines),
  ].join('\n');
}
