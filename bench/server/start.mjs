// From nothing to the first answer, and what memory a hundred thousand requests leave behind.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { figure, parts } from '../lib/figures.mjs';
import { inTurns } from '../lib/turns.mjs';
import { headers, item, list, load } from './load.mjs';
import { ours } from './servers.mjs';

export const title = 'Start and memory';
export const sizes = { rounds: 15, requests: 100_000 };
export const quickSizes = { rounds: 1, requests: 2000 };

const bin = fileURLToPath(new URL('../../packages/server/dist/bin.js', import.meta.url));

/** Milliseconds until a fresh process has answered a list. */
async function firstAnswer() {
  const began = performance.now();
  const child = spawn(process.execPath, [bin, '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const { url } = JSON.parse(String(line).split('\n', 1)[0]);
  const response = await fetch(url + list, { headers });
  await response.text();
  const span = performance.now() - began;
  child.kill();
  await once(child, 'exit');
  return span;
}

/** Milliseconds of a Node process that does nothing: what the machine makes of the same work now. */
async function emptyProcess() {
  const began = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - began;
}

/** Megabytes that are resident after so many requests, half of them lists and half items. */
async function memoryAfter(requests, db) {
  const server = await ours(db);
  for (const path of [list, item]) await load(server, { path }, { amount: requests / 2 });
  const { rss } = await server.cost();
  await server.stop();
  return figure([rss / 2 ** 20], { digits: 0, unit: 'MB' });
}

export async function run({ rounds, requests }) {
  const cases = { 'node -e 0': emptyProcess, 'first answer': firstAnswer };
  const spans = await inTurns(rounds, cases, (start) => start(), { warmUp: 1 });
  const milliseconds = { digits: 0, unit: 'ms' };
  const folder = await mkdtemp(join(tmpdir(), 'mkt-start-'));
  const kept = await memoryAfter(requests, join(folder, 'start.db'));
  const inMemory = await memoryAfter(requests, 'memory:');
  await rm(folder, { recursive: true });
  const after = `resident memory after ${requests.toLocaleString('en')} requests`;
  return {
    about:
      'A fresh process with the demo data in memory, until it has answered a list; compared with a Node that does nothing.',
    columns: ['what', 'measured'],
    rows: [
      {
        cells: ['start to the first answer', figure(spans['first answer'], milliseconds)],
        goal: { of: 1, atMost: 300 },
      },
      { cells: ['node -e 0', figure(spans['node -e 0'], milliseconds)] },
      { cells: ['start, times node -e 0', figure(parts(spans['first answer'], spans['node -e 0']), { digits: 1 })] },
      { cells: [`memory: ${after}`, inMemory], goal: { of: 1, atMost: 120 } },
      { cells: [`SQLite: ${after}`, kept], goal: { of: 1, atMost: 120 } },
    ],
  };
}
