// Reads vitest's JSON reports: of the run, and of the second try of the files that failed in it.
//   count-tests.mjs failed <report>                     prints the files with a failure, one a line
//   count-tests.mjs count <exit code> <report> [again]  prints `<passed> <failed>`; a file's second try replaces its first
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const read = (file) => (file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).testResults : []);
const tests = (files) => files.flatMap(({ assertionResults }) => assertionResults);
const withStatus = (files, status) => tests(files).filter((test) => test.status === status).length;
const hasFailed = ({ status, assertionResults }) =>
  status === 'failed' || assertionResults.some((test) => test.status === 'failed');

const [what, ...given] = process.argv.slice(2);
if (what === 'failed') {
  for (const { name } of read(given[0]).filter(hasFailed)) console.log(relative('.', name));
} else {
  const [exitCode, report, again] = given;
  const first = read(report);
  const second = read(again);
  const files = [...first.filter(({ name }) => !second.some((file) => file.name === name)), ...second];
  const unloaded = files.filter((file) => hasFailed(file) && file.assertionResults.length === 0);
  const failed = withStatus(files, 'failed') + unloaded.length;
  // A run that ended badly with no failed test (a type error, an error outside of any test) must not look green.
  const ended = exitCode === '0' && first.length > 0;
  console.log(withStatus(files, 'passed'), failed === 0 && !ended ? 1 : failed);
}
