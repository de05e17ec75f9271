import { CsvError, parse } from 'csv-parse/sync';
import { usageError } from '../../errors/cli-error.js';
import type { Problem } from '../../fields/problems.js';
import { plainText } from '../../text/formula-free.js';
import { sanitizeLine } from '../../text/values.js';
import { cutTo } from '../../text/width.js';
import { columnKey, invalidFile, type Place, type Table } from './columns.js';
import type { LogHeader } from './log.js';

/** A row of cells, and where it begins. */
export interface Cells extends Place {
  readonly cells: readonly string[];
  readonly linkOf?: (index: number) => string | undefined;
}

/** How a file of cells is read: its flags, and which column names are known. */
export interface Reading extends Partial<Pick<LogHeader, 'delimiter' | 'sheet' | 'skip-lines'>> {
  readonly 'skip-totals': boolean;
  readonly isColumn: (column: string) => boolean;
  /** Whether columns that are not known are skipped. */
  readonly skipsOthers: boolean;
}

const MAX_ABOVE = 20;
const LINE_BREAK = /\r\n?|\n/g;
const lineBreaks = (text: string): number => text.match(LINE_BREAK)?.length ?? 0;

const filledIn = (cells: readonly string[]): number => cells.filter((cell) => cell.trim() !== '').length;

/**
 * The index of the row with the column names: of the first rows, the one with the most known names. Titles above it fill
 * fewer cells, or it has nothing else. Without known names, it is the first one that is not much shorter than the others.
 */
function findHeader(records: readonly Cells[], isColumn: Reading['isColumn']): { index: number; known: number } {
  let best = { index: 0, known: 0 };
  let widest = 0;
  for (const [index, { cells }] of records.slice(0, MAX_ABOVE).entries()) {
    const known = cells.filter((cell) => isColumn(cell)).length;
    const filled = filledIn(cells);
    if (known > best.known && (filled > widest || known === filled)) best = { index, known };
    widest = Math.max(widest, filled);
  }
  if (best.known > 0) return best;
  return {
    index: Math.max(
      0,
      records.findIndex(({ cells }) => filledIn(cells) * 2 > widest),
    ),
    known: 0,
  };
}

export const knownColumns = (records: readonly Cells[], isColumn: Reading['isColumn']): number =>
  findHeader(records, isColumn).known;

const SUM =
  '(?:grand )?(?:total|sum|summe|gesamt(?:summe)?|somme|suma|summa|totale|totaal|razem|toplam|итого|合計|合计|总计|합계)s?';
/** A total that has no other meaning, and the first word of one: a campaign may be called Total War. */
const TOTAL = new RegExp(`^${SUM}(?:$|:| of \\d)`, 'i');
const TOTAL_WORD = new RegExp(`^${SUM}(?:$|[:\\s])`, 'i');

