// Measures one suite, or all of them and writes docs/benchmarks.md. `npm run bench` calls it with everything built and installed.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { machine, othersAtWork } from './lib/machine.mjs';
import { document, text } from './lib/render.mjs';

const page = new URL('../docs/benchmarks.md', import.meta.url);
const suiteNames = readdirSync(new URL('./suites/', import.meta.url)).map((file) => file.slice(0, -'.mjs'.length));

/** Beyond so many cores of work by others, or this load average, figures are marked as noisy. */
const busy = { cores: 0.2, load: 1 };

const usage = `Usage: npm run bench [-- <suite> [part ...]] [--rounds N] [--quick] [--noisy]

Without a suite: all of them, and docs/benchmarks.md is written.
  --rounds N  how often each contender is measured
  --quick     a look at whether everything runs; the figures mean nothing and nothing is written
  --noisy     write the page although the machine is busy; its figures are marked
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
    const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
    if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
      throw new Stop(`--rounds takes a whole number from 1, not "${values.rounds}".`);
    return { ...values, rounds, load: Number(values.load), suite: positionals[0], parts: positionals.slice(1) };
  } catch (error) {
    if (error.code?.startsWith('ERR_PARSE_ARGS')) throw new Stop(`${error.message.split('. ', 1)[0]}.`);
    throw error;
  }
}

/** The suites to run, as `{ name, title, parts }`. */
async function chosen({ suite, parts }) {
  if (suite !== undefined && !suiteNames.includes(suite))
    throw new Stop(`There is no suite "${suite}". The suites are: ${suiteNames.join(', ')}.`);
  const suites = [];
  for (const name of suite === undefined ? suiteNames : [suite]) {
    const module = await import(`./suites/${name}.mjs`);
    const known = Object.keys(module.parts);
    const unknown = parts.filter((part) => !known.includes(part));
    if (unknown.length > 0)
      throw new Stop(`"${name}" has no part "${unknown.join('", "')}". Its parts are: ${known.join(', ')}.`);
    suites.push({ name, title: module.title, parts: parts.length > 0 ? parts : known });
  }
  return suites;
}

/** One part's section; undefined where it was skipped or failed, which it then has said. */
async function measure(suite, part, { quick, rounds, load }) {
  const others = await othersAtWork();
  const noisy = load > busy.load || others > busy.cores;
  process.stderr.write(
    `\n${suite} ${part}${noisy ? `: NOISY, ${others.toFixed(1)} cores are busy with other work` : ''}\n`,
  );
  const child = fork(fileURLToPath(new URL('./lib/run-part.mjs', import.meta.url)), [
    suite,
    part,
    JSON.stringify({ quick, rounds }),
  ]);
  let told = {};
  child.on('message', (message) => {
    told = message;
  });
  const [code] = await once(child, 'exit');
  const command = `npm run bench -- ${suite} ${part}`;
  if (told.skipped) process.stdout.write(`skipped: ${command}: ${told.skipped}\n\n`);
  else if (code !== 0 || !told.section) {
    process.stdout.write(`FAILED: ${command}\n\n`);
    process.exitCode = 1;
  } else {
    const section = { ...told.section, command, noisy };
    process.stdout.write(`${text(section)}\n\n`);
    return section;
  }
  return undefined;
}

async function main() {
  const options = readArguments();
  if (options.help) return process.stdout.write(usage);
  const whole = options.suite === undefined && !options.quick;
  const loaded = `The machine is busy: its load average is ${options.load.toFixed(2)}, above ${busy.load}.`;
  if (whole && options.load > busy.load && !options.noisy)
    throw new Stop(`${loaded} Wait until it is quiet, or pass --noisy to have the figures marked.`);
  const suites = await chosen(options);
  if (options.check) return;
  if (options.load > busy.load) process.stderr.write(`WARNING: ${loaded} The figures are marked as noisy.\n`);

  const head = machine(options.load);
  process.stdout.write(`${head.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n`);
  const measured = [];
  for (const { name, title, parts } of suites) {
    const sections = [];
    for (const part of parts) sections.push(await measure(name, part, options));
    measured.push({ title, sections });
  }
  if (!whole) return;
  if (process.exitCode === 1)
    throw new Stop('Not everything could be measured, so docs/benchmarks.md stays as it was.');
  writeFileSync(page, document({ machine: head, suites: measured }));
  process.stdout.write('docs/benchmarks.md is written.\n');
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Stop)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = process.exitCode || 2;
}
