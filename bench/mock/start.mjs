// How long a test waits for the mock: its import, a mock of its own, the first response.
import { createMarketplaceMock } from '@mkt/mock-server';
import { cpuTime, figure, inTurns, lapsOf } from '../lib/measure.mjs';

export const title = 'A new mock';
export const sizes = { mocks: 30, processes: 9 };

const milliseconds = { digits: 1, unit: 'ms' };

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
    lap('request');`,
    import.meta.dirname,
  );

export async function run({ mocks, processes }) {
  const more = [];
  for (let turn = 0; turn < mocks; turn += 1) {
    const before = cpuTime();
    await createMarketplaceMock().ready;
    more.push((cpuTime() - before) / 1000);
  }
  const modules = { 'with MSW': '@mkt/mock-server', 'without MSW': '@mkt/mock-server/fetch' };
  const results = await inTurns(processes, modules, start, { warmUp: 1 });
  const cell = (name, step) =>
    figure(
      results[name].map((spans) => spans[step]),
      milliseconds,
    );
  const rows = [
    ['import', 'import'],
    ['the first of a process', 'ready', { of: 1, atMost: 25 }],
    ['the first request of a process, a list of 20', 'request'],
  ];
  return {
    about: `CPU time in fresh processes: the import (with MSW that of msw too), a mock with the demo data until its data is there, its first response.
The last row is a further mock in the same process.`,
    columns: ['what', ...Object.keys(modules)],
    rows: [
      ...rows.map(([what, step, goal]) => ({
        cells: [what, ...Object.keys(modules).map((name) => cell(name, step))],
        ...(goal && { goal }),
      })),
      { cells: ['one more mock', figure(more, milliseconds), ''], goal: { of: 1, atMost: 25 } },
    ],
  };
}
