import { createRequire } from 'node:module';
import { usageError } from '../errors/cli-error.js';
import { isObject, pathsOf, type Row } from '../text/values.js';

const isRow = (value: unknown): boolean => isObject(value) || Array.isArray(value);

/** Runs jq on a JSON text; undefined when it prints nothing. Throws an Error with jq's own message. */
interface Jq {
  raw(json: string, filter: string, flags: string[]): string | undefined;
}

const reason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .split('\n')
    .map((line) => line.replace(/^jq: (error: )?/, '').trim())
    .find((line) => line !== '' && !line.startsWith('Non-zero exit code')) ?? 'unknown reason';

const run = async (json: string, program: string, flags: readonly string[], expression = program): Promise<string> => {
  // With `require`, because the module is a promise, which bundlers change in an `import`.
  const { raw } = await (createRequire(import.meta.filename)('jq-web') as PromiseLike<Jq>);
  try {
    return raw(json, program, [...flags]) ?? '';
  } catch (error) {
    throw usageError(`--jq '${expression}': ${reason(error)}`, 'Manual: https://jqlang.org/manual/');
  }
};

/** Rejects an invalid jq expression before any request. */
export const checkJq = async (expression: string): Promise<void> => {
  await run('null', `def wanted: (${expression}\n); empty`, [], expression);
};

/** The output of jq: strings without quotes, everything else as JSON, in a pipe on one line each. */
export const filterWithJq = async (value: unknown, expression: string, terminal: boolean): Promise<string> => {
  const text = await run(JSON.stringify(value), expression, terminal ? ['-r'] : ['-r', '-c']);
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
};

/** The output of jq as rows: an array of objects or of arrays, or several of these. Arrays have no names. */
export async function rowsFromJq(
  value: unknown,
  expression: string,
  format: string,
): Promise<{ readonly rows: readonly Row[]; readonly names: readonly string[]; readonly isNamed: boolean }> {
  const lines = (await run(JSON.stringify(value), expression, ['-c'])).split('\n').filter((line) => line !== '');
  const found = lines.map((line): unknown => JSON.parse(line));
  const [only] = found;
  const items: readonly unknown[] = found.length === 1 && Array.isArray(only) && only.every(isRow) ? only : found;
  const isObjects = items.every(isObject);
  if (!isObjects && !items.every(Array.isArray))
    throw usageError(
      `--format ${format} needs objects or arrays from --jq '${expression}'.`,
      "Such as --jq '.[] | {id, name}'",
    );
  const rows = isObjects ? items : items.map((item) => ({ ...item }));
  return { rows, names: [...new Set(rows.flatMap((row) => pathsOf(row)))], isNamed: isObjects };
}
