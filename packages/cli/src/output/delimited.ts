import { stringify } from 'csv-stringify/sync';
import { cellText, pathsOf, type Row, valueAt } from '../text/row.js';
import { sanitize, sanitizeLine } from '../text/sanitize.js';

/**
 * A spreadsheet runs a cell that begins like this as a formula; an apostrophe in front makes it text. Numbers such as
 * -122.03 stay numbers.
 */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?\d+(\.\d+)?$/;
const harmless = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

/** Columns of csv and tsv: the contract's fields with objects opened (`user.email`), then whatever else the first rows hold. */
export function delimitedPaths(fields: readonly string[], rows: readonly Row[]): string[] {
  const found = new Set(rows.flatMap((row) => pathsOf(row)));
  const opened = fields.flatMap((field) => {
    const inside = [...found].filter((path) => path.startsWith(`${field}.`));
    return inside.length > 0 ? inside : [field];
  });
  return [...new Set([...opened, ...found])];
}

export const csvLine = (cells: readonly string[]): string => stringify([[...cells]]);

export const csvRow = (row: Row, paths: readonly string[]): string =>
  csvLine(paths.map((path) => harmless(sanitize(cellText(valueAt(row, path))))));

export const tsvLine = (cells: readonly string[]): string => `${cells.join('\t')}\n`;

export const tsvRow = (row: Row, paths: readonly string[]): string =>
  tsvLine(paths.map((path) => sanitizeLine(cellText(valueAt(row, path)))));
