// Checks the messages of new commits: CONTRIBUTING.md, "Commits".
//   check-commits.mjs [base]   checks the commits after `base`
import { execFileSync, spawnSync } from 'node:child_process';

/** The commits up to this one are older than the rules. */
const first = '3cadf4018502f9d27b45c527a184827f9635e2e4';

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' });
const isKnown = (commit) => spawnSync('git', ['merge-base', '--is-ancestor', commit, 'HEAD']).status === 0;

/** Verbs whose imperative ends like another form. */
const verbs = /^(Alias|Bring|Embed|Focus|Ping|Ring|Shed|String)$/;
const isImperative = (word) => /^[A-Z][a-z-]+$/.test(word) && (verbs.test(word) || !/([^e]ed|ing|[^s]s)$/.test(word));

function problemsOf([subject = '', second = '', ...body]) {
  return [
    subject.length > 72 && `the subject has ${subject.length} characters, at most 72 are allowed`,
    !isImperative(subject.split(' ', 1)[0]) && 'the subject must start with a capitalized verb in the imperative',
    subject.endsWith('.') && 'the subject must not end with a period',
    second !== '' && 'the second line must be empty',
    // A URL cannot be wrapped.
    body.some((line) => line.length > 100 && !line.includes('://')) &&
      'a line of the body is longer than 100 characters',
  ].filter(Boolean);
}

const base = [process.argv[2], first, 'origin/main'].find((commit) => commit && isKnown(commit));
// A shallow clone has only its last commit.
const range = base ? [`${base}..HEAD`] : ['-1', 'HEAD'];
for (const line of git('log', '--no-merges', '--format=%H%x00%B%x00', ...range)
  .split('\0\n')
  .filter(Boolean)) {
  const [hash, message] = line.split('\0');
  for (const problem of problemsOf(message.trimEnd().split('\n'))) {
    process.stderr.write(`${hash.slice(0, 7)} ${message.split('\n', 1)[0]}\n  ${problem}\n`);
    process.exitCode = 1;
  }
}
