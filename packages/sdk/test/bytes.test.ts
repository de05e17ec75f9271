import { ConfigurationError, ConnectionError, NotFoundError, TimeoutError } from '@mkt/sdk';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { client, failure } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { empty, hang, json, redirect, type Step, scripted } from './support/scripted-server.js';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const image: Step = (response) => {
  response.writeHead(200, { 'content-type': 'image/png' });
  response.end(png);
};
const halfAnImage: Step = (response) => {
  response.writeHead(200, { 'content-type': 'image/png', 'content-length': png.length });
  response.write(png.subarray(0, 20), () => response.socket?.destroy());
};

describe('asResponse()', () => {
  it('keeps bytes', async () => {
    await using server = await scripted(empty(503), image);
    const response = await client(server.url).request('GET', '/logo.png').asResponse();
    expect(Buffer.from(await response.arrayBuffer())).toEqual(png);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.url).toBe(`${server.url}/logo.png`);
  });

  it('resolves at the headers: the body is a stream of its own, without the timeout', async () => {
    let finish = (): void => undefined;
    await using server = await scripted((response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('first');
      finish = () => void response.end('last');
    });
    // The limits pass by the clock of the test, so a busy machine may take its time until the headers.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const response = await client(server.url, { timeout: 200, totalTimeout: 300 }).request('GET', '/slow').asResponse();
    expect(response.bodyUsed).toBe(false);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const read = async () => new TextDecoder().decode((await reader.read()).value);
    expect(await read()).toBe('first');
    vi.advanceTimersByTime(400);
    finish();
    expect([await read(), (await reader.read()).done]).toEqual(['last', true]);
  });

  it('is the response of a resource and of a list, past the cache', async () => {
    await using server = await scripted(json(sampleCampaign(), { headers: { etag: '"1"' } }));
    const mkt = client(server.url);
    await mkt.campaigns.get(5, 1);
    expect((await mkt.campaigns.get(5, 1).asResponse()).bodyUsed).toBe(false);
    expect((await (await mkt.campaigns.list(5).asResponse()).json()).id).toBe(1);
    expect(server.seen.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, undefined, undefined]);
  });

  it('rejects for an error status as awaiting does, and when it comes too late to leave the body unread', async () => {
    await using server = await scripted(empty(404));
    const mkt = client(server.url);
    await failure(mkt.campaigns.get(5, 1).asResponse(), NotFoundError);
    const begun = mkt.campaigns.get(5, 1);
    await failure(begun, NotFoundError);
    await failure(begun.asResponse(), ConfigurationError);
  });
});

describe('download()', () => {
  it('returns the bytes of an image of the service, with retries and the timeout of the body', async () => {
    await using server = await scripted(halfAnImage, image);
    const blob = await client(server.url).download(`${server.url}/logo.png`);
    expect([blob.type, Buffer.from(await blob.arrayBuffer())]).toEqual(['image/png', png]);
    expect(server.seen[1]?.headers).toMatchObject({ authorization: 'Bearer mkt_test_5ecret', accept: '*/*' });
  });

  it('sends nothing of the client to another host, directly or by a redirect', async () => {
    await using images = await scripted(image);
    await using server = await scripted(redirect(`${images.url}/1.png`, 302));
    const mkt = client(server.url, { headers: { 'X-Gateway-Key': 'secret' } });
    for (const url of [`${images.url}/1.png`, `${server.url}/logo.png`])
      expect((await mkt.download(url)).size).toBe(png.length);
    for (const { headers } of images.seen) {
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty('x-gateway-key');
    }
    expect(images.seen).toHaveLength(2);
  });

  it.each([
    ['a body that never ends', (response) => void response.writeHead(200).write('x'), TimeoutError, 100],
    ['no response', hang, TimeoutError, 100],
    ['an error', empty(404), NotFoundError, undefined],
  ] as [string, Step, typeof NotFoundError, number | undefined][])('rejects for %s', async (_, step, type, timeout) => {
    await using server = await scripted(step);
    await failure(client(server.url, { timeout, retry: 0 }).download(`${server.url}/1.png`), type);
  });

  it.each(['file:///etc/passwd', 'nonsense', ''])('%j is refused', async (url) => {
    await failure(client('http://127.0.0.1:9').download(url), ConfigurationError);
  });
});

describe('a redirect of a read', () => {
  it('to another origin is an error that names it, and nothing is sent there', async () => {
    await using other = await scripted(json(sampleCampaign()));
    await using server = await scripted(redirect(`${other.url}/moved`, 302));
    const error = await failure(client(server.url).campaigns.get(5, 1), ConfigurationError);
    expect(error.message).toContain(other.url);
    expect(error.message).toContain('allowRedirects');
    expect([server.seen.length, other.seen.length]).toEqual([1, 0]);
  });

  it('is followed there with allowRedirects, without headers of the client; the URL of the response is set', async () => {
    await using other = await scripted(json(sampleCampaign()));
    await using server = await scripted(redirect(`${other.url}/moved`, 302));
    const headers = { 'X-Gateway-Key': 'secret' };
    const { data, response } = await client(server.url, { allowRedirects: true })
      .campaigns.get(5, 1, { headers })
      .withResponse();
    expect([data.id, response.url]).toEqual([1, `${other.url}/moved`]);
    expect(other.seen[0]?.headers).not.toHaveProperty('x-gateway-key');
    expect(other.seen[0]?.headers).not.toHaveProperty('authorization');
  });

  it('within the server keeps the headers', async () => {
    await using server = await scripted(redirect('/elsewhere', 307), json(sampleCampaign()));
    const { response } = await client(server.url)
      .campaigns.get(5, 1, { headers: { 'X-Key': '1' } })
      .withResponse();
    expect(response.url).toBe(`${server.url}/elsewhere`);
    expect(server.seen[1]?.headers).toMatchObject({ 'x-key': '1', authorization: 'Bearer mkt_test_5ecret' });
  });

  it('in a loop is not retried', async () => {
    await using server = await scripted(redirect('/a', 302), redirect('/b', 302), redirect('/a', 302));
    const error = await failure(client(server.url).campaigns.get(5, 1), ConnectionError);
    expect([error.code, error.attempts]).toEqual(['REDIRECT_LOOP', 1]);
    expect(server.seen.length).toBeLessThan(5);
  });
});

it('a body that is sent with progress goes in chunks', async () => {
  await using server = await scripted(json({ id: 5 }));
  await client(server.url).organizations.update(5, { logo: png }, { onUploadProgress: () => undefined });
  expect(server.seen[0]?.headers['transfer-encoding']).toBe('chunked');
});
