import type { FieldKinds } from '@mkt/sdk/contract';
import { hasKind } from '@mkt/sdk/contract/resources';
import { htmlToText } from '../text/html-text.js';
import { type Style, styleState } from '../text/style.js';
import { cellText, pathsOf, type Row, sanitize, sanitizeLine, textAt, valueAt } from '../text/values.js';
import { padTo, widthOf, wrap } from '../text/width.js';

export interface DetailOptions {
  /** What the fields are: rich text is printed last and in full. */
  readonly kinds: FieldKinds;
  readonly style: Style;
  readonly width: number | undefined;
}

const lines = (text: string, width: number | undefined): string[] =>
  width === undefined ? [text] : wrap(text, width, true);

/** One object: one field per line, with the brief as text below. */
export function renderDetail(row: Row, paths: readonly string[] | undefined, options: DetailOptions): string {
  const { kinds, style, width } = options;
  const isDocument = (path: string): boolean => hasKind(kinds, path, 'richText');
  const wanted = paths ?? pathsOf(row);
  const values = wanted.filter((path) => !isDocument(path));
  const label = Math.max(0, ...values.map(widthOf)) + 2;
  const space = width === undefined ? undefined : Math.max(10, width - label);
  const printed = values.map((path) => {
    const value = valueAt(row, path);
    const text = sanitizeLine(Array.isArray(value) ? value.map(cellText).join(', ') : cellText(value));
    const isEmpty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
    const shown = isEmpty ? [style('dim', '-')] : lines(text, space);
    return shown
      .map(
        (line, index) =>
          `${index === 0 ? style('dim', padTo(path, label)) : ' '.repeat(label)}${styleState(style, value, line)}`,
      )
      .map((line) => line.trimEnd())
      .join('\n');
  });
  const documents = wanted.filter(isDocument).map((path) => {
    const text = sanitize(htmlToText(textAt(row, path)));
    const shown = text === '' ? ['-'] : lines(text, width === undefined ? undefined : width - 2);
    return [style('dim', path), ...shown.flatMap((line) => line.split('\n')).map((line) => `  ${line}`.trimEnd())].join(
      '\n',
    );
  });
  const parts = printed.length === 0 ? documents : [printed.join('\n'), ...documents];
  return `${parts.join('\n\n')}\n`;
}
