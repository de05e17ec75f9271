import { testControls } from '@mkt/mock-server/node';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { serve } from '@mkt/server/node';
import { cleanEnvironment } from '../mkt.js';

/** The demo service of the pages, on its own port, with a frozen clock. */
export interface DocsEnvironment {
  readonly url: string;
  /** The data as in the beginning. */
  reset(): Promise<void>;
  /** What a reader has set who followed the page so far. */
  environment(home: string): Record<string, string>;
  close(): Promise<void>;
}

/** The moment on the screens of the pages. */
const now = '2026-06-01T09:00:00Z';
const token = 'the-control-token-of-the-pages';

export async function docsEnvironment(): Promise<DocsEnvironment> {
  const server = await serve({
    store: memoryStore(),
    seed: demoSeed(),
    port: 0,
    extend: testControls({ token, seed: demoSeed }),
  });
  const control = `${server.url}/__mkt/v1`;
  const send = async (path: string, body?: string) => {
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${control}${path}`, { method: 'POST', headers, ...(body && { body }) });
    if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
  };
  const reset = async () => {
    await send('/reset');
    await send('/clock/freeze', JSON.stringify(now));
  };
  await reset();
  return {
    url: server.url,
    reset,
    environment: (home) => ({
      ...cleanEnvironment(home),
      MKT_BASE_URL: server.url,
      MKT_TOKEN: demoTokens.ada_write,
      CONTROL_URL: control,
      CONTROL_TOKEN: token,
    }),
    close: () => server.close(),
  };
}
