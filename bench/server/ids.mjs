// Reading one of many campaigns by its id: opaque ids as a part of integers, on SQLite and PostgreSQL.
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoSeed } from '../../packages/server/dist/index.js';
import { openStore } from '../../packages/server/dist/node.js';
import { figure, parts } from '../lib/figures.mjs';
import { inTurns, shuffled } from '../lib/turns.mjs';
import { database } from './database.mjs';

const require = createRequire(new URL('../../packages/server/package.json', import.meta.url));

export const title = 'Opaque ids';
export const sizes = { rounds: 15, campaigns: 1_000_000, reads: 3000 };
export const quickSizes = { rounds: 2, campaigns: 2000, reads: 100 };

const formats = ['integer', 'opaque'];

/** Copies of one campaign, with random ids where they are opaque. */
const copies = ({ columns, ids, from, randomId, numbers }) => {
  const copied = columns.filter((column) => column !== 'id' && column !== 'position');
  const [idColumn, id] = ids === 'opaque' ? ['id, ', `${randomId}, `] : ['', ''];
  return `insert into campaigns (${idColumn}${copied.join(', ')})
    select ${id}${copied.map((column) => `source.${column}`).join(', ')}
    from ${numbers}, (select * from campaigns where id = '${from}') as source`;
};

function sqliteFile(file) {
  const db = new (require('better-sqlite3'))(file);
  return {
    run: async (sql) => db.exec(sql),
    rows: async (sql) => db.prepare(sql).all(),
    close: async () => db.close(),
    randomId: "'k' || lower(hex(randomblob(6)))",
    numbersTo: (count) =>
      `(with recursive counter(n) as (select 1 union all select n + 1 from counter where n < ${count}) select n from counter)`,
  };
}

async function postgresDatabase(url) {
  const client = new (require('pg').Client)(url);
  await client.connect();
  return {
    run: (sql) => client.query(sql),
    rows: async (sql) => (await client.query(sql)).rows,
    close: () => client.end(),
    randomId: "'k' || left(md5(n::text || random()::text), 11)",
    numbersTo: (count) => `generate_series(1, ${count}) as n`,
  };
}

/** @returns a store with many campaigns, and some of their ids */
async function filled(db, ids, open, campaigns, reads) {
  const store = await openStore(db, { ids });
  const seed = demoSeed(ids);
  await store.load(seed);
  const sql = await open(db);
  const [source] = seed.tables.campaigns;
  await sql.run(
    copies({
      columns: Object.keys(source),
      ids,
      from: source.id,
      randomId: sql.randomId,
      numbers: sql.numbersTo(campaigns),
    }),
  );
  await sql.run('analyze');
  const rows = await sql.rows(`select id from campaigns order by random() limit ${20 * reads}`);
  await sql.close();
  return { store, ids: shuffled(rows).map(({ id }) => (ids === 'integer' ? Number(id) : id)) };
}

let turn = 0;

/** Microseconds of one read, each of another campaign. */
async function readTime({ store, ids }, reads) {
  const chosen = Array.from({ length: reads }, (_, at) => ids[(turn * reads + at) % ids.length]);
  turn += 1;
  const began = performance.now();
  for (const id of chosen)
    if (!(await store.read((reader) => reader.get('campaigns', id)))) throw new Error(`No ${id}.`);
  return ((performance.now() - began) * 1000) / reads;
}

export async function run({ rounds, campaigns, reads }) {
  const folder = await mkdtemp(join(tmpdir(), 'mkt-ids-'));
  const { url, stop } = await database();
  const admin = await postgresDatabase(url);
  const contenders = {};
  for (const ids of formats) {
    process.stderr.write(`filling two databases with ${ids} ids ...\n`);
    const name = `mkt_ids_${ids}`;
    await admin.run(`drop database if exists ${name}`);
    await admin.run(`create database ${name}`);
    const there = new URL(url);
    there.pathname = `/${name}`;
    contenders[`SQLite ${ids}`] = await filled(join(folder, `${ids}.db`), ids, sqliteFile, campaigns, reads);
    contenders[`PostgreSQL ${ids}`] = await filled(there.href, ids, postgresDatabase, campaigns, reads);
  }
  const times = await inTurns(rounds, contenders, (contender) => readTime(contender, reads), { warmUp: 2 });
  for (const { store } of Object.values(contenders)) await store.close();
  for (const ids of formats) await admin.run(`drop database mkt_ids_${ids}`);
  await admin.close();
  await stop();
  await rm(folder, { recursive: true });
  const microseconds = { digits: 0, unit: ' µs' };
  return {
    about: `Reading one of ${campaigns.toLocaleString('en')} campaigns from the store by its id, each time another one. The client's part of HTTP is not in it.`,
    columns: ['store', 'integer', 'opaque', 'opaque, times integer'],
    rows: ['SQLite', 'PostgreSQL'].map((store) => ({
      cells: [
        store,
        ...formats.map((ids) => figure(times[`${store} ${ids}`], microseconds)),
        figure(parts(times[`${store} opaque`], times[`${store} integer`])),
      ],
      goal: { of: 3, atMost: 1.2 },
    })),
  };
}
