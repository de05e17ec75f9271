// How long a walk over a whole list takes when each page takes a while to come.
import { figure, inTurns, parts } from '../lib/measure.mjs';
import { client, names } from './clients.mjs';
import { localServer, total } from './server.mjs';

export const title = 'A list of 25 pages';
export const sizes = { rounds: 5 };

export async function run({ rounds }) {
  const server = await localServer();
  const clients = await Promise.all(names.map(async (name) => [name, (await client(name, server.url)).walk]));
  const walks = Object.fromEntries(clients.filter(([, walk]) => walk));
  const measure = async (walk, name) => {
    const start = performance.now();
    const items = await walk();
    if (items.length !== total) throw new Error(`${name} found ${items.length} of ${total} items.`);
    return performance.now() - start;
  };
  const results = await inTurns(rounds, walks, measure).finally(server.stop);
  const ours = results['@mkt/sdk'];
  return {
    about: `All ${total} items of a list, with what each client has for it; a page takes the server 40 ms. Pages by cursor, as openai and stripe have them, can only be
read one after the other: the next address is in the page before. Pages by number need not, and the SDK reads 8 at once.`,
    columns: ['client', 'milliseconds', 'times the SDK'],
    rows: Object.entries(results).map(([name, times]) => {
      const ratio = name === '@mkt/sdk' ? '' : figure(parts(times, ours), { digits: 1 });
      return { cells: [name, figure(times, { digits: 0 }), ratio], ...(ratio && { goal: { of: 2, atLeast: 4 } }) };
    }),
  };
}
