// Starting programs in turns, and what that took.
import { execFile } from 'node:child_process';
import { figure, median, parts } from '../lib/figures.mjs';
import { inTurns } from '../lib/turns.mjs';

/** A Node that does nothing: what every program on Node takes at least. */
export const floor = 'node -e 0';
export const node = (...args) => [process.execPath, ...args];

// bash reports the processor time of what it runs; Node does not.
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
 * Starts the commands in turns. The figure of a round is the median of its starts.
 * @param {Record<string, string[]>} commands By name.
 * @param {{ rounds: number, starts: number, env: NodeJS.ProcessEnv }} how
 * @returns {Promise<Record<string, { wall: number[], cpu: number[] }>>} Milliseconds of each round, by name.
 */
export async function roundTimes(commands, { rounds, starts, env }) {
  const taken = await inTurns(rounds * starts, commands, (command) => time(command, env), { warmUp: 1 });
  const perRound = (times, measure) =>
    Array.from({ length: rounds }, (_, round) =>
      median(times.slice(round * starts, (round + 1) * starts).map((each) => each[measure])),
    );
  return Object.fromEntries(
    Object.entries(taken).map(([name, times]) => [
      name,
      { wall: perRound(times, 'wall'), cpu: perRound(times, 'cpu') },
    ]),
  );
}

/**
 * The same commands and a Node that does nothing.
 * @returns for each name, figures of the clock, and as parts of the floor by the clock and by processor time.
 */
export async function startTimes(commands, how) {
  const times = await roundTimes({ [floor]: node('-e', '0'), ...commands }, how);
  return Object.entries(times).map(([name, { wall, cpu }]) => ({
    name,
    wall: figure(wall, { digits: 0 }),
    ofFloor: figure(parts(wall, times[floor].wall)),
    cpuOfFloor: figure(parts(cpu, times[floor].cpu)),
  }));
}
