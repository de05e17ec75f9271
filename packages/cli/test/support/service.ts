import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { type ServeOptions, type Server, serve } from '@mkt/server/node';

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
