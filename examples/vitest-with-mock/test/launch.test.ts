import { createMarketplaceMock } from '@mkt/mock-server';
import { ConnectionError, Marketplace, PermissionError } from '@mkt/sdk';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { launch } from '../src/launch.js';

// MSW intercepts every request of the process, whether the code under test uses a client or fetch.
// It responds like the live service: ids are texts, fields without a value are absent, and some fields are new.
const mock = createMarketplaceMock({ ids: 'opaque', like: 'live', strict: true });
const acme = mock.idOf('organizations', 5);
const server = setupServer(...mock.handlers);
const as = (token: string) => new Marketplace({ token, baseUrl: mock.baseUrl, retry: false });
const ada = as(mock.tokens.ada_write);

beforeAll(() => server.listen(mock.guard));
afterEach(() => mock.verifyAndReset());
afterAll(() => server.close());

test('creates the campaign and publishes it', async () => {
  mock.clock.freeze('2026-06-01T00:00:00Z');
  expect(await launch(ada, acme, { name: 'Summer launch' })).toEqual({ outcome: 'launched', id: expect.any(String) });
  expect(await ada.campaigns.get(acme, mock.idOf('campaigns', 48))).toMatchObject({
    status: 'active',
    published_at: '2026-06-01T00:00:00Z',
  });
  expect(mock.requests.list({ operation: 'campaigns.create' })[0]?.body).toEqual({
    campaign: { name: 'Summer launch' },
  });
});

test('reports invalid values by field, with the rules of the API', async () => {
  const result = await launch(ada, acme, { name: '', min_payout_amount: 500, max_payout_amount: 100 });
  expect(result).toMatchObject({ outcome: 'invalid', problems: { name: [expect.any(String)] } });
  expect(mock.requests.list({ operation: 'campaigns.publish' })).toEqual([]);
});

test('rejects a launch by a member', async () => {
  await expect(launch(as(mock.tokens.cleo_write), acme, { name: 'Mine' })).rejects.toThrow(PermissionError);
});

test('leaves a draft and throws when the connection breaks while publishing', async () => {
  mock.faults.add({ match: { operation: 'campaigns.publish' }, effect: 'drop' });
  await expect(launch(ada, acme, { name: 'Unlucky' })).rejects.toThrow(ConnectionError);
  expect((await ada.campaigns.get(acme, mock.idOf('campaigns', 48))).status).toBe('draft');
});
