import type { MarketplaceMock } from '@mkt/mock-server';
import { Marketplace } from '@mkt/sdk';
import { setToken } from './session.js';

/** The server's URL; without it the mock is used. */
const server: string | undefined = import.meta.env.VITE_API_URL;

/** The mock, if no server is configured. */
export let mock: MarketplaceMock | null = null;

let baseUrl = server ?? '';

/** Starts the mock if no server is configured. A build for a server does not contain it. */
export async function prepareApi(): Promise<void> {
  if (server !== undefined) return;
  const [{ createMarketplaceMock }, { mountPanel }, { setupWorker }] = await Promise.all([
    import('@mkt/mock-server'),
    import('@mkt/mock-server/panel'),
    import('msw/browser'),
  ]);
  mock = createMarketplaceMock({ persist: 'session' });
  baseUrl = mock.baseUrl;
  await setupWorker(...mock.handlers).start({ ...mock.guard, quiet: true });
  mountPanel(mock, { signIn: setToken });
}

/** Short retries, because a user is waiting. */
export const clientFor = (token: string): Marketplace =>
  new Marketplace({ token, baseUrl, retry: 2, timeout: 8000, totalTimeout: 12_000 });
