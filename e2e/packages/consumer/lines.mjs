// Which line of this program the mock names for calls of the SDK, whether they are awaited or not.
import { createMarketplaceMock } from '@mkt/mock-server';
import { createMarketplaceMock as createFetchMock } from '@mkt/mock-server/fetch';
import { Marketplace } from '@mkt/sdk';
import { setupServer } from 'msw/node';

process.on('unhandledRejection', () => undefined);

const calls = (mkt) => [
  () => void mkt.campaigns.get(5, 1), // call
  () => void mkt.organization(5).campaigns.update(1, { cpmAmount: 5 }), // call
  () => void mkt.campaigns.create(5, { name: 'A' }).then(() => undefined), // call
  async () => {
    for await (const campaign of mkt.campaigns.list(5)) console.log(campaign); // call
  },
  async () => {
    const list = mkt.collabs.list(5); // call
    await list;
  },
  () => mkt.members.list(5).all(), // call
  () => mkt.campaigns.publish(5, 1), // call
  () => mkt.request('GET', '/organizations.json?per_page=5'), // call
  () => mkt.each([1], (id) => mkt.campaigns.delete(5, id)), // call
];

async function linesOf(mock, fetch) {
  const mkt = new Marketplace({ token: 'undefined', baseUrl: mock.baseUrl, fetch, retry: false });
  const lines = [];
  for (const call of calls(mkt)) {
    const sent = mock.requests.waitFor({ unexpected: true });
    Promise.resolve(call()).catch(() => undefined);
    lines.push(Number(/^\S*lines\.mjs:(\d+):/.exec((await sent).call)?.[1]));
    mock.requests.clear();
  }
  return lines;
}

const plain = createFetchMock({ strict: true });
const mock = createMarketplaceMock({ strict: true });
const network = setupServer(...mock.handlers);
network.listen(mock.guard);
console.log(JSON.stringify([await linesOf(plain, plain.fetch), await linesOf(mock)]));
