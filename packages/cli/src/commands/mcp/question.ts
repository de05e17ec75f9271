import { hasKind } from '@mkt/sdk/contract/resources';
import { structuredPatch } from 'diff';
import type { Resource } from '../../api/labels.js';
import { idOf } from '../../api/organization.js';
import type { FieldChange } from '../../changes/plan-lines.js';
import type { Change } from '../../declarations/plan.js';
import type { Rehearsal } from '../../declarations/rehearse.js';
import { valueAt } from '../../text/row.js';

/** How large a question may be, in bytes: people do not read more. */
export const MAX_QUESTION = 64 * 1024;

const INDENT = '    ';

/** Characters that are invisible, or that change how other ones are shown or where lines end. */
const HIDDEN =
  /(?!(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{DI}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/gu;

/** Accents of one letter after the fourth: more of them cover other lines. */
const PILED = /(?<=\p{M}{4})\p{M}/gu;

/** The host of a URL or of an e-mail address, in which letters of other alphabets can look like those of another host. */
const HOST = /(?<=\/\/|@)[^\s/?#"'<>]+/gu;
const BEYOND_ASCII = /[^\x20-\x7e]/gu;

const escapedCharacter = (character: string): string => {
  const known = { '\t': '\\t', '\n': '\\n', '\r': '\\r' }[character];
  const code = character.codePointAt(0) ?? 0;
  return known ?? (code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`);
};

/** A line of a text, with what cannot be seen as an escape; so many spaces could push the rest to the start of a line. */
const visible = (text: string): string =>
  text
    .replaceAll('\\', '\\\\')
    .replace(HIDDEN, escapedCharacter)
    .replace(PILED, escapedCharacter)
    .replace(HOST, (host) => host.replace(BEYOND_ASCII, escapedCharacter))
    .replace(/ {4,}/g, (spaces) => '\\u0020'.repeat(spaces.length));

/** A whole value on one line. Texts are in quotes, and no quote or line break inside can end them. */
const shownValue = (value: unknown): string => {
  if (typeof value === 'string') return `"${visible(value).replaceAll('"', '\\"')}"`;
  if (Array.isArray(value)) return `[${value.map(shownValue).join(', ')}]`;
  if (value === null || value === undefined) return 'none';
  return typeof value === 'object' ? visible(JSON.stringify(value)) : String(value);
};

/** HTML as lines, one for each block. */
const linesOf = (text: string): string =>
  `${text.replace(/(<\/(?:p|div|h[1-6]|li|ul|ol|blockquote|pre|tr|table)>|<br\s*\/?>|<(?:ul|ol|table)>)(?!\n|$)/gi, '$1\n')}\n`;

/** How long two texts are compared, in milliseconds: some take very long. */
const PATIENCE_MS = 2000;

/** Every line in which two texts differ, whole, with one line of context. */
function diffLines(from: string, to: string): string[] {
  const [before, after] = [linesOf(from), linesOf(to)];
  const patch = structuredPatch('', '', before, after, '', '', { context: 1, timeout: PATIENCE_MS });
  if (patch === undefined) {
    const all = (sign: string, text: string) => text.split('\n').map((line) => `${INDENT}  ${sign} ${visible(line)}`);
    return [...all('-', before), ...all('+', after)];
  }
  return patch.hunks.flatMap(({ lines, newStart, oldStart }, index) => {
    const shown = lines.map((line) => `${INDENT}  ${line.charAt(0)} ${visible(line.slice(1))}`);
    return index > 0 || newStart > 1 || oldStart > 1 ? [`${INDENT}  …`, ...shown] : shown;
  });
}

const RIGHT_TO_LEFT =
  /\p{Script=Hebrew}|\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}|\p{Script=Adlam}/u;

function fieldLines({ fields }: Resource, { field, from, to }: FieldChange, isNew: boolean): string[] {
  const name = visible(field);
  if (hasKind(fields, field, 'richText') && to !== null)
    return [`${INDENT}${name}:`, ...diffLines(from === null ? '' : String(from), String(to))];
  if (isNew) return [`${INDENT}${name}: ${shownValue(to)}`];
  const [before, after] = [shownValue(from), shownValue(to)];
  // On one line, two texts that run from right to left would change places.
  return RIGHT_TO_LEFT.test(before) && RIGHT_TO_LEFT.test(after)
    ? [`${INDENT}${name}: ${before}`, `${INDENT}  -> ${after}`]
    : [`${INDENT}${name}: ${before} -> ${after}`];
}

/** `campaign 3 "Curl week"`; `member mem_5_ben "Ben" "ben@acme.example"`. */
function labelOf({ declared, row }: Change): string {
  const { resource, name } = declared.kind;
  if (row === undefined)
    return declared.name === undefined ? resource.singular : `${resource.singular} ${shownValue(declared.name)}`;
  const title = valueAt(row, resource.title);
  const email = name === 'members' ? ` ${shownValue(valueAt(row, 'user.email'))}` : '';
  return `${resource.singular} ${visible(idOf(row))} ${shownValue(title)}${email}`;
}

/** The value of a field after the change. */
const valueAfter = ({ row, fields }: Change, name: string): unknown => {
  const change = fields.find(({ field }) => field === name);
  return change === undefined ? valueAt(row, name) : change.to;
};

/** What a publication or submission means, and what it fixes. */
function publicationLines(change: Change, rehearsal: Rehearsal | undefined): string[] {
  const { declared, steps } = change;
  const { kind } = declared;
  const isFinal = steps.find((step) => step === 'publish' || step === 'submit');
  if (isFinal === undefined) return [];
  const { locked } = kind.resource;
  const fixed = locked?.fields.map((field) => `${field} ${shownValue(valueAfter(change, field))}`) ?? [];
  const lines = [
    isFinal === 'publish' ? 'It cannot be unpublished, only paused.' : 'A submission cannot be taken back.',
  ];
  if (fixed.length > 0) lines.push(`The payouts and the currency are then fixed: ${fixed.join(', ')}.`);
  const budget = valueAfter(change, 'total_budget_amount') ?? (kind.name === 'campaigns' ? 0 : undefined);
  const currency = shownValue(valueAfter(change, 'currency'));
  if (rehearsal?.spends !== undefined && rehearsal.spends.amount > 0)
    lines.push(`Creators can earn up to ${rehearsal.spends.amount} ${currency}.`);
  if (budget === 0) lines.push('It has no budget: creators cannot earn anything yet.');
  const countries = valueAfter(change, 'countries');
  if (Array.isArray(countries))
    lines.push(countries.length === 0 ? 'It has no countries.' : `Countries: ${shownValue(countries)}.`);
  if (valueAfter(change, 'brief') == null) lines.push('It has no brief.');
  return lines.map((line) => `${INDENT}${line}`);
}

function changeLines(change: Change, rehearsal: Rehearsal | undefined): string[] {
  const { declared, row, steps, fields } = change;
  const isDeleted = declared.isDeleted;
  return [
    `- ${steps.join(', ')} ${labelOf(change)}`,
    ...(isDeleted ? [`${INDENT}It cannot be restored with the same id.`] : []),
    ...fields
      .filter(({ field }) => row !== undefined || field !== 'name')
      .flatMap((field) => fieldLines(declared.kind.resource, field, row === undefined)),
    ...publicationLines(change, rehearsal),
  ];
}

export interface Question {
  readonly organization: { readonly id: unknown; readonly name: string };
  readonly changes: readonly Change[];
  /** What the changes did to a copy. */
  readonly rehearsalOf: (change: Change) => Rehearsal | undefined;
}

/** The text that a person approves: everything that will be written, and what follows from it. */
export function questionText({ organization: { id, name }, changes, rehearsalOf }: Question): string {
  const count = changes.length === 1 ? '1 change' : `${changes.length} changes`;
  return [
    `Apply ${count} in ${shownValue(name)} (organization ${visible(String(id))})?`,
    ...changes.flatMap((change) => changeLines(change, rehearsalOf(change))),
  ].join('\n');
}
