// Pages in the middle of a list of 3 million campaigns.
import { figure } from '../lib/measure.mjs';
import { copyRow, onEachStore } from './databases.mjs';
import { headers, ours } from './servers.mjs';

export const title = 'Pages in the middle of a list';
export const sizes = { requests: 60, campaigns: 3_000_000 };

const acme = '/organizations/5/campaigns';
/** At most so many rows in a statement, whose triggers hold all of them. */
const atOnce = 1_000_000;

/** Without the indexes that a page does not need: they are made again at the end, which is much faster. */
async function fill(name, { sql, seed }, campaigns) {
  const source = seed.tables.campaigns.find(({ id }) => id === 3);
  const left = (
    await sql.rows(
      name === 'SQLite'
        ? "select type, name, sql from sqlite_master where tbl_name = 'campaigns' and sql is not null and (type = 'index' or name = 'campaigns_search_inserted')"
        : "select 'index' as type, indexname as name, indexdef as sql from pg_indexes where tablename = 'campaigns' and indexname not like '%_pkey'",
    )
  ).filter((each) => !each.name.includes('_by_organization'));
  for (const each of left) await sql.run(`drop ${each.type} ${each.name}`);
  for (let done = 0; done < campaigns; done += atOnce) {
    process.stderr.write(`filling ${name}: ${done.toLocaleString('en')}\n`);
    await copyRow(sql, 'campaigns', source, Math.min(atOnce, campaigns - done), {
      organization_id: '5',
      name: "'Campaign ' || n",
      status: `case when n % 2 = 0 then 'active' when n % 7 = 0 then 'draft' else 'paused' end`,
    });
  }
  // A server does not start on a schema that lacks any.
  for (const each of left) await sql.run(each.sql);
  // As PostgreSQL's autovacuum does within a minute.
  if (name === 'PostgreSQL') await sql.run('vacuum');
  await sql.run('analyze');
  await sql.close();
}

let turn = 0;

/** Milliseconds of a response after a commit, so that the server has kept nothing. */
async function uncached(server, path, user) {
  turn += 1;
  const written = await fetch(`${server.url}/organizations/7.json`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ organization: { name: `Initech ${turn}` } }),
  });
  await written.text();
  const began = performance.now();
  const accept = path.includes('.json') ? 'application/json' : 'text/html';
  const response = await fetch(server.url + path, {
    headers: { accept, authorization: `Bearer mkt_demo_${user}_write` },
  });
  await response.text();
  if (!written.ok || response.status !== 200) throw new Error(`${path} answered ${response.status}.`);
  return performance.now() - began;
}

async function rowsOf(name, create, { requests, campaigns }) {
  const database = await create('integer');
  await fill(name, database, campaigns);
  const server = await ours(database.db);
  const rows = [];
  for (const [label, user, path, part] of [
    ['API, all', 'ada', '.json?', 1],
    ['API, without drafts', 'cleo', '.json?', 13 / 14],
    ['web page, newest first, all', 'ada', '?', 1],
    ['web page, newest first, without drafts', 'cleo', '?', 13 / 14],
    ['web page of one status', 'cleo', '?status=active&', 1 / 2],
  ]) {
    // Each time another page, from a third to two thirds of the list.
    const pages = (campaigns / 20) * part;
    const pageOf = (n) => Math.ceil((pages / 3) * (1 + n / requests));
    const spans = [];
    for (let n = 0; n < requests; n += 1)
      spans.push(await uncached(server, `${acme}${path}page=${pageOf((n * 7) % requests)}`, user));
    const [first, ...others] = spans;
    const cells = [first, others].map((values) => figure([values].flat(), { digits: 1, unit: 'ms' }));
    rows.push({ cells: [`${name}, ${label}`, ...cells], goal: { of: 2, atMost: 150 } });
  }
  await server.stop();
  return rows;
}

export async function run(amounts) {
  const rows = await onEachStore((name, create) => rowsOf(name, create, amounts));
  return {
    about: `Milliseconds to a page of ${amounts.campaigns.toLocaleString('en')} campaigns, between a third and two thirds of the list, each another one and the first
answer after a commit. The first request may read from the disk.`,
    columns: ['list', 'first request', 'other pages'],
    rows: rows.flat(),
  };
}
