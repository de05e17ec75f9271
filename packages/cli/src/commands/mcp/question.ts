import { hasKind } from '@mkt/sdk/contract/resources';
import { structuredPatch } from 'diff';
import type { Resource } from '../../api/labels.js';
import { idOf } from '../../api/organization.js';
import type { FieldChange } from '../../changes/plan-lines.js';
import type { Declared } from '../../declarations/declaration.js';
import type { Change } from '../../declarations/plan.js';
import { publicationText } from '../../declarations/publication.js';
import type { Rehearsal } from '../../declarations/rehearse.js';
import { escapedCharacter, withEscapes } from '../../text/escapes.js';
import { valueAt } from '../../text/row.js';
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

/** HTML as lines, one for each sentence. */
const linesOf = (text: string): string =>
  `${text.replace(/(<\/(?:p|div|h[1-6]|li|ul|ol|blockquote|pre|tr|table)>|<br\s*\/?>|<(?:ul|ol|table)>|(?<=[\p{L}\p{N}>)])[.!?] +(?=\P{Ll}))(?!\n|$)/giu, '$1\n')}\n`;

/** How long two texts are compared, in milliseconds: some take very long. */
const PATIENCE_MS = 2000;

/** Every sentence in which two texts differ, whole. */
function diffLines(from: string, to: string): string[] {
  const [before, after] = [linesOf(from), linesOf(to)];
  const patch = structuredPatch('', '', before, after, '', '', { context: 0, timeout: PATIENCE_MS });
  const all = (sign: string, text: string) => text.split('\n').map((line) => sign + line);
  const lines = patch?.hunks.flatMap((hunk) => hunk.lines) ?? [...all('-', before), ...all('+', after)];
  return lines.map((line) => `${line.charAt(0)} ${visible(line.slice(1))}`);
}

function fieldLines({ fields }: Resource, { field, from, to }: FieldChange, isNew: boolean): string[] {
  if (hasKind(fields, field, 'richText') && to !== null) {
    const lines = diffLines(from === null ? '' : String(from), String(to));
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
  readonly changes: readonly Change[];
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
  const groups = new Map<string, { changes: Change[]; lines: readonly string[] }>();
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
  const [first] = changes;
  if (first === undefined) return [];
  const { singular, plural } = first.declared.kind.resource;
  const what = changes.length === 1 ? singular : `${changes.length} ${plural}:`;
  return [`- ${first.steps.join(', ')} ${what} ${changes.map(labelOf).join(', ')}`.trimEnd(), ...lines];
}

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
  return [
    `Apply ${count === 1 ? '1 change' : `${count} changes`} in ${shownValue(name)} (organization ${shownId(String(id))})?`,
    '',
    placeText(place),
    '',
    ...(undoes === undefined ? [] : undoLines(undoes)),
    ...groups.flatMap(groupLines),
  ].join('\n');
}
