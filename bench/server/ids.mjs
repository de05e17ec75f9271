// Reading one of many campaigns by its id: opaque ids as a part of integers, on SQLite and PostgreSQL. SQLite searches two
// trees for an opaque id, the index and the table: 3 to 4 microseconds more, with any page size and cache, and with mmap.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoSeed } from '@mkt/server';
import { openStore } from '@mkt/server/node';
import { cpuTime, figure, inTurns, parts } from '../lib/measure.mjs';
import { copyRow, postgres, postgresServer, sqlite } from './databases.mjs';

export const title = 'Opaque ids';
export const sizes = { rounds: 15, turns: 20, campaigns: 1_000_000, reads: 200 };
export const quickSizes = { rounds: 1, turns: 2, campaigns: 2000, reads: 100 };

const formats = ['integer', 'opaque'];

/** @returns a store with many campaigns, and the ids of some of them in a random order */
async function filled(db, ids, open, campaigns, some) {
  const store = await openStore(db, { ids });
  const seed = demoSeed(ids);
  await store.load(seed);
  const sql = await open(db);
  const changes = ids === 'opaque' ? { id: sql.randomId } : {};
  await copyRow(sql, 'campaigns', seed.tables.campaigns[0], campaigns, changes);
  await sql.run('analyze');
  const rows = await sql.rows(`select id from campaigns order by random() limit ${some}`);
  await sql.close();
  return {
    store,
    // SQLite runs in this process, so that CPU time is all of it.
    clock: open === sqlite ? cpuTime : () => performance.now() * 1000,
    ids: rows.map(({ id }) => (ids === 'integer' ? Number(id) : id)),
  };
}

/** Microseconds of one read. No campaign is read twice: the store keeps what was read until a write. */
async function readTime({ store, clock, ids }, reads) {
  const chosen = ids.splice(0, reads);
  const began = clock();
  for (const id of chosen)
    if (!(await store.read((reader) => reader.get('campaigns', id)))) throw new Error(`No ${id}.`);
  return (clock() - began) / reads;
}

export async function run({ rounds, turns, campaigns, reads }) {
  const some = (rounds + 1) * turns * reads;
  const folder = await mkdtemp(join(tmpdir(), 'mkt-ids-'));
  const { url, stop } = await postgresServer();
  const admin = await postgres(url);
  const contenders = {};
  for (const ids of formats) {
    process.stderr.write(`filling two databases with ${ids} ids ...\n`);
    const name = `mkt_ids_${ids}`;
    await admin.run(`drop database if exists ${name}`);
    await admin.run(`create database ${name}`);
    const there = Object.assign(new URL(url), { pathname: `/${name}` });
    contenders[`SQLite ${ids}`] = await filled(join(folder, `${ids}.db`), ids, sqlite, campaigns, some);
    contenders[`PostgreSQL ${ids}`] = await filled(there.href, ids, postgres, campaigns, some);
  }
  const times = await inTurns(rounds, contenders, (contender) => readTime(contender, reads), { warmUp: 1, turns });
  for (const { store } of Object.values(contenders)) await store.close();
  for (const ids of formats) await admin.run(`drop database mkt_ids_${ids}`);
  await admin.close();
  await stop();
  await rm(folder, { recursive: true });
  return {
    about: `Reading one of ${campaigns.toLocaleString('en')} campaigns from the store by its id, each time another one, without HTTP: in CPU time from SQLite, which runs in
the server's process, by the clock from PostgreSQL.`,
    columns: ['store', 'integer', 'opaque', 'opaque, times integer'],
    rows: ['SQLite', 'PostgreSQL'].map((store) => ({
      cells: [
        store,
        ...formats.map((ids) => figure(times[`${store} ${ids}`], { digits: 0, unit: 'µs' })),
        figure(parts(times[`${store} opaque`], times[`${store} integer`])),
      ],
      goal: { of: 3, atMost: 1.2 },
    })),
  };
}
