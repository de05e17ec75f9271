// What a command of `mkt` takes compared with a Node that does nothing. Needs bash, for its clock.

import { node, startTimes } from './starts.mjs';
import { world } from './world.mjs';

export const title = 'Commands compared with a Node that does nothing';
export const sizes = { rounds: 7, starts: 5 };
export const quickSizes = { rounds: 1, starts: 1 };

const commands = {
  'mkt --version': { args: ['--version'], goal: 1.05 },
  'mkt --help': { args: ['--help'], goal: 1.25 },
  'mkt campaigns list': { args: ['campaigns', 'list'], goal: 2.8 },
  'mkt campaigns list --json': { args: ['campaigns', 'list', '--json'] },
  'mkt campaigns show 3': { args: ['campaigns', 'show', '3'] },
  'mkt campaigns create --help': { args: ['campaigns', 'create', '--help'] },
};

export async function run(amounts) {
  const place = await world();
  const programs = Object.fromEntries(
    Object.entries(commands).map(([name, { args }]) => [name, node(place.bin, ...args)]),
  );
  const times = await startTimes(programs, { ...amounts, env: place.env }).finally(place.close);
  return {
    about: `Whole processes, output thrown away; lists and shows ask a local server that runs meanwhile. A round's figure is the median of its starts. On a machine
that does other work too, processor time says more than the clock.`,
    columns: ['command', 'ms', 'times node -e 0', 'processor time, times node -e 0'],
    rows: times.map(({ name, wall, ofFloor, cpuOfFloor }) => ({
      cells: [name, wall, ofFloor, cpuOfFloor],
      ...(commands[name]?.goal && { goal: { of: 2, atMost: commands[name].goal } }),
    })),
  };
}
