// The executable that contains Node: its size, and what its commands take compared with the same Node that does nothing.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { figure, parts } from '../lib/measure.mjs';
import { milliseconds, timesOf } from './commands.mjs';

export const title = 'The executable without Node';
export const sizes = { rounds: 7, starts: 5 };

const goals = { 'mkt --version': 1.4, 'mkt campaigns list': 4.3 };
const lines = ['mkt --version', 'mkt --help', 'mkt campaigns list'];
const megabytes = (bytes) => figure([bytes / 1e6], { digits: 1, unit: 'MB' });

export async function run(amounts) {
  // From the lockfile of tools/release, which is installed by now.
  const { buildExecutable, ownNode, ownSystem } = await import('../../tools/release/executable.mjs');
  const { tarGz } = await import('../../tools/release/archive.mjs');
  const system = ownSystem();
  const program = resolve(`tools/release/build/mkt-${system.name}`);
  await buildExecutable(system, program);
  const commands = lines.map((line) => [line, [program, ...line.split(' ').slice(1)]]);
  const times = await timesOf({ 'node -e 0': [ownNode(), '-e', '0'], ...Object.fromEntries(commands) }, amounts);
  const least = times['node -e 0'];
  const content = readFileSync(program);
  const packed = (await tarGz([{ path: 'mkt', content, executable: true }], new Date(0))).length;
  return {
    about: `The executable for ${system.name}, with the Node of \`npm run release\`; \`node -e 0\` is the same Node. Whole processes, as above.`,
    columns: ['command or file', 'ms or size', 'times node -e 0', 'processor time, times node -e 0'],
    rows: [
      ...Object.entries(times).map(([name, { wall, cpu }]) => ({
        cells: [name, milliseconds(wall), figure(parts(wall, least.wall)), figure(parts(cpu, least.cpu))],
        ...(goals[name] && { goal: { of: 3, atMost: goals[name] } }),
      })),
      { cells: ['the executable', megabytes(content.length), '', ''] },
      { cells: ['in its archive', megabytes(packed), '', ''], goal: { of: 1, atMost: 48 } },
    ],
  };
}
