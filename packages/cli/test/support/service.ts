import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { type ServeOptions, type Server, serve } from '@mkt/server/node';
import { afterAll, beforeAll, beforeEach } from 'vitest';

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

/** One service for all tests of a file, with the demo data for each, and a record of the operations that changed something. */
export function recordedService() {
  const store = memoryStore();
  const writes: string[] = [];
  let service: Server | undefined;
  beforeAll(async () => {
    service = await startService({
      store,
      log: {
        requestCompleted: ({ method, operation }, status) => {
          if (!['GET', 'HEAD'].includes(method) && status < 400) writes.push(String(operation));
        },
        failed: () => undefined,
        stopping: () => undefined,
      },
    });
  });
  afterAll(() => service?.close());
  beforeEach(async () => {
    await store.load(demoSeed());
    writes.length = 0;
  });
  const url = (): string => service?.url ?? '';
  /** Ada's request; the path is without `.json`. */
  const request = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const headers = {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      Authorization: `Bearer ${tokens.ada_write}`,
    };
    const sent: RequestInit = {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const response = await fetch(`${url()}${path}.json`, sent);
    const text = await response.text();
    return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : {};
  };
  return { url, writes, request, campaign: (id: number) => request('GET', `/organizations/5/campaigns/${id}`) };
}
