import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMarketplaceMock } from '@mkt/mock-server';
import { http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

// MSW's own 'error' takes URLs that end with .json for files, and lets them through.
const mock = createMarketplaceMock({ baseUrl: 'https://api.example.com/v1' });
const msw = setupServer(...mock.handlers);
const received: string[] = [];
const elsewhere = createServer((request, response) => {
  received.push(`${request.method} ${request.url}`);
  response.end('{}');
});
let origin: string;

beforeAll(async () => {
  elsewhere.listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  origin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  msw.listen(mock.guard);
});
afterEach(async () => {
  await mock.reset();
  received.length = 0;
  vi.restoreAllMocks();
});
afterAll(() => {
  msw.close();
  elsewhere.close();
});

describe('mock.guard', () => {
  test.each([
    ['GET', '/organizations.json'],
    ['GET', '/v1/organizations/5/campaigns.json?page=2'],
    ['GET', '/v2/organizations/5/campaigns/1'],
    ['POST', '/organizations/5/campaigns/1/publish'],
    ['DELETE', '/api/me/social_accounts/3.json'],
  ])('fails %s %s on another origin, and sends nothing', async (method, path) => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    const request = fetch(origin + path, { method, headers: { Accept: 'application/json' } });
    await expect(request).rejects.toThrow(TypeError);
    expect(received).toEqual([]);
    const [url = ''] = (origin + path).split('?');
    expect(printed.mock.calls).toEqual([[expect.stringContaining(`${method} ${url} looks like a request to the`)]]);
    expect(printed.mock.calls[0]?.[0]).toContain('the mock is at https://api.example.com/v1');
    expect(mock.requests.list({ unexpected: true })).toMatchObject([
      {
        method,
        path,
        status: null,
        unexpected: `It was not sent to ${origin}: the mock is at https://api.example.com/v1.`,
      },
    ]);
    expect(() => mock.assertNoUnexpected()).toThrow(`${method} ${path} -> null: It was not sent to ${origin}`);
  });

  test('says what was requested and what to do, on the console and in the cause of the error', async () => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    const failed = (url: string) =>
      fetch(url, { headers: { Accept: 'application/json' } }).catch((error: Error) => error.cause);
    const elsewhere = `GET ${origin}/organizations.json looks like a request to the marketplace API, but the mock is at https://api.example.com/v1. It was not sent. Set the base URL of your client, or the option baseUrl of the mock.`;
    expect(await failed(`${origin}/organizations.json`)).toMatchObject({
      name: 'UnexpectedRequest',
      message: elsewhere,
    });
    const unhandled =
      'GET https://api.example.com/v1/organizations.json looks like a request to the marketplace API, but MSW has no handler for it. It was not sent. Pass ...mock.handlers to setupServer or setupWorker.';
    const handlers = msw.listHandlers();
    msw.resetHandlers(http.get('https://other.example', () => undefined));
    expect(await failed(`${mock.baseUrl}/organizations.json`)).toMatchObject({ message: unhandled });
    msw.resetHandlers(...(handlers as typeof mock.handlers));
    expect(printed.mock.calls).toEqual([[`[mkt mock] ${elsewhere}`], [`[mkt mock] ${unhandled}`]]);
    expect(() => mock.assertNoUnexpected()).toThrow(
      'GET /v1/organizations.json -> null: It was not sent to https://api.example.com: MSW has no handler for it.',
    );
  });

  test('does not count a request that passes, and reports one that fails to those who wait and listen', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    await fetch(`${origin}/health`);
    expect(mock.requests.list()).toEqual([]);
    const kinds: string[] = [];
    const end = mock.subscribe(({ kind }) => kinds.push(kind));
    const waiting = mock.requests.waitFor({ unexpected: true });
    const headers = { Accept: 'application/json' };
    await expect(fetch(`${origin}/organizations.json?access_token=mkt_secret`, { headers })).rejects.toThrow();
    expect(JSON.stringify(await waiting)).not.toContain('mkt_secret');
    expect(kinds).toEqual(['request']);
    end();
  });

  test.each([
    ['GET', '/health'],
    ['GET', '/assets/organizations-of-the-page.json'],
    ['POST', '/login'],
  ])('lets %s %s through', async (method, path) => {
    expect((await fetch(origin + path, { method })).status).toBe(200);
    expect(received).toEqual([`${method} ${path}`]);
  });

  test('lets pages with the path of an endpoint through', async () => {
    await fetch(`${origin}/organizations/5/campaigns`, { headers: { Accept: 'text/html' } });
    expect(received).toEqual(['GET /organizations/5/campaigns']);
  });

  test('takes what MSW 3 passes: a frame with the request, or one of a WebSocket', () => {
    vi.spyOn(console, 'error').mockReturnValue();
    const request = new Request('https://api.exmaple.com/organizations.json');
    const { onUnhandledFrame } = mock.guard;
    expect(() => onUnhandledFrame({ frame: { data: { request } } })).toThrow();
    expect(() => onUnhandledFrame({ frame: { data: { connection: {} } } })).not.toThrow();
  });
});
