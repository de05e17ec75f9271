import Table from 'cli-table3';
import { type Style, styleState } from '../text/style.js';
import { type Row, sanitizeLine, textAt, valueAt } from '../text/values.js';
import { cutTo, widthOf } from '../text/width.js';
import type { Column } from './view.js';

export interface TableOptions {
  readonly header: boolean;
  readonly style: Style;
  /** Columns of the terminal; undefined in a pipe, where nothing is dropped or cut. */
  readonly width: number | undefined;
  /** Whether to show all columns, because the user chose them. */
  readonly keepColumns: boolean;
}

const GAP = 2;
const NARROWEST = 6;

interface Measured {
  readonly column: Column;
  readonly natural: number;
}

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, widths.length - 1);

/**
 * The columns that a terminal of `width` has room for, and how wide each is: the least important are dropped first, then
 * the widest are cut, ids never.
 */
function fitColumns<T extends Measured>(
  measured: readonly T[],
  width: number,
  keepAll: boolean,
): (T & { width: number })[] {
  let kept = [...measured];
  // What a column that can be cut counts for when columns are dropped.
  const comfort = Math.min(28, Math.floor(width * 0.35));
  const wanted = ({ column, natural }: Measured) => (column.whole ? natural : Math.min(natural, comfort));
  while (!keepAll && total(kept.map(wanted)) > width) {
    const least = Math.max(...kept.map(({ column }) => column.priority));
    if (least === 0) break;
    const index = kept.findLastIndex(({ column }) => column.priority === least);
    kept = kept.filter((_, position) => position !== index);
  }
  const fitted = kept.map((each) => ({ ...each, width: each.natural }));
  for (;;) {
    const over = total(fitted.map((each) => each.width)) - width;
    if (over <= 0) return fitted;
    const widest = fitted
      .filter((each) => !each.column.whole && each.width > NARROWEST)
      .reduce<(typeof fitted)[number] | undefined>(
        (most, each) => (most && most.width >= each.width ? most : each),
        undefined,
      );
    if (widest === undefined) return fitted;
    const next = Math.max(
      NARROWEST,
      ...fitted.filter((each) => !each.column.whole && each.width < widest.width).map((each) => each.width),
    );
    widest.width = Math.max(NARROWEST, widest.width - Math.max(1, Math.min(over, widest.width - next)));
  }
}

const cell = (column: Column, row: Row, terminal: boolean): string => {
  const text = sanitizeLine(textAt(row, column.field));
  return terminal && column.day === true ? text.slice(0, 10) : text;
};

/** Renders rows as aligned columns under a header. */
export function renderTable(rows: readonly Row[], columns: readonly Column[], options: TableOptions): string {
  const { header, style, width } = options;
  // Below it there is nothing to read; the footer says so.
  if (rows.length === 0 && width !== undefined) return '';
  const measured = columns.map((column) => {
    const texts = rows.map((row) => cell(column, row, width !== undefined));
    const natural = texts.reduce(
      (widest, text) => Math.max(widest, widthOf(text)),
      header || rows.length === 0 ? widthOf(column.header) : 1,
    );
    return { column, texts, natural };
  });
  const fitted =
    width === undefined
      ? measured.map((each) => ({ ...each, width: each.natural }))
      : fitColumns(measured, width, options.keepColumns);
  const lines = rows.map((row, index) =>
    fitted.map(({ column, texts, width }) =>
      styleState(style, valueAt(row, column.field), cutTo(texts[index] ?? '', width)),
    ),
  );
  if (header) lines.unshift(fitted.map(({ column, width }) => style('dim', cutTo(column.header, width))));
  return layOut(
    lines,
    fitted.map(({ width }) => width),
    fitted.map(({ column }) => column.align ?? 'left'),
  );
}

const sides =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid';

const withoutBorders: Table.TableConstructorOptions = {
  chars: {
    ...Object.fromEntries(sides.split(' ').map((side) => [side, ''])),
    middle: ' '.repeat(GAP),
  },
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  // For its debug log cli-table3 cuts every cell to ten columns, which takes minutes on long names that are not ASCII.
  // An ellipsis of ten columns leaves nothing to cut. It is never seen: all cells fit.
  truncate: ' '.repeat(10),
};

/** Lines of a cell: the time that cli-table3 takes grows with the square of their number. */
const BATCH = 50;

/** A cell has many lines of its column, because each cell takes as long as several lines. */
function layOut(lines: string[][], colWidths: number[], colAligns: Table.HorizontalAlignment[]): string {
  let text = '';
  for (let start = 0; start < lines.length; start += BATCH) {
    // Its own copy of the widths: cli-table3 writes into them.
    const table = new Table({ ...withoutBorders, colWidths: [...colWidths], colAligns });
    const batch = lines.slice(start, start + BATCH);
    table.push(colWidths.map((_, column) => batch.map((line) => line[column]).join('\n')));
    for (const line of table.toString().split('\n')) text += `${line.trimEnd()}\n`;
  }
  return text;
}
