// What size costs on SQLite: pages and shows among 100, 10,000 and a million campaigns, and a list of 1,000 organizations.
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoSeed } from '../../packages/server/dist/index.js';
import { openStore } from '../../packages/server/dist/node.js';
import { startServer } from './child.mjs';
import { headers } from './load.mjs';
import { median, table } from './statistics.mjs';

const Database = createRequire(new URL('../../packages/server/package.json', import.meta.url))('better-sqlite3');

/** Organizations of Ada's, filled with copies of a row of the demo data. */
const sizes = { 100: 101, 10000: 102, 1000000: 103 };

const columnsOf = (database, name) => database.pragma(`table_info(${name})`).map(({ name: column }) => column);

/** Inserts `count` copies of one row; `changes` are SQL expressions over the counter `n`. */
function copies(database, name, from, count, changes) {
  const columns = columnsOf(database, name).filter((column) => column in changes || column !== 'id');
  const values = columns.map((column) => changes[column] ?? `source.${column}`);
  database.exec(`
    with recursive counter(n) as (select 1 union all select n + 1 from counter where n < ${count})
    insert into ${name} (${columns.join(', ')}) select ${values.join(', ')}
    from counter, (select * from ${name} where id = ${from}) as source`);
}

async function fill(file) {
  const store = await openStore(file);
  await store.load(demoSeed());
  await store.close();
  const database = new Database(file);
  database.exec('begin');
  // 1,000 organizations of Ada's, three of which hold the campaigns.
  copies(database, 'organizations', 7, 1000, { id: '100 + n', name: `'Brand ' || n` });
  copies(database, 'memberships', `'mem_7_ada'`, 1000, {
    id: `'mem_' || (100 + n) || '_ada'`,
    position: '1000 + n',
    organization_id: '100 + n',
  });
  for (const [size, organization] of Object.entries(sizes))
    copies(database, 'campaigns', 3, Number(size), { organization_id: organization, name: `'Campaign ' || n` });
  database.exec('commit');
  const first = database.prepare('select min(id) from campaigns where organization_id = ?').pluck();
  const firstIds = Object.fromEntries(
    Object.values(sizes).map((organization) => [organization, first.get(organization)]),
  );
  database.close();
  return firstIds;
}

/** Milliseconds of one answer that nothing is kept of: any commit makes the server forget what it has read. */
async function uncached(server, path, turn) {
  const written = await fetch(`${server.url}/organizations/7.json`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ organization: { name: `Initech ${turn}` } }),
  });
  if (!written.ok) throw new Error(`The write answered ${written.status}.`);
  await written.text();
  const began = performance.now();
  const response = await fetch(server.url + path, { headers });
  await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}.`);
  return performance.now() - began;
}

const warmUp = 10;

/** The median of each path, measured in turns so that a busy moment meets all of them alike. */
async function medians(server, paths, turns) {
  const spans = new Map(paths.map((path) => [path, []]));
  for (let turn = -warmUp; turn < turns; turn += 1)
    for (const [path, measured] of spans) {
      const span = await uncached(server, path, turn);
      if (turn >= 0) measured.push(span);
    }
  return new Map([...spans].map(([path, measured]) => [path, median(measured)]));
}

export async function growth({ rounds }) {
  const folder = await mkdtemp(join(tmpdir(), 'mkt-growth-'));
  const file = join(folder, 'growth.db');
  process.stderr.write('filling an SQLite file with 1,010,100 campaigns ...\n');
  const firstIds = await fill(file);
  const server = await startServer('./our-server.mjs', [file]);
  const turns = rounds * 10;
  const paths = Object.entries(sizes).map(([size, organization]) => {
    const list = `/organizations/${organization}/campaigns.json`;
    const pages = Math.ceil(Number(size) / 20);
    return {
      size,
      row: [
        list,
        `${list}?page=${Math.ceil(pages / 2)}`,
        `${list}?page=${pages}`,
        `/organizations/${organization}/campaigns/${firstIds[organization]}.json`,
      ],
    };
  });
  const organizations = ['/organizations.json', '/organizations.json?page=50'];
  const measured = await medians(server, [...paths.flatMap(({ row }) => row), ...organizations], turns);
  await server.stop();
  await rm(folder, { recursive: true });

  const shown = (path) => `${measured.get(path).toFixed(2)} ms`;
  const [small, , large] = paths.map(({ row: [list] }) => measured.get(list));
  const rows = [['campaigns', 'first page', 'middle page', 'last page', 'show']];
  for (const { size, row } of paths) rows.push([size, ...row.map(shown)]);
  return `${table(rows)}

first page at 1,000,000 as a part of the one at 100: ${(large / small).toFixed(2)}, goal at most 2
last page at 1,000,000: goal at most 50 ms
1,000 organizations: first page ${shown(organizations[0])}, last page ${shown(organizations[1])}

Each is the median of ${turns} answers, each the first one after a commit; the client's time is in it.`;
}
