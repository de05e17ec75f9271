/** Characters with which formulas begin in spreadsheets. */
const formula = '[=+\\-@\uff1d\uff0b\uff0d\uff20]';
/** Spreadsheets also begin a cell at the delimiters that they expect, except the one of the file, next to which are quotes. */
const cellStarts = (delimiter: string): string => `(^|[${',;\t\r\n'.replace(delimiter, '')}])`;
/** Numbers stay numbers. */
const number = /^[+-]?\d+(\.\d+)?$/;

/**
 * Text that no spreadsheet runs as a formula: an apostrophe precedes the first character of a formula. Apostrophes that
 * are there already stay, so that `plainText` returns the same text.
 */
export const formulaFree = (text: string, delimiter = ','): string =>
  number.test(text) ? text : text.replaceAll(new RegExp(`${cellStarts(delimiter)}(?='*${formula})`, 'g'), "$1'");

/** The text of a cell that `formulaFree` has written. */
export const plainText = (cell: string, delimiter = ','): string =>
  cell.replaceAll(new RegExp(`${cellStarts(delimiter)}'(?='*${formula})`, 'g'), '$1');
