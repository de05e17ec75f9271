// What an unchanged resource costs when it is read again: one conditional request and no body.
import { Marketplace } from '@mkt/sdk';
import { figure } from '../lib/figures.mjs';
import { localServer } from './local-server.mjs';

export const title = 'Reading the same resource again';
export const sizes = { calls: 100 };

export async function run({ calls }) {
  const server = await localServer();
  try {
    const mkt = new Marketplace({ token: 'bench', baseUrl: `${server.url}/etag` });
    await mkt.campaigns.get(5, 1);
    const before = await server.counts();
    for (let index = 0; index < calls; index += 1) await mkt.campaigns.get(5, 1);
    const after = await server.counts();
    const part = (what) => figure([(after[what] - before[what]) / calls]);
    return {
      about:
        'The same show again and again, one call after the other: the client asks whether it has changed, and the server answers 304.',
      columns: ['of each call', 'measured'],
      rows: [
        { cells: ['requests', part('requests')], goal: { of: 1, atMost: 1 } },
        { cells: ['304s', part('notModified')], goal: { of: 1, atLeast: 1 } },
      ],
    };
  } finally {
    server.stop();
  }
}
