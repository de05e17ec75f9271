// Measures one suite, or all of them and writes docs/benchmarks.md. A part is the module `<suite>/<part>.mjs`; each runs in a
// process of its own, so that it does not affect the next one. What only benchmarks need (rivals above all) is installed on
// first use, from the lockfile of this folder.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, release, totalmem, type } from 'node:os';
import { parseArgs } from 'node:util';
import { installOnce } from '../scripts/lib/installed.mjs';
import { installRuntime } from '../scripts/lib/runtimes.mjs';
import { document, sectionText } from './lib/render.mjs';

const suites = {
  cli: { title: 'Command line', parts: ['start', 'executable', 'nodes', 'table', 'twin', 'history'] },
  mock: { title: 'Mock', parts: ['calls', 'start', 'sizes'] },
  sdk: { title: 'SDK', parts: ['cpu', 'pages', 'load'] },
  server: { title: 'Reference server', parts: ['ratios', 'growth', 'ids', 'start', 'postgres', 'neighbors', 'far'] },
};

const usage = `Usage: npm run bench [-- <suite> [part ...]] [--rounds N] [--quick]

Without a suite, measures everything and writes docs/benchmarks.md: on a quiet machine.
${Object.entries(suites)
  .map(([name, { parts }]) => `  ${name.padEnd(10)}  ${parts.join(', ')}`)
  .join('\n')}
  --rounds N  how often each contender is measured
  --quick     checks that everything runs; the figures mean nothing, and nothing is installed or written
`;

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [suite, ...parts] = positionals;
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
    throw new Error('--rounds takes a whole number.');
  const known = Object.hasOwn(suites, suite ?? '') ? [suite, ...suites[suite].parts] : [];
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown) throw new Error(`Unknown suite or part "${unknown}". See --help.`);
  return { ...values, rounds, suite, parts };
}

/** Rows of name and value about the machine. */
function machine(load) {
  const { dependencies } = JSON.parse(readFileSync('bench/package.json', 'utf8'));
  const versionOf = (name, folder) => JSON.parse(readFileSync(`${folder}/${name}/package.json`, 'utf8')).version;
  const versions = Object.keys(dependencies).map((name) => `${name} ${versionOf(name, 'bench/node_modules')}`);
  return [
    ['processor', `${cpus().length} x ${cpus()[0].model.trim()}`],
    ['memory', `${Math.round(totalmem() / 2 ** 30)} GiB`],
    ['system', `${type()} ${release()}, ${arch()}`],
    ['Node', process.version],
    ['date', new Date().toISOString().slice(0, 10)],
    ['load average at the start', load.toFixed(2)],
    ['versions', `${versions.join(', ')}, msw ${versionOf('msw', 'node_modules')}`],
  ];
}

/** Measures one part and returns its section; undefined if it failed. */
async function measure(suite, part, { quick, rounds }) {
  process.stderr.write(`\n${suite} ${part}\n`);
  const child = fork('bench/main.mjs', ['part', suite, part, JSON.stringify({ quick, rounds })]);
  let section;
  child.on('message', (message) => {
    section = { ...message, command: `npm run bench -- ${suite} ${part}` };
  });
  const [code] = await once(child, 'exit');
  process.stdout.write(code === 0 ? `${sectionText(section)}\n\n` : `FAILED: ${suite} ${part}\n\n`);
  if (code !== 0) process.exitCode = 1;
  return section;
}

/** In the process of a part: sends its section to the parent. */
async function runPart([suite, name, options]) {
  const { quick, rounds } = JSON.parse(options);
  const part = await import(`./${suite}/${name}.mjs`);
  const sizes = { ...part.sizes, ...(rounds && part.sizes.rounds && { rounds }) };
  if (quick) for (const what of Object.keys(sizes)) sizes[what] = Math.ceil(sizes[what] / 50);
  const inWords = Object.entries(sizes).map(([what, size]) => `${what}: ${size.toLocaleString('en')}`);
  process.send({ title: part.title, sizes: inWords.join(', '), ...(await part.run(sizes)) });
  // The channel to the parent would keep an otherwise finished process.
  process.disconnect();
}

async function main({ suite: chosen, parts, ...options }) {
  if (options.help) return process.stdout.write(usage);
  const load = loadavg()[0];
  if (!options.quick) {
    installOnce('bench');
    // The command line is measured on these too; without npm's registry, on those that are there.
    if (chosen === undefined || chosen === 'cli') {
      for (const major of [20, 22, 24]) installRuntime(`node@${major}`);
      installOnce('tools/release');
    }
  }
  const measured = [];
  for (const [name, suite] of Object.entries(suites).filter(([name]) => (chosen ?? name) === name)) {
    const sections = [];
    for (const part of parts.length > 0 ? parts : suite.parts) sections.push(await measure(name, part, options));
    measured.push({ title: suite.title, sections });
  }
  if (chosen !== undefined || options.quick) return;
  if (process.exitCode === 1) throw new Error('Not everything could be measured: docs/benchmarks.md was not changed.');
  writeFileSync('docs/benchmarks.md', document({ machine: machine(load), suites: measured }));
  process.stdout.write('Wrote docs/benchmarks.md.\n');
}

process.chdir(`${import.meta.dirname}/..`);
const [first, ...rest] = process.argv.slice(2);
try {
  if (first === 'part') await runPart(rest);
  else await main(readArguments());
} catch (error) {
  process.stderr.write(first === 'part' ? `${error.stack}\n` : `error: ${error.message}\n`);
  process.exit(2);
}
