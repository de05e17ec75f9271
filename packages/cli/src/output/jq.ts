import jq from 'jq-web';
import { usageError } from '../errors/cli-error.js';

const reason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .split('\n')
    .map((line) => line.replace(/^jq: /, '').trim())
    .find((line) => line !== '' && !line.startsWith('Non-zero exit code')) ?? 'unknown reason';

const run = async (json: string, expression: string, flags: readonly string[]): Promise<string> => {
  const { raw } = await jq;
  try {
    return raw(json, expression, [...flags]) ?? '';
  } catch (error) {
    throw usageError(`--jq '${expression}': ${reason(error)}`, 'The language: https://jqlang.org/manual/');
  }
};

/** Fails on an expression that is not jq, before anything is asked of the service. */
export const checkJq = async (expression: string): Promise<void> => {
  await run('null', `def wanted: (${expression}\n); empty`, []);
};

/** What jq makes of the value: text bare, everything else as JSON, on one line each in a pipe. */
export const filterWithJq = async (value: unknown, expression: string, terminal: boolean): Promise<string> => {
  const text = await run(JSON.stringify(value), expression, terminal ? ['-r'] : ['-r', '-c']);
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
};
