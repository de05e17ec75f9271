// What the mock adds to a page of a browser, and to node_modules.
import { budgets, firstLoad } from '../../scripts/lib/first-load.mjs';
import { npm } from '../../scripts/lib/npm.mjs';
import { figure } from '../lib/measure.mjs';

export const title = 'Size';
export const sizes = {};

export async function run() {
  const row = (what, value, atMost, look) => ({ cells: [what, figure([value], look)], goal: { of: 1, atMost } });
  const rows = [];
  for (const { what, from, limit, ...options } of budgets.filter(({ from }) => from.startsWith('@mkt/mock-server')))
    rows.push(row(what, (await firstLoad(from, options)) / 1000, limit / 1000, { digits: 1, unit: 'kB' }));
  const others = ['dev', 'peer', 'optional'].map((kind) => `--omit=${kind}`);
  const { stdout } = npm(['ls', '--all', '--parseable', '--workspace', '@mkt/mock-server', ...others], {});
  // The first line is this repository.
  const installed = stdout.trim().split('\n').length - 1;
  return {
    about:
      'What a browser loads at once, minified and gzipped, and the packages that an installation brings besides msw.',
    columns: ['what', 'measured'],
    rows: [...rows, row('installed packages', installed, 15, { digits: 0 })],
  };
}
