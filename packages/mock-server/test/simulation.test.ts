import { connectControl, type RemoteControl } from '@mkt/mock-server/control';
import { createMarketplaceMock } from '@mkt/mock-server/fetch';
import { controlAddition, testControls } from '@mkt/mock-server/node';
import { demoSeed, memoryStore } from '@mkt/server';
import { serve, serveCommand } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestStore, storeKinds, type TestStore } from '../../server/test/support/stores.js';

interface Campaign {
  readonly id: number;
  readonly status: string;
  readonly cpm_amount: number;
  readonly total_budget_amount: number;
  readonly used_amount: number;
  readonly unused_amount: number;
  readonly view_count: number;
  readonly updated_at: string;
}

type Fetch = (url: string, init?: RequestInit) => Promise<Response>;
const campaignsOf = async (url: string, fetch: Fetch = globalThis.fetch, organization = 5): Promise<Campaign[]> => {
  const headers = { Accept: 'application/json', Authorization: 'Bearer mkt_demo_ada_write' };
  return (await fetch(`${url}/organizations/${organization}/campaigns.json`, { headers })).json() as Promise<
    Campaign[]
  >;
};
const numbers = (campaigns: readonly Campaign[]) =>
  campaigns.map(({ id, view_count, used_amount, unused_amount }) => [id, view_count, used_amount, unused_amount]);

function frozenMock() {
  const mock = createMarketplaceMock();
  mock.clock.freeze('2026-06-01T00:00:00Z');
  return { mock, list: () => campaignsOf(mock.baseUrl, mock.fetch) };
}

describe('mock.simulate()', () => {
  test('active campaigns earn views and spend their budget as the clock advances; others do not change', async () => {
    const { mock, list } = frozenMock();
    const before = await list();
    await mock.simulate();
    expect(await list()).toEqual(before);
    mock.clock.advance({ days: 1 });
    const after = await list();
    for (const [index, campaign] of after.entries()) {
      const earlier = before[index] as Campaign;
      if (campaign.status !== 'active') expect(campaign).toEqual(earlier);
      else {
        expect(campaign.view_count).toBeGreaterThan(earlier.view_count);
        expect(campaign.used_amount).toBeGreaterThan(earlier.used_amount);
        expect(campaign.updated_at).toBe('2026-06-02T00:00:00Z');
      }
      expect(campaign.used_amount + campaign.unused_amount).toBe(campaign.total_budget_amount);
    }
  });

  test('spends what the views cost, and never more than the budget', async () => {
    const { mock, list } = frozenMock();
    await mock.simulate();
    await list();
    for (let month = 0; month < 12; month += 1) {
      mock.clock.advance({ days: 30 });
      for (const { used_amount, unused_amount, total_budget_amount, view_count, cpm_amount } of await list()) {
        expect(unused_amount).toBeGreaterThanOrEqual(0);
        expect(used_amount + unused_amount).toBe(total_budget_amount);
        if (unused_amount > 0)
          expect(Math.abs((view_count * cpm_amount) / 1000 - used_amount)).toBeLessThan(cpm_amount);
      }
    }
    const active = (await list()).filter(({ status }) => status === 'active');
    expect(active.map(({ unused_amount }) => unused_amount)).toEqual(active.map(() => 0));
    mock.clock.advance({ days: 30 });
    // The videos are still there.
    expect((await list())[2]?.view_count).toBeGreaterThan(active[0]?.view_count ?? 0);
  });

  test('gives the same numbers in every run, and for a day as for its hours', async () => {
    const run = async (steps: number) => {
      const { mock, list } = frozenMock();
      await mock.simulate();
      for (let step = 0; step < steps; step += 1) {
        mock.clock.advance({ hours: 24 / steps });
        await list();
      }
      return numbers(await list());
    };
    const once = await run(1);
    expect(await run(1)).toEqual(once);
    expect(await run(24)).toEqual(once);
  });

  test('speed makes the clock run faster: 86,400 moves views within a second', async () => {
    const mock = createMarketplaceMock();
    const list = () => campaignsOf(mock.baseUrl, mock.fetch);
    const before = (await list())[2] as Campaign;
    const started = Date.parse(mock.clock.read().now);
    await mock.simulate({ speed: 86_400 });
    await expect
      .poll(async () => (await list())[2]?.view_count ?? 0, { timeout: 20_000 })
      .toBeGreaterThan(before.view_count + 1000);
    expect(Date.parse(mock.clock.read().now) - started).toBeGreaterThan(3_600_000);
  });

  test('ends with false and with reset(), which restores the data and the speed of the clock', async () => {
    const { mock, list } = frozenMock();
    const before = await list();
    await mock.simulate({ speed: 86_400 });
    mock.clock.advance({ days: 1 });
    expect(await list()).not.toEqual(before);
    await mock.reset();
    expect(await list()).toEqual(before);
    mock.clock.advance({ days: 1 });
    expect(await list()).toEqual(before);
    expect(Math.abs(Date.parse(mock.clock.read().now) - Date.now() - 86_400_000)).toBeLessThan(10_000);
    await mock.simulate();
    await mock.simulate(false);
    mock.clock.advance({ days: 1 });
    expect(await list()).toEqual(before);
  });

  test('a restored snapshot and a clock that is moved back earn nothing for the time between', async () => {
    const { mock, list } = frozenMock();
    const snapshot = await mock.snapshot();
    const before = numbers(await list());
    await mock.simulate();
    mock.clock.advance({ days: 3 });
    await list();
    await mock.restore(snapshot);
    expect(numbers(await list())).toEqual(before);
    mock.clock.set('2026-05-01T00:00:00Z');
    expect(numbers(await list())).toEqual(before);
    mock.clock.set('2026-05-02T00:00:00Z');
    expect(numbers(await list())).not.toEqual(before);
  });

  test('is part of snapshots while it runs; a snapshot without one leaves it as it is', async () => {
    const { mock } = frozenMock();
    const before = await mock.snapshot();
    expect(mock.getSimulation()).toBe(false);
    await mock.simulate({ speed: 3600 });
    const running = await mock.snapshot();
    const other = createMarketplaceMock();
    await other.restore(running);
    expect(other.getSimulation()).toEqual({ speed: 3600 });
    await other.restore(before);
    expect(other.getSimulation()).toEqual({ speed: 3600 });
    other.clock.resume();
    const list = () => campaignsOf(other.baseUrl, other.fetch);
    const [, , first] = await list();
    await expect
      .poll(async () => (await list())[2]?.view_count ?? 0, { timeout: 20_000 })
      .toBeGreaterThan(first?.view_count ?? 0);
    const wrong = { ...running, simulation: { speed: 0 } };
    await expect(other.restore(wrong)).rejects.toThrow('snapshot.simulation.speed must be a number from 1 to 1000000.');
  });

  test('rejects a speed that is not a number from 1, and changes nothing', async () => {
    const { mock } = frozenMock();
    await mock.simulate();
    for (const speed of [0, -1, Number.NaN, 1_000_001, 'fast' as never])
      await expect(mock.simulate({ speed })).rejects.toThrow('simulate.speed must be a number from 1 to 1000000.');
    expect(mock.getSimulation()).toEqual({ speed: 1 });
  });
});