/** The number in a cell such as `$1,234.50`, whatever its unit; undefined for other text. */
function figureOf(cell: string): number | undefined {
  const bare = cell.replaceAll(/[\s'’%\p{Sc}]|\b[A-Z]{3}\b/gu, '');
  const [, whole, fraction = '0'] = /^(-?\d[\d.,]*?)(?:[.,](\d{1,2}|\d{4,}))?$/.exec(bare) ?? [];
  return whole === undefined ? undefined : Number(`${whole.replaceAll(/[.,]/g, '')}.${fraction}`);
}

const isNamed = ({ cells }: Cells, name: RegExp): boolean => cells.some((cell) => name.test(cell.trim()));

/** Whether a figure of the row is the sum of at least two figures above it, or a formula for it. */
const hasSums = ({ cells }: Cells, above: readonly Cells[]): boolean =>
  cells.some((cell, index) => {
    if (/^=(?:SUM|SUBTOTAL)\(/i.test(cell)) return true;
    const sum = figureOf(cell);
    const figures = above.flatMap((row) => figureOf(row.cells[index] ?? '') ?? []);
    if (sum === undefined || sum === 0 || figures.length < 2) return false;
    return Math.abs(figures.reduce((total, figure) => total + figure, 0) - sum) < 0.01;
  });

function headerProblems(
  header: readonly string[],
  records: readonly Cells[],
  line: number,
  { isColumn, skipsOthers }: Reading,
): Problem[] {
  const keys = header.map(columnKey);
  return header.flatMap((column, index): Problem[] => {
    const isUsed = records.some(({ cells }) => (cells[index] ?? '') !== '');
    const isSkipped = skipsOthers && !isColumn(column);
    if (isSkipped || (column === '' && !isUsed)) return [];
    if (column === '') return [{ line, message: `column ${index + 1} has no name.` }];
    return keys.indexOf(columnKey(column)) < index ? [{ line, column, message: 'appears more than once.' }] : [];
  });
}

/** A row may lack trailing cells of unnamed columns, and may have empty cells beyond the header. */
function lengthProblem({ cells, ...place }: Cells, header: readonly string[], isCsv: boolean): Problem[] {
  const least = header.findLastIndex((column) => column !== '') + 1;
  const filled = cells.findLastIndex((text) => text !== '') + 1;
  if (cells.length >= least && filled <= header.length) return [];
  const hint = isCsv && filled > header.length ? ' A cell that contains the delimiter must be in quotes.' : '';
  const count = `${cells.length} cell${cells.length === 1 ? '' : 's'}`;
  return [{ ...place, message: `has ${count}, but the header has ${header.length}.${hint}` }];
}

const rowsText = (from: number, to: number): string => (from === to ? `line ${from}` : `lines ${from} to ${to}`);

/** A table of text. @param isCsv whether a line break in a cell begins a line of the file */
export function tableOfCells(given: readonly Cells[], reading: Reading, isCsv: boolean): Table {
  const { index } = reading['skip-lines'] === undefined ? findHeader(given, reading.isColumn) : { index: 0 };
  const [first = { cells: [], line: 1 }, ...below] = given.slice(index);
  const notes: string[] = [];
  const [above] = given;
  if (index > 0 && above !== undefined) {
    const title = cutTo(sanitizeLine(above.cells.find((cell) => cell.trim() !== '') ?? ''), 40);
    notes.push(`Skipping ${rowsText(above.line, first.line - 1)} above the column names: "${title}".`);
  }
  const header = first.cells.map((cell) => cell.trim());
  const problems = headerProblems(header, below, first.line, reading);
  const advice: Record<string, unknown> = problems.some(({ column }) => column === undefined) ? { map: ['*='] } : {};
  const end = below.findLastIndex((row) => !isNamed(row, TOTAL_WORD)) + 1;
  const totals: Cells[] = [];
  const records = below.filter((row, index) => {
    if (index < end) return true;
    const above = below.slice(0, index).filter((each) => !totals.includes(each));
    const isTotal = (reading['skip-totals'] && isNamed(row, TOTAL)) || hasSums(row, above);
    if (isTotal) totals.push(row);
    return !isTotal;
  });
  for (const { line } of totals) {
    if (reading['skip-totals']) {
      notes.push(`Skipping the total in line ${line}.`);
      continue;
    }
    const message = 'this row is a total: it has the sums of the rows above. To leave it out, add --skip-totals.';
    problems.push({ line, message });
    advice['skip-totals'] = true;
  }
  problems.push(...records.flatMap((record) => lengthProblem(record, header, isCsv)));
  const columns = [...new Set(header.filter((column) => column !== ''))];
  return {
    columns,
    rows: records.map(({ cells }) => new Map(columns.map((column) => [column, cells[header.indexOf(column)] ?? '']))),
    placeOf: (row, column = '') => {
      const { cells, ...place } = records[row - 1] ?? first;
      const before = isCsv ? cells.slice(0, Math.max(0, header.indexOf(column))).join('') : '';
      return { ...place, line: place.line + lineBreaks(before) };
    },
    linkOf: (row, column) => records[row - 1]?.linkOf?.(header.indexOf(column)),
    isText: true,
    problems,
    notes,
    advice,
  };
}

/** The line that Excel writes first to name the delimiter. */
const SEPARATOR_LINE = /^sep=([^\r\n])\r?\n/;

interface CsvOptions {
  readonly delimiter: string;
  readonly to?: number;
}

function parseCsv(records: Cells[], text: string, { delimiter, to }: CsvOptions): Cells[] {
  let inCellsAbove = 0;
  // csv-parse counts CRLF in a quoted cell as two lines.
  let countedTwice = 0;
  parse(text, {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    ...(to !== undefined && { to }),
    // Other programs write cells between tabs without quotes, so that a quote within a cell means itself.
    relax_quotes: delimiter === '\t',
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    on_record: (raw: string[], { lines }) => {
      const content = raw.join('');
      const counted = content.match(/[\r\n]/g)?.length ?? 0;
      const line = lines - counted - countedTwice;
      records.push({ cells: raw.map((cell) => plainText(cell, delimiter)), line, sheetRow: line - inCellsAbove });
      inCellsAbove += lineBreaks(content);
      countedTwice += counted - lineBreaks(content);
      return null;
    },
  });
  return records;
}

const syntaxMessages: Readonly<Partial<Record<CsvError['code'], string>>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened but never closed.',
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote. Inside a quoted cell, double each quote: "".',
  INVALID_OPENING_QUOTE: 'an unquoted cell contains a quote. Quote the cell, and double the quote inside it: "".',
};

function syntaxProblem({ code, lines, message }: CsvError, text: string): Problem {
  // For an open quote, csv-parse reports the line on which the file ends.
  const line = code === 'CSV_QUOTE_NOT_CLOSED' ? 1 + lineBreaks(text.slice(0, text.lastIndexOf('"'))) : Number(lines);
  return { line, message: syntaxMessages[code] ?? `cannot be read: ${message}` };
}

/** With these options, the first rows have so many known column names, and the first row so many cells. */
function fitOf(text: string, options: CsvOptions, isColumn: Reading['isColumn']) {
  const records: Cells[] = [];
  try {
    parseCsv(records, text, { ...options, to: MAX_ABOVE });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  return { options, known: findHeader(records, isColumn).known, cells: records[0]?.cells.length ?? 0 };
}

/** CSV or TSV with any delimiter. Empty rows are skipped. */
export function readCsv(name: string, content: string, format: 'csv' | 'tsv', reading: Reading): Table {
  const separator = SEPARATOR_LINE.exec(content)?.[1];
  const skipped = Math.max(reading['skip-lines'] ?? 0, separator === undefined ? 0 : 1);
  // Lines that are skipped may have quotes. Empty ones keep the numbers of the others.
  const text = content.replace(new RegExp(`^(?:[^\\r\\n]*(?:\\r\\n?|\\n)){0,${skipped}}`), '\n'.repeat(skipped));
  const candidates = format === 'tsv' ? ['\t'] : separator === undefined ? [',', ';', '\t', '|'] : [separator];
  const given = reading.delimiter === 'tab' ? '\t' : reading.delimiter;
  if (given !== undefined && !/^[^"\r\n]$/u.test(given)) throw usageError('--delimiter takes one character, or tab.');
  const fits = (given === undefined ? candidates : [given]).map((delimiter) =>
    fitOf(text, { delimiter }, reading.isColumn),
  );
  const { options } = fits.reduce((best, fit) =>
    fit.known > best.known || (fit.known === best.known && fit.cells > best.cells) ? fit : best,
  );
  try {
    return tableOfCells(parseCsv([], text, options), reading, true);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const plain = text.replaceAll(LINE_BREAK, '\n');
    if (plain !== text) return readCsv(name, plain, format, reading);
    throw invalidFile(name, [syntaxProblem(error, text)]);
  }
}
