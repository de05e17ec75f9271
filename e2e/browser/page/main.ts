import { createMarketplaceMock } from '@mkt/mock-server';
import { mountPanel } from '@mkt/mock-server/panel';
import { Marketplace } from '@mkt/sdk';
import { setupWorker } from 'msw/browser';
import { play } from '../../parity/play.js';
import { mistakes } from './mistakes.js';

const asked = new URLSearchParams(location.search);

const mock = createMarketplaceMock({
  baseUrl: asked.get('baseUrl') ?? 'https://api.example.com',
  persist: asked.get('persist') === 'session' ? 'session' : 'none',
  strict: asked.has('strict'),
  strictCors: asked.has('strictCors'),
  cors: asked.get('cors') === 'off' ? 'off' : 'loopback',
});
const worker = setupWorker(...mock.handlers);
await worker.start(asked.has('guard') ? mock.guard : { quiet: true, onUnhandledRequest: 'bypass' });

/** What the tests reach from outside. */
const lab = {
  mock,
  mkt: new Marketplace({ token: mock.tokens.ada_write, baseUrl: mock.baseUrl }),
  Marketplace,
  mistakes: mistakes(mock.baseUrl),
  mountPanel: () => mountPanel(mock),
  play: () => play({ url: mock.baseUrl, fetch: (...given) => fetch(...given), control: mock }),
};
export type Lab = typeof lab;
Object.assign(globalThis, { lab });
if (asked.has('panel')) mountPanel(mock, asked.has('left') ? { position: 'top-left', theme: 'dark' } : {});
document.title = 'ready';
