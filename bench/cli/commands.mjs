// Starting commands in turns, with a home of their own and a server to talk to. Needs bash, for its clock.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';
import { figure, inTurns } from '../lib/measure.mjs';

export const bin = resolve('packages/cli/dist/bin.cjs');
export const mkt = (line) => [process.execPath, bin, ...line.split(' ')];
/** What every program on Node takes at least. */
export const floor = [process.execPath, '-e', '0'];

// bash reports the processor time of what it runs; Node does not.
const script = 'TIMEFORMAT="%3R %3U %3S"; { time "$@" >/dev/null 2>&1; } 2>&1';

/** Milliseconds of one process, by the clock and of processor time. */
async function time(command, env) {
  const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', ...command], { env });
  const [real, user, system] = stdout.trim().split(' ').map(Number);
  return { wall: real * 1000, cpu: (user + system) * 1000 };
}

/**
 * Starts the commands in turns. The figure of a round is the median of its starts.
 * @param {Record<string, string[]>} commands By name.
 * @param {{ rounds: number, starts: number }} how
 * @param {string} [baseUrl] The server, by default the reference server.
 * @returns {Promise<Record<string, { wall: number[], cpu: number[] }>>} Milliseconds of each round, by name.
 */
export async function timesOf(commands, { rounds, starts }, baseUrl) {
  const home = mkdtempSync(join(tmpdir(), 'mkt-bench-'));
  const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
  const mktVariables = { MKT_TOKEN: demoTokens.ada_write, MKT_BASE_URL: baseUrl ?? server.url, MKT_ORG: '5' };
  const env = { ...process.env, HOME: home, ...mktVariables };
  const taken = await inTurns(rounds, commands, (command) => time(command, env), { warmUp: 1, turns: starts });
  await server.close();
  rmSync(home, { recursive: true });
  return taken;
}

export const milliseconds = (values) => figure(values, { digits: 0 });
