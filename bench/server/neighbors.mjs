// What the most expensive requests of a user cost the users of another organization.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import { figure } from '../lib/measure.mjs';
import { copyRow, manyNames, onEachStore } from './databases.mjs';
import { headers, ours } from './servers.mjs';

export const title = 'Other users during an attack';
export const sizes = { rounds: 3, seconds: 1.5, campaigns: 300_000 };

const acme = '/organizations/5/campaigns';
const globex = '/organizations/6/campaigns';
/** Of Ada too: all of its campaigns are shown on one page. */
const initech = '/organizations/7/campaigns';
/** Further ones of Ada, each with campaigns. */
const more = Array.from({ length: 24 }, (_, n) => `/organizations/${11 + n}/campaigns`);
const tokenOf = (user) => ({ authorization: `Bearer mkt_demo_${user}_write` });

/** Acme has many campaigns, Globex 10,000, Initech 2,000, and each of the further ones a sixtieth. */
async function fill({ sql, seed }, campaigns) {
  const source = seed.tables.campaigns.find(({ id }) => id === 3);
  const status = `case when n % 2 = 0 then 'active' when n % 7 = 0 then 'draft' else 'paused' end`;
  const copy = (count, changes) =>
    copyRow(sql, 'campaigns', source, count, { name: manyNames, status, view_count: 'n % 100003', ...changes });
  const [membership] = seed.tables.memberships;
  await sql.run('begin');
  await copyRow(sql, 'organizations', seed.tables.organizations[0], more.length, { name: "'More ' || n" });
  const member = { id: "'mem_more_' || n", organization_id: 'n + 10' };
  await copyRow(sql, 'memberships', membership, more.length, member);
  await copy(campaigns, { organization_id: '5' });
  await copy(10_000, { organization_id: '6' });
  await copy(2000, { organization_id: '7', status: "'active'" });
  await copy(Math.ceil(campaigns / 60) * more.length, { organization_id: `11 + n % ${more.length}` });
  await sql.run('commit');
  // As PostgreSQL's autovacuum does within a minute.
  await sql.run('vacuum');
  await sql.run('analyze');
  const [{ id }] = await sql.rows('select max(id) as id from campaigns where organization_id = 6');
  await sql.close();
  return Number(id);
}

const words = ['serum', 'creme', 'glow', 'bold', 'skin', 'matte', 'vegan', 'lip', 'tint', 'summer'];

/**
 * Searches that many names nearly match, sorted and filtered lists, and pages far from both ends: by a member and an admin.
 * All of them differ, so that nothing that is kept answers them.
 */
function hostileRequests(campaigns) {
  return Array.from({ length: 400 }, (_, n) => {
    const [first, second] = [words[n % 10], words[Math.floor(n / 10) % 10]];
    const page = Math.ceil((campaigns / 20) * (0.3 + (0.4 * n) / 400));
    const path = [
      `?name=${`${first}+`.repeat(4)}${n}x`,
      `.json?page=${page}`,
      `?name=${first}+${second}&country=JP&sort=-views`,
      `?page=${page}`,
      `?name=${n}&platform=youtube`,
      `?status=active&page=${Math.ceil(page / 2)}`,
      `?country=US&platform=tiktok&sort=-views&page=${n}`,
    ][n % 7];
    const accept = path.includes('.json') ? 'application/json' : 'text/html';
    return { path: acme + path, headers: { ...tokenOf(n % 2 === 0 ? 'cleo' : 'ben'), accept } };
  });
}

/** A GIF with a text of nearly 4 MiB, and no byte that UTF-8 would change. */
const gif = [
  'GIF89a\x01\0\x01\0\0\0\0!\x01',
  `\x7f${'x'.repeat(0x7f)}`.repeat(32_700),
  '\0,\0\0\0\0\x01\0\x01\0\0\x02\x02L\x01\0;',
].join('');
const logo = `--part\r\nContent-Disposition: form-data; name="organization[logo]"; filename="a.gif"\r\nContent-Type: image/gif\r\n\r\n${gif}\r\n--part--\r\n`;

const json = { ...headers, 'content-type': 'application/json' };
const campaign = (fields) => JSON.stringify({ campaign: fields });
const long = campaign({ brief: '<p>Hello <b>you</b></p>'.repeat(2700) });
const upload = { ...headers, 'content-type': 'multipart/form-data; boundary=part' };
const page = { ...tokenOf('ada'), accept: 'text/html' };
const create = (path) => ({ method: 'POST', path: `${path}.json`, headers: json, body: campaign({ name: 'Another' }) });

/** How many connections request what, all of them as Ada unless it says otherwise. */
const attacks = {
  reads: ({ campaigns }) => [12, hostileRequests(campaigns)],
  briefs: () => [4, [{ method: 'PATCH', path: `${acme}/3.json`, headers: json, body: long }]],
  uploads: () => [4, [{ method: 'PATCH', path: '/organizations/5.json', headers: upload, body: logo }]],
  lists: () => [64, [{ path: `${acme}.json`, headers }]],
  pages: () => [64, [{ path: acme, headers: page }]],
  compressed: () => [
    64,
    ['br', 'gzip'].flatMap((encoding) => [
      { path: `${acme}.json`, headers: { ...headers, 'accept-encoding': encoding } },
      { path: `${initech}?print=1`, headers: { ...page, 'accept-encoding': encoding } },
    ]),
  ],
  plans: async ({ server }) => [64, (await bulkRequests(server)).plans],
  actions: async ({ server }) => [64, (await bulkRequests(server)).actions],
  creates: () => [64, [create(acme)]],
  'creates everywhere': () => [64, more.map(create)],
  'searches everywhere': () => [
    64,
    more.flatMap((path, n) => words.map((word) => ({ path: `${path}?name=${word}+${n}x`, headers: page }))),
  ],
};

