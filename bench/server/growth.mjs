// What size costs on SQLite: pages and shows among few and many campaigns, and a list of 1,000 organizations.
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoSeed } from '../../packages/server/dist/index.js';
import { openStore } from '../../packages/server/dist/node.js';
import { figure } from '../lib/figures.mjs';
import { inTurns } from '../lib/turns.mjs';
import { headers } from './load.mjs';
import { ours } from './servers.mjs';

const Database = createRequire(new URL('../../packages/server/package.json', import.meta.url))('better-sqlite3');

export const title = 'Growth on SQLite';
export const sizes = { rounds: 50, largest: 1_000_000 };
export const quickSizes = { rounds: 2, largest: 20_000 };

/** How many campaigns are where: three organizations of Ada's, filled with copies of a row of the demo data. */
const organizationsOf = (largest) => ({ 101: 100, 102: 10_000, 103: largest });

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

/** @param {Record<string, number>} campaigns By organization. */
async function fill(file, campaigns) {
  const store = await openStore(file);
  await store.load(demoSeed());
  await store.close();
  const database = new Database(file);
  database.exec('begin');
  // 1,000 organizations of Ada's; three have the campaigns.
  copies(database, 'organizations', 7, 1000, { id: '100 + n', name: `'Brand ' || n` });
  copies(database, 'memberships', `'mem_7_ada'`, 1000, {
    id: `'mem_' || (100 + n) || '_ada'`,
    position: '1000 + n',
    organization_id: '100 + n',
  });
  for (const [organization, count] of Object.entries(campaigns))
    copies(database, 'campaigns', 3, count, { organization_id: organization, name: `'Campaign ' || n` });
  database.exec('commit');
  const first = database.prepare('select min(id) from campaigns where organization_id = ?').pluck();
  const firstIds = Object.fromEntries(
    Object.keys(campaigns).map((organization) => [organization, first.get(organization)]),
  );
  database.close();
  return firstIds;
}

let turn = 0;

/** Milliseconds of one answer that nothing is kept of: any commit makes the server forget what it has read. */
async function uncached(server, { path, accept }) {
  turn += 1;
  const written = await fetch(`${server.url}/organizations/7.json`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ organization: { name: `Initech ${turn}` } }),
  });
  if (!written.ok) throw new Error(`The write answered ${written.status}.`);
  await written.text();
  const began = performance.now();
  const response = await fetch(server.url + path, { headers: { ...headers, accept } });
  await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}.`);
  return performance.now() - began;
}

const pageNames = ['first page', 'middle page', 'last page', 'show'];

/** Addresses by what they are: a list's first, middle and last page, and one of its items. */
function addresses(organization, count, firstId) {
  const list = `/organizations/${organization}/campaigns.json`;
  const pages = Math.ceil(count / 20);
  return [
    list,
    `${list}?page=${Math.ceil(pages / 2)}`,
    `${list}?page=${pages}`,
    `/organizations/${organization}/campaigns/${firstId}.json`,
  ];
}

const json = (path) => ({ path, accept: 'application/json' });
/** A web page of the largest organization. */
const page = (query) => ({ path: `/organizations/103/campaigns?${query}`, accept: 'text/html' });

export async function run({ rounds, largest }) {
  const folder = await mkdtemp(join(tmpdir(), 'mkt-growth-'));
  const file = join(folder, 'growth.db');
  const campaigns = organizationsOf(largest);
  process.stderr.write('filling an SQLite file ...\n');
  const firstIds = await fill(file, campaigns);
  const server = await ours(file);
  const cases = {
    'organizations first page': json('/organizations.json'),
    'organizations last page': json('/organizations.json?page=50'),
    'newest first': page('sort=newest'),
    'by status': page('status=active&sort=newest'),
    'by name': page(`name=campaign+${largest}&sort=newest`),
  };
  for (const [organization, count] of Object.entries(campaigns))
    for (const [place, path] of addresses(organization, count, firstIds[organization]).entries())
      cases[`${organization} ${pageNames[place]}`] = json(path);
  const spans = await inTurns(rounds, cases, (path) => uncached(server, path), { warmUp: Math.min(10, rounds) });
  await server.stop();
  await rm(folder, { recursive: true });

  const milliseconds = { digits: 1, unit: 'ms' };
  const cell = (name) => (spans[name] ? figure(spans[name], milliseconds) : '');
  const rows = [
    ...Object.entries(campaigns).map(([organization, count]) => ({
      cells: [`${count.toLocaleString('en')} campaigns`, ...pageNames.map((name) => cell(`${organization} ${name}`))],
      ...(count === largest && { goal: { of: 3, atMost: 50 } }),
    })),
    { cells: ['1,000 organizations', ...pageNames.map((name) => cell(`organizations ${name}`))] },
    {
      cells: [
        'first page of most campaigns, as a part of the one of 100',
        figure([figure(spans['103 first page']).median / figure(spans['101 first page']).median]),
        '',
        '',
        '',
      ],
      goal: { of: 1, atMost: 2 },
    },
    {
      cells: [
        'web page of most campaigns: newest first, by status, by name',
        cell('newest first'),
        cell('by status'),
        cell('by name'),
        '',
      ],
      goal: { of: 3, atMost: 100 },
    },
  ];
  return {
    about: `Milliseconds to the answer, each the first one after a commit, so that nothing of it was kept. The client's time is in it. The goal of the largest
organization is for its last page.`,
    columns: ['rows', ...pageNames],
    rows,
  };
}
