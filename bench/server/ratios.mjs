// How much of raw node:http is left with every rule on: requests per CPU-second of the server.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { figure, parts } from '../lib/figures.mjs';
import { inTurns } from '../lib/turns.mjs';
import { item, list, load } from './load.mjs';
import { answersOf, ours, oursWithControls, raw } from './servers.mjs';

export const title = 'As parts of raw node:http';
export const sizes = { rounds: 5, seconds: 2.5 };
export const quickSizes = { rounds: 1, seconds: 0.5 };

/** The goals of the design, as parts of raw, or of the row that a row is compared with. */
const goals = {
  'SQLite, list of 20': 0.45,
  'SQLite, one item': 0.45,
  'SQLite, 304 on a show': 0.5,
  'memory, list of 20': 0.6,
  'memory, one item': 0.55,
  'the same with test controls': 0.85,
};

const floors = { list: 'raw node:http, list', item: 'raw node:http, item' };

/** Rows that are compared with another one than raw. */
const bases = {
  'the same with test controls': 'memory, one item',
  'the same with Accept-Encoding': 'memory, one item',
};

export async function run({ rounds, seconds }) {
  const folder = await mkdtemp(join(tmpdir(), 'mkt-bench-'));
  const [memory, sqlite] = [await ours('memory:'), await ours(join(folder, 'bench.db'))];
  const controlled = await oursWithControls('memory:');
  const answers = await answersOf(sqlite);
  const floor = await raw(folder, answers);
  const unchanged = { path: item, headers: { 'if-none-match': answers.etag }, status: 304 };
  const cases = {
    [floors.list]: [floor, { path: list }],
    [floors.item]: [floor, { path: item }],
    'SQLite, list of 20': [sqlite, { path: list }],
    'SQLite, one item': [sqlite, { path: item }],
    'SQLite, 304 on a show': [sqlite, unchanged],
    'SQLite, list, 20 commits a second': [sqlite, { path: list, commits: 20 }],
    'SQLite, item, 20 commits a second': [sqlite, { path: item, commits: 20 }],
    'memory, list of 20': [memory, { path: list }],
    'memory, one item': [memory, { path: item }],
    'the same with test controls': [controlled, { path: item }],
    'the same with Accept-Encoding': [memory, { path: item, headers: { 'accept-encoding': 'gzip, deflate, br' } }],
  };
  const measure = ([server, target]) => load(server, target, { duration: seconds });
  const results = await inTurns(rounds, cases, measure, { warmUp: 1 });
  await Promise.all([floor, memory, sqlite, controlled].map((server) => server.stop()));
  await rm(folder, { recursive: true });

  const of = (name, what) => results[name].map((result) => result[what]);
  const rows = Object.keys(cases).map((name) => {
    const base = bases[name] ?? (name.includes('list') ? floors.list : floors.item);
    const share = figure(parts(of(name, 'perCpuSecond'), of(base, 'perCpuSecond')));
    const paces = ['perCpuSecond', 'perSecond'].map((what) => figure(of(name, what), { digits: 0 }));
    return {
      cells: [name, share, ...paces],
      ...(goals[name] !== undefined && { goal: { of: 1, atLeast: goals[name] } }),
    };
  });
  const bytes = (value) => Buffer.byteLength(JSON.stringify(value)).toLocaleString('en');
  return {
    about: `Requests in a second of the server's CPU time, all its threads counted, from 32 connections that request one resource over and over.
Every rule of the API is on: token, membership, role, visibility, totals, ETag. Raw answers with \`JSON.stringify\` of the same objects and checks
nothing. The last two rows are parts of \`memory, one item\`: the server as \`mkt serve\` starts it by default, with test controls and a request
log, and a client that accepts compressed responses. The list is ${bytes(answers.list)} bytes, the item ${bytes(answers.item)}. A 304 is compared with raw's 200 of the item.`,
    columns: ['server and case', 'part of raw', 'requests per CPU-second', 'requests per second'],
    rows,
  };
}
