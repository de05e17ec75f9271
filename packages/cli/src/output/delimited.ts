import { stringify } from 'csv-stringify/sync';
import { cellText, pathsOf, type Row, valueAt } from '../text/row.js';
import { sanitize, sanitizeLine } from '../text/sanitize.js';

/** Spreadsheets run cells that begin like this as formulas; an apostrophe makes them text. Numbers stay numbers. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?\d+(\.\d+)?$/;
const harmless = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

/** Columns of csv and tsv: the contract's fields, objects as `user.email`, then all others of the first rows. */
export function delimitedPaths(fields: readonly string[], rows: readonly Row[]): string[] {
  const found = new Set(rows.flatMap((row) => pathsOf(row)));
  const opened = fields.flatMap((field) => {
    const inside = [...found].filter((path) => path.startsWith(`${field}.`));
    return inside.length > 0 ? inside : [field];
  });
  return [...new Set([...opened, ...found])];
}

const tsv = (cells: readonly string[]): string => `${cells.join('\t')}\n`;

/** The line of the header, and that of a row; `delimiter` is that of csv. */
export function lineFormats(delimiter = ',') {
  const csv = (cells: readonly string[]): string => stringify([[...cells]], { delimiter });
  return {
    csv: {
      head: csv,
      line: (row: Row, paths: readonly string[]) =>
        csv(paths.map((path) => harmless(sanitize(cellText(valueAt(row, path)))))),
    },
    tsv: {
      head: tsv,
      line: (row: Row, paths: readonly string[]) =>
        tsv(paths.map((path) => sanitizeLine(cellText(valueAt(row, path))))),
    },
  };
}
