import diagnostics from 'node:diagnostics_channel';
import { ConfigurationError, Marketplace, ResponseValidationError, ServerError, type TracedAttempt } from '@mkt/sdk';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { bundle } from './support/bundle.js';
import { client, failure, token } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { empty, json, scripted } from './support/scripted-server.js';

const campaign = json(sampleCampaign());

describe('on Node', () => {
  it('MKT_TOKEN and MKT_BASE_URL are defaults, but not for options that are given as undefined', async () => {
    await using server = await scripted(campaign);
    vi.stubEnv('MKT_TOKEN', 'from_env');
    vi.stubEnv('MKT_BASE_URL', server.url);
    try {
      await new Marketplace().campaigns.get(5, 1);
      await new Marketplace({ token }).campaigns.get(5, 1);
      expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer from_env', `Bearer ${token}`]);
      const noToken = { token: undefined } as unknown as { token: string };
      expect(() => new Marketplace(noToken)).toThrow(ConfigurationError);
      vi.stubEnv('MKT_TOKEN', undefined);
      expect(() => new Marketplace()).toThrow('option token (or MKT_TOKEN)');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('a User-Agent is sent, which the options replace', async () => {
    await using server = await scripted(campaign);
    await client(server.url).campaigns.get(5, 1);
    await client(server.url, { userAgent: 'mine/1' }).campaigns.get(5, 1);
    const [first, second] = server.seen.map(({ headers }) => headers['user-agent']);
    expect(first).toMatch(/^mkt-sdk\/\d+\.\d+\.\d+/);
    expect(second).toBe('mine/1');
  });
});

it('sends the body of a POST as a stream where fetch would repeat the request', async () => {
  await using server = await scripted(campaign);
  // As in Deno, where the client was loaded.
  vi.stubGlobal('Deno', {});
  vi.resetModules();
  try {
    const { Marketplace } = await import('@mkt/sdk');
    const mkt = new Marketplace({ token, baseUrl: server.url });
    await mkt.campaigns.create(5, { name: 'x' });
    await mkt.request('POST', '/form', { body: new URLSearchParams({ a: '1' }) });
    await mkt.campaigns.update(5, 1, { name: 'x' });
  } finally {
    vi.unstubAllGlobals();
    vi.resetModules();
  }
  const seen = server.seen.map(({ headers, body }) => [
    headers['transfer-encoding'],
    headers['content-type'],
    String(body),
  ]);
  expect(seen).toEqual([
    ['chunked', 'application/json', '{"campaign":{"name":"x"}}'],
    ['chunked', 'application/x-www-form-urlencoded;charset=UTF-8', 'a=1'],
    [undefined, 'application/json', '{"campaign":{"name":"x"}}'],
  ]);
});

describe('the channel mkt:request', () => {
  const channel = diagnostics.tracingChannel<unknown, TracedAttempt>('mkt:request');

  it('reports each attempt without secrets, and sends the headers of a subscriber', async () => {
    await using server = await scripted(empty(503), campaign);
    const events: [string, TracedAttempt][] = [];
    const on = (name: string) => (attempt: object) => {
      events.push([name, { ...(attempt as TracedAttempt) }]);
    };
    const subscribers = {
      start: (attempt: object) => {
        on('start')(attempt);
        Object.assign((attempt as TracedAttempt).headers, { traceparent: '00-1-2-01' });
      },
      end: () => undefined,
      asyncStart: () => undefined,
      asyncEnd: on('asyncEnd'),
      error: on('error'),
    };
    channel.subscribe(subscribers);
    try {
      await client(server.url).campaigns.get(5, 1);
      await failure(client('http://127.0.0.1:1', { retry: false }).request('GET', '/x?secret=1'), Error);
    } finally {
      channel.unsubscribe(subscribers);
    }
    await client(server.url).campaigns.get(5, 1);
    const common = {
      operation: 'campaigns.get',
      method: 'GET',
      path: '/organizations/:organization_id/campaigns/:id.json',
    };
    expect(events.map(([name, { operation, attempt, status }]) => [name, operation, attempt, status])).toEqual([
      ['start', 'campaigns.get', 1, undefined],
      ['asyncEnd', 'campaigns.get', 1, 503],
      ['start', 'campaigns.get', 2, undefined],
      ['asyncEnd', 'campaigns.get', 2, 200],
      ['start', 'request', 1, undefined],
      ['error', 'request', 1, undefined],
      ['asyncEnd', 'request', 1, undefined],
    ]);
    expect(events[1]?.[1]).toMatchObject(common);
    expect(events[4]?.[1].path).toBe('/x');
    expect(JSON.stringify(events)).not.toMatch(new RegExp(`${token}|secret`));
    expect(server.seen.map(({ headers }) => headers.traceparent)).toEqual(['00-1-2-01', '00-1-2-01', undefined]);
  });

  it('is not in a bundle for browsers, nor are the defaults of Node', async () => {
    const entry = new URL('../src/index.ts', import.meta.url).pathname;
    expect(await bundle(entry, { platform: 'browser' })).not.toMatch(/mkt:request|diagnostics_channel|mkt-sdk\//);
    expect(await bundle(entry, { platform: 'node' })).toMatch(/mkt:request/);
  });
});

describe('request() with a schema', () => {
  const schema = z.object({
    id: z.number(),
    at: z.pipe(
      z.string(),
      z.transform((text: string) => new Date(text)),
    ),
  });

  it('returns what the schema makes of the response', async () => {
    await using server = await scripted(json({ id: 1, at: '2026-01-05T09:00:00Z', more: true }));
    const mkt = client(server.url);
    const { data, response, meta } = await mkt.request('GET', '/x', { schema }).withResponse();
    expect(data.at.getUTCFullYear()).toBe(2026);
    expect(data).not.toHaveProperty('more');
    expect([meta.status, await response.json()]).toEqual([200, expect.objectContaining({ more: true })]);
  });

  it('throws where the response differs', async () => {
    await using server = await scripted(json({ id: 'x', at: '' }), empty(500));
    const mkt = client(server.url, { retry: false });
    const error = await failure(mkt.request('GET', '/x', { schema }), ResponseValidationError);
    expect(error.issues).toEqual([
      { path: ['id'], expected: expect.stringContaining('Invalid input'), received: 'string' },
    ]);
    expect(error.message).toMatch(
      /^The response to request differs from the schema in 1 place, first id: Invalid input/,
    );
    await failure(mkt.request('GET', '/x', { schema }), ServerError);
  });

  it('says that the schema failed if it throws', async () => {
    await using server = await scripted(json({ id: 1 }));
    const validate = () => {
      throw new Error('my bug');
    };
    const call = client(server.url).request('GET', '/x', { schema: { '~standard': { validate } } });
    expect((await failure(call, ConfigurationError)).message).toBe('The schema failed: my bug');
  });
});

describe('a Response as a file', () => {
  const created = json({ id: 5 }, { status: 201 });

  it('is sent with its type and the name in its URL', async () => {
    await using images = await scripted((response) => {
      response.writeHead(200, { 'content-type': 'image/png' });
      response.end('pixels');
    });
    await using server = await scripted(created);
    const mkt = client(server.url);
    await mkt.organizations.create({ name: 'Acme', logo: await fetch(`${images.url}/logos/acme.png?size=2`) });
    await mkt.organizations.create({ name: 'Acme', logo: new Response('bytes') });
    const [first, second] = server.seen.map(({ body }) => String(body));
    expect(first).toMatch(/filename="acme\.png"\r\nContent-Type: image\/png\r\n\r\npixels/);
    expect(second).toMatch(/filename="file"[\s\S]*bytes/);
  });

  it('is rejected if it is an error, or was read', async () => {
    await using server = await scripted(created);
    const mkt = client(server.url);
    const read = new Response('bytes');
    await read.text();
    for (const [logo, says] of [
      [new Response('Not found', { status: 404 }), 'status 404'],
      [read, 'read already'],
    ] as const)
      expect((await failure(mkt.organizations.create({ name: 'x', logo }), ConfigurationError)).message).toContain(
        says,
      );
    expect(server.seen).toHaveLength(0);
  });
});
