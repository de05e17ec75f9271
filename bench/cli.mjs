// `npm run bench -- cli [--rounds N]`: what a command of `mkt` takes beside a Node that does nothing (`node -e 0`). Each round
// starts every contender once, in turns: figures of one run may be compared, those of two may not. On a machine that does
// other things too, the fastest round says most.
import { spawn } from 'node:child_process';
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
  PATH: process.env.PATH,
  HOME: home,
  MKT_TOKEN: demoTokens.ada_write,
  MKT_BASE_URL: server.url,
  MKT_ORG: '5',
};

/** Milliseconds from start to end of one process; asynchronous, since the server lives in this one. */
const time = (args) =>
  new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.resume();
    child.stderr.resume();
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(performance.now() - started) : reject(new Error(`${args.join(' ')} ended with ${code}`)),
    );
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

const sorted = seen.map((times) => times.toSorted((one, other) => one - other));
const median = (times) => times[Math.floor(times.length / 2)];
const [base] = sorted;
const lines = contenders.map(({ name, goal }, place) => {
  const times = sorted[place];
  const ratio = median(times) / median(base);
  const fastest = times[0] / base[0];
  const met = goal === undefined ? '' : ratio <= goal || fastest <= goal ? 'yes' : 'NO';
  return `| ${name} | ${median(times).toFixed(0)} | ${ratio.toFixed(2)} | ${fastest.toFixed(2)} | ${goal ?? ''} | ${met} |`;
});
process.stdout.write(`Node ${process.version}, ${rounds} rounds, in turns\n\n`);
process.stdout.write(
  '| What | Median, ms | Ratio of medians | Ratio of the fastest | Goal | Met |\n|---|---|---|---|---|---|\n',
);
process.stdout.write(`${lines.join('\n')}\n`);
