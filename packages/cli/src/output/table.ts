import Table from 'cli-table3';
import { fitColumns, GAP } from './fit.js';
import { cellText, type Row, valueAt } from './row.js';
import { sanitizeLine } from './sanitize.js';
import { type Style, styleState } from './style.js';
import type { Column } from './view.js';
import { cutTo, padTo, widthOf } from './width.js';

export interface TableOptions {
  readonly header: boolean;
  readonly style: Style;
  /** Columns of the terminal; undefined in a pipe, where nothing is left out or cut. */
  readonly width: number | undefined;
  /** The person chose the columns: none is dropped. */
  readonly keepColumns: boolean;
}

const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(GAP),
};

/** Stands in for text whose width cli-table3 would misjudge (its string-width predates today's emoji). */
const STAND_IN = '\ue000';
const BATCH = 100;
const ASCII = /^[\x20-\x7e]*$/;

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

  const replaced: string[] = [];
  const place = (text: string, column: Column, space: number, paint: (fitting: string) => string): string => {
    const fitting = column.whole ? text : cutTo(text, space);
    const padded = padTo(paint(fitting), space, column.align);
    if (ASCII.test(fitting)) return padded;
    replaced.push(padded);
    return STAND_IN.repeat(Math.max(1, space));
  };
  const lines = header
    ? [fitted.map(({ column, width: space }) => place(column.header, column, space, (text) => style('dim', text)))]
    : [];
  for (const [index, text] of texts.entries()) {
    const row = rows[index] ?? {};
    lines.push(
      fitted.map(({ column, width: space }) =>
        place(text.get(column) ?? '', column, space, (fitting) =>
          styleState(style, valueAt(row, column.field), fitting),
        ),
      ),
    );
  }
  let next = 0;
  return laidOut(lines)
    .replaceAll(new RegExp(`${STAND_IN}+`, 'g'), () => replaced[next++] ?? '')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Cells of equal width per column, side by side; a hundred rows at a time, since cli-table3's layout is quadratic. */
function laidOut(lines: readonly string[][]): string {
  let text = '';
  for (let start = 0; start < lines.length; start += BATCH) {
    const table = new Table({
      chars: NO_BORDERS,
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    });
    table.push(...lines.slice(start, start + BATCH));
    text += `${table.toString()}\n`;
  }
  return text;
}
