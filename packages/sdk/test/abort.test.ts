import { AbortedError, TimeoutError } from '@mkt/sdk';
import { describe, expect, it, vi } from 'vitest';
import { client, eventually, failure } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { empty, hang, json, redirect, scripted, stall } from './support/scripted-server.js';

const campaign = json(sampleCampaign());
const tick = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('an abort signal', () => {
  it('may be that of many calls at once, without a warning about a leak', async () => {
    await using server = await scripted(json([]));
    const warnings: string[] = [];
    const warned = (warning: Error) => warnings.push(String(warning));
    process.on('warning', warned);
    const { signal } = new AbortController();
    const mkt = client(server.url);
    await Promise.all(Array.from({ length: 12 }, () => mkt.campaigns.list(5, { signal })));
    await Promise.all(Array.from({ length: 12 }, () => mkt.campaigns.list(5, { signal }).all()));
    await tick(0);
    process.off('warning', warned);
    expect(warnings).toEqual([]);
  });

  it('ends each of the calls that share it', async () => {
    await using server = await scripted(hang);
    const controller = new AbortController();
    const mkt = client(server.url);
    const calls = Array.from({ length: 3 }, () =>
      failure(mkt.campaigns.list(5, { signal: controller.signal }), AbortedError),
    );
    await eventually(() => expect(server.seen).toHaveLength(3));
    controller.abort();
    await Promise.all(calls);
  });

  it('that is already aborted prevents the request', async () => {
    await using server = await scripted(campaign);
    const reason = new Error('changed my mind');
    const error = await failure(
      client(server.url).campaigns.get(5, 1, { signal: AbortSignal.abort(reason) }),
      AbortedError,
    );
    expect(error.cause).toBe(reason);
    expect(server.seen).toHaveLength(0);
  });

  it('that is already aborted prevents all requests of a walk', async () => {
    await using server = await scripted(json([]));
    const reason = new Error('changed my mind');
    const list = client(server.url).campaigns.list(5, { signal: AbortSignal.abort(reason) });
    expect((await failure(list.all(), AbortedError)).cause).toBe(reason);
    expect(server.seen).toHaveLength(0);
  });

  it.each([
    ['while it waits for headers', hang],
    ['while it reads the body', stall],
    ['while it waits for the next attempt', empty(429, { 'retry-after': '30' })],
  ])('ends a call %s', async (_, step) => {
    await using server = await scripted(step);
    const controller = new AbortController();
    const call = client(server.url).campaigns.get(5, 1, { signal: controller.signal }).withResponse();
    call.catch(() => undefined);
    await eventually(() => expect(server.seen).toHaveLength(1));
    setTimeout(() => controller.abort(new Error('stop')), 50);
    const start = performance.now();
    const error = await failure(call, AbortedError);
    // Well before anything else would end it: the time of an attempt is 10 s.
    expect(performance.now() - start).toBeLessThan(5000);
    expect(error.cause).toMatchObject({ message: 'stop' });
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    ['while it waits for the response', () => AbortSignal.timeout(50), 1],
    ['combined with another', () => AbortSignal.any([AbortSignal.timeout(50), new AbortController().signal]), 1],
    ['over before the call', () => AbortSignal.abort(new DOMException('over', 'TimeoutError')), 0],
  ])('of AbortSignal.timeout() ends a call by a TimeoutError: %s', async (_, signal, attempts) => {
    await using server = await scripted(hang);
    const error = await failure(client(server.url).campaigns.update(5, 1, {}, { signal: signal() }), TimeoutError);
    expect(error).toMatchObject({
      name: 'TimeoutError',
      phase: 'signal',
      operation: 'campaigns.update',
      attempts,
      mayHaveArrived: attempts > 0,
    });
    expect(error.message).toMatch(/ its signal allows\.$/);
    expect(error.cause).toMatchObject({ name: 'TimeoutError' });
    expect(error.timeoutMs).toBeLessThan(5000);
  });

  it('of AbortSignal.timeout() ends a walk by a TimeoutError', async () => {
    await using server = await scripted(json([sampleCampaign()], { headers: { 'total-pages': '9' } }), hang);
    const walk = client(server.url)
      .campaigns.list(5, { signal: AbortSignal.timeout(200) })
      .all();
    expect(await failure(walk, TimeoutError)).toMatchObject({ phase: 'signal', operation: 'campaigns.list' });
  });

  it('closes the connection', async () => {
    let closed = false;
    await using server = await scripted((response) => {
      response.socket?.on('close', () => {
        closed = true;
      });
    });
    const controller = new AbortController();
    const call = client(server.url).campaigns.update(5, 1, {}, { signal: controller.signal }).withResponse();
    await eventually(() => expect(server.seen).toHaveLength(1));
    controller.abort();
    await failure(call, AbortedError);
    await eventually(() => expect(closed).toBe(true));
  });

  it('ends a web action between its two requests', async () => {
    await using server = await scripted(redirect('/'), hang);
    const controller = new AbortController();
    const call = client(server.url).campaigns.publish(5, 1, { signal: controller.signal }).withResponse();
    await eventually(() => expect(server.seen).toHaveLength(2));
    controller.abort();
    await failure(call, AbortedError);
    expect(server.seen).toHaveLength(2);
  });

  it('ends a walk, and all pages under way', async () => {
    const page = json([sampleCampaign()], { headers: { 'total-pages': '50' } });
    await using server = await scripted(page, hang);
    const controller = new AbortController();
    const walk = client(server.url).campaigns.list(5, { signal: controller.signal }).all();
    // The first page, then as many as may be under way.
    await eventually(() => expect(server.seen).toHaveLength(9));
    controller.abort();
    await failure(walk, AbortedError);
    await tick(50);
    expect(server.seen).toHaveLength(9);
  });

  it.each(['items', 'pages'] as const)('ends a loop over %s at the next one, although it has arrived', async (kind) => {
    const page = json([sampleCampaign({ id: 1 }), sampleCampaign({ id: 2 })], { headers: { 'total-pages': '1' } });
    const other = json([sampleCampaign({ id: 3 })], { headers: { 'total-pages': '2' } });
    await using server = await scripted(kind === 'items' ? page : other, page);
    const controller = new AbortController();
    const list = client(server.url).campaigns.list(5, { signal: controller.signal });
    let seen = 0;
    const loop = async () => {
      for await (const _ of kind === 'items' ? list : list.pages()) {
        seen += 1;
        await eventually(() => expect(server.seen).toHaveLength(kind === 'items' ? 1 : 2));
        await tick(20);
        controller.abort(new Error('enough'));
      }
    };
    const error = await failure(loop(), AbortedError);
    expect([seen, error.name, (error.cause as Error).message]).toEqual([1, 'AbortError', 'enough']);
  });

  it('that never fires has no listeners after the call', async () => {
    await using server = await scripted(
      campaign,
      campaign,
      json([sampleCampaign()], { headers: { 'total-pages': '1' } }),
    );
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const mkt = client(server.url);
    await mkt.campaigns.get(5, 1, { signal });
    await Promise.all([mkt.campaigns.get(5, 2, { signal }), mkt.campaigns.get(5, 2, { signal })]);
    expect(await mkt.campaigns.list(5, { signal }).all()).toHaveLength(1);
    // The two calls at the same time share one.
    expect(added).toHaveBeenCalledTimes(3);
    expect(removed).toHaveBeenCalledTimes(3);
  });
});

