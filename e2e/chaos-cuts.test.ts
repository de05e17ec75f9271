import { ConnectionError, type Marketplace } from '@mkt/sdk';
import { describe, expect, test } from 'vitest';
import { isLong } from '../packages/server/test/support/long.js';
import { type ChaosEnvironment, chaosEnvironment } from './support/chaos-environment.js';
import type { ChaosProxy } from './support/chaos-proxy.js';
import { countBytes, cutRequest, cutResponse, type Ending, passThrough } from './support/network-faults.js';
import { outcomeOf } from './support/outcome.js';

/** A bound for what hangs. */
const patience = isLong ? 1_800_000 : 120_000;
/** Enough for any answer on a busy machine: here it is cuts that must end calls, not clocks. */
const limits = { timeout: 20_000, totalTimeout: 20_000 };

/** How many bytes the answer to a call has, head and body. */
async function lengthOfAnswer(
  environment: ChaosEnvironment,
  call: (mkt: Marketplace) => PromiseLike<unknown>,
  options = {},
): Promise<number> {
  const proxy = await environment.proxy();
  let length = 0;
  const tell = (bytes: number) => {
    length = bytes;
  };
  proxy.plan(() => countBytes(tell));
  await call(environment.client(proxy, options));
  return length;
}

/** Some offsets, evenly spread from 0 to the last but one byte. @param most in a long run; otherwise a third of it */
const offsetsIn = (length: number, most: number): number[] => {
  const count = Math.min(length, isLong ? most : Math.ceil(most / 3));
  return Array.from({ length: count }, (_, index) => Math.round((index * (length - 1)) / Math.max(1, count - 1)));
};

/** Every offset with an ending; in a long run with both. */
const cutsAt = (offsets: readonly number[]): (readonly [number, Ending])[] =>
  offsets.flatMap((offset, index) => {
    const both = [[offset, 'reset'] as const, [offset, 'end'] as const];
    return isLong ? both : [both[index % 2] as (typeof both)[number]];
  });

/** Makes a call for each cut, some at a time, each through a proxy of its own: no connection is left over from another. */
async function eachCut<Cut>(
  environment: ChaosEnvironment,
  cuts: readonly Cut[],
  tryOut: (cut: Cut, proxy: ChaosProxy) => Promise<void>,
): Promise<void> {
  const waiting = [...cuts];
  const worker = async (): Promise<void> => {
    for (let cut = waiting.shift(); cut !== undefined; cut = waiting.shift()) {
      await using proxy = await environment.proxy();
      await tryOut(cut, proxy);
    }
  };
  await Promise.all(Array.from({ length: 6 }, worker));
}

