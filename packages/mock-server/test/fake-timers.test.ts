import { createMarketplaceMock } from '@mkt/mock-server';
import { Marketplace } from '@mkt/sdk';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';

const mock = createMarketplaceMock();
const network = setupServer(...mock.handlers);
beforeAll(() => network.listen(mock.guard));
afterEach(async () => {
  vi.useRealTimers();
  await mock.reset();
});
afterAll(() => network.close());

const { baseUrl, tokens } = mock;

test.each([
  ['mock.fetch', mock.fetch],
  ['MSW', undefined],
])('under fake timers a delay ends when time is advanced: the SDK through %s', async (_, fetch) => {
  const mkt = new Marketplace({ token: tokens.ada_write, baseUrl, timeout: 5000, ...(fetch && { fetch }) });
  vi.useFakeTimers();
  mock.faults.add({ effect: { delay: 2000 } });
  let name = '';
  const request = mkt.organizations.get(5).then((organization) => {
    name = organization.name;
  });
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0));
  await vi.advanceTimersByTimeAsync(1500);
  expect(name).toBe('');
  await vi.advanceTimersByTimeAsync(600);
  await request;
  expect(name).toBe('Acme Cosmetics');
});
