import { hasKind } from '@mkt/sdk/contract/resources';
import { richText } from '@mkt/server/rich-text';
import { structuredPatch } from 'diff';
import type { Resource } from '../api/labels.js';
import { withEscapes } from '../text/escapes.js';
import { htmlToText } from '../text/html-text.js';
import type { Style } from '../text/style.js';
import { cellText } from '../text/values.js';
import { widthOf, wrap } from '../text/width.js';

/** A field whose value changes. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

export interface Layout {
  readonly style: Style;
  /** Columns of the terminal; undefined in a pipe, where nothing is wrapped or left out. */
  readonly width: number | undefined;
}

export const INDENT = '    ';
/** Lines of one text that a terminal shows, and rows of a text with long lines. */
const MAX_LINES = 16;
const MAX_ROWS = 48;
/** What happens: `=` nothing, `!` a warning; a space and `…` are lines around a change. */
type Sign = '+' | '-' | '~' | '>' | '=' | '!' | ' ' | '…';
const colors: Readonly<Record<Sign, Parameters<Style>[0]>> = {
  '+': 'green',
  '-': 'red',
  '~': 'yellow',
  '>': 'cyan',
  '=': 'dim',
  '!': 'dim',
  ' ': 'dim',
  '…': 'dim',
};

/** HTML as lines, one for each block, so that a changed paragraph is a changed line. */
const htmlLines = (html: string): string =>
  html.replace(/(<\/(?:p|div|h[1-6]|li|ul|ol|blockquote|pre|tr|table)>|<br\s*\/?>|<(?:ul|ol|table)>)(?!\n)/gi, '$1\n');

const withoutEmptyLines = (text: string, trimmed: boolean): string =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `${trimmed ? line.trim() : line.trimEnd()}\n`)
    .join('');

/** The lines in which two texts differ, each after its sign, with one line of context. */
function diffLines(from: string, to: string): string[] {
  const hunksOf = (trimmed: boolean) =>
    structuredPatch('', '', withoutEmptyLines(from, trimmed), withoutEmptyLines(to, trimmed), '', '', { context: 1 })
      .hunks;
  // Indentation counts only if nothing else differs.
  const trimmed = hunksOf(true);
  return (trimmed.length > 0 ? trimmed : hunksOf(false)).flatMap(({ lines, newStart, oldStart }, index) =>
    index > 0 || newStart > 1 || oldStart > 1 ? ['…', ...lines] : lines,
  );
}

export const valueText = (value: unknown): string =>
  withEscapes(Array.isArray(value) ? value.map(cellText).join(', ') : cellText(value)) || 'none';

/** Text after a prefix, with hanging indentation. */
export function hanging(prefix: string, text: string, { width }: Layout): string[] {
  const lines = width === undefined ? [text] : wrap(text, Math.max(20, width - prefix.length), true);
  return lines.map((line, index) => `${index === 0 ? prefix : ' '.repeat(prefix.length)}${line}`);
}

/** Text after a sign, in its color. */
export const signed = (sign: Sign, text: string, layout: Layout, indent = ''): string[] =>
  hanging(`${indent}${sign} `, text, layout).map((line) => layout.style(colors[sign], line.trimEnd()));

/** What a terminal shows of long text. @param hidden lines that are left out already */
function limited(rows: readonly string[], most: number, { style, width }: Layout, hidden = 0): readonly string[] {
  const shown = width === undefined ? rows : rows.slice(0, most);
  const more = hidden + rows.length - shown.length;
  return more === 0
    ? rows
    : [...shown, style('dim', `${INDENT}  … ${more} more line${more === 1 ? '' : 's'}; to see all: --dry-run | cat`)];
}

/** The changed lines of a brief as text; its tags are shown only if nothing else differs. */
function textLines({ field, from, to }: FieldChange, layout: Layout): string[] {
  // As the service will store it.
  const [before, after] = [cellText(from), richText(cellText(to))];
  const text = diffLines(htmlToText(before), htmlToText(after));
  const lines = text.length > 0 ? text : diffLines(htmlLines(before), htmlLines(after));
  const shown = layout.width === undefined ? lines : lines.slice(0, MAX_LINES);
  const rows = shown.flatMap((line) =>
    signed(line.charAt(0) as Sign, withEscapes(line.slice(1)), layout, `${INDENT}  `),
  );
  return [`${INDENT}${field}:`, ...limited(rows, MAX_ROWS, layout, lines.length - shown.length)];
}

/** The name of a field in words: `cpm amount`. */
export const fieldLabel = (field: string): string => field.replaceAll('_', ' ');

export function fieldLines({ fields }: Resource, change: FieldChange, isNew: boolean, layout: Layout): string[] {
  const { field, from, to } = change;
  if (hasKind(fields, field, 'richText') && to !== null) return textLines(change, layout);
  const label = fieldLabel(field);
  if (isNew) return [...limited(hanging(`${INDENT}${label}: `, valueText(to), layout), MAX_LINES, layout)];
  const line = `${INDENT}${label}: ${valueText(from)} -> ${valueText(to)}`;
  if (layout.width === undefined || widthOf(line) <= layout.width) return [line];
  return [
    `${INDENT}${label}:`,
    ...limited(signed('-', valueText(from), layout, `${INDENT}  `), MAX_LINES, layout),
    ...limited(signed('+', valueText(to), layout, `${INDENT}  `), MAX_LINES, layout),
  ];
}
