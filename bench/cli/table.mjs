// Printing a long list: what the table costs next to the same list as JSON.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { milliseconds, mkt, timesOf } from './commands.mjs';

export const title = 'A list of 10,000 rows';
export const sizes = { rounds: 5, starts: 1 };

const total = 10_000;
const names = ['Summer skincare UGC', 'Fête des mères, épisode', '夏のコスメ祭り 🌸'];

/** Campaigns with names in several scripts, a hundred a page. */
function answer({ url }, response) {
  const page = Number(new URL(url, 'http://localhost').searchParams.get('page') ?? 1);
  const items = Array.from({ length: 100 }, (_, index) => {
    const id = (page - 1) * 100 + index + 1;
    const known = { status: 'published', cpm_amount: 700, currency: 'USD', countries: ['US', 'CA'] };
    return { id, name: `${names[id % names.length]} ${id}`, ...known, created_at: '2026-01-05T09:00:00Z' };
  });
  const totals = { 'total-count': String(total), 'total-pages': String(total / 100) };
  response.writeHead(200, { 'content-type': 'application/json', ...totals }).end(JSON.stringify(items));
}

export async function run(amounts) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const lines = ['campaigns list --all', 'campaigns list --all --json'];
  const commands = Object.fromEntries(lines.map((line) => [line, mkt(line)]));
  const times = await timesOf(commands, amounts, `http://127.0.0.1:${server.address().port}`);
  server.close();
  return {
    about:
      'Whole processes that fetch 100 pages from a local server; the difference between the two rows is the table.',
    columns: ['command', 'ms', 'processor time, ms'],
    rows: lines.map((line) => ({
      cells: [`mkt ${line}`, milliseconds(times[line].wall), milliseconds(times[line].cpu)],
      ...(!line.endsWith('--json') && { goal: { of: 2, atMost: 2000 } }),
    })),
  };
}
