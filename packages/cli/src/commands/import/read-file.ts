import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { textOf } from '../../config/text-of.js';
import type { Context } from '../../context/context.js';
import { CliError, usageError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { readNamedFile, readStdinBytes } from '../../shared/fields/read-input.js';
import { readYamlValue } from '../../shared/fields/read-yaml.js';
import { isObject, parseJson } from '../../text/json.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { INPUT_FORMATS, type InputFormat } from './choices.js';

export interface InputFile {
  /** For messages: the path, or `stdin`. */
  readonly name: string;
  readonly text: string;
  readonly format: InputFormat;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string;
}

const otherExtensions: Readonly<Record<string, InputFormat>> = { yml: 'yaml', jsonl: 'ndjson', txt: 'csv' };

function formatByExtension(path: string): InputFormat | undefined {
  const extension = extname(path).slice(1).toLowerCase();
  return INPUT_FORMATS.find((format) => format === extension) ?? otherExtensions[extension];
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
    throw usageError(`${name} is a workbook, not text.`, 'Save the sheet as CSV and import that file');
  }
  const text = textOf(bytes, name, 'Save the sheet as "CSV UTF-8" and import that file');
  const format = given ?? (stdin ? formatByContent(text) : formatByExtension(path));
  if (format === undefined) {
    throw usageError(
      `The format of ${name} cannot be determined from its extension.`,
      ...INPUT_FORMATS.map((each) => `--input-format ${each}`),
    );
  }
  return { name, text, format, sha256: createHash('sha256').update(bytes).digest('hex') };
}

interface Place {
  readonly line: number;
  /** The number of the row in a spreadsheet, where a line break in a cell does not start a new row. */
  readonly sheetRow?: number;
}

/** A problem in the file, found before anything is sent. */
export interface Problem extends Place {
  readonly column?: string;
  /** A sentence; with a column, the rest of a sentence that begins with its name. */
  readonly message: string;
}

/** How many problems or rows the JSON of an error holds at most. */
const MAX_RESULTS = 1000;
const LINES_SHOWN = 20;

/** The first lines of many, and how many more there are. */
export function firstLines<Item>(items: readonly Item[], text: (item: Item) => string): string[] {
  const lines = items.slice(0, LINES_SHOWN).map(text);
  return items.length > LINES_SHOWN ? [...lines, `... and ${items.length - LINES_SHOWN} more`] : lines;
}

/** All problems of a file in one error. */
export function problemsError(file: string, problems: readonly Problem[], hints: readonly string[] = []): CliError {
  const sorted = problems
    .map(({ column, message, ...place }) => ({
      ...place,
      ...(column !== undefined && { column: sanitizeLine(column) }),
      message: sanitizeLine(message),
    }))
    .sort((one, other) => one.line - other.line);
  return new CliError({
    code: 'invalid_file',
    exitCode: exitCodes.usage,
    message: `${problems.length} problem${problems.length === 1 ? '' : 's'} in ${file}. Nothing was created.`,
    lines: firstLines(sorted, ({ line, sheetRow = line, column, message }) => {
      const place = `${file}:${line}${sheetRow === line ? '' : ` (row ${sheetRow})`}`;
      return `${place}: ${column === undefined ? '' : `"${column}" `}${message}`;
    }),
    hints,
    results: sorted.slice(0, MAX_RESULTS).map(({ sheetRow: _, ...problem }) => problem),
  });
}

/** The content of a file of any format. */
export interface Table {
  readonly columns: readonly string[];
  /** The values of each row by column. */
  readonly rows: readonly ReadonlyMap<string, unknown>[];
  /** Where a row is, or its value in a column. Row 0 has the column names. The first call may parse the file again. */
  readonly placeOf: (row: number, column?: string) => Place;
  /** Whether values are text that still has to be converted to numbers and lists. */
  readonly isText: boolean;
}

const newlines = (text: string): number => text.split('\n').length - 1;

/** The line that Excel writes first to name the delimiter. */
const SEPARATOR_LINE = /^sep=([,;\t])\n/;

