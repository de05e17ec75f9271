import { Marketplace, type MarketplaceOptions } from '@mkt/sdk';
import { type Dump, demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';
import { onTestFinished } from 'vitest';
import { type ChaosProxy, chaosProxy } from './chaos-proxy.js';

/** A reference server, and proxies to it behind which the network is bad. */
export interface ChaosEnvironment {
  /** A new proxy. Clients keep connections to it: a test that counts on fresh ones opens a proxy of its own. */
  proxy(): Promise<ChaosProxy>;
  /** A client that goes through a proxy. By default it neither retries nor caches. */
  client(proxy: ChaosProxy, options?: Partial<MarketplaceOptions>): Marketplace;
  /** What the server really holds. */
  dump(): Promise<Dump>;
}

/** Gone after the test. @param after a concurrent test hands in its own. */
export async function chaosEnvironment(after = onTestFinished): Promise<ChaosEnvironment> {
  const store = memoryStore();
  // A base address of its own: answers do not depend on the proxy that they come through.
  const server = await serve({ store, seed: demoSeed(), port: 0, baseUrl: 'https://api.example.com' });
  const proxies: ChaosProxy[] = [];
  after(async () => {
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await server.close();
  });
  return {
    async proxy() {
      const proxy = await chaosProxy(server.url);
      proxies.push(proxy);
      return proxy;
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
