// What size costs: pages, searches and items among few and many campaigns, a list of 1,000 organizations, and one action on
// 10,000 campaigns.
import { figure, inTurns } from '../lib/measure.mjs';
import { copyRow, manyNames, onEachStore } from './databases.mjs';
import { headers, ours } from './servers.mjs';

export const title = 'Growth';
export const sizes = { requests: 50, largest: 1_000_000, presses: 5 };

/** Every 500th campaign is for Germany, and every 50th has no budget. */
const budget = 'case when n % 50 = 0 then 0 else 1000 + n % 9973 end';
const isDraft = 'n % 2 = 1 and n % 7 = 0';

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
      // All of the list in the middle are changed at once.
      status:
        organization === '102'
          ? `'active'`
          : `case when n % 2 = 0 then 'active' when ${isDraft} then 'draft' else 'paused' end`,
      currency: `case when n % 5 = 0 then 'eur' else 'usd' end`,
      platform_ids: `case when n % 3 = 0 then ${sql.listOf('youtube')} else ${sql.listOf('tiktok', 'instagram')} end`,
      countries: `case when n % 500 = 0 then ${sql.listOf('DE')} else ${sql.listOf('US', 'CA')} end`,
      published_at: sql.time(
        `case when ${isDraft} then null else '2026-0' || (1 + n % 9) || '-' || (10 + n % 19) || 'T08:00:00.000Z' end`,
      ),
      total_budget_amount: budget,
      used_amount: `(${budget}) * (n / 2 % 10) / 10`,
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

const asHtml = { ...headers, accept: 'text/html' };

/** How many pages a list has, by what its first page says. */
async function pagesOf(server, path) {
  const response = await fetch(server.url + path, { headers: asHtml });
  const [, total] = /–[\d,]+ of ([\d,]+)/.exec(await response.text()) ?? [];
  if (total === undefined) throw new Error(`${path} has no items.`);
  return Math.ceil(Number(total.replaceAll(',', '')) / 20);
}

/** Signs in: only a session has forms. Gives milliseconds of each page that asks, and of each form. */
async function signedIn({ url }) {
  const cookies = new Map();
  const open = async (path, fields) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const form = fields && { method: 'POST', body: new URLSearchParams(fields) };
    const began = performance.now();
    const response = await fetch(url + path, {
      ...form,
      redirect: 'manual',
      headers: { accept: 'text/html', cookie, ...(fields && { origin: url }) },
    });
    const text = await response.text();
    const span = performance.now() - began;
    if (response.status !== (fields ? 303 : 200)) throw new Error(`${path} answered ${response.status}.`);
    for (const each of response.headers.getSetCookie()) {
      const [pair] = each.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const hidden = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    return { span, text, fields: Object.fromEntries(hidden.map(([, name, value]) => [name, value])) };
  };
  const { fields } = await open('/sign_in');
  await open('/sign_in', { ...fields, token: headers.authorization.replace('Bearer ', '') });
  return open;
}

/** Pauses and resumes 10,000 campaigns: milliseconds of the page that asks for each action, and of the action. */
async function pressesOf(server, presses) {
  const open = await signedIn(server);
  const list = '/organizations/102/campaigns';
  const spans = { page: [], action: [] };
  for (let press = 0; press < presses; press += 1) {
    const question = await open(`${list}/actions?action=${press % 2 === 0 ? 'pause' : 'resume'}&select=all`);
    if (!question.text.includes('10,000 campaigns?')) throw new Error('The page asks for other campaigns.');
    spans.page.push(question.span);
    spans.action.push((await open(`${list}/actions`, question.fields)).span);
  }
  return spans;
}

