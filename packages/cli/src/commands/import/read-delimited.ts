import { CsvError, parse } from 'csv-parse/sync';
import type { InputFormat } from '../../context/importable.js';
import type { Cell, Fault, Source, SourceRow } from './source.js';

const DELIMITERS = [',', ';', '\t'] as const;

/** The first line of Excel's own dialect: which character separates the cells. */
const SEPARATOR_LINE = /^sep=([,;\t])\n/;

/** The character that occurs most often in the header, outside of quotes. */
function delimiterOf(text: string): string {
  const header = (/^(?:"[^"]*"|[^"\n])*/.exec(text.trimStart())?.[0] ?? '').replaceAll(/"[^"]*"/g, '');
  const count = (delimiter: string) => header.split(delimiter).length;
  return DELIMITERS.reduce((most, each) => (count(each) > count(most) ? each : most));
}

const problems: Readonly<Partial<Record<CsvError['code'], string>>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed.',
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote. A quote inside a quoted cell is written twice: "".',
  INVALID_OPENING_QUOTE: 'a quote stands inside a cell without quotes. Put the cell in quotes and write it twice: "".',
};

const newlines = (text: string): number => text.split('\n').length - 1;

/** csv-parse names the line on which the file ends. */
function lineOfOpenQuote(text: string): number {
  let opened = 0;
  let open = false;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) {
    open = !open;
    if (open) opened = at;
  }
  return 1 + newlines(text.slice(0, opened));
}

const faultOf = (error: CsvError, text: string): Fault => ({
  line:
    error.code === 'CSV_QUOTE_NOT_CLOSED' ? lineOfOpenQuote(text) : typeof error.lines === 'number' ? error.lines : 1,
  message: problems[error.code] ?? `cannot be read: ${error.message}`,
});

interface Parsed {
  readonly record: readonly string[];
  /** What `info` knows of it: the line on which the record ends. */
  readonly info: { readonly lines: number };
}

const newlinesIn = (record: readonly string[]): number => record.reduce((sum, text) => sum + newlines(text), 0);

/** The rows of a table, each with the line on which it begins; line breaks in cells make no row of a spreadsheet. */
function rowsOf([header, ...records]: readonly Parsed[], columns: readonly string[], skipped: number): SourceRow[] {
  let inCells = newlinesIn(header?.record ?? []);
  return records.map((parsed, index) => {
    const line = skipped + parsed.info.lines - newlinesIn(parsed.record);
    const sheetRow = parsed.info.lines - newlinesIn(parsed.record) - inCells;
    inCells += newlinesIn(parsed.record);
    return { row: index + 1, line, sheetRow, cells: cellsOf(parsed, columns, line) };
  });
}

function cellsOf({ record }: Parsed, columns: readonly string[], start: number): SourceRow['cells'] {
  let line = start;
  const cells = new Map<string, Cell>();
  for (const [index, column] of columns.entries()) {
    const value = record[index] ?? '';
    if (column !== '') cells.set(column, { value, line });
    line += newlines(value);
  }
  return cells;
}

/** Faults of the shape: cells that have no column, columns that have no name or one that another has too. */
function shapeFaults(header: readonly string[], records: readonly Parsed[], rows: readonly SourceRow[], line: number) {
  const faults: Fault[] = [];
  for (const [index, column] of header.entries()) {
    if (column === '' && records.some(({ record }) => (record[index] ?? '') !== '')) {
      faults.push({ line, message: `column ${index + 1} has no name.` });
    } else if (column !== '' && header.indexOf(column) < index) {
      faults.push({ line, column, message: 'is there more than once.' });
    }
  }
  for (const [index, { record }] of records.entries()) {
    const least = header.findLastIndex((column) => column !== '') + 1;
    const filled = record.findLastIndex((text) => text !== '') + 1;
    if (record.length >= least && filled <= header.length) continue;
    const hint = filled > header.length ? ' A cell with the separator in it has to be in quotes.' : '';
    const { line: start = line, sheetRow } = rows[index] ?? {};
    faults.push({
      line: start,
      sheetRow,
      message: `has ${counted(record.length)}, and the header ${counted(header.length)}.${hint}`,
    });
  }
  return faults;
}

const counted = (cells: number): string => (cells === 1 ? '1 cell' : `${cells} cells`);

/**
 * CSV (with `,`, `;` or tabs, quotes, line breaks in quotes) or TSV as `mkt export` writes it, which knows no quotes.
 * Rows without any text are left out, as spreadsheets add them.
 */
export function readDelimited(given: string, format: Extract<InputFormat, 'csv' | 'tsv'>): Source {
  const whole = given.replaceAll(/\r\n?/g, '\n');
  const separator = SEPARATOR_LINE.exec(whole);
  const text = separator === null ? whole : whole.slice(separator[0].length);
  const skipped = separator === null ? 0 : 1;
  const base = { textual: true, formulasEscaped: format === 'csv' };
  let parsed: readonly Parsed[];
  try {
    parsed = parse(text, {
      delimiter: format === 'tsv' ? '\t' : (separator?.[1] ?? delimiterOf(text)),
      quote: format === 'tsv' ? false : '"',
      record_delimiter: '\n',
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      info: true,
    }) as unknown as readonly Parsed[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const fault = faultOf(error, text);
    return { ...base, columns: [], rows: [], faults: [{ ...fault, line: fault.line + skipped }] };
  }
  const [first, ...records] = parsed;
  const header = (first?.record ?? []).map((name) => name.trim());
  const rows = rowsOf(parsed, header, skipped);
  const headerLine = skipped + (first?.info.lines ?? 1);
  const faults = shapeFaults(header, records, rows, headerLine);
  return { ...base, columns: [...new Set(header.filter((name) => name !== ''))], headerLine, rows, faults };
}
