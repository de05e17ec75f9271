// Prints `<passed> <failed>` of vitest's JSON report: test-counts.mjs <exit code of vitest> <report>
import { existsSync, readFileSync } from 'node:fs';

/** @param {number | null} status The exit code of vitest. @param {string} report The path of its JSON report. */
export function countTests(status, report) {
  const files = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).testResults : [];
  const count = (wanted) =>
    files.flatMap((file) => file.assertionResults).filter((test) => test.status === wanted).length;
  // A file that cannot be loaded, or a hook for all tests that fails: its tests are skipped, not failed.
  const unstarted = files.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = count('failed') + unstarted;
  // A run without a failed test fails too if it ended badly: a type error, an error outside of any test.
  return { passed: count('passed'), failed: failed === 0 && status !== 0 ? 1 : failed };
}

if (process.argv[1] === import.meta.filename) {
  const [status, report] = process.argv.slice(2);
  const { passed, failed } = countTests(Number(status), report);
  console.log(passed, failed);
}
