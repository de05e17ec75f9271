import type { MarketplaceMock } from '@mkt/mock-server';
import { Marketplace } from '@mkt/sdk';

/** The server to talk to; the mock when it is not set. */
const server: string | undefined = import.meta.env.VITE_API_URL;

/** The mock, while there is no server. */
export let mock: MarketplaceMock | null = null;

let baseUrl = server ?? '';

/** Starts the mock where no server is named. It is loaded only then: a build for a server never ships it. */
export async function prepareApi(): Promise<void> {
  if (server !== undefined) return;
  const [{ createMarketplaceMock }, { setupWorker }] = await Promise.all([
    import('@mkt/mock-server'),
    import('msw/browser'),
  ]);
  mock = createMarketplaceMock({ persist: 'session' });
  baseUrl = mock.baseUrl;
  await setupWorker(...mock.handlers).start({ onUnhandledRequest: 'bypass', quiet: true });
  // Faults that a reload brought back are there from now on: the panel shows them.
  await mock.ready;
}

/** Two more attempts, and not for long: a person is waiting. */
export const clientFor = (token: string): Marketplace =>
  new Marketplace({ token, baseUrl, retry: 2, timeout: 8000, totalTimeout: 12_000 });
