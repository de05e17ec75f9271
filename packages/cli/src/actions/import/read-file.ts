import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { INPUT_FORMATS, type InputFormat } from '../../commands/importable.js';
import type { Context } from '../../context.js';
import { usageError } from '../../errors/cli-error.js';
import { readNamedFile, readStdinBytes } from '../../fields/read-input.js';

export interface InputFile {
  /** As it was named. */
  readonly path: string;
  /** As sentences name it. */
  readonly name: string;
  readonly text: string;
  readonly format: InputFormat;
  /** Of the bytes, in hexadecimal. */
  readonly sha256: string;
}

const endings: Readonly<Record<string, InputFormat>> = { yml: 'yaml', jsonl: 'ndjson', txt: 'csv' };

const formatOfEnding = (path: string): InputFormat | undefined => {
  const ending = extname(path).slice(1).toLowerCase();
  return INPUT_FORMATS.find((format) => format === ending) ?? endings[ending];
};

/** A pipe has no ending: its first characters tell. */
function formatOfText(text: string): InputFormat {
  const start = text.trimStart();
  if (start.startsWith('[')) return 'json';
  if (start.startsWith('{')) return 'ndjson';
  return /^(- |---\s)/.test(start) ? 'yaml' : 'csv';
}

const WORKBOOK = Buffer.from('PK\u0003\u0004');
const UTF16 = { le: Buffer.from([0xff, 0xfe]), be: Buffer.from([0xfe, 0xff]) };

const decoded = (bytes: Buffer, encoding: string): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
};

/** The first line that is no UTF-8, from 1 on. */
function firstForeignLine(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf('\n', start);
    if (decoded(bytes.subarray(start, end === -1 ? bytes.length : end), 'utf-8') === undefined) return line;
    if (end === -1) break;
    start = end + 1;
  }
  return line;
}

/** Text in UTF-8, or in UTF-16 with a mark, as spreadsheets save it; its byte order mark is gone. */
function textOf(bytes: Buffer, name: string): string {
  const begins = (mark: Buffer) => bytes.subarray(0, mark.length).equals(mark);
  if (begins(WORKBOOK))
    throw usageError(`${name} is a workbook and no text.`, 'Save the sheet as CSV, then import that');
  const encoding = begins(UTF16.le) ? 'utf-16le' : begins(UTF16.be) ? 'utf-16be' : 'utf-8';
  const text = decoded(bytes, encoding);
  if (text !== undefined) return text;
  throw usageError(
    `${name}:${firstForeignLine(bytes)} holds text that is not UTF-8.`,
    'Save the sheet as "CSV UTF-8", then import that',
  );
}

/** The file with its text and format. @throws a usage error where it cannot be told what it is */
export async function readInputFile(
  context: Context,
  path: string,
  asked: InputFormat | undefined,
): Promise<InputFile> {
  const stdin = path === '-';
  const name = stdin ? 'stdin' : path;
  const byEnding = stdin ? undefined : formatOfEnding(path);
  const bytes = stdin ? await readStdinBytes(context.io, '--file -') : readNamedFile(path, '--file');
  const text = textOf(bytes, name);
  const format = asked ?? byEnding ?? (stdin ? formatOfText(text) : undefined);
  if (format === undefined) {
    throw usageError(
      `The ending of ${name} does not say what it holds.`,
      ...INPUT_FORMATS.map((each) => `--input-format ${each}`),
    );
  }
  return { path, name, text, format, sha256: createHash('sha256').update(bytes).digest('hex') };
}
