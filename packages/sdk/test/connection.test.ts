import { ConnectionError } from '@mkt/sdk';
import { describe, expect, it } from 'vitest';
import { client, failure, token } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { drop, json, redirect, type Step, scripted, text, truncate } from './support/scripted-server.js';

const failed = (call: PromiseLike<unknown>) => failure(call, ConnectionError);

/** A `fetch` that fails as the runtime's own does. */
const failing = (cause: unknown) => async () => {
  throw new TypeError('fetch failed', { cause });
};

it('a ConnectionError without a code says what the innermost error says, without the token', async () => {
  const cause = new Error('failed', { cause: new Error(`no route for ${token}`) });
  const error = await failed(client('http://localhost:1', { fetch: failing(cause) }).address.get());
  expect(error.message).toMatch(/^No response from http:\/\/localhost:1 \(no route for \[token\]\)\./);
});

describe('a ConnectionError says whether the request may have arrived', () => {
  it('no: the connection is refused', async () => {
    const server = await scripted(drop);
    await server.close();
    const error = await failed(client(server.url).campaigns.create(5, { name: 'x' }));
    expect(error).toMatchObject({ code: 'ECONNREFUSED', mayHaveArrived: false });
    expect(error.message).toBe(
      `No response from ${server.url} (ECONNREFUSED). Check the option baseUrl, and that the server can be reached.`,
    );
  });

  it.each<[string, Step]>([
    ['the connection is dropped', drop],
    ['the answer breaks off', truncate],
    ['the answer is damaged', text(200, '{"id": 1}', { 'content-encoding': 'gzip' })],
  ])('yes: %s', async (_, step) => {
    await using server = await scripted(step);
    const error = await failed(client(server.url).campaigns.create(5, { name: 'x' }));
    // The code depends on which side notices first.
    expect(error.code).toMatch(/^(UND_ERR_SOCKET|ECONNRESET|Z_DATA_ERROR)$/);
    expect(error.message).toMatch(step === drop ? /^No response/ : /^The response is incomplete or damaged\.$/);
    expect(error.mayHaveArrived).toBe(true);
    expect(server.seen).toHaveLength(1);
  });

  const systemError = (code: string, syscall: string) => Object.assign(new Error(code), { code, syscall });
  it.each([
    ['all addresses of a host fail', new AggregateError([systemError('ETIMEDOUT', 'connect')]), false],
    ['the network is gone while connecting', systemError('EHOSTUNREACH', 'connect'), false],
    ['the network is gone while waiting', systemError('EHOSTUNREACH', 'read'), true],
    ['there is no such host', systemError('ENOTFOUND', 'getaddrinfo'), false],
    ['no connection in time', Object.assign(new Error('slow'), { code: 'UND_ERR_CONNECT_TIMEOUT' }), false],
    ['a self-signed certificate', systemError('DEPTH_ZERO_SELF_SIGNED_CERT', ''), false],
    [
      'a refused connection in Deno, whose errors have no codes',
      new Error('error sending request for url (http://x/): client error (Connect): tcp connect error'),
      false,
    ],
    [
      'a closed connection in Deno',
      new Error('error sending request for url (http://x/): client error (SendRequest): connection closed'),
      true,
    ],
    ['a closed connection', systemError('ECONNRESET', 'read'), true],
    ['a code that is not a string', Object.assign(new Error('odd'), { code: 20 }), true],
    ['no cause', undefined, true],
  ])('%s', async (_, cause, mayHaveArrived) => {
    let calls = 0;
    const fetch = async (): Promise<Response> => {
      calls += 1;
      return failing(cause)();
    };
    const error = await failed(client('http://localhost:1', { fetch }).campaigns.create(5, { name: 'x' }));
    expect(error.mayHaveArrived).toBe(mayHaveArrived);
    expect(error.code === undefined || typeof error.code === 'string').toBe(true);
    // D48: a POST is repeated exactly where it cannot have arrived.
    expect(calls).toBe(mayHaveArrived ? 1 : 3);
  });
});

it.each(['error', 'opaque'])('a response of the type %s counts as a failed connection', async (type) => {
  const fetch = async () => Object.defineProperty(Response.error(), 'type', { value: type });
  const error = await failed(client('http://localhost:1', { fetch }).campaigns.create(5, { name: 'x' }));
  expect(error.message).toMatch(/^No response from http:\/\/localhost:1\. Check/);
  expect(error).toMatchObject({ attempts: 1, mayHaveArrived: true });
});

it('a redirect loop is reported as one', async () => {
  await using server = await scripted(redirect('/organizations/5/campaigns/1.json', 302));
  const error = await failed(client(server.url, { retry: false }).campaigns.get(5, 1));
  expect(error.message).toBe(`${server.url} redirects endlessly. Check the option baseUrl.`);
  expect(error).toMatchObject({ code: 'REDIRECT_LOOP', mayHaveArrived: true });
});

it('a redirect to somewhere else is followed', async () => {
  await using server = await scripted(redirect('/elsewhere', 302), json(sampleCampaign()));
  const { data } = await client(server.url).campaigns.get(5, 1).withResponse();
  expect(data.id).toBe(1);
  expect(server.seen.map(({ url }) => url)).toEqual(['/organizations/5/campaigns/1.json', '/elsewhere']);
});
