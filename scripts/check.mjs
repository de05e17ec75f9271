// Everything `npm run check` looks at. A green check is one line; a red one shows what its tool said.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));

const execute = promisify(execFile);

/** What to do about a red check, where its tool does not say so itself. */
const remedies = {
  'lint and format': '`npm run fix` formats and applies the safe fixes; the rest is for you.',
  'dead code and dependencies':
    'Delete what is unused. What is used in a way that the tool does not see belongs in knip.json.',
  'import directions': 'The rules and their reasons: .dependency-cruiser.cjs, docs/architecture.md.',
  'import rules': 'Delete the path from .dependency-cruiser.cjs, or write its new name.',
  'bundle size': '`npm run build` and try again; then look for an import that brought more than it is worth.',
  'deployment files': 'docs/guides/operations.md describes the files in deploy/.',
  lockfile: 'Write it on Node 20 with `npm install`; CONTRIBUTING.md, Dependencies.',
};

const checks = [
  ['lint and format', 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
  ['generated files', 'scripts/generate.mjs', '--check'],
  ['dead code and dependencies', 'node_modules/knip/bin/knip.js', '--no-progress', '--no-config-hints'],
  [
    'import directions',
    'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
    '--config',
    '.dependency-cruiser.cjs',
    ...['packages', 'e2e', 'examples'].filter((folder) => existsSync(folder)),
  ],
  ['import rules', 'scripts/checks/import-rules.mjs'],
  ['bundle size', 'scripts/checks/size.mjs'],
  ['lockfile', 'scripts/checks/lock.mjs'],
  ['links and workflows', 'tools/ci/check.mjs'],
  ['deployment files', 'tools/deploy/check.mjs'],
  ['plain English', 'scripts/checks/words.mjs'],
];

async function run([name, script, ...args]) {
  const start = performance.now();
  const options = { env: { ...process.env, NO_COLOR: '1' }, maxBuffer: 2 ** 26 };
  const {
    code = 0,
    stdout,
    stderr,
  } = await execute(process.execPath, [script, ...args], options).catch((error) => error);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const remedy = remedies[name] === undefined ? '' : `\nTo fix it: ${remedies[name]}`;
  const failure = `FAILED  ${name}\n${(stdout + stderr).trim()}${remedy}\n\n`;
  process.stdout.write(code === 0 ? `ok      ${name} (${seconds} s)\n` : failure);
  return code === 0;
}

const waiting = [...checks];
let failed = 0;
async function worker() {
  for (let check = waiting.shift(); check; check = waiting.shift()) if (!(await run(check))) failed++;
}
await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, worker));

process.stdout.write(
  failed === 0 ? `All ${checks.length} checks passed.\n` : `${failed} of ${checks.length} checks failed.\n`,
);
process.exitCode = failed === 0 ? 0 : 1;
