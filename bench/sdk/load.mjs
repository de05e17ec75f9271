// What it takes to have a client at all: the CPU time of an import in Node, and the bytes of a bundle for browsers.
import { budgets, firstLoad } from '../../scripts/lib/first-load.mjs';
import { figure, inTurns, lapsOf, parts } from '../lib/measure.mjs';
import { names } from './clients.mjs';

const { limit } = budgets.find(({ from }) => from === '@mkt/sdk');

export const title = 'Loading it';
export const sizes = { processes: 25 };

const kyAndZod = 'ky and zod/mini';

/** What a program imports for each client. */
const imports = Object.fromEntries(
  names.filter((name) => name !== 'raw fetch').map((name) => [name, [name === 'bare ky' ? 'ky' : name]]),
);
const measured = { ...imports, [kyAndZod]: ['ky', 'zod/mini'] };

/** Milliseconds of CPU time that the import takes in a fresh process. */
async function importTime(modules) {
  const imports = modules.map((name) => `await import('${name}');`).join(' ');
  return (await lapsOf(`${imports} lap('import');`, import.meta.dirname)).import;
}

export async function run({ processes }) {
  const times = await inTurns(processes, measured, importTime, { warmUp: 1 });
  const sizeOf = {};
  for (const [name, [module]] of Object.entries(imports))
    sizeOf[name] = (await firstLoad(module, { resolveDir: import.meta.dirname })) / 1000;
  const share = (name) => figure(parts(times[name], times[kyAndZod]));
  const kilobytes = (name) => (sizeOf[name] === undefined ? '' : figure([sizeOf[name]], { digits: 1, unit: 'kB' }));
  return {
    about: `Milliseconds of CPU time of the first \`import()\` in a fresh process, and what a browser loads at once of a bundle of everything that the package exports,
minified and gzipped. ky and zod/mini, imported one after the other, are what a client built on them loads at least.`,
    columns: ['package', 'import, CPU ms', 'part of ky and zod/mini', 'bundle'],
    rows: [
      {
        cells: ['@mkt/sdk, import', figure(times['@mkt/sdk'], { digits: 0 }), share('@mkt/sdk'), ''],
        goal: { of: 2, atMost: 1.15 },
      },
      { cells: ['@mkt/sdk, bundle', '', '', kilobytes('@mkt/sdk')], goal: { of: 3, atMost: limit / 1000 } },
      ...Object.keys(measured)
        .filter((name) => name !== '@mkt/sdk')
        .map((name) => ({ cells: [name, figure(times[name], { digits: 0 }), share(name), kilobytes(name)] })),
    ],
  };
}
