import { Marketplace, type MarketplaceOptions } from '@mkt/sdk';
import { type Dump, demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';
import { onTestFinished } from 'vitest';
import { type ChaosProxy, chaosProxy } from './chaos-proxy.js';

/** A reference server, and doors to it behind which the network is bad. */
export interface ChaosWorld {
  /** A new door. Clients keep connections to it: a test that counts on fresh ones opens a door of its own. */
  door(): Promise<ChaosProxy>;
  /** A client that goes through a door. It neither retries nor keeps answers unless it is told to. */
  client(door: ChaosProxy, options?: Partial<MarketplaceOptions>): Marketplace;
  /** What the server really holds. */
  dump(): Promise<Dump>;
}

/** Gone after the test. @param after a concurrent test hands in its own. */
export async function chaosWorld(after = onTestFinished): Promise<ChaosWorld> {
  const store = memoryStore();
  // A base address of its own: answers do not depend on the door that they come through.
  const server = await serve({ store, seed: demoSeed(), port: 0, baseUrl: 'https://api.example.com' });
  const doors: ChaosProxy[] = [];
  after(async () => {
    await Promise.all(doors.map((door) => door.close()));
    await server.close();
  });
  return {
    async door() {
      const door = await chaosProxy(server.url);
      doors.push(door);
      return door;
    },
    client: ({ url }, options = {}) =>
      new Marketplace({
        token: demoTokens.ada_write,
        baseUrl: url,
        retry: 0,
        cache: false,
        // Echoed in the answer, so that equal answers are equally long.
        headers: { 'x-request-id': 'chaos' },
        ...options,
      }),
    dump: () => store.dump(),
  };
}
