import { readFileSync } from 'node:fs';
import { fileError, usageError } from '../errors/cli-error.js';

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const textIn = (object: JsonObject, key: string): string | undefined => {
  const value = object[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/**
 * The object in a JSON file, undefined when there is no file. A plain read: loading conf costs more than the whole
 * rest of a command.
 */
export function readJsonObject(path: string): JsonObject | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw fileError(`Cannot read ${path} (${code}).`, cause, `Check who may read it: ls -l ${path}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (isObject(value)) return value;
  throw usageError(
    `${path} is damaged: it does not hold a JSON object.`,
    `Mend it in an editor, or start anew: mv ${path} ${path}.broken`,
  );
}
