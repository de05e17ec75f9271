// What it takes to have a client at all: the time of an import in Node, and the bytes of a bundle for browsers.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { figure, inTurns, parts } from '../lib/measure.mjs';
import { names } from './clients.mjs';

export const title = 'Loading it';
export const sizes = { rounds: 15 };
export const quickSizes = { rounds: 1 };

const kyAndZod = 'ky and zod/mini';

/** What a program imports for each client. */
const imports = Object.fromEntries(
  names.filter((name) => name !== 'raw fetch').map((name) => [name, [name === 'bare ky' ? 'ky' : name]]),
);
const measured = { ...imports, [kyAndZod]: ['ky', 'zod/mini'] };

const execute = promisify(execFile);

/** Milliseconds of the import in a fresh process. */
async function importTime(modules) {
  const statements = modules.map((name) => `await import('${name}');`).join(' ');
  const program = `const start = performance.now(); ${statements} console.log(performance.now() - start);`;
  const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
  });
  return Number(stdout);
}

/** Kilobytes that a browser loads at once, minified and compressed. */
async function bundleSize(modules) {
  const { outputFiles } = await build({
    stdin: {
      contents: modules.map((name, index) => `export * as part${index} from '${name}';`).join('\n'),
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
    logLevel: 'silent',
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length / 1000;
}

export async function run({ rounds }) {
  const times = await inTurns(rounds, measured, importTime, { warmUp: 1 });
  const sizeOf = {};
  for (const [name, modules] of Object.entries(imports)) sizeOf[name] = await bundleSize(modules);
  const share = (name) => figure(parts(times[name], times[kyAndZod]));
  const kilobytes = (name) => (sizeOf[name] === undefined ? '' : figure([sizeOf[name]], { digits: 1, unit: 'kB' }));
  return {
    about: `Milliseconds of the first \`import()\` in a fresh process, and what a bundle of everything that the package exports weighs in a browser, minified and
gzipped. ky and zod/mini, imported one after the other, are what a client built on them loads at least.`,
    columns: ['package', 'import, ms', 'part of ky and zod/mini', 'bundle'],
    rows: [
      {
        cells: ['@mkt/sdk, import', figure(times['@mkt/sdk'], { digits: 0 }), share('@mkt/sdk'), ''],
        goal: { of: 2, atMost: 1.15 },
      },
      { cells: ['@mkt/sdk, bundle', '', '', kilobytes('@mkt/sdk')], goal: { of: 3, atMost: 26 } },
      ...Object.keys(measured)
        .filter((name) => name !== '@mkt/sdk')
        .map((name) => ({ cells: [name, figure(times[name], { digits: 0 }), share(name), kilobytes(name)] })),
    ],
  };
}
