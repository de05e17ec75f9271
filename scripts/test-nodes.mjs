// Runs the tests of the packed packages on every Node that is supported, or on those that are named: `npm run test:nodes -- 22`.
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installNode } from './lib/node-releases.mjs';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));

const named = process.argv.slice(2);
const majors = named.length > 0 ? named : ['20', '22', '24', '26'];
const failed = [];
for (const major of majors) {
  const node = installNode(major);
  if (!node) {
    process.stderr.write(`error: Node ${major} could not be installed; npm says why above.\n`);
    process.exit(1);
  }
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
