import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { Marketplace } from '@mkt/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { outcomeOf } from './support/outcome.js';

const token = 'mkt_demo_secret_of_this_test';

/** Answers every request by sending it on, or with a list; keeps what it was sent. */
async function server(location?: (request: IncomingMessage) => string) {
  const seen: string[] = [];
  const http = createServer((request, response) => {
    seen.push(inspect([request.url, request.rawHeaders], { maxArrayLength: null }));
    response.writeHead(location ? 302 : 200, {
      'Content-Type': 'application/json',
      ...(location && { Location: location(request) }),
    });
    response.end('[]');
  });
  await new Promise<void>((listening) => http.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, seen };
}

test('does not send the token to another origin after a redirect of a read or a write', async () => {
  const other = await server();
  const first = await server(({ url }) => `${other.url}${url}`);
  const mkt = new Marketplace({ token, baseUrl: first.url, retry: 0, allowRedirects: true });
  await outcomeOf(mkt.campaigns.list(5), 60_000);
  await outcomeOf(mkt.campaigns.get(5, 3), 60_000);
  await outcomeOf(mkt.campaigns.create(5, { name: 'x' }), 60_000);
  await outcomeOf(mkt.campaigns.publish(5, 3), 60_000);
  await outcomeOf(mkt.request('GET', '/organizations.json'), 60_000);
  expect(first.seen.join()).toContain(token);
  expect(other.seen.length).toBeGreaterThan(0);
  expect(other.seen.join()).not.toContain(token);
});

test('rejects the URL of another server before sending anything', async () => {
  const other = await server();
  const own = await server();
  const mkt = new Marketplace({ token, baseUrl: own.url, retry: 0 });
  for (const address of [
    `${other.url}/organizations.json`,
    `//${new URL(other.url).host}/x`,
    'https://evil.example/',
  ]) {
    const { error } = await outcomeOf(mkt.request('GET', address), 60_000);
    // A path that begins with two slashes stays on the own server, as a path.
    if (error) expect(error.name).toBe('ConfigurationError');
  }
  expect(other.seen).toEqual([]);
});
