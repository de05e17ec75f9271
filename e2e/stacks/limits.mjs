// Limits of MSW that the README names.
import { createMarketplaceMock } from '@mkt/mock-server';
import axios from 'axios';
import { setupServer } from 'msw/node';
import { MockAgent, request } from 'undici';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const mock = createMarketplaceMock();
const network = setupServer(...mock.handlers);
beforeAll(() => network.listen(mock.guard));
afterEach(() => mock.reset());
afterAll(() => network.close());

const headers = { Accept: 'application/json', Authorization: `Bearer ${mock.tokens.ada_write}` };
const api = axios.create({ baseURL: mock.baseUrl, headers, adapter: 'xhr' });
const pending = Symbol('pending');
const outcome = (response) =>
  Promise.race([
    response.then(
      ({ status }) => status,
      ({ code }) => code,
    ),
    new Promise((resolve) => setTimeout(resolve, 1500, pending)),
  ]);

const isMsw2 = process.env.MSW === 'msw@2';

test('XMLHttpRequest: only MSW 3 follows a redirect', async () => {
  const response = api.post('/organizations/5/campaigns/1/publish', {}, { validateStatus: () => true });
  expect(await outcome(response)).toBe(isMsw2 ? 303 : 200);
});

test('XMLHttpRequest: a timeout fires only in MSW 3', async () => {
  mock.faults.add({ effect: 'hang' });
  const response = api.get('/organizations/5.json', { timeout: 100 });
  expect(await outcome(response)).toBe(isMsw2 ? pending : 'ECONNABORTED');
});

test('XMLHttpRequest: a broken connection is a network error', async () => {
  mock.faults.add({ effect: 'drop', times: 1 });
  expect(await outcome(api.get('/organizations/5.json'))).toBe('ERR_NETWORK');
  mock.faults.add({ effect: { truncate: 20 } });
  expect(await outcome(api.get('/organizations/5.json'))).toBe('ERR_NETWORK');
});

test('fetch: a body that breaks off is an error', async () => {
  mock.faults.add({ effect: { truncate: 20 } });
  const text = async () => (await fetch(`${mock.baseUrl}/organizations/5.json`, { headers })).text();
  await expect(text()).rejects.toThrow(TypeError);
});

test("undici's own request is not intercepted", async () => {
  // A dispatcher without connections: what arrives at it would have left.
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  await expect(request(`${mock.baseUrl}/organizations/5.json`, { dispatcher })).rejects.toThrow(
    'Mock dispatch not matched',
  );
});
