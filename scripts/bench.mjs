// `npm run bench [-- <suite> [part ...] [options]]` runs bench/main.mjs against fresh builds. What only benchmarks need (rivals
// above all) is installed on first use, from bench/'s own lockfile: it never weighs on anyone else's `npm ci`.
import { spawnSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installOnce } from './lib/installed.mjs';
import { installRuntime } from './lib/runtimes.mjs';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));
// Before the build, which is work of its own.
const load = loadavg()[0];

function run(args) {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const measure = ['bench/main.mjs', `--load=${load}`, ...process.argv.slice(2)];
// What is wrong with the arguments, or with the moment, is said before minutes of installing and building.
run([...measure, '--check']);
if (!process.argv.some((option) => ['-h', '--help'].includes(option))) {
  run(['scripts/ensure.mjs']);
  run(['scripts/build.mjs', '--no-dts']);
  installOnce('bench');
  // The command line is measured on these too; without npm's registry, on those that are there.
  const isOther = (argument) => ['mock', 'sdk', 'server'].includes(argument);
  if (!process.argv.some(isOther)) for (const major of ['20', '22', '24']) installRuntime(`node@${major}`);
  run(measure);
}
