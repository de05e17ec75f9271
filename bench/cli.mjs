// `npm run bench -- cli [--rounds N]`: what a command of `mkt` takes beside a Node that does nothing (`node -e 0`). Each round
// starts every contender once, in turns: figures of one run may be compared, those of two may not. Needs bash, for its clock.
// On a machine that does other things too, the ratio of CPU time says more than that of the clock.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '25' } } });
const rounds = Number(values.rounds);
const bin = fileURLToPath(new URL('../packages/cli/dist/bin.cjs', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'mkt-bench-'));
const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
const env = {
  ...process.env,
  HOME: home,
  MKT_TOKEN: demoTokens.ada_write,
  MKT_BASE_URL: server.url,
  MKT_ORG: '5',
};

/** Milliseconds of one process, by the clock and of processor time, as bash tells them. */
const time = (args) =>
  new Promise((resolve, reject) => {
    const script = 'TIMEFORMAT="%3R %3U %3S"; { time "$@" >/dev/null 2>&1; } 2>&1';
    execFile('bash', ['-c', script, 'bash', process.execPath, ...args], { env }, (error, stdout) => {
      if (error) return reject(new Error(`${args.join(' ')} ended with ${error.code}`));
      const [real, user, system] = stdout.trim().split(' ').map(Number);
      return resolve({ wall: real * 1000, cpu: (user + system) * 1000 });
    });
  });

const contenders = [
  { name: 'node -e 0', args: ['-e', '0'] },
  { name: 'mkt --version', args: [bin, '--version'], goal: 1.05 },
  { name: 'mkt --help', args: [bin, '--help'], goal: 1.25 },
  { name: 'mkt campaigns list', args: [bin, 'campaigns', 'list'], goal: 2.3 },
  { name: 'mkt campaigns list --json', args: [bin, 'campaigns', 'list', '--json'] },
  { name: 'mkt campaigns show 3', args: [bin, 'campaigns', 'show', '3'] },
  { name: 'mkt campaigns create --help', args: [bin, 'campaigns', 'create', '--help'] },
];
const seen = contenders.map(() => []);
// The first round warms up and does not count.
for (let round = 0; round <= rounds; round++) {
  for (const [place, { args }] of contenders.entries()) {
    const taken = await time(args);
    if (round > 0) seen[place].push(taken);
  }
}
await server.close();
rmSync(home, { recursive: true, force: true });

const median = (measure, times) =>
  times.map((each) => each[measure]).sort((one, other) => one - other)[Math.floor(times.length / 2)];
const [base] = seen;
const lines = contenders.map(({ name, goal }, place) => {
  const ratios = ['wall', 'cpu'].map((measure) => median(measure, seen[place]) / median(measure, base));
  const met = goal === undefined ? '' : ratios[0] <= goal ? 'yes' : 'NO';
  const figures = [median('wall', seen[place]).toFixed(0), ...ratios.map((ratio) => ratio.toFixed(2))];
  return `| ${name} | ${figures.join(' | ')} | ${goal ?? ''} | ${met} |`;
});
process.stdout.write(`Node ${process.version}, ${rounds} rounds, in turns\n\n`);
process.stdout.write('| What | Median, ms | Ratio | Ratio of CPU time | Goal | Met |\n|---|---|---|---|---|---|\n');
process.stdout.write(`${lines.join('\n')}\n`);
