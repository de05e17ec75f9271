// `mkt campaigns list` and a script that fetches the same list, on every supported Node that is installed.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installedRuntime } from '../../scripts/lib/runtimes.mjs';
import { figure, parts } from '../lib/figures.mjs';
import { roundTimes } from './starts.mjs';
import { world } from './world.mjs';

export const title = 'A list and a script that fetches it, on each Node';
export const sizes = { rounds: 7, starts: 5 };
export const quickSizes = { rounds: 1, starts: 1 };

const script = fileURLToPath(new URL('./fetch-list.cjs', import.meta.url));

/** On Node 20 the script pays for its `fetch`, so there the clock counts; later, processor time. */
const goals = { 20: { of: 4, atMost: 0.9 }, 22: { of: 5, atMost: 1.3 }, 24: { of: 5, atMost: 1.3 } };

/** Programs by the version they report. */
function nodes() {
  const running = process.versions.node.split('.', 1)[0];
  const programs = Object.keys(goals).flatMap((major) => {
    const program = major === running ? process.execPath : installedRuntime(`node@${major}`);
    return program ? [program] : [];
  });
  return programs.map((program) => ({
    program,
    version: execFileSync(program, ['--version'], { encoding: 'utf8' }).trim().slice(1),
  }));
}

export async function run(amounts) {
  const place = await world();
  const found = nodes();
  const commands = found.flatMap(({ program, version }) => [
    [`Node ${version}, -e 0`, [program, '-e', '0']],
    [`Node ${version}, script`, [program, script]],
    [`Node ${version}, mkt campaigns list`, [program, place.bin, 'campaigns', 'list']],
  ]);
  const times = await roundTimes(Object.fromEntries(commands), { ...amounts, env: place.env }).finally(place.close);
  const row = (version, command, goal) => {
    const [floor, fetching] = [times[`Node ${version}, -e 0`], times[`Node ${version}, script`]];
    const { wall, cpu } = times[`Node ${version}, ${command}`];
    return {
      cells: [
        `Node ${version}, ${command}`,
        figure(wall, { digits: 0 }),
        figure(parts(wall, floor.wall)),
        figure(parts(cpu, floor.cpu)),
        figure(parts(wall, fetching.wall)),
        figure(parts(cpu, fetching.cpu)),
      ],
      ...(goal && { goal }),
    };
  };
  return {
    about: `The script reads the token from the environment, fetches the same page with the built-in fetch and prints a line for each campaign: no table, no
retries, no explanation of an error.`,
    columns: [
      'command',
      'ms',
      'times node -e 0',
      'processor time, times node -e 0',
      'times the script',
      'processor time, times the script',
    ],
    rows: found.flatMap(({ version }) => [
      row(version, 'script'),
      row(version, 'mkt campaigns list', goals[version.split('.', 1)[0]]),
    ]),
  };
}
