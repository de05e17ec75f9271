// What the mock adds to a page of a browser, and to node_modules.
import { readFileSync } from 'node:fs';
import { firstLoad } from '../../scripts/lib/first-load.mjs';
import { figure } from '../lib/measure.mjs';

export const title = 'Size';
export const sizes = {};

/** How many packages a package brings, itself included; peer dependencies are the program's own. */
function installed(name, found = new Set()) {
  if (found.has(name)) return found.size;
  found.add(name);
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const { link, resolved } = packages[`node_modules/${name}`];
  const { dependencies = {} } = packages[link ? resolved : `node_modules/${name}`];
  for (const dependency of Object.keys(dependencies)) installed(dependency, found);
  return found.size;
}

export async function run() {
  const row = (what, value, atMost, look) => ({ cells: [what, figure([value], look)], goal: { of: 1, atMost } });
  const size = async (what, module, atMost, external = []) =>
    row(what, (await firstLoad(module, { external })) / 1000, atMost, { digits: 1, unit: 'kB' });
  return {
    about:
      'What a browser loads at once, minified and gzipped, and the packages that an installation brings besides msw.',
    columns: ['what', 'measured'],
    rows: [
      await size('mock for MSW, without msw', '@mkt/mock-server', 60, ['msw', 'msw/*']),
      await size('mock without MSW', '@mkt/mock-server/fetch', 70),
      await size('panel', '@mkt/mock-server/panel', 20),
      row('installed packages', installed('@mkt/mock-server'), 15, { digits: 0 }),
    ],
  };
}
