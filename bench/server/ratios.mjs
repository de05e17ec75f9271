// How much of raw node:http is left with every rule on: requests per CPU-second of the server.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { figure, inTurns, parts } from '../lib/measure.mjs';
import { answersOf, item, list, load, ours, oursWithControls, raw } from './servers.mjs';

export const title = 'As parts of raw node:http';
export const sizes = { rounds: 5, seconds: 2.5 };

const floors = { [list]: 'raw node:http, list', [item]: 'raw node:http, item' };

export async function run({ rounds, seconds }) {
  const folder = await mkdtemp(join(tmpdir(), 'mkt-bench-'));
  const [memory, sqlite] = [await ours('memory:'), await ours(join(folder, 'bench.db'))];
  // These two get the same requests, no lists: a server that got others too has other code optimized.
  const [plain, controlled] = [await ours('memory:'), await oursWithControls('memory:')];
  const answers = await answersOf(sqlite);
  const floor = await raw({ [list]: answers.list, [item]: answers.item });
  const unchanged = { headers: { 'if-none-match': answers.etag }, status: 304 };
  /** The goals are parts of raw; that of the last one is a part of the one before. */
  const cases = {
    [floors[list]]: { server: floor, path: list },
    [floors[item]]: { server: floor, path: item },
    'SQLite, list of 20': { server: sqlite, path: list, atLeast: 0.45 },
    'SQLite, one item': { server: sqlite, path: item, atLeast: 0.45 },
    'SQLite, 304 on a show': { server: sqlite, path: item, ...unchanged, atLeast: 0.5 },
    'memory, list of 20': { server: memory, path: list, atLeast: 0.6 },
    'memory, one item': { server: memory, path: item, atLeast: 0.55 },
    'memory, only items': { server: plain, path: item },
    'the same with test controls': { server: controlled, path: item, base: 'memory, only items', atLeast: 0.85 },
  };
  const measure = ({ server, ...target }) => load(server, target, { duration: seconds });
  const results = await inTurns(rounds, cases, measure, { warmUp: 1 });
  await Promise.all([floor, memory, sqlite, plain, controlled].map((server) => server.stop()));
  await rm(folder, { recursive: true });

  const bytes = (value) => Buffer.byteLength(JSON.stringify(value)).toLocaleString('en');
  return {
    about: `Requests in a second of the server's CPU time, all its threads counted, from 32 connections that request one resource over and over.
Every rule of the API is on: token, membership, role, visibility, totals, ETag. Raw answers with \`JSON.stringify\` of the same objects and checks
nothing. The last row is a part of the one before: the server as \`mkt serve\` starts it by default, with test
controls and a request log. The list is ${bytes(answers.list)} bytes, the item ${bytes(answers.item)}. A 304 is compared with raw's 200 of the item.`,
    columns: ['server and case', 'part of raw', 'requests per CPU-second', 'requests per second'],
    rows: Object.entries(cases).map(([name, { path, base = floors[path], atLeast }]) => {
      const share = figure(parts(results[name].perCpuSecond, results[base].perCpuSecond));
      const paces = ['perCpuSecond', 'perSecond'].map((what) => figure(results[name][what], { digits: 0 }));
      return { cells: [name, share, ...paces], ...(atLeast && { goal: { of: 1, atLeast } }) };
    }),
  };
}