describe.each(storeKinds)('a server with --simulate, on %s', (kind) => {
  const token = 'control-token-of-the-tests';
  let opened: TestStore;
  beforeAll(async () => {
    opened = await openTestStore(kind);
    await opened.store.load(demoSeed());
  });
  afterAll(() => opened?.dispose());

  test('moves the numbers over HTTP, also with requests at the same time, and restarts with reset', async () => {
    const server = await serve({
      store: { ...opened.store, close: async () => undefined },
      port: 0,
      extend: testControls({ token, seed: demoSeed, simulate: { speed: 1 } }),
    });
    const control: RemoteControl = connectControl({ url: `${server.url}/__mkt/v1`, token });
    const before = numbers(await campaignsOf(server.url));
    await control.clock.freeze();
    await control.clock.advance({ days: 2 });
    const lists = await Promise.all(Array.from({ length: 5 }, () => campaignsOf(server.url)));
    expect(numbers(lists[0] ?? [])).not.toEqual(before);
    for (const list of lists) expect(numbers(list)).toEqual(numbers(lists[0] ?? []));
    await control.reset();
    await control.clock.freeze();
    // The time between the two calls counts.
    for (const [index, { view_count }] of (await campaignsOf(server.url)).entries())
      expect(view_count - (before[index]?.[1] ?? 0)).toBeLessThan(100);
    await control.clock.advance({ days: 2 });
    expect(numbers(await campaignsOf(server.url))).not.toEqual(before);
    await control.simulate(false);
    const ended = numbers(await campaignsOf(server.url));
    await control.clock.advance({ days: 2 });
    expect(numbers(await campaignsOf(server.url))).toEqual(ended);
    expect(await control.getSimulation()).toBe(false);
    await control.simulate({ speed: 10 });
    expect(await control.getSimulation()).toEqual({ speed: 10 });
    await control.clock.advance({ days: 2 });
    expect(numbers(await campaignsOf(server.url))).not.toEqual(ended);
    await server.close();
  });
});

describe('mkt serve --simulate', () => {
  const serving = async (flags: readonly string[], work: (url: string) => Promise<void>) => {
    const stop = new AbortController();
    let stdout = '';
    let done: Promise<void> | undefined;
    const write = (text: string) => {
      stdout += text;
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0] ?? '';
      done ??= work(url).finally(() => stop.abort());
    };
    const io = { stdout: { write }, stderr: { write: () => undefined }, stop: stop.signal, addition: controlAddition };
    await serveCommand('serve', io).parseAsync(['--port', '0', ...flags], { from: 'user' });
    await done;
    return stdout;
  };

  test.each([[[]], [['--no-control']]])('moves views %j, and says so', async (more) => {
    const text = await serving(['--simulate', '--speed', '86400', ...more], async (url) => {
      const [, , before] = await campaignsOf(url);
      await expect
        .poll(async () => (await campaignsOf(url))[2]?.view_count, { timeout: 20_000 })
        .toBeGreaterThan((before?.view_count ?? 0) + 1000);
    });
    expect(text).toMatch(/^ {2}Simulation {2,}active campaigns earn views, the clock runs 86400 times as fast$/m);
  });

  test.each([
    [['--speed', '2'], '--speed needs --simulate.'],
    [['--simulate', '--speed', '0'], '--speed must be a whole number from 1 to 1000000.'],
    [['--simulate', '--speed', 'fast'], '--speed must be a whole number from 1 to 1000000.'],
  ])('rejects %j', async (flags, message) => {
    const io = { stdout: process.stdout, stderr: process.stderr, stop: AbortSignal.abort(), addition: controlAddition };
    const command = serveCommand('serve', io).parseAsync(['--port', '0', ...flags], { from: 'user' });
    await expect(command).rejects.toThrow(message);
  });
});

test('without a simulation, time changes nothing', async () => {
  const store = memoryStore('integer', demoSeed());
  await using server = await serve({ store, port: 0, extend: testControls({ token: 'x', seed: demoSeed }) });
  const before = await store.dump();
  const control = connectControl({ url: `${server.url}/__mkt/v1`, token: 'x' });
  await control.clock.advance({ days: 1 });
  await campaignsOf(server.url);
  expect(await store.dump()).toEqual(before);
});
