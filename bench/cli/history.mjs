// The history: what it adds to a change, what a watch costs, and how fast a long one is read.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';
import { sqliteDriver } from '@mkt/server/sqlite';
import { buildSync } from 'esbuild';
import { figure } from '../lib/measure.mjs';
import { bin, mkt, timesOf } from './commands.mjs';

export const title = 'The history';
export const sizes = { rounds: 5, starts: 5, changes: 1_000_000, readings: 1000, campaigns: 1000 };

/** Milliseconds of processor time that the record adds to a change of one campaign. */
async function costOfRecord(folder, { rounds, starts }) {
  // Each start sets another name, so that there is a change to record.
  const update = (history) => [
    'bash',
    '-c',
    `MKT_HISTORY=${history} exec "$@" --name "N$RANDOM"`,
    'bash',
    ...mkt('campaigns update 1'),
  ];
  const times = await timesOf({ off: update('off'), on: update(join(folder, 'write.db')) }, { rounds, starts });
  return times.on.cpu.map((value, round) => value - times.off.cpu[round]);
}

/** The parts of a watch beyond its requests: a reading has another view count in each twentieth campaign. */
const watchProgram = (file, { readings, campaigns }) => `
import { openHistory } from './packages/cli/src/history/database.ts';
import { OpenReading } from './packages/cli/src/history/journal.ts';
import { Recorder } from './packages/cli/src/history/record.ts';
const campaign = (id, reading) => ({
  id, name: 'Summer skincare UGC ' + id, status: 'active', currency: 'usd', countries: ['US', 'CA'], platform_ids: ['tiktok'],
  cpm_amount: 500, min_payout_amount: 1000, max_payout_amount: 10000, total_budget_amount: 500000, used_amount: 1000 + id,
  website: 'https://acme.example/products/' + id, view_count: id % 20 === 0 ? reading : 0, created_at: '2026-01-05T09:00:00Z',
});
async function main() {
  const file = await openHistory(${JSON.stringify(file)});
  const spent = [];
  for (let reading = 0; reading < ${readings}; reading += 1) {
    const pages = Array.from({ length: ${campaigns} / 20 }, (_, page) =>
      Array.from({ length: 20 }, (_, index) => campaign(page * 20 + index, reading)));
    const before = process.cpuUsage();
    let done;
    const at = new Date(Date.UTC(2026, 0, 1) + reading * 600000).toISOString();
    const open = new OpenReading({ host: 'h', organization: '5', resource: 'campaigns' }, { now: () => at, machineNow: () => at }, (ended) => { done = ended; });
    for (const page of pages) open.add(page, ${campaigns});
    open.end();
    file.write((database) => new Recorder(database).reading(done));
    const { user, system } = process.cpuUsage(before);
    spent.push((user + system) / 1000);
  }
  file.close();
  spent.sort((left, right) => left - right);
  console.log(JSON.stringify({ cpu: spent[spent.length >> 1], megabytes: process.memoryUsage().rss / 1e6 }));
}
main();`;

function costOfWatch(folder, amounts) {
  const outfile = join(folder, 'watch.cjs');
  buildSync({
    stdin: { contents: watchProgram(join(folder, 'watch.db'), amounts), resolveDir: resolve('.'), loader: 'ts' },
    bundle: true,
    platform: 'node',
    conditions: ['mkt-source'],
    external: ['better-sqlite3'],
    // As a `require`, which NODE_PATH is for.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.filename': JSON.stringify(resolve('packages/server/src/index.ts')) },
    outfile,
  });
  // The driver is found from the package that has it.
  const env = { ...process.env, NODE_PATH: `${resolve('packages/server/node_modules')}:${resolve('node_modules')}` };
  return JSON.parse(execFileSync(process.execPath, [outfile], { env, encoding: 'utf8' }));
}

/** Fills a history with a year of readings, after the first one. */
async function fill(file, host, count) {
  const database = (await sqliteDriver()).open(file);
  const ids = database.prepare("select resource_id as id from mkt_rows where resource = 'campaigns'").all();
  const fields = ['view_count', 'used_amount'];
  const readings = Math.ceil(count / ids.length / fields.length);
  const step = (365 * 86_400_000) / readings;
  const now = Date.now();
  const change = database.prepare(
    'insert into changes (host, organization_id, resource, resource_id, name, at, kind, field, before, after) ' +
      "values (?, '5', 'campaigns', ?, 'Summer skincare UGC', ?, 'changed', ?, ?, ?)",
  );
  const observation = database.prepare(
    "insert into observations (host, organization_id, resource, at, rows) values (?, '5', 'campaigns', ?, ?)",
  );
  database.exec('begin');
  for (let reading = 0; reading < readings; reading += 1) {
    const at = new Date(now - (readings - reading) * step).toISOString();
    observation.all([host, at, ids.length]);
    for (const { id } of ids)
      for (const field of fields) change.all([host, id, at, field, String(reading), String(reading + 1)]);
  }
  database.exec('commit');
  database.close();
}

const questions = ['changes --all-fields --since 7d', 'campaigns trend', 'report', 'undo --list'];

/** Seconds of each question about a long history. */
async function timesOfQuestions(folder, { rounds, changes }) {
  const file = join(folder, 'long.db');
  const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
  const env = {
    ...process.env,
    HOME: folder,
    MKT_HISTORY: file,
    MKT_BASE_URL: server.url,
    MKT_TOKEN: demoTokens.ada_write,
    MKT_ORG: '5',
  };
  const run = (line) =>
    promisify(execFile)(process.execPath, [bin, ...line.split(' '), '--json'], { env, maxBuffer: 2 ** 30 });
  await run('watch --once');
  await fill(file, new URL(server.url).host, changes);
  const taken = {};
  for (const line of questions) {
    taken[line] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const began = performance.now();
      await run(line);
      // The first one reads the file into the memory of the system.
      if (round > 0) taken[line].push((performance.now() - began) / 1000);
    }
  }
  await server.close();
  return taken;
}

export async function run(amounts) {
  const folder = mkdtempSync(join(tmpdir(), 'mkt-bench-history-'));
  const added = await costOfRecord(folder, amounts);
  const watch = costOfWatch(folder, amounts);
  const taken = await timesOfQuestions(folder, amounts);
  rmSync(folder, { recursive: true, force: true });
  const { changes, campaigns, readings } = amounts;
  const long = `of ${changes.toLocaleString('en')} changes`;
  return {
    about: `What the record adds to a change is processor time, with the reading before it. A watch is measured without its requests, on ${campaigns} campaigns, each twentieth changed. Questions are whole processes.`,
    columns: ['what', 'measured'],
    rows: [
      { cells: ['the record of a change, ms', figure(added, { digits: 1 })], goal: { of: 1, atMost: 15 } },
      { cells: ['a reading of a watch, ms', figure([watch.cpu], { digits: 1 })], goal: { of: 1, atMost: 10 } },
      {
        cells: [`memory after ${readings} readings, MB`, figure([watch.megabytes], { digits: 0 })],
        goal: { of: 1, atMost: 150 },
      },
      ...questions.map((line) => ({
        cells: [`mkt ${line} ${long}, s`, figure(taken[line])],
        goal: { of: 1, atMost: 1 },
      })),
    ],
  };
}
