import { idOf } from '../../api/organization.js';
import { labelOf } from '../../shared/presenter.js';
import { cellText } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';
import type { Style } from '../../text/style.js';
import { cutTo, widthOf, wrapAll } from '../../text/width.js';
import { type Change, countsOf, type FieldChange, nameAndId, stateOf } from './plan.js';
import { textDiff } from './text-diff.js';

export interface Look {
  readonly style: Style;
  /** Columns of the terminal; undefined in a pipe, where nothing is broken or left out. */
  readonly width: number | undefined;
}

const INDENT = '    ';
/** Lines of one text that a terminal shows. */
const MOST_LINES = 16;
const signs = { '+': 'green', '-': 'red', '~': 'yellow', '>': 'cyan', '=': 'dim', '…': 'dim', ' ': 'dim' } as const;

const valueText = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : sanitizeLine(value.map(cellText).join(', '));
  return sanitizeLine(cellText(value));
};

const folded = (text: string, width: number | undefined): string[] =>
  width === undefined ? [text] : wrapAll(text, Math.max(20, width));

/** Text behind what stands before it, its further lines indented as far. */
function hanging(before: string, text: string, { width }: Look): string[] {
  const lines = folded(text, width === undefined ? undefined : width - before.length);
  return lines.map((line, index) => `${index === 0 ? before : ' '.repeat(before.length)}${line}`);
}

const signed = (sign: keyof typeof signs, text: string, look: Look, indent: string): string[] =>
  hanging(`${indent}${sign} `, text, look).map((line, index) =>
    sign === '+' || sign === '-' || sign === '…'
      ? look.style(signs[sign], line)
      : index === 0
        ? line.replace(`${indent}${sign}`, (start) => look.style(signs[sign], start))
        : line,
  );

/** Text by its lines: those that go and those that come. */
function textLines({ field, from, to }: FieldChange, look: Look): string[] {
  const lines = textDiff(typeof from === 'string' ? from : '', typeof to === 'string' ? to : '');
  const shown = look.width === undefined ? lines : lines.slice(0, MOST_LINES);
  const more = lines.length - shown.length;
  return [
    `${INDENT}${field}:`,
    ...shown.flatMap(({ sign, text }) => signed(sign, text, look, `${INDENT}  `)),
    ...(more > 0 ? [look.style('dim', `${INDENT}  … ${more} more lines; all of them: --dry-run | cat`)] : []),
  ].map((line) => line.trimEnd());
}

function fieldLines(change: FieldChange, created: boolean, look: Look): string[] {
  const { field, from, to } = change;
  if (field === 'brief' && to !== null) return textLines(change, look);
  if (created) return hanging(`${INDENT}${field}: `, valueText(to), look);
  const line = `${INDENT}${field}: ${valueText(from)} -> ${valueText(to)}`;
  if (look.width === undefined || widthOf(line) <= look.width) return [line];
  return [
    `${INDENT}${field}:`,
    ...signed('-', valueText(from), look, `${INDENT}  `),
    ...signed('+', valueText(to), look, `${INDENT}  `),
  ];
}

function stateChange({ declared, row, way }: Change): string {
  const from = row === undefined ? declared.kind.states.initial : sanitizeLine(stateOf(declared, row));
  const review = way?.waitsForReview === true ? ', then the marketplace reviews it' : '';
  return `${from} -> ${way?.to ?? from}${review}`;
}

function changeLines(change: Change, look: Look): string[] {
  const { declared, row, fields, steps, way, similar } = change;
  const { resource } = declared.kind;
  const label =
    row === undefined ? `${resource.noun} "${cutTo(sanitizeLine(declared.name ?? ''), 50)}"` : labelOf(resource, row);
  const actions = way?.actions ?? [];
  const action = `${actions.join(', ')}${steps.length > actions.length ? '' : ` ${label}`}: ${stateChange(change)}`;
  const body = fields.filter(({ field }) => row !== undefined || field !== 'name');
  return [
    ...(steps[0] === 'create' ? signed('+', `create ${label}`, look, '') : []),
    ...(steps[0] === 'update' ? signed('~', `update ${label}`, look, '') : []),
    ...body.flatMap((field) => fieldLines(field, row === undefined, look)),
    ...(actions.length > 0 ? signed('>', action, look, steps.length > actions.length ? INDENT : '') : []),
    ...(similar === undefined
      ? []
      : hanging(
          INDENT,
          `There is ${resource.noun} ${nameAndId(similar)}: if it is meant, declare id: ${idOf(similar)}.`,
          look,
        ).map((line) => look.style('yellow', line))),
  ];
}

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

function summary(changes: readonly Change[]): string {
  const { create, update, actions, unchanged } = countsOf(changes);
  return `Plan: ${create} to create, ${update} to change, ${plural(actions, 'action')}, ${unchanged} unchanged.`;
}

/** The difference between file and service, an object after the other. */
export function renderPlan(changes: readonly Change[], look: Look): string {
  const unchanged = changes.filter(({ steps }) => steps.length === 0);
  const waiting = unchanged.filter(({ way }) => way?.waitsForReview === true);
  const lines = [
    ...changes.flatMap((change) => (change.steps.length > 0 ? changeLines(change, look) : [])),
    ...(unchanged.length > 0 ? signed('=', `${unchanged.length} unchanged`, look, '') : []),
    ...waiting.flatMap(({ declared, row }) =>
      hanging(INDENT, `${labelOf(declared.kind.resource, row ?? {})} waits for the review of the marketplace.`, look),
    ),
    '',
    ...hanging('', summary(changes), look),
  ];
  return `${lines.join('\n')}\n`;
}
