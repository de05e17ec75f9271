import { Marketplace, type MarketplaceOptions } from '@mkt/sdk';
import { vi } from 'vitest';

/** The token of every test; nothing that the SDK prints may hold it. */
export const token = 'mkt_test_5ecret';

/** A client of a test server that retries without waiting long. */
export const client = (baseUrl: string, options: Partial<MarketplaceOptions> = {}): Marketplace =>
  new Marketplace({ token, baseUrl, retry: { minDelay: 1 }, ...options });

/** The error that a promise ends with; fails where it does not. */
export async function failure<E>(
  promise: PromiseLike<unknown>,
  type: abstract new (...given: never[]) => E,
): Promise<E> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    if (error instanceof type) return error;
    throw error;
  }
  throw new Error(`Expected ${type.name}, got ${JSON.stringify(value)}`);
}

/** Waits for something that happens on the other side of a socket, on a busy machine too. */
export const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000, interval: 5 });
