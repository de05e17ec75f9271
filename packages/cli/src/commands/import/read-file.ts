import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { textOf } from '../../config/text-of.js';
import type { Context } from '../../context/context.js';
import { usageError } from '../../errors/cli-error.js';
import { readNamedFile, readStdinBytes } from '../../shared/fields/read-input.js';
import { readYamlValue } from '../../shared/fields/read-yaml.js';
import { isObject, parseJson } from '../../text/json.js';
import { INPUT_FORMATS, type InputFormat } from './choices.js';

export interface InputFile {
  readonly path: string;
  /** For messages: the path, or `stdin`. */
  readonly name: string;
  readonly text: string;
  readonly format: InputFormat;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string;
}

const otherEndings: Readonly<Record<string, InputFormat>> = { yml: 'yaml', jsonl: 'ndjson', txt: 'csv' };

function formatByEnding(path: string): InputFormat | undefined {
  const ending = extname(path).slice(1).toLowerCase();
  return INPUT_FORMATS.find((format) => format === ending) ?? otherEndings[ending];
}

function formatByContent(text: string): InputFormat {
  const start = text.trimStart();
  if (start.startsWith('[')) return 'json';
  if (start.startsWith('{')) return 'ndjson';
  return /^(- |---\s)/.test(start) ? 'yaml' : 'csv';
}

const ZIP = Buffer.from('PK\u0003\u0004');

/** @throws a usage error if the file is not text, or its format is unknown */
export async function readInputFile(
  context: Context,
  path: string,
  given: InputFormat | undefined,
): Promise<InputFile> {
  const stdin = path === '-';
  const name = stdin ? 'stdin' : path;
  const bytes = stdin ? await readStdinBytes(context.io, '--file -') : readNamedFile(path, '--file');
  if (bytes.subarray(0, ZIP.length).equals(ZIP)) {
    throw usageError(`${name} is a workbook, not text.`, 'Save the sheet as CSV and import that');
  }
  const text = textOf(bytes, name, 'Save the sheet as "CSV UTF-8" and import that');
  const format = given ?? (stdin ? formatByContent(text) : formatByEnding(path));
  if (format === undefined) {
    throw usageError(
      `The format of ${name} is unknown: its name has none of the usual endings.`,
      ...INPUT_FORMATS.map((each) => `--input-format ${each}`),
    );
  }
  return { path, name, text, format, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** A value of a row, and its line in the file. */
interface Cell {
  readonly value: unknown;
  readonly line: number;
}

export interface TableRow {
  /** From 1, in the order of the file. */
  readonly row: number;
  /** Its first line, from 1. */
  readonly line: number;
  /** Its number in a spreadsheet, where a line break in a cell does not start a new row. */
  readonly sheetRow?: number;
  /** By column name. */
  readonly cells: ReadonlyMap<string, Cell>;
}

/** Something wrong in the file, found before anything is sent. */
export interface Problem {
  readonly line: number;
  readonly sheetRow?: number | undefined;
  readonly column?: string | undefined;
  /** A sentence; with a column, the rest of a sentence that begins with its name. */
  readonly message: string;
}

/** The content of a file, in whichever format. */
export interface Table {
  readonly columns: readonly string[];
  /** The line of the column names; undefined where every row names its own. */
  readonly headerLine?: number;
  readonly rows: readonly TableRow[];
  readonly problems: readonly Problem[];
  /** Whether cells are text that has yet to be converted to numbers and lists. */
  readonly textual: boolean;
}

/** Excel's own first line, which names the delimiter. */
const SEPARATOR_LINE = /^sep=([,;\t])\n/;

/** The character that occurs most often in the header, outside of quotes. */
function detectDelimiter(text: string): string {
  const header = (/^(?:"[^"]*"|[^"\n])*/.exec(text.trimStart())?.[0] ?? '').replaceAll(/"[^"]*"/g, '');
  const count = (delimiter: string) => header.split(delimiter).length;
  return [',', ';', '\t'].reduce((most, each) => (count(each) > count(most) ? each : most));
}

const messages: Readonly<Partial<Record<CsvError['code'], string>>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed.',
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote. Inside a quoted cell, double each quote: "".',
  INVALID_OPENING_QUOTE: 'an unquoted cell contains a quote. Quote the cell, and double the quote inside it: "".',
};

const newlines = (text: string): number => text.split('\n').length - 1;

function syntaxProblem({ code, lines, message }: CsvError, text: string): Problem {
  // For an open quote, csv-parse reports the line on which the file ends.
  const open = code === 'CSV_QUOTE_NOT_CLOSED';
  const line = open ? 1 + newlines(text.slice(0, text.lastIndexOf('"'))) : typeof lines === 'number' ? lines : 1;
  return { line, message: messages[code] ?? `cannot be read: ${message}` };
}

interface Parsed {
  readonly record: readonly string[];
  /** `lines` is the line on which the record ends. */
  readonly info: { readonly lines: number };
}

/** Text that `mkt export` puts an apostrophe in front of in CSV; it leaves numbers as they are (output/delimited.ts). */
const ESCAPED = /^'(?=[=+\-@\t\r])(?!'[+-]?\d+(\.\d+)?$)/;

function cellsOf(record: readonly string[], columns: readonly string[], firstLine: number, format: InputFormat) {
  let line = firstLine;
  const cells = new Map<string, Cell>();
  for (const [index, column] of columns.entries()) {
    const value = record[index] ?? '';
    if (column !== '') cells.set(column, { value: format === 'csv' ? value.replace(ESCAPED, '') : value, line });
    line += newlines(value);
  }
  return cells;
}

