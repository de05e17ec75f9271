// The tour and the whole suite on other versions of Node, each in a fresh clone, with the Node from npm:
//   nodes.mjs [version ...] [--reports folder] [--here] [-- arguments of npm test]
// With --here it tests this checkout as it is installed and built, without the tour: CI has not the time for more.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chooseSqlite } from './lib/native.mjs';
import { installRuntime } from './lib/runtimes.mjs';
import { countTests } from './lib/test-counts.mjs';

const root = join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  options: { reports: { type: 'string' }, here: { type: 'boolean' } },
  allowPositionals: true,
});
const isVersion = (text) => /^\d+(\.\d+)*$/.test(text);
const given = positionals.filter(isVersion);
const versions = given.length > 0 ? given : ['20', '22', '24', '26'];

const work = mkdtempSync(join(tmpdir(), 'mkt-nodes-'));
// PostgreSQL does not run as root: its user must be able to reach it.
chmodSync(work, 0o755);
process.on('exit', () => rmSync(work, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** A clone with the changes that are not committed. Its `node_modules` are its own: those of two Nodes differ. */
function cloneTo(folder) {
  if (!existsSync(join(root, '.git'))) {
    cpSync(root, folder, { recursive: true, filter: (path) => !['node_modules', 'dist'].includes(basename(path)) });
    return;
  }
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  git('clone', '--quiet', root, folder);
  const listed = (...flags) =>
    git('ls-files', '-z', '--exclude-standard', ...flags)
      .split('\0')
      .filter(Boolean);
  const deleted = new Set(listed('--deleted'));
  for (const path of deleted) rmSync(join(folder, path), { force: true });
  for (const path of listed('--modified', '--others'))
    if (!deleted.has(path)) cpSync(join(root, path), join(folder, path), { recursive: true });
}

function testOn(version) {
  const program = installRuntime(`node@${version}`);
  if (!program) return { passed: 0, failed: 1 };
  const cwd = values.here ? root : join(work, version);
  if (!values.here) cloneTo(cwd);
  const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH}` };
  // Those of the npm that started this script.
  for (const name of Object.keys(env))
    if (/^(npm_(?!config_)|npm_config_local_prefix|INIT_CWD)/.test(name)) delete env[name];
  // For native modules, if they are compiled: the headers are in the package.
  const headers = resolve(dirname(program), `../node-${process.platform}-${process.arch}`);
  const run = (...args) =>
    spawnSync('npm', args, {
      cwd,
      env: { ...env, npm_config_nodedir: headers },
      stdio: 'inherit',
      shell: process.platform === 'win32',
    }).status;
  if (!values.here && run('run', 'quickstart') !== 0) return { passed: 0, failed: 1 };
  const report = join(resolve(values.reports ?? work), `node-${version}.json`);
  const args = positionals.filter((text) => !isVersion(text));
  const status = run('test', '--', ...args, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`);
  if (values.here) {
    process.chdir(root);
    chooseSqlite();
  } else rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
  return countTests(status, report);
}

const lines = versions.map((version) => {
  process.stdout.write(`\n== Node ${version}\n`);
  const { passed, failed } = testOn(version);
  if (failed > 0) process.exitCode = 1;
  return `Node ${version}: ${passed} passed, ${failed} failed\n`;
});
process.stdout.write(`\n${lines.join('')}`);
