import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import { textOf } from '../../config/text-of.js';
import type { Context } from '../../context/context.js';
import { type CliError, type Hint, usageError } from '../../errors/cli-error.js';
import { type Problem, problemsError } from '../../fields/problems.js';
import { type fileOf, readNamedFile, readStdinBytes } from '../../fields/read-input.js';
import { readYaml as parseYaml } from '../../fields/read-yaml.js';
import { plainText } from '../../text/formula-free.js';
import { isObject, parseJson } from '../../text/json.js';
import { INPUT_FORMATS, type InputFormat } from './flags.js';

export interface InputFile {
  /** `-` for stdin. */
  readonly path: string;
  /** For messages: the path, or `stdin`. */
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string;
}

const ZIP = Buffer.from('PK\u0003\u0004');

/** @throws a usage error if the file is not text */
export async function readInputFile({ io }: Context, source: ReturnType<typeof fileOf>): Promise<InputFile> {
  const { path, name, label } = source;
  const bytes = path === '-' ? await readStdinBytes(io, `${label} -`) : readNamedFile(path, label);
  if (bytes.subarray(0, ZIP.length).equals(ZIP)) {
    throw usageError(`${name} is a workbook, not text.`, 'Save the sheet as CSV and import that file');
  }
  const text = textOf(bytes, name, 'Save the sheet as "CSV UTF-8" and import that file');
  return { path, name, text, sha256: createHash('sha256').update(bytes).digest('hex') };
}

const otherExtensions: Readonly<Record<string, InputFormat>> = { yml: 'yaml', jsonl: 'ndjson', txt: 'csv' };

function formatByContent(text: string): InputFormat {
  const start = text.trimStart();
  if (start.startsWith('[')) return 'json';
  if (start.startsWith('{')) return 'ndjson';
  return /^(- |---\s)/.test(start) ? 'yaml' : 'csv';
}

/** The given format, else that of the extension or of the content of stdin. @throws a usage error if it is unknown */
export function formatOf({ path, name, text }: InputFile, given: InputFormat | undefined): InputFormat {
  if (given !== undefined) return given;
  if (path === '-') return formatByContent(text);
  const extension = extname(path).slice(1).toLowerCase();
  const format = INPUT_FORMATS.find((each) => each === extension) ?? otherExtensions[extension];
  if (format !== undefined) return format;
  throw usageError(
    `The format of ${name} cannot be determined from its extension.`,
    ...INPUT_FORMATS.map((each) => `--input-format ${each}`),
  );
}

/** The problems of a file in one error. */
export const invalidFile = (file: string, problems: readonly Problem[], hints: readonly Hint[] = []): CliError =>
  problemsError(file, problems, { code: 'invalid_file', message: 'Nothing was created.', hints });

type Place = Pick<Problem, 'line' | 'sheetRow'>;