describe('a response that several callers wait for', () => {
  it('reaches the callers that still wait', async () => {
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await using server = await scripted(async (response, request) => {
      await held;
      await campaign(response, request);
    });
    const mkt = client(server.url);
    const controller = new AbortController();
    const first = mkt.campaigns.get(5, 1, { signal: controller.signal }).withResponse();
    const second = mkt.campaigns.get(5, 1).withResponse();
    await eventually(() => expect(server.seen).toHaveLength(1));
    controller.abort();
    await failure(first, AbortedError);
    answer();
    expect((await second).data.id).toBe(1);
    expect(server.seen).toHaveLength(1);
  });

  it('is aborted when no caller waits for it any more', async () => {
    let closed = false;
    await using server = await scripted((response) => {
      response.socket?.on('close', () => {
        closed = true;
      });
    });
    const mkt = client(server.url);
    const controller = new AbortController();
    const { signal } = controller;
    const both = [
      mkt.campaigns.get(5, 1, { signal }).withResponse(),
      mkt.campaigns.get(5, 1, { signal }).withResponse(),
    ];
    await eventually(() => expect(server.seen).toHaveLength(1));
    controller.abort();
    for (const one of both) await failure(one, AbortedError);
    await eventually(() => expect(closed).toBe(true));
  });
});
