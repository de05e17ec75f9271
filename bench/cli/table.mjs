// Printing a long list: what the table costs next to the same list as JSON.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { figure } from '../lib/figures.mjs';
import { node, roundTimes } from './starts.mjs';
import { world } from './world.mjs';

export const title = 'A list of 10,000 rows';
export const sizes = { rounds: 5, starts: 1 };
export const quickSizes = { rounds: 1, starts: 1 };

const ROWS = 10_000;
const PAGE = 100;

/** Campaigns with names in several scripts, a hundred a page. */
async function longList() {
  const names = ['Summer skincare UGC', 'Fête des mères, épisode', '夏のコスメ祭り 🌸'];
  const campaign = (id) => ({
    id,
    name: `${names[id % names.length]} ${id}`,
    status: 'published',
    cpm_amount: 700,
    currency: 'USD',
    countries: ['US', 'CA'],
    created_at: '2026-01-05T09:00:00Z',
  });
  const server = createServer(({ url }, response) => {
    const page = Number(new URL(url, 'http://localhost').searchParams.get('page') ?? 1);
    const body = Array.from({ length: PAGE }, (_, index) => campaign((page - 1) * PAGE + index + 1));
    response.writeHead(200, {
      'content-type': 'application/json',
      'total-count': String(ROWS),
      'total-pages': String(ROWS / PAGE),
    });
    response.end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

export async function run(amounts) {
  const place = await world();
  const server = await longList();
  const env = { ...place.env, MKT_BASE_URL: `http://127.0.0.1:${server.address().port}` };
  const table = 'mkt campaigns list --all';
  const json = `${table} --json`;
  const commands = Object.fromEntries(
    [table, json].map((command) => [command, node(place.bin, ...command.split(' ').slice(1))]),
  );
  const times = await roundTimes(commands, { ...amounts, env }).finally(async () => {
    server.close();
    await place.close();
  });
  const cells = (name) => [name, ...[times[name].wall, times[name].cpu].map((values) => figure(values, { digits: 0 }))];
  return {
    about:
      'Whole processes that fetch 100 pages from a local server; the difference between the two rows is the table.',
    columns: ['command', 'ms', 'processor time, ms'],
    rows: [{ cells: cells(table), goal: { of: 2, atMost: 2000 } }, { cells: cells(json) }],
  };
}