/** Actions on all campaigns of Initech: their pages, and forms of them that pause and resume these campaigns. */
async function bulkRequests({ url }) {
  const textOf = (html, name) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)[1];
  const cookieOf = (response) => ({ cookie: response.headers.getSetCookie()[0].split(';')[0] });
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const post = (path, own, fields) => ({
    method: 'POST',
    path,
    headers: { ...form, ...own },
    body: String(new URLSearchParams(fields)),
  });
  const send = ({ path, ...request }) => fetch(url + path, { redirect: 'manual', ...request });
  const shown = await fetch(`${url}/sign_in`);
  const fields = { csrf_token: textOf(await shown.text(), 'csrf_token'), token: 'mkt_demo_ada_write' };
  const session = cookieOf(await send(post('/sign_in', cookieOf(shown), fields)));
  const page = (action) => ({ path: `${initech}/actions?select=all&action=${action}`, headers: session });
  const forms = {};
  // An attack may have left them paused.
  for (const action of ['resume', 'pause', 'resume']) {
    const html = await (await send(page(action))).text();
    if (!html.includes('name="shown"')) continue;
    const [csrf_token, shown] = ['csrf_token', 'shown'].map((name) => textOf(html, name));
    forms[action] = post(`${initech}/actions`, session, { csrf_token, shown, action });
    const { status } = await send(forms[action]);
    if (status !== 303) throw new Error(`To ${action} all campaigns was answered with ${status}.`);
  }
  return { plans: [page('pause')], actions: Object.values(forms) };
}

/** Requests as another user, one after the other, for so many seconds. */
async function probe(server, item, seconds) {
  const requests = {
    create: { method: 'POST', path: `${globex}.json`, body: campaign({ name: 'Mine' }) },
    // After a commit a store has nothing in memory.
    list: { path: `${globex}.json` },
    item: { path: `${globex}/${item}.json` },
  };
  const taken = { list: [], item: [], create: [] };
  let rejected = 0;
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    for (const [name, { path, ...request }] of Object.entries(requests)) {
      const began = performance.now();
      const response = await fetch(server.url + path, { ...request, headers: { ...json, ...tokenOf('dan') } });
      await response.text();
      if (response.status === 503) rejected += 1;
      else if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
      taken[name].push(performance.now() - began);
    }
    await pause(10);
  }
  return { taken, rejected };
}

const at = (values, part) => values.toSorted((left, right) => left - right)[Math.floor((values.length - 1) * part)];

/** In a process of its own, because it goes on with the requests of an attack after their connections have closed. */
async function underAttack(args, kind, { item, seconds, campaigns }) {
  const server = await ours(...args);
  const [connections, requests] = await attacks[kind]({ server, campaigns });
  await probe(server, item, seconds / 2);
  const usual = await probe(server, item, seconds);
  const load = { connections, requests, duration: seconds + 1, timeout: 30, workers: 1 };
  const running = autocannon({ url: server.url, ...load });
  await pause(500);
  const attacked = await probe(server, item, seconds);
  const statuses = Object.entries((await running).statusCodeStats).map(([status, { count }]) => `${count} x ${status}`);
  await server.stop('SIGKILL');
  return { usual, attacked, statuses };
}

async function measure(name, { db, item }, { rounds, ...amounts }) {
  const folder = await mkdtemp(join(tmpdir(), 'mkt-bench-'));
  const kinds = Object.keys(attacks);
  const results = Object.fromEntries(kinds.map((kind) => [kind, []]));
  for (let round = 0; round < rounds; round += 1) {
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
    for (const kind of kinds)
      results[kind].push(await underAttack([db, '--audit', join(folder, 'audit.jsonl')], kind, { item, ...amounts }));
  }
  await rm(folder, { recursive: true });
  for (const kind of kinds)
    process.stderr.write(`${name}, ${kind}: ${results[kind].map(({ statuses }) => statuses.join(', ')).join('; ')}\n`);
  return kinds.flatMap((attack) =>
    ['list', 'item', 'create'].map((kind) => {
      const [usual, attacked] = ['usual', 'attacked'].map((when) =>
        [0.5, 0.95].map((part) => results[attack].map((each) => at(each[when].taken[kind], part))),
      );
      const ms = (values) => figure(values, { digits: 1, unit: 'ms' });
      const ratio = figure(attacked[0].map((value, round) => value / usual[0][round]));
      const rejected = results[attack].reduce((sum, each) => sum + each.attacked.rejected, 0);
      return {
        cells: [`${name}, ${kind}, ${attack}`, ...usual.map(ms), ...attacked.map(ms), ratio, rejected],
        goal: { of: 5, atMost: 2 },
      };
    }),
  );
}

export async function run(amounts) {
  const rows = await onEachStore(async (name, create) => {
    process.stderr.write(`filling ${name} ...\n`);
    const database = await create('integer');
    return measure(name, { db: database.db, item: await fill(database, amounts.campaigns) }, amounts);
  });
  return {
    about: `Milliseconds of responses for an organization of 10,000 campaigns, usually and while members of another one, with ${amounts.campaigns.toLocaleString('en')}, send 12 searches, sorted
lists and far pages at a time (reads), or an admin four briefs of 64 KiB, four logos of 4 MiB, or 64 of the others. Client, server and database share this machine's cores.`,
    columns: ['request', 'usually', '95 %', 'attacked', '95 %', 'attacked, times usual', '503'],
    rows: rows.flat(),
  };
}
