import { ConnectionError, type Marketplace } from '@mkt/sdk';
import { describe, expect, test } from 'vitest';
import type { ChaosProxy } from './support/chaos-proxy.js';
import { type ChaosWorld, chaosWorld } from './support/chaos-world.js';
import { answerCut, counting, type Ending, passing, requestCut } from './support/fates.js';
import { outcomeOf } from './support/outcome.js';

const thorough = process.env.TEST_LONG === '1';
/** A bound for what hangs. */
const patience = thorough ? 1_800_000 : 120_000;
/** Enough for any answer on a busy machine: here it is cuts that must end calls, not clocks. */
const limits = { timeout: 20_000, totalTimeout: 20_000 };

/** How many bytes the answer to a call has, head and body. */
async function lengthOfAnswer(
  world: ChaosWorld,
  call: (mkt: Marketplace) => PromiseLike<unknown>,
  options = {},
): Promise<number> {
  const door = await world.door();
  let length = 0;
  const tell = (bytes: number) => {
    length = bytes;
  };
  door.plan(() => counting(tell));
  await call(world.client(door, options));
  return length;
}

/** Some offsets, evenly spread from 0 to the last but one byte. @param most in a long run; otherwise a third of it */
const offsetsIn = (length: number, most: number): number[] => {
  const count = Math.min(length, thorough ? most : Math.ceil(most / 3));
  return Array.from({ length: count }, (_, index) => Math.round((index * (length - 1)) / Math.max(1, count - 1)));
};

/** Every offset with an ending; in a long run with both. */
const cutsAt = (offsets: readonly number[]): (readonly [number, Ending])[] =>
  offsets.flatMap((offset, index) => {
    const both = [[offset, 'reset'] as const, [offset, 'end'] as const];
    return thorough ? both : [both[index % 2] as (typeof both)[number]];
  });

/** Makes a call for each cut, some at a time, each through a door of its own: no connection is left over from another. */
async function eachCut<Cut>(
  world: ChaosWorld,
  cuts: readonly Cut[],
  tryOut: (cut: Cut, door: ChaosProxy) => Promise<void>,
): Promise<void> {
  const waiting = [...cuts];
  const worker = async (): Promise<void> => {
    for (let cut = waiting.shift(); cut !== undefined; cut = waiting.shift()) {
      await using door = await world.door();
      await tryOut(cut, door);
    }
  };
  await Promise.all(Array.from({ length: 6 }, worker));
}

