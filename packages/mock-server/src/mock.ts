import { createApp, demoSeed, demoTokens, memoryStore } from '@mkt/server';
import type { HttpHandler } from 'msw';
import { missingHeaderFace } from './face.js';
import { catchAll } from './handlers.js';
import { type Answer, inProcessFetch } from './in-process.js';
import { NamedResponse } from './named-response.js';

export interface MarketplaceMockOptions {
  /** Where the API seems to be, such as `https://api.example.com`. */
  readonly baseUrl?: string;
  /** Items in a page; 20 by default. */
  readonly pageSize?: number;
}

/** The whole marketplace API in this process. */
export interface MarketplaceMock {
  /** For MSW: `setupServer(...mock.handlers)`, `setupWorker(...mock.handlers)`. */
  readonly handlers: readonly HttpHandler[];
  /** The API without MSW: a `fetch` that reaches this mock alone. */
  readonly fetch: typeof fetch;
  readonly baseUrl: string;
  /** Secrets of the seeded people's tokens. */
  readonly tokens: typeof demoTokens;
  /** Everything as it was in the beginning. */
  reset(): Promise<void>;
}

export function createMarketplaceMock(options: MarketplaceMockOptions = {}): MarketplaceMock {
  const baseUrl = (options.baseUrl ?? 'https://api.example.com').replace(/\/+$/, '');
  const store = memoryStore();
  const app = createApp({
    store,
    face: missingHeaderFace,
    baseUrl,
    Response: NamedResponse,
    ...(options.pageSize === undefined ? {} : { pageSize: options.pageSize }),
  });
  const ready = store.load(demoSeed());
  const answer: Answer = async (request) => {
    if (!request.url.startsWith(`${baseUrl}/`)) return undefined;
    await ready;
    return app.fetch(request);
  };
  return {
    handlers: [catchAll(baseUrl, answer)],
    fetch: inProcessFetch(answer, baseUrl),
    baseUrl,
    tokens: demoTokens,
    reset: () => store.load(demoSeed()),
  };
}
