// How long a test waits for a mock of its own.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createMarketplaceMock } from '@mkt/mock-server';
import { figure } from '../lib/measure.mjs';

export const title = 'A new mock';
export const sizes = { rounds: 30, processes: 7 };
export const quickSizes = { rounds: 2, processes: 1 };

const execute = promisify(execFile);

const program = `const { createMarketplaceMock } = await import('@mkt/mock-server');
const before = process.cpuUsage();
await createMarketplaceMock().ready;
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);`;

export async function run({ rounds, processes }) {
  const made = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await createMarketplaceMock().ready;
    made.push(performance.now() - started);
  }
  const cold = [];
  for (let turn = 0; turn < processes; turn += 1) {
    const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: import.meta.dirname,
    });
    cold.push(Number(stdout));
  }
  const milliseconds = { digits: 1, unit: 'ms' };
  return {
    about: 'A mock with the demo data, until its data is there.',
    columns: ['what', 'measured'],
    rows: [
      { cells: ['one more mock', figure(made, milliseconds)], goal: { of: 1, atMost: 25 } },
      { cells: ['the first of a process, CPU time', figure(cold, milliseconds)], goal: { of: 1, atMost: 25 } },
    ],
  };
}