/** The content of a file of any format. */
export interface Table {
  readonly columns: readonly string[];
  /** The values of each row by column. */
  readonly rows: readonly ReadonlyMap<string, unknown>[];
  /** Where a row is, or its value in a column. Row 0 has the column names. The first call may parse the file again. */
  readonly placeOf: (row: number, column?: string) => Place;
  /** A value as it is written in the file, if that differs from the value; only for messages. */
  readonly sourceOf?: ((row: number, path: readonly PropertyKey[]) => string | undefined) | undefined;
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
  const delimiter = format === 'tsv' ? '\t' : (separator ?? detectDelimiter(text));
  const records: Cells[] = [];
  let newlinesInCells = 0;
  parse(text, {
    delimiter,
    quote: format === 'tsv' ? false : '"',
    record_delimiter: '\n',
    from_line: separator === undefined ? 1 : 2,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    on_record: (raw: string[], { lines }) => {
      const cells = format === 'tsv' ? raw : raw.map((cell) => plainText(cell, delimiter));
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

/** CSV with `,`, `;` or tabs, or TSV as `mkt export` writes it, which has no quotes. Empty rows are skipped. */
function readCsv({ name, text: given }: InputFile, format: InputFormat): Table {
  const text = given.replaceAll(/\r\n?/g, '\n');
  let parsed: Cells[];
  try {
    parsed = parseCsv(text, format);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalidFile(name, [syntaxProblem(error, text)]);
  }
  const [first = { cells: [], line: 1 }, ...records] = parsed;
  const header = first.cells.map((cell) => cell.trim());
  const problems = [
    ...headerProblems(header, records, first.line),
    ...records.flatMap((record) => lengthProblem(record, header)),
  ];
  if (problems.length > 0) throw invalidFile(name, problems);
  const columns = header.filter((column) => column !== '');
  return {
    columns,
    rows: records.map(({ cells }) => new Map(columns.map((column) => [column, cells[header.indexOf(column)] ?? '']))),
    placeOf: (row, column = '') => {
      const { cells, ...place } = records[row - 1] ?? first;
      const before = cells.slice(0, Math.max(0, header.indexOf(column))).join('');
      return { ...place, line: place.line + newlines(before) };
    },
    isText: true,
  };
}

/** A table of objects. @throws an error that lists the values that are something else */
function tableOf(
  name: string,
  values: readonly unknown[],
  { placeOf, sourceOf }: Pick<Table, 'placeOf' | 'sourceOf'>,
): Table {
  const message = 'expected an object of fields, such as {"name": "Summer"}.';
  const problems = values.flatMap((value, index) => (isObject(value) ? [] : [{ ...placeOf(index + 1), message }]));
  if (problems.length > 0) throw invalidFile(name, problems);
  const rows = values.map((value) => new Map(Object.entries(isObject(value) ? value : {})));
  return { columns: [...new Set(rows.flatMap((row) => [...row.keys()]))], rows, placeOf, sourceOf, isText: false };
}

function readNdjson({ name, text }: InputFile): Table {
  const lines = text
    .split('\n')
    .flatMap((content, index) => (content.trim() === '' ? [] : [{ content, line: index + 1 }]));
  const values = lines.map(({ content }) => parseJson(content));
  const message = 'not valid JSON. NDJSON has one object per line.';
  const problems = lines.flatMap(({ line }, index) => (values[index] === undefined ? [{ line, message }] : []));
  if (problems.length > 0) throw invalidFile(name, problems);
  return tableOf(name, values, { placeOf: (row) => ({ line: lines[row - 1]?.line ?? 1 }) });
}

function readYaml({ name, text }: InputFile): Table {
  const read = parseYaml(text);
  if ('problems' in read) {
    throw invalidFile(
      name,
      read.problems.map(({ line, message }) => ({ line, message: `cannot be read: ${message}` })),
    );
  }
  const { value, positionOf, sourceOf } = read;
  if (value !== null && !Array.isArray(value)) {
    throw invalidFile(name, [{ line: 1, message: 'expected a list of objects, such as [{"name": "Summer"}].' }]);
  }
  return tableOf(name, value ?? [], {
    placeOf: (row, column) => {
      const { line } = column === undefined ? positionOf([row - 1]) : positionOf([row - 1, column], 'key');
      return { line };
    },
    sourceOf: (row, path) => sourceOf([row - 1, ...path]),
  });
}

/** Only the YAML parser reports line numbers and syntax errors, but it takes a hundred times as long. */
function readJson(file: InputFile): Table {
  const value = parseJson(file.text);
  // NDJSON often has the ending of JSON.
  if (value === undefined && file.text.trimStart().startsWith('{')) return readNdjson(file);
  if (!Array.isArray(value) || !value.every(isObject)) return readYaml(file);
  let located: Table | undefined;
  const locate = (): Table => {
    located ??= readYaml(file);
    return located;
  };
  return tableOf(file.name, value, {
    placeOf: (row, column) => locate().placeOf(row, column),
    sourceOf: (row, path) => locate().sourceOf?.(row, path),
  });
}

const readers = { csv: readCsv, tsv: readCsv, json: readJson, ndjson: readNdjson, yaml: readYaml };

/** The rows of a file. @throws an error that lists its problems */
export function readTable(file: InputFile, format: InputFormat): Table {
  const table = readers[format](file, format);
  if (table.rows.length === 0) throw invalidFile(file.name, [{ line: 1, message: 'the file has no rows.' }]);
  return table;
}
