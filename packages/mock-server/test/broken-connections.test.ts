import http from 'node:http';
import { createMarketplaceMock } from '@mkt/mock-server';
import { connectControl, type RemoteControl } from '@mkt/mock-server/control';
import { testControls } from '@mkt/mock-server/node';
import { demoSeed, memoryStore } from '@mkt/server';
import { type Server, serve } from '@mkt/server/node';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

const mock = createMarketplaceMock({ baseUrl: 'http://mock.test' });
const network = setupServer(...mock.handlers);
const headers = { Accept: 'application/json', Authorization: `Bearer ${mock.tokens.ada_read}` };
let server: Server;
let control: RemoteControl;

beforeAll(async () => {
  server = await serve({
    store: memoryStore(),
    seed: demoSeed(),
    port: 0,
    extend: testControls({ token: 'x', seed: demoSeed }),
  });
  control = connectControl({ url: `${server.url}/__mkt/v1`, token: 'x' });
  network.listen({ onUnhandledRequest: 'bypass' });
});
afterEach(() => Promise.all([mock.reset(), control.reset()]));
afterAll(async () => {
  network.close();
  await server.close();
});

interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly cause?: { readonly code?: string };
}

/** What a client of `node:http` observes. */
const overHttp = (url: string): Promise<readonly unknown[]> =>
  new Promise((resolve) => {
    const seen: unknown[] = [];
    const failed = (error: Failure): void => void seen.push([error.name, error.message, error.code]);
    const request = http.get(url, { headers }, (response) => {
      seen.push(response.statusCode);
      response.on('data', (bytes: Buffer) => seen.push(String(bytes))).on('error', failed);
    });
    request.on('error', failed).on('close', () => setImmediate(resolve, seen));
  });

/** What a client of `fetch` observes, without the message, which is the environment's own. */
const overFetch = async (url: string): Promise<readonly unknown[]> => {
  const failed = ({ name, cause }: Failure) => [name, cause?.code];
  const response = await fetch(url, { headers }).catch(failed);
  if (!(response instanceof Response)) return response;
  return [response.status, await response.text().catch(failed)];
};

describe.each([
  ['drop', 'node:http', overHttp, [['Error', 'socket hang up', 'ECONNRESET']]],
  ['drop', 'fetch', overFetch, ['TypeError', 'UND_ERR_SOCKET']],
  [{ truncate: 9 }, 'node:http', overHttp, [200, '{"id":5,"', ['Error', 'aborted', 'ECONNRESET']]],
  [{ truncate: 9 }, 'fetch', overFetch, [200, ['TypeError', 'UND_ERR_SOCKET']]],
] as const)('the fault %j over %s', (effect, _, observe, expected) => {
  test('breaks the connection to a server', async () => {
    await control.faults.add({ effect });
    expect(await observe(`${server.url}/organizations/5.json`)).toEqual(expected);
  });

  test('looks the same in the mock', async () => {
    mock.faults.add({ effect });
    expect(await observe(`${mock.baseUrl}/organizations/5.json`)).toEqual(expected);
  });
});

test('"hang" over node:http ends like a broken connection when faults are cleared', async () => {
  const { id } = mock.faults.add({ effect: 'hang' });
  const seen = overHttp(`${mock.baseUrl}/organizations/5.json`);
  await expect.poll(() => mock.faults.get(id).hits).toBe(1);
  mock.faults.clear();
  expect(await seen).toEqual([['Error', 'socket hang up', 'ECONNRESET']]);
});

test("MSW's limit: fetch rejects with MSW's own message", async () => {
  mock.faults.add({ effect: 'drop' });
  await expect(fetch(`${mock.baseUrl}/organizations/5.json`, { headers })).rejects.toThrow('Failed to fetch');
  await expect(mock.fetch(`${mock.baseUrl}/organizations/5.json`, { headers })).rejects.toThrow('fetch failed');
});
