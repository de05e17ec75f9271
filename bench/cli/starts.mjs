// Starting programs in turns, and what that took.
import { execFile } from 'node:child_process';
import { figure, median, parts } from '../lib/figures.mjs';
import { inTurns } from '../lib/turns.mjs';

/** A Node that does nothing: what every program on Node takes at least. */
export const floor = 'node -e 0';
export const node = (...args) => [process.execPath, ...args];

// bash tells the processor time of what it runs; Node does not.
const script = 'TIMEFORMAT="%3R %3U %3S"; { time "$@" >/dev/null 2>&1; } 2>&1';

/** Milliseconds of one process, by the clock and of processor time. */
const time = (command, env) =>
  new Promise((resolve, reject) => {
    execFile('bash', ['-c', script, 'bash', ...command], { env }, (error, stdout) => {
      if (error) return reject(new Error(`${command.join(' ')} ended with ${error.code}`));
      const [real, user, system] = stdout.trim().split(' ').map(Number);
      return resolve({ wall: real * 1000, cpu: (user + system) * 1000 });
    });
  });

/**
 * Starts each command so often a round; a round's figure is the median of its starts.
 * @param {Record<string, string[]>} commands By name.
 * @param {{ rounds: number, starts: number, env: NodeJS.ProcessEnv }} how
 * @returns for each name, figures of the clock, and as parts of the floor by the clock and by processor time.
 */
export async function startTimes(commands, { rounds, starts, env }) {
  const all = { [floor]: node('-e', '0'), ...commands };
  const taken = await inTurns(rounds * starts, all, (command) => time(command, env), { warmUp: 1 });
  const perRound = (name, measure) =>
    Array.from({ length: rounds }, (_, round) =>
      median(taken[name].slice(round * starts, (round + 1) * starts).map((each) => each[measure])),
    );
  return Object.keys(all).map((name) => ({
    name,
    wall: figure(perRound(name, 'wall'), { digits: 0 }),
    ofFloor: figure(parts(perRound(name, 'wall'), perRound(floor, 'wall'))),
    cpuOfFloor: figure(parts(perRound(name, 'cpu'), perRound(floor, 'cpu'))),
  }));
}
