import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { client } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { empty, json, type Step, scripted } from './support/scripted-server.js';

/** 20,000 calls in a long run; enough to tell growth from noise in a short one. */
const calls = process.env.TEST_LONG === '1' ? 20_000 : 4000;

/** Calls from eight callers at once. */
async function many(count: number, call: (index: number) => PromiseLike<unknown>): Promise<void> {
  let next = 0;
  const caller = async () => {
    while (next < count) {
      next += 1;
      await call(next);
    }
  };
  await Promise.all(Array.from({ length: 8 }, caller));
}

const large = 'x'.repeat(30_000);

describe(`${calls.toLocaleString('en')} calls`, { timeout: 180_000 }, () => {
  it('with one signal leave no listener, no memory and no socket behind', async () => {
    await using server = await scripted(json(sampleCampaign(), { headers: { etag: '"1"' } }));
    const mkt = client(server.url);
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...given: Parameters<AbortSignal['addEventListener']>) => {
      listeners += 1;
      addEventListener.apply(signal, given);
    };
    signal.removeEventListener = (...given: Parameters<AbortSignal['removeEventListener']>) => {
      listeners -= 1;
      removeEventListener.apply(signal, given);
    };
    const warnings: string[] = [];
    const warned = (warning: Error) => warnings.push(String(warning));
    process.on('warning', warned);
    const one = (index: number) => mkt.campaigns.get(5, (index % 20) + 1, { signal });
    // The scripted server's record of requests is not a leak of the client.
    const memory = () => {
      server.seen.length = 0;
      return settled();
    };
    await many(1000, one);
    const before = await memory();
    await many(calls, one);
    // On a busy machine some of it goes late; what leaks never does.
    let grown = (await memory()) - before;
    for (let turn = 0; turn < 20 && grown >= 3_000_000; turn += 1) grown = (await memory()) - before;
    process.off('warning', warned);

    expect(listeners).toBe(0);
    expect(warnings).toEqual([]);
    expect(server.sockets()).toBeLessThan(30);
    expect(grown).toBeLessThan(3_000_000);
  });

  it('that fail with large bodies, retries included, keep their sockets', async () => {
    // An unread body of 20 kB or more costs a socket each time.
    const failing: Step[] = [json({ error: large }, { status: 503 }), json({ error: large }, { status: 404 })];
    let turn = 0;
    await using server = await scripted((response, request) => failing[turn++ % 2]?.(response, request));
    const mkt = client(server.url, { retry: { limit: 1, minDelay: 0 } });
    await many(calls / 10, (index) => Promise.allSettled([mkt.campaigns.get(5, index)]));
    expect(server.sockets()).toBeLessThan(30);
  });

  it('that are aborted leave nothing pending', async () => {
    await using server = await scripted((response) => {
      response.on('close', () => undefined);
    });
    const mkt = client(server.url, { timeout: 60_000 });
    await many(calls / 10, async (index) => {
      const controller = new AbortController();
      const call = mkt.campaigns.get(5, index, { signal: controller.signal }).withResponse();
      setTimeout(() => controller.abort(), 1);
      await Promise.allSettled([call]);
    });
    const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout');
    expect(timers.length).toBeLessThan(10);
  });

  it('without a response body keep their sockets too', async () => {
    await using server = await scripted(empty(204));
    const mkt = client(server.url);
    await many(calls / 10, (index) => mkt.campaigns.delete(5, index));
    expect(server.sockets()).toBeLessThan(30);
  });
});

/** Memory in use that no collection takes away: some of it goes a few turns late, as sockets and weak references do. */
async function settled(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const seen: number[] = [];
  for (let turn = 0; turn < 10; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    collect();
    seen.push(process.memoryUsage().heapUsed);
  }
  return Math.min(...seen);
}
