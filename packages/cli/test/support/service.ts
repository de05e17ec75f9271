import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { type ServeOptions, type Server, serve } from '@mkt/server/node';
import { afterAll, beforeAll } from 'vitest';

export const tokens = demoTokens;

/** Where the reference server says it is, whatever its port: goldens hold no port. */
export const PUBLIC_URL = 'http://localhost:4010';

/** The reference server with the demo data on a free port, its clock standing still. */
export const startService = (options: Partial<ServeOptions> = {}): Promise<Server> =>
  serve({
    store: memoryStore(),
    seed: demoSeed(),
    port: 0,
    baseUrl: PUBLIC_URL,
    clock: () => Date.parse('2026-06-01T12:00:00Z'),
    ...options,
  });

/** One service for all tests of a file; gives its address, and what signs Ada in to it, once it runs. */
export function sharedService() {
  let service: Server | undefined;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service?.close());
  const url = (): string => service?.url ?? '';
  return { url, env: () => ({ MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: url() }) };
}
