// What a command of `mkt` takes compared with a Node that does nothing.
import { figure, parts } from '../lib/measure.mjs';
import { floor, milliseconds, mkt, timesOf } from './commands.mjs';

export const title = 'Commands compared with a Node that does nothing';
export const sizes = { rounds: 7, starts: 5 };

const goals = { 'mkt --version': 1.1, 'mkt --help': 1.4, 'mkt campaigns list': 2.8 };
const lines = [
  ...Object.keys(goals),
  'mkt campaigns list --json',
  'mkt campaigns show 3',
  'mkt campaigns create --help',
];

export async function run(amounts) {
  const commands = lines.map((line) => [line, mkt(line.slice('mkt '.length))]);
  const times = await timesOf({ 'node -e 0': floor, ...Object.fromEntries(commands) }, amounts);
  const least = times['node -e 0'];
  return {
    about: `Whole processes, output thrown away; lists and shows ask a local server that runs meanwhile. A round's figure is the median of its starts. On a machine
that does other work too, processor time says more than the clock.`,
    columns: ['command', 'ms', 'times node -e 0', 'processor time, times node -e 0'],
    rows: Object.entries(times).map(([name, { wall, cpu }]) => ({
      cells: [name, milliseconds(wall), figure(parts(wall, least.wall)), figure(parts(cpu, least.cpu))],
      ...(goals[name] && { goal: { of: 2, atMost: goals[name] } }),
    })),
  };
}