/** The character that occurs most often in the header, outside of quotes. */
function detectDelimiter(text: string): string {
  const header = (/^(?:"[^"]*"|[^"\n])*/.exec(text.trimStart())?.[0] ?? '').replaceAll(/"[^"]*"/g, '');
  const count = (delimiter: string) => header.split(delimiter).length;
  return [',', ';', '\t'].reduce((most, each) => (count(each) > count(most) ? each : most));
}

const syntaxMessages: Readonly<Partial<Record<CsvError['code'], string>>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened but never closed.',
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote. Inside a quoted cell, double each quote: "".',
  INVALID_OPENING_QUOTE: 'an unquoted cell contains a quote. Quote the cell, and double the quote inside it: "".',
};

function syntaxProblem({ code, lines, message }: CsvError, text: string): Problem {
  // For an open quote, csv-parse reports the line on which the file ends.
  const line = code === 'CSV_QUOTE_NOT_CLOSED' ? 1 + newlines(text.slice(0, text.lastIndexOf('"'))) : Number(lines);
  return { line, message: syntaxMessages[code] ?? `cannot be read: ${message}` };
}

/** A line of cells, and where it begins. */
interface Cells extends Place {
  readonly cells: readonly string[];
}

/** @throws a `CsvError` */
function parseCsv(text: string, format: InputFormat): Cells[] {
  const separator = SEPARATOR_LINE.exec(text)?.[1];
  const records: Cells[] = [];
  let newlinesInCells = 0;
  parse(text, {
    delimiter: format === 'tsv' ? '\t' : (separator ?? detectDelimiter(text)),
    quote: format === 'tsv' ? false : '"',
    record_delimiter: '\n',
    from_line: separator === undefined ? 1 : 2,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    on_record: (cells, { lines }) => {
      const inCells = newlines(cells.join(''));
      const line = lines - inCells;
      records.push({ cells, line, sheetRow: line - newlinesInCells });
      newlinesInCells += inCells;
      return null;
    },
  });
  return records;
}

function headerProblems(header: readonly string[], records: readonly Cells[], line: number): Problem[] {
  return header.flatMap((column, index): Problem[] => {
    if (column === '') {
      const isUsed = records.some(({ cells }) => (cells[index] ?? '') !== '');
      return isUsed ? [{ line, message: `column ${index + 1} has no name.` }] : [];
    }
    return header.indexOf(column) < index ? [{ line, column, message: 'appears more than once.' }] : [];
  });
}

/** A row may lack trailing cells of unnamed columns, and may have empty cells beyond the header. */
function lengthProblem({ cells, ...place }: Cells, header: readonly string[]): Problem[] {
  const least = header.findLastIndex((column) => column !== '') + 1;
  const filled = cells.findLastIndex((text) => text !== '') + 1;
  if (cells.length >= least && filled <= header.length) return [];
  const hint = filled > header.length ? ' A cell that contains the delimiter must be in quotes.' : '';
  const count = `${cells.length} cell${cells.length === 1 ? '' : 's'}`;
  return [{ ...place, message: `has ${count}, but the header has ${header.length}.${hint}` }];
}

/** Text that `mkt export` puts an apostrophe in front of in CSV; it leaves numbers as they are (output/delimited.ts). */
const ESCAPED = /^'(?=[=+\-@\t\r])(?!'[+-]?\d+(\.\d+)?$)/;

/** CSV with `,`, `;` or tabs, or TSV as `mkt export` writes it, which has no quotes. Empty rows are skipped. */
function readCsv({ name, text: given, format }: InputFile): Table {
  const text = given.replaceAll(/\r\n?/g, '\n');
  let parsed: Cells[];
  try {
    parsed = parseCsv(text, format);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw problemsError(name, [syntaxProblem(error, text)]);
  }
  const [first = { cells: [], line: 1 }, ...records] = parsed;
  const header = first.cells.map((cell) => cell.trim());
  const problems = [
    ...headerProblems(header, records, first.line),
    ...records.flatMap((record) => lengthProblem(record, header)),
  ];
  if (problems.length > 0) throw problemsError(name, problems);
  const columns = header.filter((column) => column !== '');
  const unescaped = (cell = '') => (format === 'csv' ? cell.replace(ESCAPED, '') : cell);
  return {
    columns,
    rows: records.map(
      ({ cells }) => new Map(columns.map((column) => [column, unescaped(cells[header.indexOf(column)])])),
    ),
    placeOf: (row, column = '') => {
      const { cells, ...place } = records[row - 1] ?? first;
      const before = cells.slice(0, Math.max(0, header.indexOf(column))).join('');
      return { ...place, line: place.line + newlines(before) };
    },
    isText: true,
  };
}

