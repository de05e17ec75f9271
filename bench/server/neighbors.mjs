// What the most expensive requests of one organization's members, or of one of them, cost another organization.
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import { figure } from '../lib/measure.mjs';
import { copyRow, manyNames, onEachStore } from './databases.mjs';
import { headers, ours } from './servers.mjs';

export const title = 'Other organizations during an attack';
export const sizes = { rounds: 4, seconds: 3, campaigns: 300_000 };

/** Requests that are under attack at a time. */
const attackers = 12;
const acme = '/organizations/5/campaigns';
const globex = '/organizations/6/campaigns';
const tokenOf = (user) => ({ authorization: `Bearer mkt_demo_${user}_write` });

/** Acme has many campaigns, Globex 10,000. */
async function fill({ sql, seed }, campaigns) {
  const source = seed.tables.campaigns.find(({ id }) => id === 3);
  await sql.run('begin');
  for (const [organization, count] of [
    [5, campaigns],
    [6, 10_000],
  ])
    await copyRow(sql, 'campaigns', source, count, {
      organization_id: String(organization),
      name: manyNames,
      status: `case when n % 2 = 0 then 'active' when n % 7 = 0 then 'draft' else 'paused' end`,
      view_count: 'n % 100003',
    });
  await sql.run('commit');
  // As PostgreSQL's autovacuum does within a minute.
  await sql.run('vacuum');
  await sql.run('analyze');
  const [{ id }] = await sql.rows('select max(id) as id from campaigns where organization_id = 6');
  await sql.close();
  return Number(id);
}

/**
 * Searches that many names nearly match, sorted and filtered lists, and pages far from both ends: by a member and an admin.
 * All of them differ, so that nothing that is kept answers them.
 */
function hostileRequests(campaigns) {
  const words = ['serum', 'creme', 'glow', 'bold', 'skin', 'matte', 'vegan', 'lip', 'tint', 'summer'];
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
    return {
      path: acme + path,
      headers: {
        ...tokenOf(n % 2 === 0 ? 'cleo' : 'ben'),
        accept: path.includes('.json') ? 'application/json' : 'text/html',
      },
    };
  });
}

/** A GIF with a text of nearly 4 MiB, and no byte that UTF-8 would change. */
const gif = [
  'GIF89a\x01\0\x01\0\0\0\0!\x01',
  `\x7f${'x'.repeat(0x7f)}`.repeat(32_700),
  '\0,\0\0\0\0\x01\0\x01\0\0\x02\x02L\x01\0;',
].join('');

const write = (path, type, body) => ({
  method: 'PATCH',
  path,
  headers: { ...tokenOf('ada'), accept: 'application/json', 'content-type': type },
  body,
});

/** Briefs of 64 KiB and logos of 4 MiB, as large as they may be: by one admin, four at a time. */
const attacks = {
  reads: ({ campaigns }) => ({ connections: attackers, requests: hostileRequests(campaigns) }),
  briefs: ({ brief }) => ({
    connections: 4,
    requests: [
      write(
        `${acme}/${brief}.json`,
        'application/json',
        JSON.stringify({ campaign: { brief: '<p>Hello <b>you</b></p>'.repeat(2700) } }),
      ),
    ],
  }),
  uploads: () => ({
    connections: 4,
    requests: [
      write(
        '/organizations/5.json',
        'multipart/form-data; boundary=part',
        `--part\r\nContent-Disposition: form-data; name="organization[logo]"; filename="a.gif"\r\nContent-Type: image/gif\r\n\r\n${gif}\r\n--part--\r\n`,
      ),
    ],
  }),
};

/** Requests as another user, one after the other, for so many seconds. */
async function probe(server, item, seconds) {
  const paths = { list: `${globex}.json`, item: `${globex}/${item}.json` };
  const taken = { list: [], item: [], write: [] };
  let rejected = 0;
  const timed = async (name, path, change) => {
    const began = performance.now();
    const response = await fetch(server.url + path, {
      ...change,
      headers: { ...headers, ...tokenOf('dan'), ...change?.headers },
    });
    await response.text();
    if (response.status === 503) rejected += 1;
    else if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
    taken[name].push(performance.now() - began);
  };
  const until = performance.now() + seconds * 1000;
  for (let turn = 0; performance.now() < until; turn += 1) {
    // After a commit a store has nothing in memory.
    await timed('write', '/organizations/9.json', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ organization: { name: `Globex ${turn}` } }),
    });
    for (const [name, path] of Object.entries(paths)) await timed(name, path);
    await pause(10);
  }
  return { taken, rejected };
}

const at = (values, part) => values.toSorted((left, right) => left - right)[Math.floor((values.length - 1) * part)];

async function measure(name, { db, item }, { rounds, seconds, campaigns }) {
  const server = await ours(db);
  const kinds = Object.keys(attacks);
  const results = Object.fromEntries(['usual', ...kinds].map((kind) => [kind, []]));
  const statuses = Object.fromEntries(kinds.map((kind) => [kind, {}]));
  await probe(server, item, seconds);
  for (let round = 0; round < rounds; round += 1) {
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
    results.usual.push(await probe(server, item, seconds));
    for (const kind of kinds) {
      const running = autocannon({
        url: server.url,
        ...attacks[kind]({ campaigns, brief: 3 }),
        duration: seconds + 1,
        timeout: 30,
        workers: 1,
      });
      await pause(500);
      results[kind].push(await probe(server, item, seconds));
      for (const [status, { count }] of Object.entries((await running).statusCodeStats))
        statuses[kind][status] = (statuses[kind][status] ?? 0) + count;
      // Statements that still run when their client is gone.
      await pause(1500);
    }
  }
  await server.stop();
  process.stderr.write(`${name}: responses to the attack: ${JSON.stringify(statuses)}\n`);
  return kinds.flatMap((attack) =>
    ['list', 'item', 'write'].map((kind) => {
      const [usual, attacked] = ['usual', attack].map((when) =>
        [0.5, 0.95].map((part) => results[when].map(({ taken }) => at(taken[kind], part))),
      );
      const ms = (values) => figure(values, { digits: 1, unit: 'ms' });
      const ratio = figure(attacked[0].map((value, round) => value / usual[0][round]));
      const rejected = results[attack].reduce((sum, each) => sum + each.rejected, 0);
      return {
        cells: [`${name}, ${kind}, ${attack}`, ...usual.map(ms), ...attacked.map(ms), ratio, rejected],
        ...(kind !== 'write' && { goal: { of: 5, atMost: 2 } }),
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
    about: `Milliseconds of responses for an organization of 10,000 campaigns, usually and while members of another one, with ${amounts.campaigns.toLocaleString('en')}, send ${attackers} searches, sorted
lists and far pages at a time (reads), or an admin four briefs of 64 KiB or four logos of 4 MiB. Client, server and database share this machine's cores.`,
    columns: ['request', 'usually', '95 %', 'attacked', '95 %', 'attacked, times usual', '503'],
    rows: rows.flat(),
  };
}
