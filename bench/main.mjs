// Measures one suite, or all of them and writes docs/benchmarks.md. `npm run bench` calls it with everything built and installed.
// A part is the module `<suite>/<part>.mjs`; each runs in a process of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { machine } from './lib/machine.mjs';
import { document, sectionText } from './lib/render.mjs';

const page = new URL('../docs/benchmarks.md', import.meta.url);

const suites = {
  cli: { title: 'Command line', parts: ['start', 'nodes', 'table'] },
  mock: { title: 'Mock', parts: ['calls', 'start'] },
  sdk: { title: 'SDK', parts: ['cpu', 'pages', 'cache', 'load'] },
  server: { title: 'Reference server', parts: ['ratios', 'rivals', 'growth', 'ids', 'start', 'postgres'] },
};

/** Figures that are measured at a higher load average are marked as noisy. */
const maxLoad = 1;

const usage = `Usage: npm run bench [-- <suite> [part ...]] [--rounds N] [--quick] [--noisy]

Without a suite, measures everything and writes docs/benchmarks.md.
${Object.entries(suites)
  .map(([name, { parts }]) => `  ${name.padEnd(10)}  ${parts.join(', ')}`)
  .join('\n')}
  --rounds N  how often each contender is measured
  --quick     checks that everything runs; the figures mean nothing and nothing is written
  --noisy     write the page even if the machine is busy; its figures are marked
`;

class Stop extends Error {}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: 'string' },
        quick: { type: 'boolean', default: false },
        noisy: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        // From scripts/bench.mjs: the load average before it builds, and whether to check only the arguments.
        load: { type: 'string', default: '0' },
        check: { type: 'boolean', default: false },
      },
    });
    const [suite, ...parts] = positionals;
    const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
    if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
      throw new Stop(`--rounds takes a whole number from 1, not "${values.rounds}".`);
    if (suite !== undefined && !Object.hasOwn(suites, suite))
      throw new Stop(`There is no suite "${suite}". The suites are: ${Object.keys(suites).join(', ')}.`);
    const unknown = parts.filter((part) => !suites[suite].parts.includes(part));
    if (unknown.length > 0)
      throw new Stop(
        `"${suite}" has no part "${unknown.join('", "')}". Its parts are: ${suites[suite].parts.join(', ')}.`,
      );
    return { ...values, rounds, load: Number(values.load), suite, parts };
  } catch (error) {
    if (error.code?.startsWith('ERR_PARSE_ARGS')) throw new Stop(`${error.message.split('. ', 1)[0]}.`);
    throw error;
  }
}

/** Measures one part and returns its section; undefined if it was skipped or failed. */
async function measure(suite, part, { quick, rounds, load }) {
  process.stderr.write(`\n${suite} ${part}\n`);
  const options = JSON.stringify({ quick, rounds });
  const child = fork(fileURLToPath(new URL('./lib/run-part.mjs', import.meta.url)), [suite, part, options]);
  let result = {};
  child.on('message', (message) => {
    result = message;
  });
  const [code] = await once(child, 'exit');
  const command = `npm run bench -- ${suite} ${part}`;
  if (result.skipped) process.stdout.write(`skipped: ${command}: ${result.skipped}\n\n`);
  else if (code !== 0 || !result.section) {
    process.stdout.write(`FAILED: ${command}\n\n`);
    process.exitCode = 1;
  } else {
    const section = { ...result.section, command, noisy: load > maxLoad };
    process.stdout.write(`${sectionText(section)}\n\n`);
    return section;
  }
  return undefined;
}

async function main() {
  const options = readArguments();
  if (options.help) return process.stdout.write(usage);
  const whole = options.suite === undefined && !options.quick;
  const busy = `The machine is busy: its load average is ${options.load.toFixed(2)}, above ${maxLoad}.`;
  if (whole && options.load > maxLoad && !options.noisy)
    throw new Stop(`${busy} Wait until it is quiet, or pass --noisy to have the figures marked.`);
  if (options.check) return;
  if (options.load > maxLoad) process.stderr.write(`WARNING: ${busy} The figures are marked as noisy.\n`);

  const head = machine(options.load);
  process.stdout.write(`${head.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n`);
  const measured = [];
  for (const [name, { title, parts }] of Object.entries(suites)) {
    if (options.suite !== undefined && options.suite !== name) continue;
    const sections = [];
    for (const part of options.parts.length > 0 ? options.parts : parts)
      sections.push(await measure(name, part, options));
    measured.push({ title, sections });
  }
  if (!whole) return;
  if (process.exitCode === 1)
    throw new Stop('Not everything could be measured, so docs/benchmarks.md was not changed.');
  writeFileSync(page, document({ machine: head, suites: measured }));
  process.stdout.write('Wrote docs/benchmarks.md.\n');
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Stop)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = process.exitCode || 2;
}
