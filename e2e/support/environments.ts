import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMarketplaceMock } from '@mkt/mock-server';
import { demoSeed, demoTokens, type IdFormat, memoryStore, type Store, type TableName } from '@mkt/server';
import { openStore, serve } from '@mkt/server/node';
import { setupServer } from 'msw/node';

/** A marketplace with the demo data, however it is reached. */
export interface Environment {
  readonly baseUrl: string;
  readonly tokens: typeof demoTokens;
  /** The id of the row with this number, in the format of the marketplace. */
  readonly idOf: (table: NumberedTable, number: number) => number | string;
  /** Where the platform's own fetch does not lead there. */
  readonly fetch?: typeof fetch;
  close(): Promise<void>;
}

type NumberedTable = Extract<TableName, 'organizations' | 'campaigns' | 'collabs'>;

const tokens = demoTokens;

async function served(store: Store): Promise<Environment> {
  const seed = demoSeed(store.ids);
  const server = await serve({ store, seed, port: 0 });
  const idOf: Environment['idOf'] = (table, number) => {
    const rows: readonly { readonly id: number | string; readonly position?: number }[] = seed.tables[table];
    return rows.find(({ id, position = id }) => position === number)?.id ?? 'none';
  };
  return { baseUrl: server.url, tokens, idOf, close: () => server.close() };
}

async function servedFromFile(ids: IdFormat): Promise<Environment> {
  const folder = await mkdtemp(join(tmpdir(), 'mkt-e2e-'));
  const environment = await served(await openStore(join(folder, 'demo.db'), { ids }));
  return {
    ...environment,
    async close() {
      await environment.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function inProcess(ids: IdFormat): Promise<Environment> {
  const { baseUrl, fetch, idOf } = createMarketplaceMock({ ids });
  return { baseUrl, tokens, idOf, fetch, close: async () => undefined };
}

/** The same rules everywhere: two servers on a socket, MSW, and no network at all, in both formats of ids. */
export const environments: Readonly<Record<string, () => Promise<Environment>>> = {
  'HTTP, memory store': () => served(memoryStore()),
  'HTTP, SQLite store': () => servedFromFile('integer'),
  'HTTP, SQLite store, opaque ids': () => servedFromFile('opaque'),
  async 'MSW in Node'() {
    const mock = createMarketplaceMock();
    const network = setupServer(...mock.handlers);
    network.listen({ onUnhandledRequest: 'error' });
    return { baseUrl: mock.baseUrl, tokens: mock.tokens, idOf: mock.idOf, close: async () => network.close() };
  },
  'in process': () => inProcess('integer'),
  'in process, opaque ids': () => inProcess('opaque'),
};
