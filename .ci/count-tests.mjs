// Prints `<passed> <failed>` from vitest's JSON report. A run that ended badly with no failed test (a type error, a file that
// does not load, an error outside of any test) counts as one failure: it must not look green.
import { existsSync, readFileSync } from 'node:fs';

const [file, exitCode] = process.argv.slice(2);
const report = existsSync(file) && JSON.parse(readFileSync(file, 'utf8'));
const files = report ? report.testResults : [];
const tests = files.flatMap(({ assertionResults }) => assertionResults);
const count = (status) => tests.filter((test) => test.status === status).length;
const unloaded = files.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0);

const failed = count('failed') + unloaded.length;
console.log(count('passed'), failed === 0 && (exitCode !== '0' || !report) ? 1 : failed);