describe('a response that is cut', () => {
  const reads: Record<string, { call: (mkt: Marketplace) => PromiseLike<unknown>; most: number }> = {
    // In a long run at every byte.
    'a show': { call: (mkt) => mkt.campaigns.get(5, 3), most: isLong ? Number.POSITIVE_INFINITY : 150 },
    'a page of a list': { call: (mkt) => mkt.campaigns.list(5), most: 100 },
    'the escape hatch': { call: (mkt) => mkt.request('GET', '/organizations/5.json'), most: 40 },
  };

  test.each(Object.entries(reads))(
    '%s: a ConnectionError, never a partial result',
    async (_name, { call, most }) => {
      const environment = await chaosEnvironment();
      const length = await lengthOfAnswer(environment, call);
      expect(length).toBeGreaterThan(500);
      await eachCut(environment, cutsAt(offsetsIn(length, most)), async ([offset, ending], proxy) => {
        proxy.plan(() => cutResponse(offset, ending));
        const { error } = await outcomeOf(call(environment.client(proxy, limits)), limits.totalTimeout);
        expect(error, `cut by ${ending} after ${offset} of ${length} bytes`).toBeInstanceOf(ConnectionError);
        expect(proxy.connections).toBe(1);
      });
      // The measure itself: an end after the last byte takes nothing away.
      const proxy = await environment.proxy();
      proxy.plan(() => cutResponse(length, 'end'));
      expect((await outcomeOf(call(environment.client(proxy, limits)), limits.totalTimeout)).error).toBeUndefined();
    },
    patience,
  );

  test(
    'a 304: returns the cached response only after the whole head arrived',
    async () => {
      const environment = await chaosEnvironment();
      let kept: unknown;
      // Keeps one answer, whatever its address: every call here goes through a proxy of its own.
      const cache = { get: () => kept, set: (_key: string, entry: unknown) => (kept = entry), delete: () => undefined };
      const show = (mkt: Marketplace) => mkt.campaigns.get(5, 3).withResponse();
      await show(environment.client(await environment.proxy(), { cache }));
      const length = await lengthOfAnswer(environment, show, { cache });
      expect(length).toBeLessThan(600);
      await eachCut(environment, cutsAt(offsetsIn(length, 100)), async ([offset, ending], proxy) => {
        proxy.plan(() => cutResponse(offset, ending));
        const { error } = await outcomeOf(show(environment.client(proxy, { ...limits, cache })), limits.totalTimeout);
        expect(error, `cut by ${ending} after ${offset} of ${length} bytes`).toBeInstanceOf(ConnectionError);
      });
      const { value } = await outcomeOf(
        show(environment.client(await environment.proxy(), { cache })),
        limits.totalTimeout,
      );
      expect(value?.meta.fromCache).toBe(true);
    },
    patience,
  );

  test(
    'creations: happen once, and the caller gets a ConnectionError',
    async () => {
      const environment = await chaosEnvironment();
      const create = (mkt: Marketplace, name: string) => mkt.campaigns.create(5, { name });
      const length = await lengthOfAnswer(environment, (mkt) => create(mkt, 'measure'));
      // The answers differ by a few bytes (ids, names): the last offsets are left out.
      const cuts = cutsAt(offsetsIn(length - 60, 100));
      await eachCut(environment, [...cuts.entries()], async ([index, [offset, ending]], proxy) => {
        proxy.plan(() => cutResponse(offset, ending));
        const mkt = environment.client(proxy, { ...limits, retry: 3 });
        const { error } = await outcomeOf(create(mkt, `cut ${index}`), limits.totalTimeout);
        expect(error, `create, cut by ${ending} after ${offset} of ${length} bytes`).toBeInstanceOf(ConnectionError);
        expect(proxy.connections, 'a POST is not sent again').toBe(1);
      });
      const names = (await environment.dump()).tables.campaigns.map(({ name }) => name);
      for (const index of cuts.keys()) expect(names.filter((name) => name === `cut ${index}`)).toHaveLength(1);
    },
    patience,
  );

  test(
    'updates: a retry gives the same result',
    async () => {
      const environment = await chaosEnvironment();
      const rename = (mkt: Marketplace, name: string) => mkt.campaigns.update(5, 3, { name });
      const length = await lengthOfAnswer(environment, (mkt) => rename(mkt, 'measure'));
      const cuts = cutsAt(offsetsIn(length - 10, 50));
      await eachCut(environment, [...cuts.entries()], async ([index, [offset, ending]], proxy) => {
        proxy.plan((connection) => (connection === 0 ? cutResponse(offset, ending) : passThrough));
        const mkt = environment.client(proxy, { ...limits, retry: { limit: 1, minDelay: 1 } });
        const { value, error } = await outcomeOf(rename(mkt, `name ${index}`), limits.totalTimeout);
        expect(error, `update, cut by ${ending} after ${offset} of ${length} bytes`).toBeUndefined();
        expect([value?.name, proxy.connections]).toEqual([`name ${index}`, 2]);
      });
    },
    patience,
  );

  test(
    'deletes: a 404 to the second attempt counts as success (D48)',
    async () => {
      const environment = await chaosEnvironment();
      const direct = environment.client(await environment.proxy());
      const draft = async () => (await direct.campaigns.create(5, { name: 'to go' })).id;
      const first = await draft();
      const length = await lengthOfAnswer(environment, (mkt) => mkt.campaigns.delete(5, first));
      const cuts = cutsAt(offsetsIn(length, 40));
      await eachCut(environment, cuts, async ([offset, ending], proxy) => {
        const id = await draft();
        proxy.plan((connection) => (connection === 0 ? cutResponse(offset, ending) : passThrough));
        const mkt = environment.client(proxy, { ...limits, retry: { limit: 1, minDelay: 1 } });
        const { error } = await outcomeOf(mkt.campaigns.delete(5, id), limits.totalTimeout);
        expect(error, `delete, cut by ${ending} after ${offset} of ${length} bytes`).toBeUndefined();
      });
      expect((await environment.dump()).tables.campaigns.filter(({ name }) => name === 'to go')).toEqual([]);
    },
    patience,
  );

  test(
    'web actions: happen once, and the caller gets an error',
    async () => {
      const environment = await chaosEnvironment();
      const direct = environment.client(await environment.proxy());
      const draft = async () => (await direct.campaigns.create(5, { name: 'to publish' })).id;
      const first = await draft();
      // The action and the show after it may share a connection: only the action is measured.
      const length = await lengthOfAnswer(environment, (mkt) =>
        mkt.request('POST', `/organizations/5/campaigns/${first}/publish`).then(undefined, () => undefined),
      );
      await eachCut(environment, cutsAt(offsetsIn(length - 10, 30)), async ([offset, ending], proxy) => {
        const id = await draft();
        proxy.plan((connection) => (connection === 0 ? cutResponse(offset, ending) : passThrough));
        const mkt = environment.client(proxy, { ...limits, retry: 2 });
        const { error } = await outcomeOf(mkt.campaigns.publish(5, id), limits.totalTimeout);
        expect(error, `publish, cut by ${ending} after ${offset} of ${length} bytes`).toBeInstanceOf(ConnectionError);
        expect(proxy.connections).toBe(1);
        expect((await direct.campaigns.get(5, id)).status).toBe('active');
      });
    },
    patience,
  );
});

