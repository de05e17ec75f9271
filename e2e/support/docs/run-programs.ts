import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What became of a program: the lines that it printed, and why it failed if it did. */
export interface Ran {
  readonly printed: readonly string[];
  readonly failed: string | null;
}

/** One process for the programs of a page: to start one for each takes longer than what they do. */
const runner = `
import { format } from 'node:util';
const [given, ...files] = process.argv.slice(2);
const { CONTROL_URL, CONTROL_TOKEN } = process.env;
const results = [];
let lines = [];
console.log = (...values) => void lines.push(...format(...values).split('\\n').filter(Boolean));
for (const file of files) {
  lines = [];
  await fetch(CONTROL_URL + '/reset', { method: 'POST', headers: { Authorization: 'Bearer ' + CONTROL_TOKEN } });
  const failed = await import(file).then(() => null, (error) => error?.stack ?? String(error));
  results.push({ printed: lines, failed });
}
process.stdout.write(given + JSON.stringify(results), () => process.exit());
`;
const mark = '\u0001';

/**
 * Runs compiled programs one after the other, each on the data as in the beginning.
 * @param folder Where they work, one for all as for a reader.
 */
export async function runPrograms(
  files: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<Ran[]> {
  const program = join(folder, '.run-programs.mjs');
  await writeFile(program, runner);
  const urls = files.map((file) => pathToFileURL(file).href);
  const { stdout, stderr } = await run(process.execPath, [program, mark, ...urls], {
    cwd: folder,
    env: { ...process.env, ...environment },
  });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout.slice(stdout.indexOf(mark) + 1)) as Ran[];
}
