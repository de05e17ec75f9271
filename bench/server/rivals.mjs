// The reference server compared with mock servers that respond with the same data.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { figure, parts } from '../lib/figures.mjs';
import { inTurns } from '../lib/turns.mjs';
import { headers, item, list, load, newCampaign } from './load.mjs';
import { answersOf, jsonServer, ours, prism, raw } from './servers.mjs';

export const title = 'Compared with other servers';
export const sizes = { rounds: 5, seconds: 1.2, writes: 400 };
export const quickSizes = { rounds: 1, seconds: 0.3, writes: 50 };

const floor = 'raw node:http';

/** Where a server has what; our own addresses unless it cannot have them. */
const sameAddresses = { list, item, write: list };

/** By name: how it is started, where it has what, and what it does for it. */
const contenders = {
  [floor]: { start: raw, at: sameAddresses, does: 'JSON.stringify of constant objects; parses what is written' },
  'ours, memory': {
    start: () => ours('memory:'),
    at: sameAddresses,
    does: 'tokens, roles, visibility, paging, totals, validation, ETags; keeps writes',
  },
  'ours, SQLite': {
    start: (folder) => ours(join(folder, 'ours.db')),
    at: sameAddresses,
    does: 'the same; writes are on the disk',
  },
  'json-server': {
    start: jsonServer,
    at: {
      list: '/campaigns?_page=1&_limit=20',
      item: '/shown/1',
      unchanged: '/shown/1',
      write: '/written',
    },
    does: 'paging, filters, totals, ETags; a write rewrites the whole file; no tokens, no validation',
  },
  Prism: {
    start: prism,
    at: sameAddresses,
    does: 'validates requests by our OpenAPI document, looks whether a token is there; answers with an example; keeps nothing',
  },
};
for (const name of ['ours, memory', 'ours, SQLite']) contenders[name].at = { ...sameAddresses, unchanged: item };

const kinds = { list: 'list of 20', item: 'one item', unchanged: '304 on a show', write: 'write' };

/** Its own ETag for the item, as it answers with it now. */
async function etagOf(server, path) {
  const response = await fetch(server.url + path, { headers });
  await response.text();
  return response.headers.get('etag');
}

async function bytesOf(server, path) {
  const response = await fetch(server.url + path, { headers });
  return (await response.arrayBuffer()).byteLength;
}

async function targetsOf(server, at) {
  const targets = {};
  for (const [kind, path] of Object.entries(at)) {
    if (kind === 'write') targets[kind] = { ...newCampaign, path };
    else if (kind === 'unchanged')
      targets[kind] = { path, headers: { 'if-none-match': await etagOf(server, path) }, status: 304 };
    else targets[kind] = { path };
  }
  return targets;
}

export async function run({ rounds, seconds, writes }) {
  const folder = await mkdtemp(join(tmpdir(), 'mkt-rivals-'));
  const model = await ours('memory:');
  const answers = await answersOf(model);
  await model.stop();
  const servers = {};
  const cases = {};
  for (const [name, { start, at }] of Object.entries(contenders)) {
    const server = await start(folder, answers);
    servers[name] = server;
    for (const [kind, target] of Object.entries(await targetsOf(server, at)))
      cases[`${name}: ${kind}`] = {
        server,
        target,
        amount: kind === 'write' ? { amount: writes } : { duration: seconds },
      };
  }
  const measure = ({ server, target, amount }) => load(server, target, amount);
  const results = await inTurns(rounds, cases, measure, { warmUp: 1 });

  const paceOf = (name, kind) => results[`${name}: ${kind}`]?.map(({ perCpuSecond }) => perCpuSecond);
  // A 304 is compared with raw's 200 of the item.
  const share = (name, kind) => {
    const paces = paceOf(name, kind);
    return paces && figure(parts(paces, paceOf(floor, kind === 'unchanged' ? 'item' : kind)));
  };
  const rows = [];
  for (const [name, { at }] of Object.entries(contenders)) {
    const sizes = [await bytesOf(servers[name], at.list), await bytesOf(servers[name], at.item)];
    const { rss } = await servers[name].cost();
    rows.push({
      cells: [
        name,
        ...Object.keys(kinds).map((kind) => share(name, kind) ?? 'none'),
        sizes.map((size) => size.toLocaleString('en')).join(' / '),
        `${Math.round(rss / 2 ** 20)} MB`,
      ],
    });
  }
  await Promise.all(Object.values(servers).map((server) => server.stop()));
  await rm(folder, { recursive: true });
  const deeds = Object.entries(contenders).map(([name, { does }]) => `- ${name}: ${does}.`);
  const absolute = ['list', 'item', 'write'].map(
    (kind) => `${kinds[kind]} ${Math.round(figure(paceOf(floor, kind)).median).toLocaleString('en')}`,
  );
  return {
    about: `Requests in a second of the server's CPU time, as parts of raw node:http, which is 1.00. Each server is started as its users start it, with
logs off, on the same rows: the first page of the demo data. What each does for an answer differs:

${deeds.join('\n')}`,
    columns: ['server', ...Object.values(kinds), 'bytes of list / item', 'memory after'],
    rows,
    notes: [
      `Raw reached, per CPU-second: ${absolute.join(', ')}. "None": the server does not support it. Our API has no filters; json-server's were not used.`,
    ],
  };
}
