import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { fileError, usageError } from '../errors/cli-error.js';

export const text = z.string('must be text');

/** What the file must hold; its schema says so in the words of its errors, such as "must be text". */
export function checked<Schema extends z.ZodMiniType>(path: string, value: unknown, schema: Schema): z.output<Schema> {
  const { data, error } = z.safeParse(schema, value);
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return data as z.output<Schema>;
  const problem =
    issue.path.length === 0 ? 'is damaged: it does not hold a JSON object' : `${issue.path.join('.')} ${issue.message}`;
  throw usageError(
    `${path}${issue.path.length === 0 ? '' : ':'} ${problem}.`,
    `Correct it in an editor, or start over: mv ${path} ${path}.broken`,
  );
}

/** The content of a JSON file; undefined where there is no file. A plain read: loading conf takes longer than a command. */
export function readJsonFile<Schema extends z.ZodMiniType>(path: string, schema: Schema): z.output<Schema> | undefined {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw fileError(`Cannot read ${path} (${code}).`, cause, `Check who may read it: ls -l ${path}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    value = undefined;
  }
  return checked(path, value, schema);
}
