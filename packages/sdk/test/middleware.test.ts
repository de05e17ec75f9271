import { ConfigurationError, type Middleware, NotFoundError, ServerError } from '@mkt/sdk';
import ky from 'ky';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { client, failure, token } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { drop, empty, hang, json, type Step, scripted } from './support/scripted-server.js';

const campaign = json(sampleCampaign());

describe('middleware', () => {
  it('surrounds each attempt, the first of the list outermost', async () => {
    await using server = await scripted(empty(503), campaign);
    const steps: string[] = [];
    const layer =
      (name: string): Middleware =>
      async (request, next, { operation, attempt }) => {
        steps.push(`${name} in ${operation} ${attempt}`);
        const response = await next(request);
        steps.push(`${name} out ${response.status}`);
        return response;
      };
    await client(server.url, { middleware: [layer('a'), layer('b')] }).campaigns.get(5, 1);
    expect(steps).toEqual([
      'a in campaigns.get 1',
      'b in campaigns.get 1',
      'b out 503',
      'a out 503',
      'a in campaigns.get 2',
      'b in campaigns.get 2',
      'b out 200',
      'a out 200',
    ]);
  });

  it('may change the request and read the response', async () => {
    await using server = await scripted(campaign);
    const seen: unknown[] = [];
    const middleware: Middleware[] = [
      async (request, next) => {
        expect(request.headers.get('authorization')).toBe(`Bearer ${token}`);
        const changed = new Request(request);
        changed.headers.set('x-trace', 'abc');
        const response = await next(changed);
        seen.push(await response.clone().json());
        return response;
      },
    ];
    const data = await client(server.url, { middleware }).campaigns.update(5, 1, { name: 'x' });
    expect(server.seen[0]?.headers['x-trace']).toBe('abc');
    expect(String(server.seen[0]?.body)).toBe('{"campaign":{"name":"x"}}');
    expect(seen).toEqual([data]);
  });

  it('may read the body of the request, to sign it', async () => {
    await using server = await scripted(empty(503), campaign);
    const read: string[] = [];
    const middleware: Middleware[] = [
      async (request, next) => {
        read.push(await request.text());
        request.headers.set('x-signature', 'abc');
        return next(request);
      },
    ];
    await client(server.url, { middleware }).campaigns.update(5, 1, { name: 'x' });
    const body = '{"campaign":{"name":"x"}}';
    expect(read).toEqual([body, body]);
    expect(server.seen.map((seen) => [String(seen.body), seen.headers['x-signature']])).toEqual([
      [body, 'abc'],
      [body, 'abc'],
    ]);
  });

  it.each<[string, (response: Response) => Promise<unknown>]>([
    ['has read', (response) => response.text()],
    ['reads', async (response) => response.body?.getReader()],
  ])('that %s the response it returns gets an error that says so', async (_, read) => {
    await using server = await scripted(campaign);
    const middleware: Middleware[] = [
      async (request, next) => {
        const response = await next(request);
        await read(response);
        return response;
      },
    ];
    const error = await failure(client(server.url, { middleware }).campaigns.get(5, 1), ConfigurationError);
    expect(error.message).toBe('campaigns.get: a middleware has read the response. Let it read response.clone().');
    expect(server.seen).toHaveLength(1);
  });

  it('may return a response of its own', async () => {
    await using server = await scripted(campaign);
    const middleware: Middleware[] = [async () => new Response('{"error":"Nothing here."}', { status: 404 })];
    const error = await failure(client(server.url, { middleware }).campaigns.get(5, 1), NotFoundError);
    expect(error.message).toContain('Nothing here.');
    expect(server.seen).toHaveLength(0);
  });

  it.each([
    ['an error', new Error('my bug')],
    ['an error with a status', Object.assign(new Error('my other service is down'), { status: 503 })],
    ['nothing', undefined],
  ])('that throws %s is not retried: the error is the cause of a ConfigurationError', async (_, mine) => {
    await using server = await scripted(campaign);
    let calls = 0;
    const middleware: Middleware[] = [
      async () => {
        calls += 1;
        throw mine;
      },
    ];
    const error = await failure(client(server.url, { middleware }).campaigns.get(5, 1), ConfigurationError);
    expect(error).toMatchObject({ operation: 'campaigns.get', method: 'GET', attempts: 0, mayHaveArrived: false });
    expect(error.cause).toBe(mine);
    expect(calls).toBe(1);
  });

  it.each<[string, Step, string]>([
    ['an HTTPError', empty(503), 'HTTPError'],
    // The time of that ky is over once its request has arrived, and not before.
    ['a TimeoutError', () => void vi.advanceTimersByTime(100), 'TimeoutError'],
  ])('may use ky itself: %s of that ky is the cause of the error, and is not retried', async (_, step, name) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await using other = await scripted(step);
    await using server = await scripted(campaign);
    let thrown: unknown;
    const middleware: Middleware[] = [
      async (request, next) => {
        await ky(other.url, { retry: 0, timeout: 100 }).catch((error) => {
          thrown = error;
          throw error;
        });
        return next(request);
      },
    ];
    const error = await failure(client(server.url, { middleware }).campaigns.get(5, 1), ConfigurationError);
    expect(error.cause).toMatchObject({ name });
    expect(error.cause).toBe(thrown);
    expect(other.seen).toHaveLength(1);
    expect(server.seen).toHaveLength(0);
  });

  it('sees connection failures, and may turn them into responses', async () => {
    await using server = await scripted(drop);
    const names: string[] = [];
    const middleware: Middleware[] = [
      async (request, next) => {
        try {
          return await next(request);
        } catch (error) {
          names.push((error as Error).name);
          return new Response(null, { status: 500 });
        }
      },
    ];
    await failure(client(server.url, { middleware, retry: 0 }).campaigns.get(5, 1), ServerError);
    expect(names).toEqual(['ConnectionError']);
  });

  it('is bound by the time of an attempt', async () => {
    await using server = await scripted(hang);
    const middleware: Middleware[] = [() => new Promise(() => undefined)];
    await expect(client(server.url, { middleware, timeout: 30, retry: 0 }).campaigns.get(5, 1)).rejects.toMatchObject({
      phase: 'attempt',
    });
  });

  it('sees the 304 of a revalidation', async () => {
    await using server = await scripted(json(sampleCampaign(), { headers: { etag: '"1"' } }), empty(304));
    const statuses: number[] = [];
    const middleware: Middleware[] = [
      async (request, next) => {
        const response = await next(request);
        statuses.push(response.status);
        return response;
      },
    ];
    const mkt = client(server.url, { middleware });
    await mkt.campaigns.get(5, 1);
    expect((await mkt.campaigns.get(5, 1)).id).toBe(1);
    expect(statuses).toEqual([200, 304]);
  });
});