describe('an answer that is cut', () => {
  const reads: Record<string, { call: (mkt: Marketplace) => PromiseLike<unknown>; most: number }> = {
    // In a long run at every byte.
    'a show': { call: (mkt) => mkt.campaigns.get(5, 3), most: thorough ? Number.POSITIVE_INFINITY : 150 },
    'a page of a list': { call: (mkt) => mkt.campaigns.list(5), most: 100 },
    'the escape hatch': { call: (mkt) => mkt.request('GET', '/organizations/5.json'), most: 40 },
  };

  test.each(Object.entries(reads))(
    '%s: a ConnectionError, never half a thing',
    async (_name, { call, most }) => {
      const world = await chaosWorld();
      const length = await lengthOfAnswer(world, call);
      expect(length).toBeGreaterThan(500);
      await eachCut(world, cutsAt(offsetsIn(length, most)), async ([offset, ending], door) => {
        door.plan(() => answerCut(offset, ending));
        const { error } = await outcomeOf(call(world.client(door, limits)), limits.totalTimeout);
        expect(error, `cut by ${ending} after ${offset} of ${length} bytes`).toBeInstanceOf(ConnectionError);
        expect(door.connections).toBe(1);
      });
      // The measure itself: an end after the last byte takes nothing away.
      const door = await world.door();
      door.plan(() => answerCut(length, 'end'));
      expect((await outcomeOf(call(world.client(door, limits)), limits.totalTimeout)).error).toBeUndefined();
    },
    patience,
  );

  test(
    'a 304: the kept answer is given only once its whole head has come',
    async () => {
      const world = await chaosWorld();
      let kept: unknown;
      // Keeps one answer, whatever its address: every call here goes through a door of its own.
      const cache = { get: () => kept, set: (_key: string, entry: unknown) => (kept = entry), delete: () => undefined };
      const show = (mkt: Marketplace) => mkt.campaigns.get(5, 3).withResponse();
      await show(world.client(await world.door(), { cache }));
      const length = await lengthOfAnswer(world, show, { cache });
      expect(length).toBeLessThan(600);
      await eachCut(world, cutsAt(offsetsIn(length, 100)), async ([offset, ending], door) => {
        door.plan(() => answerCut(offset, ending));
        const { error } = await outcomeOf(show(world.client(door, { ...limits, cache })), limits.totalTimeout);
        expect(error, `cut by ${ending} after ${offset} of ${length} bytes`).toBeInstanceOf(ConnectionError);
      });
      const { value } = await outcomeOf(show(world.client(await world.door(), { cache })), limits.totalTimeout);
      expect(value?.meta.fromCache).toBe(true);
    },
    patience,
  );

  test(
    'creations: done once on the server, a ConnectionError for the caller',
    async () => {
      const world = await chaosWorld();
      const create = (mkt: Marketplace, name: string) => mkt.campaigns.create(5, { name });
      const length = await lengthOfAnswer(world, (mkt) => create(mkt, 'measure'));
      // The answers differ by a few bytes (ids, names): the last offsets are left out.
      const cuts = cutsAt(offsetsIn(length - 60, 100));
      await eachCut(world, [...cuts.entries()], async ([index, [offset, ending]], door) => {
        door.plan(() => answerCut(offset, ending));
        const mkt = world.client(door, { ...limits, retry: 3 });
        const { error } = await outcomeOf(create(mkt, `cut ${index}`), limits.totalTimeout);
        expect(error, `create, cut by ${ending} after ${offset} of ${length} bytes`).toBeInstanceOf(ConnectionError);
        expect(door.connections, 'a POST is not sent again').toBe(1);
      });
      const names = (await world.dump()).tables.campaigns.map(({ name }) => name);
      for (const index of cuts.keys()) expect(names.filter((name) => name === `cut ${index}`)).toHaveLength(1);
    },
    patience,
  );

  test(
    'changes: done, and done again where a retry is allowed, with the same end',
    async () => {
      const world = await chaosWorld();
      const rename = (mkt: Marketplace, name: string) => mkt.campaigns.update(5, 3, { name });
      const length = await lengthOfAnswer(world, (mkt) => rename(mkt, 'measure'));
      const cuts = cutsAt(offsetsIn(length - 10, 50));
      await eachCut(world, [...cuts.entries()], async ([index, [offset, ending]], door) => {
        door.plan((connection) => (connection === 0 ? answerCut(offset, ending) : passing));
        const mkt = world.client(door, { ...limits, retry: { limit: 1, minDelay: 1 } });
        const { value, error } = await outcomeOf(rename(mkt, `name ${index}`), limits.totalTimeout);
        expect(error, `update, cut by ${ending} after ${offset} of ${length} bytes`).toBeUndefined();
        expect([value?.name, door.connections]).toEqual([`name ${index}`, 2]);
      });
    },
    patience,
  );

  test(
    'deletes: the 404 to the second attempt is success (D48)',
    async () => {
      const world = await chaosWorld();
      const direct = world.client(await world.door());
      const draft = async () => (await direct.campaigns.create(5, { name: 'to go' })).id;
      const first = await draft();
      const length = await lengthOfAnswer(world, (mkt) => mkt.campaigns.delete(5, first));
      const cuts = cutsAt(offsetsIn(length, 40));
      await eachCut(world, cuts, async ([offset, ending], door) => {
        const id = await draft();
        door.plan((connection) => (connection === 0 ? answerCut(offset, ending) : passing));
        const mkt = world.client(door, { ...limits, retry: { limit: 1, minDelay: 1 } });
        const { error } = await outcomeOf(mkt.campaigns.delete(5, id), limits.totalTimeout);
        expect(error, `delete, cut by ${ending} after ${offset} of ${length} bytes`).toBeUndefined();
      });
      expect((await world.dump()).tables.campaigns.filter(({ name }) => name === 'to go')).toEqual([]);
    },
    patience,
  );

  test(
    'web actions: done once; the caller hears of the break',
    async () => {
      const world = await chaosWorld();
      const direct = world.client(await world.door());
      const draft = async () => (await direct.campaigns.create(5, { name: 'to publish' })).id;
      const first = await draft();
      // The action and the show after it may share a connection: only the action is measured.
      const length = await lengthOfAnswer(world, (mkt) =>
        mkt.request('POST', `/organizations/5/campaigns/${first}/publish`).then(undefined, () => undefined),
      );
      await eachCut(world, cutsAt(offsetsIn(length - 10, 30)), async ([offset, ending], door) => {
        const id = await draft();
        door.plan((connection) => (connection === 0 ? answerCut(offset, ending) : passing));
        const mkt = world.client(door, { ...limits, retry: 2 });
        const { error } = await outcomeOf(mkt.campaigns.publish(5, id), limits.totalTimeout);
        expect(error, `publish, cut by ${ending} after ${offset} of ${length} bytes`).toBeInstanceOf(ConnectionError);
        expect(door.connections).toBe(1);
        expect((await direct.campaigns.get(5, id)).status).toBe('active');
      });
    },
    patience,
  );
});

describe('a request that is cut', () => {
  test(
    'JSON: nothing is done by half, and nothing twice',
    async () => {
      const world = await chaosWorld();
      const offsets = offsetsIn(500, 60);
      await eachCut(world, [...offsets.entries()], async ([index, offset], door) => {
        door.plan(() => requestCut(offset));
        const mkt = world.client(door, { ...limits, retry: 3 });
        const fields = { name: `cut ${index}`, brief: `<p>${'long '.repeat(60)}</p>` };
        const { error } = await outcomeOf(mkt.campaigns.create(5, fields), limits.totalTimeout);
        expect(error, `cut after ${offset} bytes`).toBeInstanceOf(ConnectionError);
        expect(door.connections, 'a POST is not sent again').toBe(1);
      });
      expect((await world.dump()).tables.campaigns.filter(({ name }) => name.startsWith('cut '))).toEqual([]);
    },
    patience,
  );

  test(
    'an upload of 300 kB: no organization without its logo',
    async () => {
      const world = await chaosWorld();
      const before = (await world.dump()).tables.organizations.length;
      const data = new Uint8Array(300_000);
      data.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
      await eachCut(world, offsetsIn(300_000, 20), async (offset, door) => {
        door.plan(() => requestCut(offset));
        const mkt = world.client(door, { ...limits, retry: 3 });
        const logo = { data, name: 'logo.png', type: 'image/png' };
        const { error } = await outcomeOf(mkt.organizations.create({ name: 'Cut', logo }), limits.totalTimeout);
        expect(error, `cut after ${offset} bytes`).toBeInstanceOf(ConnectionError);
      });
      expect((await world.dump()).tables.organizations).toHaveLength(before);
    },
    patience,
  );
});
