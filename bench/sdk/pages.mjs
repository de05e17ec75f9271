// How long a walk over a whole list takes when each page takes a while to come.
import { figure, parts } from '../lib/figures.mjs';
import { inTurns } from '../lib/turns.mjs';
import { client, names } from './clients.mjs';
import { localServer } from './local-server.mjs';

export const title = 'A list of 25 pages';
export const sizes = { rounds: 5 };
export const quickSizes = { rounds: 1 };

const total = 500;

export async function run({ rounds }) {
  const server = await localServer();
  const walks = {};
  for (const name of names) {
    const { walk } = await client(name, server.url);
    if (walk) walks[name] = walk;
  }
  const measure = async (walk, name) => {
    const start = performance.now();
    const items = await walk();
    if (items.length !== total) throw new Error(`${name} found ${items.length} of ${total} items.`);
    return performance.now() - start;
  };
  const results = await inTurns(rounds, walks, measure).finally(server.stop);
  const ours = results['@mkt/sdk'];
  const rivals = Object.keys(walks).filter((name) => name !== '@mkt/sdk');
  return {
    about: `All ${total} items of a list, with what each client has for it; a page takes the server 40 ms. Pages by cursor, as openai and stripe have them, can only be
read one after the other: the next address is in the page before. Pages by number need not, and the SDK reads 8 at once.`,
    columns: ['client', 'milliseconds', 'times the SDK'],
    rows: [
      { cells: ['@mkt/sdk', figure(ours, { digits: 0 }), ''] },
      ...rivals.map((name) => ({
        cells: [name, figure(results[name], { digits: 0 }), figure(parts(results[name], ours), { digits: 1 })],
        goal: { of: 2, atLeast: 4 },
      })),
    ],
  };
}