describe('a request that is cut', () => {
  test(
    'JSON: nothing happens partially or twice',
    async () => {
      const environment = await chaosEnvironment();
      const offsets = offsetsIn(500, 60);
      await eachCut(environment, [...offsets.entries()], async ([index, offset], proxy) => {
        proxy.plan(() => cutRequest(offset));
        const mkt = environment.client(proxy, { ...limits, retry: 3 });
        const fields = { name: `cut ${index}`, brief: `<p>${'long '.repeat(60)}</p>` };
        const { error } = await outcomeOf(mkt.campaigns.create(5, fields), limits.totalTimeout);
        expect(error, `cut after ${offset} bytes`).toBeInstanceOf(ConnectionError);
        expect(proxy.connections, 'a POST is not sent again').toBe(1);
      });
      expect((await environment.dump()).tables.campaigns.filter(({ name }) => name.startsWith('cut '))).toEqual([]);
    },
    patience,
  );

  test(
    'an upload of 300 kB: creates no organization without its logo',
    async () => {
      const environment = await chaosEnvironment();
      const before = (await environment.dump()).tables.organizations.length;
      const data = new Uint8Array(300_000);
      data.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0, 0, 0, 0]);
      await eachCut(environment, offsetsIn(300_000, 20), async (offset, proxy) => {
        proxy.plan(() => cutRequest(offset));
        const mkt = environment.client(proxy, { ...limits, retry: 3 });
        const logo = { data, name: 'logo.png', type: 'image/png' };
        const { error } = await outcomeOf(mkt.organizations.create({ name: 'Cut', logo }), limits.totalTimeout);
        expect(error, `cut after ${offset} bytes`).toBeInstanceOf(ConnectionError);
      });
      expect((await environment.dump()).tables.organizations).toHaveLength(before);
    },
    patience,
  );
});
