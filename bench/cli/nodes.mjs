// `mkt campaigns list` and a script that fetches the same list, on every supported Node that is installed.
import { execFileSync } from 'node:child_process';
import { installedRuntime } from '../../scripts/lib/runtimes.mjs';
import { figure, parts } from '../lib/measure.mjs';
import { bin, milliseconds, timesOf } from './commands.mjs';

export const title = 'A list and a script that fetches it, on each Node';
export const sizes = { rounds: 7, starts: 5 };

/** On Node 20 the script pays for its `fetch`, so there the clock counts; later, processor time. */
const goals = { 20: { of: 4, atMost: 0.9 }, 22: { of: 5, atMost: 1.3 }, 24: { of: 5, atMost: 0.9 } };

export async function run(amounts) {
  const running = process.versions.node.split('.', 1)[0];
  const nodes = Object.keys(goals).flatMap((major) => {
    const program = major === running ? process.execPath : installedRuntime(`node@${major}`);
    return program
      ? [{ major, program, version: execFileSync(program, ['--version'], { encoding: 'utf8' }).trim() }]
      : [];
  });
  const times = {};
  // One after the other, each with a home of its own: mkt keeps the compiled code of one Node.
  for (const { major, program } of nodes) {
    const commands = {
      [`${major} floor`]: [program, '-e', '0'],
      [`${major} script`]: [program, 'bench/cli/fetch-list.cjs'],
      [`${major} mkt campaigns list`]: [program, bin, 'campaigns', 'list'],
    };
    Object.assign(times, await timesOf(commands, amounts));
  }
  const rows = nodes.flatMap(({ major, version }) =>
    ['script', 'mkt campaigns list'].map((name) => {
      const { wall, cpu } = times[`${major} ${name}`];
      const ratios = ['floor', 'script'].flatMap((base) => {
        const least = times[`${major} ${base}`];
        return [figure(parts(wall, least.wall)), figure(parts(cpu, least.cpu))];
      });
      const cells = [`Node ${version.slice(1)}, ${name}`, milliseconds(wall), ...ratios];
      return { cells, ...(name !== 'script' && { goal: goals[major] }) };
    }),
  );
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
    rows,
  };
}