/** The rows of one database. */
async function rowsOf(name, create, { requests, largest, presses }) {
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
  const queries = [
    ['newest first', ''],
    ['by status', 'status=active'],
    ['by two states', 'status=draft&status=paused'],
    ['by platform', 'platform=youtube'],
    ['by a rare country', 'country=DE'],
    ['by currency', 'currency=eur'],
    ['by used part', 'used=80'],
    ['without a budget', 'used=none'],
    ['by days', 'from=2026-03-12&to=2026-03-14'],
    ['highest budget', 'sort=-budget'],
    ['most used, by status', 'status=active&sort=-used_percent'],
    ['by currency and used part, most views', 'currency=usd&used=80&sort=-views'],
    ['lowest cost of drafts, in a currency', 'status=draft&currency=usd&sort=budget'],
    ['by platform and country, most views', 'platform=tiktok&country=US&sort=-views'],
    [
      'by all filters at once, most views',
      'status=active&status=paused&platform=tiktok&country=US&currency=usd&used=80&from=2026-01-01&to=2026-12-31&sort=-views',
    ],
  ];
  const filtered = [];
  for (const [label, query] of queries) {
    const pages = await pagesOf(server, `${most}?${query}`);
    filtered.push({
      label: `web page of most campaigns: ${label}`,
      paths: [`${most}?${query}`, ...[2, 1].map((part) => `${most}?${query}&page=${Math.ceil(pages / part)}`), ''],
      goal: { of: [1, 2, 3], atMost: 100 },
    });
  }
  const search = (label, names, more = '', { where = 'most', list = most } = {}) => ({
    label: `search among ${where} campaigns: ${label}`,
    paths: [...names.map((name) => `${list}?name=${name}${more}`), ''],
    goal: { of: [1, 2, 3], atMost: 100 },
  });
  const rows = [
    ...lists.slice(0, 2),
    { ...lists[2], goal: { of: 3, atMost: 50 } },
    { label: '1,000 organizations', paths: ['/organizations.json', '', '/organizations.json?page=50', ''] },
    { label: 'overview of most campaigns', paths: ['/organizations/103', '', '', ''], goal: { of: 1, atMost: 100 } },
    ...filtered,
    search('one match, many, none', [largest, 'serum', 'serums']),
    search('two words, three, four that no name has together', [
      'lip+creme',
      `matte+skin+${largest - 1}`,
      'summer+winter+glow+lip',
    ]),
    search('a short word too: many matches, many with three words, none', ['serum+99', 'glow+lip+4', 'serum+x']),
    search('a word, two, none', ['summer', 'lip+creme', 'summer+x'], '', {
      where: '10,000 of these',
      list: '/organizations/102/campaigns',
    }),
    search(
      'with all filters: one word, two, none',
      ['serum', 'lip+creme', 'serums'],
      '&status=active&status=paused&platform=tiktok&country=US&currency=usd&used=80&sort=-budget',
    ),
    {
      label: 'search everywhere among most campaigns: one match, many, none',
      paths: [
        ...[largest, 'creme+lip', 'summer+winter+glow+lip'].map((name) => `/organizations/103/search?name=${name}`),
        '',
      ],
      goal: { of: [1, 2, 3], atMost: 100 },
    },
  ];
  const paths = rows.flatMap((row) => row.paths).filter((path) => path !== '');
  const cases = Object.fromEntries(paths.map((path) => [path, path]));
  const spans = await inTurns(requests, cases, (path) => uncached(server, path), { warmUp: Math.min(20, requests) });
  const pressed = await pressesOf(server, presses);
  await server.stop();
  const ms = (values) => figure(values, { digits: 1, unit: 'ms' });
  return [
    ...rows.map(({ label, paths, ...goal }) => ({
      cells: [`${name}, ${label}`, ...paths.map((path) => (path ? ms(spans[path]) : ''))],
      ...goal,
    })),
    {
      cells: [
        `${name}, all 10,000 campaigns of a list: the page that asks, the action`,
        ms(pressed.page),
        ms(pressed.action),
        '',
        '',
      ],
    },
  ];
}

export async function run(amounts) {
  const [onSqlite, onPostgres] = await onEachStore((name, create) => rowsOf(name, create, amounts));
  const [few, , most] = onSqlite.map(({ cells }) => cells[1].median);
  const ratio = figure([most / few]);
  return {
    about: `Milliseconds to the answer, each the first one after a commit, so that nothing of it was kept. The client's time is in it. The goal of a row
is for its slowest request, that of the 1,000,000 campaigns for their last page.`,
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
