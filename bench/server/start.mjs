// From nothing to the first answer, and what memory a hundred thousand requests leave behind.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { figure } from '../lib/measure.mjs';
import { bin, headers, item, list, load, ours, startServer } from './servers.mjs';

export const title = 'Start and memory';
export const sizes = { rounds: 15, requests: 100_000 };

/** Milliseconds until a fresh process has answered a list. */
async function firstAnswer() {
  const began = performance.now();
  const server = await startServer(bin, ['--port', '0', '--json']);
  await (await fetch(server.url + list, { headers })).text();
  const span = performance.now() - began;
  await server.stop();
  return span;
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
  const spans = [];
  for (let round = -1; round < rounds; round += 1) spans.push(await firstAnswer());
  const folder = await mkdtemp(join(tmpdir(), 'mkt-start-'));
  const sqlite = await memoryAfter(requests, join(folder, 'start.db'));
  const memory = await memoryAfter(requests, 'memory:');
  await rm(folder, { recursive: true });
  const after = `resident memory after ${requests.toLocaleString('en')} requests`;
  const start = figure(spans.slice(1), { digits: 0, unit: 'ms' });
  return {
    about: 'A fresh process with the demo data in memory, until it has answered a list.',
    columns: ['what', 'measured'],
    rows: [
      { cells: ['start to the first answer', start], goal: { of: 1, atMost: 300 } },
      { cells: [`memory: ${after}`, memory], goal: { of: 1, atMost: 120 } },
      { cells: [`SQLite: ${after}`, sqlite], goal: { of: 1, atMost: 120 } },
    ],
  };
}
