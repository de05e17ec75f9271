// What an unchanged resource costs when it is read again: one conditional request and no body.
import { Marketplace } from '@mkt/sdk';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';
import { figure } from '../lib/measure.mjs';

export const title = 'Reading the same resource again';
export const sizes = { calls: 100 };

export async function run({ calls }) {
  const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
  const statuses = [];
  const counting = async (url, init) => {
    const response = await fetch(url, init);
    statuses.push(response.status);
    return response;
  };
  const mkt = new Marketplace({ token: demoTokens.ada_write, baseUrl: server.url, fetch: counting });
  for (let index = 0; index <= calls; index += 1) await mkt.campaigns.get(5, 1);
  await server.close();
  const again = statuses.slice(1);
  return {
    about:
      'The same show again and again, one call after the other: the client asks whether it has changed, and the server answers 304.',
    columns: ['of each call', 'measured'],
    rows: [
      { cells: ['requests', figure([again.length / calls])], goal: { of: 1, atMost: 1 } },
      {
        cells: ['304s', figure([again.filter((status) => status === 304).length / calls])],
        goal: { of: 1, atLeast: 1 },
      },
    ],
  };
}
