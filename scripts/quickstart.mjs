// From a fresh clone to a table on the screen: installs, builds the command line, and lets `mkt demo --once` start the
// reference server with the demo data on a free port and use it over TCP. Leaves no process and no file behind.
import { spawn, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));

for (const step of [
  ['scripts/ensure.mjs', '--ignore-scripts'],
  ['scripts/build.mjs', '--no-dts', 'cli'],
]) {
  const { status } = spawnSync(process.execPath, step, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const mkt = join('packages', 'cli', 'dist', 'bin.cjs');
const demo = spawn(process.execPath, [mkt, 'demo', '--once'], {
  // As under `npm run`, however this script was started: in a clone mkt is called through npx.
  env: { ...process.env, npm_command: 'run-script' },
  stdio: ['ignore', 'inherit', 'inherit'],
});
// Ctrl-C reaches the demo by itself, which then ends; a signal that only this process receives is passed on.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => demo.kill('SIGTERM'));

demo.on('error', ({ message }) => {
  process.stderr.write(`error: ${mkt} does not start: ${message}\n`);
  process.exitCode = 1;
});
demo.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal === 'SIGTERM' ? 143 : 1);
  if (code !== 0) return;
  process.stdout.write(`
To go on, in this folder:
  npx mkt serve
and in a second terminal, while that runs:
  echo mkt_demo_ada_write | npx mkt login --with-token --base-url http://127.0.0.1:4010
  npx mkt campaigns show 1 --org 5
`);
});
