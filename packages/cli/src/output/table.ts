import { cellText, type Row, valueAt } from '../text/row.js';
import { sanitizeLine } from '../text/sanitize.js';
import { type Style, styleState } from '../text/style.js';
import { cutTo, padTo, widthOf } from '../text/width.js';
import { fitColumns, GAP } from './fit.js';
import type { Column } from './view.js';

export interface TableOptions {
  readonly header: boolean;
  readonly style: Style;
  /** Columns of the terminal; undefined in a pipe, where nothing is left out or cut. */
  readonly width: number | undefined;
  /** The person chose the columns: none is dropped. */
  readonly keepColumns: boolean;
}

const cell = (column: Column, row: Row, terminal: boolean): string => {
  const value = valueAt(row, column.field);
  const text = sanitizeLine(cellText(value));
  return terminal && column.day === true ? text.slice(0, 10) : text;
};

/** Rows as lines of aligned columns, one row a line, under a header. */
export function renderTable(rows: readonly Row[], columns: readonly Column[], options: TableOptions): string {
  const { header, style, width } = options;
  const texts = rows.map((row) => new Map(columns.map((column) => [column, cell(column, row, width !== undefined)])));
  const measured = columns.map((column) => ({
    column,
    natural: texts.reduce(
      (widest, text) => Math.max(widest, widthOf(text.get(column) ?? '')),
      header || rows.length === 0 ? widthOf(column.header) : 1,
    ),
  }));
  const fitted =
    width === undefined
      ? measured.map(({ column, natural }) => ({ column, width: natural }))
      : fitColumns(measured, width, options.keepColumns);

  const line = (textOf: (column: Column) => string, paint: (fitting: string, column: Column) => string): string => {
    const cells = fitted.map(({ column, width: space }) => {
      const fitting = column.whole ? textOf(column) : cutTo(textOf(column), space);
      return padTo(paint(fitting, column), space, column.align);
    });
    return `${cells.join(' '.repeat(GAP)).trimEnd()}\n`;
  };
  const lines = texts.map((text, index) =>
    line(
      (column) => text.get(column) ?? '',
      (fitting, { field }) => styleState(style, valueAt(rows[index] ?? {}, field), fitting),
    ),
  );
  if (header)
    lines.unshift(
      line(
        (column) => column.header,
        (fitting) => style('dim', fitting),
      ),
    );
  return lines.join('');
}