/** A table of objects. @throws an error that lists the values that are something else */
function tableOf(name: string, values: readonly unknown[], placeOf: Table['placeOf']): Table {
  const message = 'expected an object of fields, such as {"name": "Summer"}.';
  const problems = values.flatMap((value, index) => (isObject(value) ? [] : [{ ...placeOf(index + 1), message }]));
  if (problems.length > 0) throw problemsError(name, problems);
  const rows = values.map((value) => new Map(Object.entries(isObject(value) ? value : {})));
  return { columns: [...new Set(rows.flatMap((row) => [...row.keys()]))], rows, placeOf, isText: false };
}

function readNdjson({ name, text }: InputFile): Table {
  const lines = text
    .split('\n')
    .flatMap((content, index) => (content.trim() === '' ? [] : [{ content, line: index + 1 }]));
  const values = lines.map(({ content }) => parseJson(content));
  const message = 'not valid JSON. NDJSON has one object per line.';
  const problems = lines.flatMap(({ line }, index) => (values[index] === undefined ? [{ line, message }] : []));
  if (problems.length > 0) throw problemsError(name, problems);
  return tableOf(name, values, (row) => ({ line: lines[row - 1]?.line ?? 1 }));
}

function readYaml({ name, text }: InputFile): Table {
  const read = readYamlValue(text);
  if ('problems' in read) {
    const problems = read.problems.map(({ at, message }) => ({ line: at.line, message: `cannot be read: ${message}` }));
    throw problemsError(name, problems);
  }
  const { document, positionOf, value } = read;
  const contents = document?.contents ?? null;
  if (contents === null) return tableOf(name, [], () => ({ line: 1 }));
  if (!isSeq<Node>(contents) || !Array.isArray(value)) {
    throw problemsError(name, [{ line: 1, message: 'expected a list of objects, such as [{"name": "Summer"}].' }]);
  }
  return tableOf(name, value, (row, column) => {
    const item = contents.items[row - 1];
    const pairs = isMap<Node>(item) ? item.items : [];
    const key = pairs.map((pair) => pair.key).find((each) => isScalar(each) && String(each.value) === column);
    return { line: positionOf((key ?? item)?.range?.[0]).line };
  });
}

/** Whether an object in a valid JSON text has a duplicate key. `JSON.parse` keeps only the last one. */
function hasDuplicateKey(text: string): boolean {
  let parsedKeys = 0;
  JSON.parse(text, (_key, value: unknown) => {
    if (isObject(value)) parsedKeys += Object.keys(value).length;
    return value;
  });
  const strings = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)];
  return strings.filter(([, colon]) => colon !== undefined).length > parsedKeys;
}

/** Only the YAML parser reports line numbers and syntax errors, but it takes a hundred times as long. */
function readJson(file: InputFile): Table {
  const value = parseJson(file.text);
  // NDJSON often has the ending of JSON.
  if (value === undefined && file.text.trimStart().startsWith('{')) return readNdjson(file);
  if (!Array.isArray(value) || !value.every(isObject) || hasDuplicateKey(file.text)) return readYaml(file);
  let located: Table | undefined;
  return tableOf(file.name, value, (row, column) => {
    located ??= readYaml(file);
    return located.placeOf(row, column);
  });
}

const readers = { csv: readCsv, tsv: readCsv, json: readJson, ndjson: readNdjson, yaml: readYaml };

/** The rows of a file. @throws an error that lists its problems */
export function readTable(file: InputFile): Table {
  const table = readers[file.format](file);
  if (table.rows.length === 0) throw problemsError(file.name, [{ line: 1, message: 'the file has no rows.' }]);
  return table;
}
