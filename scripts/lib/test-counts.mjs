// Prints `<passed> <failed>` of vitest's JSON report, and on stderr what failed: test-counts.mjs <exit code of vitest> <report>
import { existsSync, readFileSync } from 'node:fs';

/**
 * @param {number | null} status The exit code of vitest. @param {string} report The path of its JSON report.
 * @returns The counts, and what failed, with the first line of why.
 */
export function countTests(status, report) {
  const files = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).testResults : [];
  const named = (wanted) =>
    files.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter((test) => test.status === wanted)
        .map((test) =>
          [`${name} > ${test.fullName}`, test.failureMessages?.[0]?.split('\n')[0]].filter(Boolean).join(': '),
        ),
    );
  const failures = named('failed');
  // A file that cannot be loaded, or a hook for all tests that fails: its tests are skipped, not failed.
  for (const { name, status, assertionResults } of files)
    if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed')) failures.push(name);
  // A run without a failed test fails too if it ended badly: a type error, an error outside of any test.
  if (failures.length === 0 && status !== 0) failures.push(`vitest ended with ${status}`);
  return { passed: named('passed').length, failed: failures.length, failures };
}

if (process.argv[1] === import.meta.filename) {
  const [status, report] = process.argv.slice(2);
  const { passed, failed, failures } = countTests(Number(status), report);
  console.log(passed, failed);
  for (const name of failures) console.error(`FAILED: ${name}`);
}