function headerProblems(header: readonly string[], records: readonly Parsed[], line: number): Problem[] {
  return header.flatMap((column, index): Problem[] => {
    if (column === '') {
      const used = records.some(({ record }) => (record[index] ?? '') !== '');
      return used ? [{ line, message: `column ${index + 1} has no name.` }] : [];
    }
    return header.indexOf(column) < index ? [{ line, column, message: 'appears more than once.' }] : [];
  });
}

/** A row may leave out cells of unnamed columns at its end, and have empty ones beyond the header. */
function lengthProblem(record: readonly string[], header: readonly string[]): string | undefined {
  const least = header.findLastIndex((column) => column !== '') + 1;
  const filled = record.findLastIndex((text) => text !== '') + 1;
  if (record.length >= least && filled <= header.length) return undefined;
  const hint = filled > header.length ? ' A cell that contains the delimiter must be in quotes.' : '';
  return `has ${record.length} cell${record.length === 1 ? '' : 's'}, but the header has ${header.length}.${hint}`;
}

/** CSV with `,`, `;` or tabs, or TSV as `mkt export` writes it, which has no quotes. Empty rows are skipped. */
function readCsv(given: string, format: InputFormat): Table {
  const whole = given.replaceAll(/\r\n?/g, '\n');
  const separator = SEPARATOR_LINE.exec(whole);
  const text = whole.slice(separator?.[0].length ?? 0);
  const skipped = separator === null ? 0 : 1;
  let parsed: readonly Parsed[];
  try {
    parsed = parse(text, {
      delimiter: format === 'tsv' ? '\t' : (separator?.[1] ?? detectDelimiter(text)),
      quote: format === 'tsv' ? false : '"',
      record_delimiter: '\n',
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      info: true,
    }) as unknown as readonly Parsed[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const problem = syntaxProblem(error, text);
    return { columns: [], rows: [], problems: [{ ...problem, line: problem.line + skipped }], textual: true };
  }
  const [first = { record: [], info: { lines: 1 } }, ...records] = parsed;
  const header = first.record.map((name) => name.trim());
  const headerLine = skipped + first.info.lines;
  const problems = headerProblems(header, records, headerLine);
  const rows: TableRow[] = [];
  let newlinesInCells = newlines(first.record.join(''));
  for (const [index, { record, info }] of records.entries()) {
    const inCells = newlines(record.join(''));
    const line = skipped + info.lines - inCells;
    const sheetRow = info.lines - inCells - newlinesInCells;
    newlinesInCells += inCells;
    const message = lengthProblem(record, header);
    if (message !== undefined) problems.push({ line, sheetRow, message });
    rows.push({ row: index + 1, line, sheetRow, cells: cellsOf(record, header, line, format) });
  }
  const columns = [...new Set(header.filter((name) => name !== ''))];
  return { columns, headerLine, rows, problems, textual: true };
}

interface Item {
  readonly value: unknown;
  readonly line: number;
  readonly lineOf: (key: string) => number;
}

function tableOf(items: readonly Item[], found: readonly Problem[] = []): Table {
  const columns = new Set<string>();
  const rows: TableRow[] = [];
  const problems = [...found];
  for (const [index, { value, line, lineOf }] of items.entries()) {
    if (!isObject(value)) {
      problems.push({ line, message: 'expected an object of fields, such as {"name": "Summer"}.' });
      continue;
    }
    const cells = new Map<string, Cell>();
    for (const [key, inner] of Object.entries(value)) {
      columns.add(key);
      cells.set(key, { value: inner, line: lineOf(key) });
    }
    rows.push({ row: index + 1, line, cells });
  }
  return { columns: [...columns], rows, problems, textual: false };
}

function readNdjson(text: string): Table {
  const items: Item[] = [];
  const problems: Problem[] = [];
  for (const [index, content] of text.split('\n').entries()) {
    const line = index + 1;
    if (content.trim() === '') continue;
    const value = parseJson(content);
    if (value === undefined) problems.push({ line, message: 'not valid JSON. NDJSON has one object per line.' });
    else items.push({ value, line, lineOf: () => line });
  }
  return tableOf(items, problems);
}

function readYaml(text: string): Table {
  const read = readYamlValue(text);
  if ('faults' in read) {
    return tableOf(
      [],
      read.faults.map(({ at, message }) => ({ line: at.line, message: `cannot be read: ${message}` })),
    );
  }
  const { document, positionOf, value: values } = read;
  const contents = document?.contents ?? null;
  if (contents === null) return tableOf([]);
  if (!isSeq(contents) || !Array.isArray(values)) {
    return tableOf([], [{ line: 1, message: 'expected a list of objects, such as [{"name": "Summer"}].' }]);
  }
  const lineAt = (node: unknown): number => positionOf((node as Partial<Node> | undefined)?.range?.[0]).line;
  return tableOf(
    values.map((value: unknown, index): Item => {
      const node = contents.items[index];
      const line = lineAt(node);
      const keys = new Map<string, number>();
      for (const { key } of isMap(node) ? node.items : []) {
        if (isScalar(key)) keys.set(String(key.value), lineAt(key));
      }
      return { value, line, lineOf: (key) => keys.get(key) ?? line };
    }),
  );
}

const readers = { csv: readCsv, tsv: readCsv, json: readYaml, ndjson: readNdjson, yaml: readYaml };

/** The rows of a file. */
export function readTable({ text, format }: InputFile): Table {
  // NDJSON often has the ending of JSON.
  const isNdjson = format === 'json' && text.trimStart().startsWith('{') && parseJson(text) === undefined;
  const table = readers[isNdjson ? 'ndjson' : format](text, format);
  if (table.rows.length > 0 || table.problems.length > 0) return table;
  return { ...table, problems: [{ line: 1, message: 'there are no rows.' }] };
}
