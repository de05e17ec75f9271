// What size costs: pages, searches and items among few and many campaigns, and a list of 1,000 organizations.
import { figure, inTurns } from '../lib/measure.mjs';
import { copyRow, manyNames, onEachStore } from './databases.mjs';
import { headers, ours } from './servers.mjs';

export const title = 'Growth';
export const sizes = { requests: 50, largest: 1_000_000 };

/** 1,000 organizations of Ada's; some have campaigns. Gives the id of a campaign of each of these. */
async function fill({ sql, seed }, campaigns) {
  const rowOf = (table, id) => seed.tables[table].find((row) => row.id === id);
  await sql.run('begin');
  await copyRow(sql, 'organizations', rowOf('organizations', 7), 1000, { id: '100 + n', name: `'Brand ' || n` });
  await copyRow(sql, 'memberships', rowOf('memberships', 'mem_7_ada'), 1000, {
    id: `'mem_' || (100 + n) || '_ada'`,
    position: '1000 + n',
    organization_id: '100 + n',
  });
  for (const [organization, count] of Object.entries(campaigns))
    await copyRow(sql, 'campaigns', rowOf('campaigns', 3), count, {
      organization_id: organization,
      name: manyNames,
      status: `case when n % 2 = 0 then 'active' when n % 7 = 0 then 'draft' else 'paused' end`,
      total_budget_amount: '1000 + n % 9973',
      used_amount: '(1000 + n % 9973) * (n % 10) / 10',
      view_count: 'n % 100003',
    });
  await sql.run('commit');
  // As PostgreSQL's autovacuum does within a minute.
  await sql.run('vacuum');
  await sql.run('analyze');
  const first = await sql.rows('select organization_id, min(id) as id from campaigns group by organization_id');
  await sql.close();
  return Object.fromEntries(first.map(({ organization_id, id }) => [organization_id, id]));
}

let turn = 0;

/** Milliseconds of a response that nothing is stored for: any commit makes the server forget what it has read. */
async function uncached(server, path) {
  turn += 1;
  const written = await fetch(`${server.url}/organizations/7.json`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ organization: { name: `Initech ${turn}` } }),
  });
  if (!written.ok) throw new Error(`The write answered ${written.status}.`);
  await written.text();
  const began = performance.now();
  const accept = path.includes('.json') ? 'application/json' : 'text/html';
  const response = await fetch(server.url + path, { headers: { ...headers, accept } });
  await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}.`);
  return performance.now() - began;
}

/** The rows of one database. */
async function rowsOf(name, create, { requests, largest }) {
  const campaigns = { 101: 100, 102: 10_000, 103: largest };
  process.stderr.write(`filling ${name} ...\n`);
  const database = await create('integer');
  const ids = await fill(database, campaigns);
  const server = await ours(database.db);
  const lists = Object.entries(campaigns).map(([organization, count]) => {
    const list = `/organizations/${organization}/campaigns`;
    const [middle, last] = [Math.ceil(count / 40), Math.ceil(count / 20)].map((page) => `${list}.json?page=${page}`);
    return {
      label: `${count.toLocaleString('en')} campaigns`,
      paths: [`${list}.json`, middle, last, `${list}/${ids[organization]}.json`],
    };
  });
  const most = '/organizations/103/campaigns';
  /** The pages of a list. A sorted one has the first 10,000 campaigns. */
  const pagesOf = (query) =>
    Math.ceil(
      (query.includes('sort') ? Math.min(10_000, largest) : query.includes('status') ? largest / 2 : largest) / 20,
    );
  const rows = [
    ...lists.slice(0, 2),
    { ...lists[2], goal: { of: 3, atMost: 50 } },
    { label: '1,000 organizations', paths: ['/organizations.json', '', '/organizations.json?page=50', ''] },
    { label: 'overview of most campaigns', paths: ['/organizations/103', '', '', ''], goal: { of: 1, atMost: 100 } },
    ...[
      ['newest first', ''],
      ['by status', 'status=active'],
      ['highest budget', 'sort=-budget'],
      ['most used, by status', 'status=active&sort=-used_percent'],
      ['by currency and used part, most views', 'currency=usd&used=80&sort=-views'],
      ['lowest cost of drafts, in a currency', 'status=draft&currency=usd&sort=budget'],
      ['by platform and country, most views', 'platform=tiktok&country=US&sort=-views'],
    ].map(([label, query]) => ({
      label: `web page of most campaigns: ${label}`,
      paths: [
        `${most}?${query}`,
        ...[2, 1].map((part) => `${most}?${query}&page=${Math.ceil(pagesOf(query) / part)}`),
        '',
      ],
      goal: { of: 2, atMost: 100 },
    })),
    {
      label: 'search among most campaigns: one match, many, none',
      paths: [...[`${most}?name=${largest}`, `${most}?name=creme+lip`], ...[`${most}?name=serum+serum+serum+x`, '']],
      goal: { of: 3, atMost: 100 },
    },
    {
      label: 'search everywhere among most campaigns: one match, many, none',
      paths: [
        ...[largest, 'creme+lip', 'serum+serum+serum+x'].map((name) => `/organizations/103/search?name=${name}`),
        '',
      ],
      goal: { of: 3, atMost: 100 },
    },
  ];
  const paths = rows.flatMap((row) => row.paths).filter((path) => path !== '');
  const cases = Object.fromEntries(paths.map((path) => [path, path]));
  const spans = await inTurns(requests, cases, (path) => uncached(server, path), { warmUp: Math.min(20, requests) });
  await server.stop();
  const cell = (path) => (path ? figure(spans[path], { digits: 1, unit: 'ms' }) : '');
  return rows.map(({ label, paths, ...goal }) => ({ cells: [`${name}, ${label}`, ...paths.map(cell)], ...goal }));
}

export async function run(amounts) {
  const [onSqlite, onPostgres] = await onEachStore((name, create) => rowsOf(name, create, amounts));
  const [few, , most] = onSqlite.map(({ cells }) => cells[1].median);
  const ratio = figure([most / few]);
  return {
    about: `Milliseconds to the answer, each the first one after a commit, so that nothing of it was kept. The client's time is in it. The goal of the largest
organization is for its last page.`,
    columns: ['rows', 'first page', 'middle page', 'last page', 'show'],
    rows: [
      ...onSqlite,
      {
        cells: ['SQLite, first page of most campaigns, as a part of the one of 100', ratio, '', '', ''],
        goal: { of: 1, atMost: 2 },
      },
      ...onPostgres,
    ],
  };
}
