// `npm run bench -- server [part ...] [--rounds N] [--seconds N]`: how fast the reference server is, as parts of raw
// node:http in the same run, and how it grows. Without a part: all of them.
import { parseArgs } from 'node:util';

const parts = {
  ratios: () => import('./server/ratios.mjs').then(({ ratios }) => ratios),
  growth: () => import('./server/growth.mjs').then(({ growth }) => growth),
  start: () => import('./server/start.mjs').then(({ start }) => start),
  postgres: () => import('./server/postgres.mjs').then(({ postgres }) => postgres),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '3' } },
});
const options = { rounds: Number(values.rounds), seconds: Number(values.seconds) };

const chosen = positionals.length > 0 ? positionals : Object.keys(parts);
const unknown = chosen.filter((part) => !(part in parts));
if (unknown.length > 0) {
  process.stderr.write(
    `error: There is no part "${unknown.join(', ')}". The parts are: ${Object.keys(parts).join(', ')}.\n`,
  );
  process.exit(2);
}
process.stdout.write(`Node ${process.version}, ${options.rounds} rounds of ${options.seconds} s\n`);
for (const part of chosen) {
  const run = await parts[part]();
  process.stdout.write(`\n## ${part}\n\n${await run(options)}\n`);
}
