import { testControls } from '@mkt/mock-server/node';
import { demoSeed, demoTokens, memoryStore, type Store } from '@mkt/server';
import { type Server, serve } from '@mkt/server/node';

export const controlToken = 'control-token-of-the-tests';

/** A real server with the demo data and the control API. */
export async function marketplace(options: { store?: Store; rateLimit?: { requests: number; seconds: number } } = {}) {
  const { store = memoryStore(), ...app } = options;
  const server: Server = await serve({
    ...app,
    store,
    seed: demoSeed(),
    port: 0,
    extend: testControls({ token: controlToken, seed: demoSeed }),
  });
  const call = (method: string, path: string, init: { token?: string; body?: unknown; headers?: object } = {}) =>
    fetch(server.url + path, {
      method,
      headers: {
        Authorization: `Bearer ${init.token ?? demoTokens.ada_write}`,
        Accept: 'application/json',
        ...(init.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...init.headers,
      },
      ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
    });
  const control = async (method: string, path: string, body?: unknown) => {
    const response = await call(method, `/__mkt/v1${path}`, { token: controlToken, body });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  return { url: server.url, call, control, close: () => server.close() };
}
