// How long a test waits for the mock: its import, a mock of its own, the first response.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createMarketplaceMock } from '@mkt/mock-server';
import { figure, inTurns } from '../lib/measure.mjs';

export const title = 'A new mock';
export const sizes = { mocks: 30, processes: 9 };
export const quickSizes = { mocks: 2, processes: 1 };

const execute = promisify(execFile);
const milliseconds = { digits: 1, unit: 'ms' };

/** Milliseconds of CPU time of each step in a fresh process. */
async function start(module) {
  const program = `
    const spans = {};
    let before = process.cpuUsage();
    const lap = (step) => {
      const { user, system } = process.cpuUsage(before);
      spans[step] = (user + system) / 1000;
      before = process.cpuUsage();
    };
    const { createMarketplaceMock } = await import('${module}');
    lap('import');
    const mock = createMarketplaceMock();
    await mock.ready;
    lap('ready');
    const headers = { accept: 'application/json', authorization: 'Bearer ' + mock.tokens.ada_read };
    await (await mock.fetch(mock.baseUrl + '/organizations/5/campaigns.json', { headers })).json();
    lap('request');
    console.log(JSON.stringify(spans));`;
  const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
  });
  return JSON.parse(stdout);
}

export async function run({ mocks, processes }) {
  const more = [];
  for (let turn = 0; turn < mocks; turn += 1) {
    const before = process.cpuUsage();
    await createMarketplaceMock().ready;
    const { user, system } = process.cpuUsage(before);
    more.push((user + system) / 1000);
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
