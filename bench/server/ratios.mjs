// How much of raw node:http is left with every rule on: requests per CPU-second of the server, in interleaved rounds.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from './child.mjs';
import { headers, load } from './load.mjs';
import { spread, table } from './statistics.mjs';

const list = '/organizations/5/campaigns.json';
const item = '/organizations/5/campaigns/1.json';

/** The goals of the design, as parts of raw. */
const goals = {
  'SQLite list of 20': 0.45,
  'SQLite one item': 0.45,
  'SQLite 304 on a show': 0.5,
  'memory list of 20': 0.6,
  'memory one item': 0.55,
};

async function sample(server, path) {
  const response = await fetch(server.url + path, { headers });
  return { text: await response.text(), etag: response.headers.get('etag') };
}

export async function ratios({ rounds, seconds }) {
  const folder = await mkdtemp(join(tmpdir(), 'mkt-bench-'));
  const memory = await startServer('./our-server.mjs', ['memory:']);
  const sqlite = await startServer('./our-server.mjs', [join(folder, 'bench.db')]);
  const [listed, shown] = await Promise.all([sample(sqlite, list), sample(sqlite, item)]);
  const bodies = { [list]: JSON.parse(listed.text), [item]: JSON.parse(shown.text) };
  const raw = await startServer('./raw-server.mjs', [JSON.stringify(bodies)]);
  const { etag } = await sample(sqlite, item);
  const unchanged = { path: item, headers: { 'if-none-match': etag }, status: 304 };

  const cases = [
    ['raw list', raw, { path: list }],
    ['raw item', raw, { path: item }],
    ['SQLite list of 20', sqlite, { path: list }],
    ['SQLite one item', sqlite, { path: item }],
    ['SQLite 304 on a show', sqlite, unchanged],
    ['SQLite list, 20 commits a second', sqlite, { path: list, commits: 20 }],
    ['SQLite item, 20 commits a second', sqlite, { path: item, commits: 20 }],
    ['memory list of 20', memory, { path: list }],
    ['memory one item', memory, { path: item }],
  ];
  const results = new Map(cases.map(([name]) => [name, []]));
  for (const [, server, target] of cases) await load(server, target, { duration: 1 });
  for (let round = 0; round < rounds; round += 1) {
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
    for (const [name, server, target] of cases)
      results.get(name).push(await load(server, target, { duration: seconds }));
  }
  await Promise.all([raw, memory, sqlite].map((server) => server.stop()));
  await rm(folder, { recursive: true });

  const rows = [['case', 'part of raw', 'goal', 'requests per CPU-second', 'per second']];
  for (const [name, runs] of results) {
    const base = results.get(name.includes('list') ? 'raw list' : 'raw item');
    const parts = runs.map(({ perCpuSecond }, round) => perCpuSecond / base[round].perCpuSecond);
    rows.push([
      name,
      spread(parts),
      goals[name] ?? '',
      spread(
        runs.map(({ perCpuSecond }) => perCpuSecond),
        0,
      ),
      spread(
        runs.map(({ perSecond }) => perSecond),
        0,
      ),
    ]);
  }
  return `list: ${listed.text.length} bytes, item: ${shown.text.length} bytes\n\n${table(rows)}`;
}
