import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { textOf } from '../../config/text-of.js';
import type { Context } from '../../context/context.js';
import { INPUT_FORMATS, type InputFormat } from '../../context/importable.js';
import { usageError } from '../../errors/cli-error.js';
import { readNamedFile, readStdinBytes } from '../../shared/fields/read-input.js';

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
  if (bytes.subarray(0, WORKBOOK.length).equals(WORKBOOK))
    throw usageError(`${name} is a workbook and no text.`, 'Save the sheet as CSV, then import that');
  const text = textOf(bytes, name, 'Save the sheet as "CSV UTF-8", then import that');
  const format = asked ?? byEnding ?? (stdin ? formatOfText(text) : undefined);
  if (format === undefined) {
    throw usageError(
      `The ending of ${name} does not say what it holds.`,
      ...INPUT_FORMATS.map((each) => `--input-format ${each}`),
    );
  }
  return { path, name, text, format, sha256: createHash('sha256').update(bytes).digest('hex') };
}
