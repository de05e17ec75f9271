// How long a test waits for the mock: its import, a mock of its own, the first response.
import { figure, inTurns, lapsOf } from '../lib/measure.mjs';

export const title = 'A new mock';
export const sizes = { processes: 9 };

/** Milliseconds of CPU time of each step in a fresh process. */
const start = (module) =>
  lapsOf(
    `const { createMarketplaceMock } = await import('${module}');
    lap('import');
    const mock = createMarketplaceMock();
    await mock.ready;
    lap('ready');
    const headers = { accept: 'application/json', authorization: 'Bearer ' + mock.tokens.ada_read };
    await (await mock.fetch(mock.baseUrl + '/organizations/5/campaigns.json', { headers })).json();
    lap('request');
    await createMarketplaceMock().ready;
    lap('another');`,
    import.meta.dirname,
  );

export async function run({ processes }) {
  const modules = { 'with MSW': '@mkt/mock-server', 'without MSW': '@mkt/mock-server/fetch' };
  const results = await inTurns(processes, modules, start, { warmUp: 1 });
  const cell = (name, step) => figure(results[name][step], { digits: 1, unit: 'ms' });
  const rows = [
    ['import', 'import'],
    ['the first of a process', 'ready', { of: 1, atMost: 25 }],
    ['the first request of a process, a list of 20', 'request'],
    ['one more mock', 'another', { of: 1, atMost: 25 }],
  ];
  return {
    about: `CPU time in fresh processes: the import (with MSW that of msw too), a mock with the demo data until its data is there, its first response.
The last row is a second mock in the same process.`,
    columns: ['what', ...Object.keys(modules)],
    rows: rows.map(([what, step, goal]) => ({
      cells: [what, ...Object.keys(modules).map((name) => cell(name, step))],
      ...(goal && { goal }),
    })),
  };
}
