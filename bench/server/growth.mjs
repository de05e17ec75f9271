// What size costs: pages, searches and items among few and many campaigns, and a list of 1,000 organizations.
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoSeed } from '../../packages/server/dist/index.js';
import { openStore } from '../../packages/server/dist/node.js';
import { figure } from '../lib/figures.mjs';
import { inTurns } from '../lib/turns.mjs';
import { database as startPostgres } from './database.mjs';
import { headers } from './load.mjs';
import { ours } from './servers.mjs';

const require = createRequire(new URL('../../packages/server/package.json', import.meta.url));

export const title = 'Growth';
export const sizes = { rounds: 50, largest: 1_000_000 };
export const quickSizes = { rounds: 2, largest: 20_000 };

/** How many campaigns are where: three organizations of Ada's, filled with copies of a row of the demo data. */
const organizationsOf = (largest) => ({ 101: 100, 102: 10_000, 103: largest });

/** A connection that runs statements, past the server. @returns {Promise<{ run(sql: string): Promise<object[]>, end(): Promise<void> }>} */
async function connect(db) {
  if (db.startsWith('postgres:')) {
    const client = new (require('pg').Client)(db);
    await client.connect();
    return { run: async (sql) => (await client.query(sql)).rows, end: () => client.end() };
  }
  const database = new (require('better-sqlite3'))(db);
  const run = async (sql) => (sql.startsWith('select') ? database.prepare(sql).all() : database.exec(sql));
  return { run, end: async () => database.close() };
}

/** Inserts `count` copies of the row with this id; `changes` are SQL expressions over the counter `n`. */
function copies(row, name, count, changes) {
  const columns = Object.keys(row).filter((column) => column in changes || !['id', 'searched_text'].includes(column));
  const values = columns.map((column) => changes[column] ?? `source.${column}`);
  return `with recursive counter(n) as (select 1 union all select n + 1 from counter where n < ${count})
    insert into ${name} (${columns.join(', ')}) select ${values.join(', ')}
    from counter, (select * from ${name} where id = ${typeof row.id === 'number' ? row.id : `'${row.id}'`}) as source`;
}

/** @param {Record<string, number>} campaigns By organization. */
async function fill(db, campaigns) {
  const store = await openStore(db);
  await store.load(demoSeed());
  await store.close();
  const { run, end } = await connect(db);
  const rowOf = async (name, id) => (await run(`select * from ${name} where id = '${id}'`))[0];
  await run('begin');
  // 1,000 organizations of Ada's; three have the campaigns.
  await run(
    copies({ ...(await rowOf('organizations', 7)), id: 7 }, 'organizations', 1000, {
      id: '100 + n',
      name: `'Brand ' || n`,
    }),
  );
  await run(
    copies(await rowOf('memberships', 'mem_7_ada'), 'memberships', 1000, {
      id: `'mem_' || (100 + n) || '_ada'`,
      position: '1000 + n',
      organization_id: '100 + n',
    }),
  );
  const campaign = { ...(await rowOf('campaigns', 3)), id: 3 };
  for (const [organization, count] of Object.entries(campaigns))
    await run(copies(campaign, 'campaigns', count, { organization_id: organization, name: `${nameOf} || n` }));
  await run('commit');
  // As PostgreSQL's autovacuum does within a minute.
  await run('vacuum analyze'.slice(0, db.startsWith('postgres:') ? undefined : 6));
  const first = await run('select organization_id, min(id) as id from campaigns group by organization_id');
  await end();
  return Object.fromEntries(first.map((row) => [row.organization_id, row.id]));
}

const words = ['Summer', 'Winter', 'Glow', 'Crème', 'Lip', 'Tint', 'Serum', 'Bold', 'Spring', 'Skin', 'Matte', 'Vegan'];
/** An SQL expression: three words that depend on the counter `n`. */
const word = (divisor) =>
  `case (n / ${divisor}) % ${words.length} ${words.map((text, place) => `when ${place} then '${text} '`).join(' ')} end`;
const nameOf = [1, 7, 60].map(word).join(' || ');

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

/** Milliseconds of each case on one database. */
async function measure(db, rounds, largest) {
  const campaigns = organizationsOf(largest);
  process.stderr.write(`filling ${db.split(':', 1)[0]} ...\n`);
  const firstIds = await fill(db, campaigns);
  const server = await ours(db);
  const cases = {
    'organizations first page': json('/organizations.json'),
    'organizations last page': json('/organizations.json?page=50'),
    'newest first': page('sort=newest'),
    'by status': page('status=active&sort=newest'),
    'one name': page(`name=${largest}&sort=newest`),
    'many names': page('name=creme+lip&sort=newest'),
    'no name': page('name=serum+serum+serum+x'),
  };
  for (const [organization, count] of Object.entries(campaigns))
    for (const [place, path] of addresses(organization, count, firstIds[organization]).entries())
      cases[`${organization} ${pageNames[place]}`] = json(path);
  const spans = await inTurns(rounds, cases, (path) => uncached(server, path), { warmUp: Math.min(10, rounds) });
  await server.stop();
  return spans;
}

const milliseconds = { digits: 1, unit: 'ms' };

function rowsOf(name, spans, largest) {
  const cell = (key) => (spans[key] ? figure(spans[key], milliseconds) : '');
  return [
    ...Object.entries(organizationsOf(largest)).map(([organization, count]) => ({
      cells: [
        `${name}, ${count.toLocaleString('en')} campaigns`,
        ...pageNames.map((key) => cell(`${organization} ${key}`)),
      ],
      ...(count === largest && { goal: { of: 3, atMost: 50 } }),
    })),
    { cells: [`${name}, 1,000 organizations`, ...pageNames.map((key) => cell(`organizations ${key}`))] },
    {
      cells: [
        `${name}, web page of most campaigns: newest first, by status`,
        cell('newest first'),
        cell('by status'),
        '',
        '',
      ],
      goal: { of: 2, atMost: 100 },
    },
    {
      cells: [
        `${name}, search among most campaigns: one match, many, none`,
        cell('one name'),
        cell('many names'),
        cell('no name'),
        '',
      ],
      goal: { of: 3, atMost: 100 },
    },
  ];
}

export async function run({ rounds, largest }) {
  const folder = await mkdtemp(join(tmpdir(), 'mkt-growth-'));
  const sqlite = await measure(join(folder, 'growth.db'), rounds, largest);
  await rm(folder, { recursive: true });
  const postgres = await startPostgres();
  const onPostgres = await measure(postgres.url, rounds, largest);
  await postgres.stop();
  return {
    about: `Milliseconds to the answer, each the first one after a commit, so that nothing of it was kept. The client's time is in it. The goal of the largest
organization is for its last page.`,
    columns: ['rows', ...pageNames],
    rows: [
      ...rowsOf('SQLite', sqlite, largest),
      {
        cells: [
          'SQLite, first page of most campaigns, as a part of the one of 100',
          figure([figure(sqlite['103 first page']).median / figure(sqlite['101 first page']).median]),
          '',
          '',
          '',
        ],
        goal: { of: 1, atMost: 2 },
      },
      ...rowsOf('PostgreSQL', onPostgres, largest),
    ],
  };
}
