import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { textOf } from '../../config/text-of.js';
import type { Context } from '../../context/context.js';
import { usageError } from '../../errors/cli-error.js';
import { type fileOf, readNamedFile, readStdinBytes } from '../../fields/read-input.js';
import { readYaml as parseYaml } from '../../fields/read-yaml.js';
import { isObject, parseJson } from '../../text/values.js';
import { invalidFile, type Table } from './columns.js';
import { INPUT_FORMATS, type InputFormat } from './flags.js';
import { type Reading, readCsv } from './sheet.js';

export type InputFile = Awaited<ReturnType<typeof readInputFile>>;

export async function readInputFile({ io }: Context, { path, name, label }: ReturnType<typeof fileOf>) {
  const bytes = path === '-' ? await readStdinBytes(io, `${label} -`) : readNamedFile(path, label);
  return { path, name, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** How web pages begin, and workbooks in XML. Shops and ad platforms save both as .xls. */
const MARKUP = /^\s*<(?:!doctype|html|head|meta|body|table|\?xml)\b/i;

/** @throws a usage error if the file is not text, or is a page */
function textOfFile({ bytes, name }: InputFile): string {
  const text = textOf(bytes, name, 'Save the sheet as "CSV UTF-8" and import that file');
  if (!MARKUP.test(text)) return text;
  throw usageError(`${name} is a web page or XML, not a table.`, 'Open it in a spreadsheet, and save it as .xlsx');
}

/** How workbooks begin: .xlsx is a ZIP archive, .xls an older container. */
const ZIP = '504b0304';
const OLD_WORKBOOK = 'd0cf11e0';

const otherExtensions: Readonly<Record<string, InputFormat>> = { yml: 'yaml', jsonl: 'ndjson', txt: 'csv' };

function formatByContent(text: string): InputFormat {
  const start = text.trimStart();
  if (start.startsWith('[')) return 'json';
  if (start.startsWith('{')) return 'ndjson';
  return /^(- |---\s)/.test(start) ? 'yaml' : 'csv';
}

/** The given format, else that of the extension, else that of the content. @throws a usage error if it cannot be read */
export function formatOf(file: InputFile, given: InputFormat | undefined): InputFormat {
  const { path, name, bytes } = file;
  const start = bytes.toString('hex', 0, 4);
  if (start === ZIP) return 'xlsx';
  if (start === OLD_WORKBOOK) {
    const isProtected = bytes.includes(Buffer.from('EncryptedPackage', 'utf16le'));
    const problem = isProtected ? 'protected with a password' : 'a workbook of an old format';
    throw usageError(`${name} is ${problem}.`, `Save it as .xlsx${isProtected ? ', without a password' : ''}`);
  }
  const extension = extname(path).slice(1).toLowerCase();
  const format = given ?? INPUT_FORMATS.find((each) => each === extension) ?? otherExtensions[extension];
  return format ?? formatByContent(textOfFile(file));
}

function tableOf(
  name: string,
  values: readonly unknown[],
  { placeOf, sourceOf }: Pick<Table, 'placeOf' | 'sourceOf'>,
): Table {
  const message = 'expected an object of fields, such as {"name": "Summer"}.';
  const problems = values.flatMap((value, index) => (isObject(value) ? [] : [{ ...placeOf(index + 1), message }]));
  if (problems.length > 0) throw invalidFile(name, problems);
  const rows = values.map((value) => new Map(Object.entries(isObject(value) ? value : {})));
  return {
    columns: [...new Set(rows.flatMap((row) => [...row.keys()]))],
    rows,
    placeOf,
    sourceOf,
    isText: false,
    problems: [],
    notes: [],
    advice: {},
  };
}

function readNdjson(name: string, text: string): Table {
  const lines = text
    .split('\n')
    .flatMap((content, index) => (content.trim() === '' ? [] : [{ content, line: index + 1 }]));
  const values = lines.map(({ content }) => parseJson(content));
  const message = 'not valid JSON. NDJSON has one object per line.';
  const problems = lines.flatMap(({ line }, index) => (values[index] === undefined ? [{ line, message }] : []));
  if (problems.length > 0) throw invalidFile(name, problems);
  return tableOf(name, values, { placeOf: (row) => ({ line: lines[row - 1]?.line ?? 1 }) });
}

function readYaml(name: string, text: string): Table {
  const { value, positionOf, sourceOf } = parseYaml(text, (found) => {
    const problems = found.map(({ line, message }) => ({ line, message: `cannot be read: ${message}` }));
    return invalidFile(name, problems);
  });
  if (value !== null && !Array.isArray(value)) {
    const message = 'expected a list of objects, such as [{"name": "Summer"}].';
    const isDeclaration = isObject(value) && (Array.isArray(value.campaigns) || Array.isArray(value.collabs));
    throw invalidFile(name, [{ line: 1, message }], isDeclaration ? ['mkt apply reads files of this form'] : []);
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
function readJson(name: string, text: string): Table {
  const value = parseJson(text);
  // NDJSON often has the ending of JSON.
  if (value === undefined && text.trimStart().startsWith('{')) return readNdjson(name, text);
  if (!Array.isArray(value) || !value.every(isObject)) return readYaml(name, text);
  let located: Table | undefined;
  const locate = (): Table => {
    located ??= readYaml(name, text);
    return located;
  };
  return tableOf(name, value, {
    placeOf: (row, column) => locate().placeOf(row, column),
    sourceOf: (row, path) => locate().sourceOf?.(row, path),
  });
}

const readers = { json: readJson, ndjson: readNdjson, yaml: readYaml };

/** The flags that only some formats have. */
const formatsOf = { 'skip-lines': ['csv', 'tsv', 'xlsx'], delimiter: ['csv', 'tsv'], sheet: ['xlsx'] } as const;

/** The rows of a file. @throws an error that lists its problems */
export async function readTable(file: InputFile, format: InputFormat, reading: Reading): Promise<Table> {
  const { name, bytes } = file;
  for (const [flag, formats] of Object.entries(formatsOf) as [keyof typeof formatsOf, readonly InputFormat[]][]) {
    if (reading[flag] === undefined || formats.includes(format)) continue;
    throw usageError(`--${flag} works only with ${formats.join(', ')}, and ${name} is ${format}.`);
  }
  const table =
    format === 'xlsx'
      ? await (await import('./workbook.js')).readWorkbook(name, bytes, reading)
      : format === 'csv' || format === 'tsv'
        ? readCsv(name, textOfFile(file), format, reading)
        : readers[format](name, textOfFile(file));
  if (table.rows.length === 0)
    throw invalidFile(name, [{ line: 1, message: 'the file has no rows.' }], [], table.sheet);
  return table;
}
