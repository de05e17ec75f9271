// Prints `<passed> <failed>` of vitest's JSON report: count-tests.mjs <exit code of vitest> <report>
import { existsSync, readFileSync } from 'node:fs';

const [exitCode, report] = process.argv.slice(2);
const files = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).testResults : [];
const count = (status) =>
  files.flatMap((file) => file.assertionResults).filter((test) => test.status === status).length;
const unloaded = files.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
const failed = count('failed') + unloaded;
// A run without a failed test fails too if it ended badly: a type error, an error outside of any test.
console.log(count('passed'), failed === 0 && exitCode !== '0' ? 1 : failed);
