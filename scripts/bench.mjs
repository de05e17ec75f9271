// `npm run bench -- <suite> [options]` runs bench/<suite>.mjs against fresh builds. What only benchmarks need (rivals above
// all) is installed on first use, from bench/'s own lockfile: it never weighs on anyone else's `npm ci`.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installed } from './lib/installed.mjs';
import { npm } from './lib/npm.mjs';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));
const [suite, ...options] = process.argv.slice(2);

const suites = readdirSync('bench')
  .filter((name) => name.endsWith('.mjs'))
  .map((name) => name.slice(0, -'.mjs'.length))
  .sort();

function stop(text, code) {
  process.stderr.write(`error: ${text}\n`);
  process.exit(code);
}

function run(args) {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (!suites.includes(suite)) {
  const known = suites.length > 0 ? `The suites are: ${suites.join(', ')}.` : 'There are no suites yet.';
  stop(`${suite ? `There is no suite "${suite}"` : 'Name a suite: npm run bench -- <suite>'}. ${known}`, 2);
}

run(['scripts/ensure.mjs']);
run(['scripts/build.mjs', '--no-dts']);
if (existsSync('bench/package-lock.json') && !installed('bench')) {
  process.stderr.write('Installing what the benchmarks need (once) ...\n');
  if (npm(['ci', '--prefix', 'bench']).status !== 0) stop('npm ci in bench/ failed; its own message is above.', 1);
}
run([`bench/${suite}.mjs`, ...options]);
