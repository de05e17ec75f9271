// Runs the tests of the packed packages on every Node that is supported, or on those that are named: `npm run test:nodes -- 22`.
// Each Node comes from npm's registry, where every release is a package, and stays in a cache folder.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from './lib/npm.mjs';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));

const named = process.argv.slice(2);
const majors = named.length > 0 ? named : ['20', '22', '24', '26'];
const system = process.platform === 'win32' ? 'win' : process.platform;

/** The program of the newest release of a major version. */
function fetched(major) {
  const folder = `node_modules/.cache/mkt-node/${major}`;
  const name = `node-${system}-${process.arch}`;
  const file = resolve(folder, 'node_modules', name, 'bin', system === 'win' ? 'node.exe' : 'node');
  if (existsSync(file)) return file;
  const { status } = npm(['install', `${name}@${major}`, '--prefix', folder, '--ignore-scripts', '--no-save']);
  if (status !== 0 || !existsSync(file)) {
    process.stderr.write(`error: Node ${major} could not be fetched; npm says why above.\n`);
    process.exit(1);
  }
  return file;
}

const failed = [];
for (const major of majors) {
  const node = fetched(major);
  process.stdout.write(`\nNode ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout}`);
  // First on the PATH: npm, npx and what they start are to run on it too.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'e2e', 'e2e/packages.test.ts'];
  if (spawnSync(node, args, { env, stdio: 'inherit' }).status !== 0) failed.push(major);
}
process.stdout.write(`\n${majors.length - failed.length} of ${majors.length} Nodes passed.\n`);
if (failed.length > 0) {
  process.stderr.write(`Failed on Node ${failed.join(', ')}.\n`);
  process.exitCode = 1;
}
