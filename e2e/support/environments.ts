import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMarketplaceMock } from '@mkt/mock-server';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { openStore, serve } from '@mkt/server/node';
import { setupServer } from 'msw/node';

/** A marketplace with the demo data, however it is reached. */
export interface Environment {
  readonly baseUrl: string;
  readonly tokens: typeof demoTokens;
  /** Where the platform's own fetch does not lead there. */
  readonly fetch?: typeof fetch;
  close(): Promise<void>;
}

const tokens = demoTokens;

/** Every body that the one brain has: two servers on a socket, MSW, and no network at all. */
export const environments: Readonly<Record<string, () => Promise<Environment>>> = {
  async 'HTTP, memory store'() {
    const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
    return { baseUrl: server.url, tokens, close: () => server.close() };
  },

  async 'HTTP, SQLite store'() {
    const folder = await mkdtemp(join(tmpdir(), 'mkt-e2e-'));
    const server = await serve({ store: await openStore(join(folder, 'demo.db')), seed: demoSeed(), port: 0 });
    return {
      baseUrl: server.url,
      tokens,
      async close() {
        await server.close();
        await rm(folder, { recursive: true });
      },
    };
  },

  async 'MSW in Node'() {
    const mock = createMarketplaceMock();
    const network = setupServer(...mock.handlers);
    network.listen({ onUnhandledRequest: 'error' });
    return { baseUrl: mock.baseUrl, tokens: mock.tokens, close: async () => network.close() };
  },

  async 'in process'() {
    const { baseUrl, fetch } = createMarketplaceMock();
    return { baseUrl, tokens, fetch, close: async () => undefined };
  },
};
