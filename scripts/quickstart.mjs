// The tour of `npm run quickstart`, after its installation and build: `mkt demo --once` starts the reference server with the demo
// data on a free port and uses it over TCP. Leaves no process and no file behind.
import { writeSync } from 'node:fs';

const next = `
To go on, in this folder:
  npx mkt serve
and in a second terminal, while that runs:
  echo mkt_demo_ada_write | npx mkt login --with-token --base-url http://127.0.0.1:4010
  npx mkt campaigns show 1 --org 5
`;
process.on('exit', (code) => code === 0 && writeSync(1, next));
// As under `npm run`, however this script was started: in a clone mkt is called through npx.
process.env.npm_command = 'run-script';
process.argv = [process.execPath, 'mkt', 'demo', '--once'];
await import('../packages/cli/dist/bin.cjs');
