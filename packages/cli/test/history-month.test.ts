import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { demoSeed, memoryStore, type Store, type Writer } from '@mkt/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { isLong } from '../../server/test/support/long.js';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';
import { bundle, start } from './support/spawn-cli.js';

// Two machines with a record of their own, one a day behind, a colleague who uses neither, budgets that are spent, and a change
// of daylight saving: everything that the records say is compared with what the API has had.

const [MINUTE, DAY] = [60_000, 86_400_000];
const weeks = isLong ? 52 : 3;
// Clocks go back in the second of these weeks; in the long run, forward too.
const START = Date.parse('2026-10-12T00:00:00Z');
/** When cron starts on a day, at six by the clock of the machine. */
const cron = (day: number): number => new Date(2026, 9, 12 + day, 6).getTime();

interface Campaign {
  readonly id: number;
  readonly [field: string]: unknown;
}
interface Recorded {
  readonly id: number;
  readonly kind: string;
  readonly field: string | null;
  readonly before: unknown;
  readonly after: unknown;
  readonly by: string;
}

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The service with a clock of the test, and what it had at each time. */
async function marketplace() {
  const store = memoryStore();
  let [time, writes, onWrite] = [START, 0, (_count: number): void => undefined];
  const service = await startService({
    store: Object.assign(Object.create(store) as Store, {
      transact: async <Result>(work: (writer: Writer) => Promise<Result>) => {
        const result = await store.transact(work);
        writes += 1;
        onWrite(writes);
        return result;
      },
    }),
    clock: () => time,
  });
  onTestFinished(() => service.close());
  await store.load(demoSeed());
  const spent = new Map<number, number>();
  /** What all campaigns of a currency have used at the times at which something happened; it grows evenly in between. */
  const totals: { readonly at: number; readonly used: ReadonlyMap<string, number>; readonly views: number }[] = [];

  const rows = async (): Promise<Campaign[]> =>
    (await store.dump()).tables.campaigns.filter(({ organization_id: id }) => id === 5) as unknown as Campaign[];

  /** Goes on to a time. Active campaigns use 50 to 100 an hour of a budget that is large enough. */
  async function advance(to: number): Promise<void> {
    const hours = (to - time) / 3_600_000;
    time = to;
    const all = await rows();
    await store.transact(async (writer) => {
      for (const { id, status, used_amount: used } of all) {
        const base = spent.get(id) ?? Number(used);
        const value = base + (status === 'active' ? hours * (50 + (id % 50)) : 0);
        spent.set(id, value);
        await writer.update('campaigns', id, {
          used_amount: Math.round(value),
          unused_amount: 10_000_000 - Math.round(value),
          total_budget_amount: 10_000_000,
          view_count: Math.round(value * 3),
        });
      }
    });
    const used = new Map<string, number>();
    for (const { id, currency } of all)
      used.set(String(currency), (used.get(String(currency)) ?? 0) + (spent.get(id) ?? 0));
    totals.push({ at: time, used, views: [...spent.values()].reduce((sum, each) => sum + each * 3, 0) });
  }

  /** What the campaigns of a currency had used at a time. */
  function usedAt(at: number, currency: string): number {
    const after = totals.findIndex((total) => total.at >= at);
    const [last, next] = [totals[Math.max(0, after - 1)], totals[after]];
    const [low = 0, high = 0] = [last?.used.get(currency), next?.used.get(currency)];
    const span = (next?.at ?? 0) - (last?.at ?? 0);
    return span === 0 ? high : low + ((high - low) * (at - (last?.at ?? 0))) / span;
  }

  return {
    url: service.url,
    rows,
    advance,
    usedAt,
    time: () => time,
    onWrite: (after: number, work: () => void) => {
      writes = 0;
      onWrite = (count) => count === after && work();
    },
  };
}

it(`follows ${weeks} weeks of two machines, a colleague and killed commands`, { timeout: 900_000 }, async () => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  onTestFinished(() => void vi.unstubAllEnvs());
  const random = randomFrom(weeks);
  const below = (count: number): number => Math.floor(random() * count);
  const { url, rows, advance, usedAt, time, onWrite } = await marketplace();
  const folder = temporaryFolder();

  /** What each machine changed itself, as `id field before after`. */
  const own: Record<string, string[]> = { A: [], B: [] };
  /** Every value that a field of a campaign has had, in order. */
  const values = new Map<string, unknown[]>();
  const watched = ['name', 'status', 'countries'] as const;
  const text = (...parts: readonly unknown[]): string => parts.map((part) => JSON.stringify(part)).join(' ');
  let known = new Map<number, Campaign>();

  /** Notes what has changed, as made by a machine or by the colleague. */
  async function note(by?: string): Promise<void> {
    const now = new Map((await rows()).map((row) => [row.id, row]));
    for (const [id, row] of now) {
      for (const field of watched) {
        const [before, after] = [known.get(id)?.[field], row[field]];
        if (JSON.stringify(before) === JSON.stringify(after)) continue;
        const key = `${id} ${field}`;
        values.set(key, [...(values.get(key) ?? []), after]);
        if (by !== undefined && known.has(id)) own[by]?.push(text(id, field, before, after));
      }
    }
    known = now;
  }

  const offset: Record<string, number> = { A: 3 * MINUTE, B: -DAY };
  const env = (by: string) => ({
    MKT_TOKEN: tokens.ada_write,
    MKT_BASE_URL: url,
    MKT_ORG: '5',
    MKT_HISTORY: join(folder, `${by}.db`),
  });
  const run = async (by: string, ...argv: readonly string[]) => {
    const screen = await runCli(argv, { env: env(by), now: () => new Date(time() + (offset[by] ?? 0)) });
    await note(by);
    return screen;
  };
  const json = async (by: string, ...argv: readonly string[]) => JSON.parse((await run(by, ...argv, '--json')).stdout);
  const colleague = async (method: string, path: string, campaign?: object): Promise<void> => {
    const response = await fetch(`${url}/organizations/5${path}`, {
      method,
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${tokens.ada_write}`,
        'content-type': 'application/json',
      },
      ...(campaign && { body: JSON.stringify({ campaign }) }),
    });
    expect(response.status).toBeLessThan(400);
    await note();
  };

  const idsOf = async (status: string, count: number): Promise<string[]> => {
    const found = (await rows()).filter((row) => row.status === status).map(({ id }) => String(id));
    return found.sort(() => random() - 0.5).slice(0, count);
  };

  /** Undoes the latest command. What has not been changed since is then as it was before the command. */
  async function checkUndo(by: string, before: ReadonlyMap<number, Campaign>, after: ReadonlyMap<number, Campaign>) {
    const current = new Map((await rows()).map((row) => [row.id, row]));
    const { code, stderr } = await run(by, 'undo', '--yes');
    expect([0, 9], stderr).toContain(code);
    const restored = new Map((await rows()).map((row) => [row.id, row]));
    for (const [id, row] of after) {
      for (const field of watched) {
        const [was, set, is] = [before.get(id)?.[field], row[field], current.get(id)?.[field]];
        if (!before.has(id) || JSON.stringify(was) === JSON.stringify(set)) continue;
        const isAsSet = JSON.stringify(is) === JSON.stringify(set);
        expect([id, field, restored.get(id)?.[field]], stderr).toEqual([id, field, isAsSet ? was : is]);
      }
    }
  }

  /** Kills a bulk action of the built program after some of its changes. */
  async function killed(by: string, action: string, ids: readonly string[]): Promise<void> {
    const clock = join(folder, 'clock.cjs');
    writeFileSync(
      clock,
      `const { now } = Date; const shift = ${time() + (offset[by] ?? 0)} - now(); const at = () => now() + shift;
       globalThis.Date = new Proxy(Date, {
         construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [at()] : given, made),
         get: (target, name) => (name === 'now' ? at : Reflect.get(target, name)),
       });`,
    );
    const argv = [process.execPath, '--require', clock, bundle, 'campaigns', action, ...ids, '--yes'];
    const { child, ended } = start(argv, env(by));
    onWrite(1 + below(ids.length - 1), () => child.kill('SIGKILL'));
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
    onWrite(0, () => undefined);
    // What had arrived by then is still carried out.
    await wait(200);
    await note(by);
  }

  async function act(by: string, name: string): Promise<void> {
    const before = known;
    const [active, paused, draft = '1'] = [
      await idsOf('active', 3),
      await idsOf('paused', 3),
      ...(await idsOf('draft', 1)),
    ];
    const [action, ids] = active.length > 1 && random() < 0.6 ? ['pause', active] : ['resume', paused];
    const kind = below(isLong ? 30 : 10);
    if (by === 'C') {
      if (kind % 3 === 0 && ids.length > 0) await colleague('POST', `/campaigns/${ids[0]}/${action}`);
      else if (kind % 3 === 1) await colleague('PATCH', `/campaigns/${draft}.json`, { name });
      else await colleague('POST', '/campaigns.json', { name });
      return;
    }
    if (kind === 0 && ids.length > 1) await killed(by, action, ids);
    else if (kind < 4 && ids.length > 0) await run(by, 'campaigns', action, ...ids, '--yes');
    else if (kind < 6) await run(by, 'campaigns', 'create', '--name', name);
    else await run(by, 'campaigns', 'update', draft, '--name', name, '--countries', random() < 0.5 ? 'DE,AT' : 'US');
    const after = known;
    // What became of a killed request cannot be known after a change by another user.
    if (kind > 0 && random() < 0.3) await act('C', `${name} of a colleague`);
    if (random() < 0.3) await run(by === 'A' ? 'B' : 'A', 'watch', '--once');
    if (kind === 0 || random() < 0.4) await checkUndo(by, before, after);
  }

  await advance(cron(0) + MINUTE);
  await note();
  const first = known;
  for (const by of ['A', 'B']) await run(by, 'watch', '--once');
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
  const [began, periods] = [new Date(time()).toISOString(), new Map<string, number[]>()];
  const offsets = new Set<number>();
  let until = began;
  for (let day = 1; day <= weeks * 7; day += 1) {
    // The second week, everybody is away.
    const isAway = Math.ceil(day / 7) === 2;
    for (let hour = 1; hour <= 2 && !isAway; hour += 1) {
      await advance(START + (day - 1) * DAY + hour * 7 * 60 * MINUTE + below(60) * MINUTE);
      await act(['A', 'B', 'C'][below(3)] ?? 'C', `Name ${day}.${hour}`);
    }
    if (isAway && day % 7 !== 0) continue;
    await advance(cron(day) + below(60_000));
    await run('A', 'watch', '--once');
    if (day % 7 !== 0 || isAway) continue;
    const weekly = await json('A', 'report');
    const exact = await json('A', 'report', '--since', until);
    until = weekly.period.until;
    offsets.add(new Date(until).getTimezoneOffset());
    const all = await rows();
    expect(weekly.currencies).toHaveLength(new Set(all.map(({ currency }) => currency)).size);
    for (const [index, report] of weekly.currencies.entries()) {
      const ofCurrency = all.filter(({ currency }) => currency === report.currency);
      const total = (field: string, ...states: readonly string[]) =>
        sum(
          ofCurrency
            .filter(({ status }) => states.length === 0 || states.includes(String(status)))
            .map((row) => Number(row[field])),
        );
      expect(report).toMatchObject({
        campaigns: ofCurrency.length,
        budget: total('total_budget_amount'),
        used: total('used_amount'),
        left: total('unused_amount', 'active', 'paused'),
        unspent: total('unused_amount', 'finished'),
        views: total('view_count'),
        new: ofCurrency.filter(({ created_at: at }) => Date.parse(String(at)) >= Date.parse(weekly.period.since))
          .length,
      });
      const truth = usedAt(time(), report.currency) - usedAt(Date.parse(weekly.period.since), report.currency);
      // Each campaign has whole amounts.
      expect(Math.abs(report.period.used - truth)).toBeLessThanOrEqual(truth / 1000 + ofCurrency.length);
      for (const { id, left } of report.period.ends_soonest)
        expect(left).toBe(ofCurrency.find((row) => row.id === id)?.unused_amount);
      const parts = periods.get(report.currency) ?? [];
      periods.set(report.currency, [...parts, exact.currencies[index].period.used]);
    }
  }
  expect(offsets.size).toBe(2);
  for (const [currency, parts] of periods) {
    const { period } = (await json('A', 'report', '--since', began)).currencies.find(
      (each: { currency: string }) => each.currency === currency,
    );
    expect(sum(parts)).toBe(period.used);
  }

  for (const by of ['A', 'B']) {
    await run(by, 'watch', '--once');
    const found: Recorded[] = await json(by, 'changes', 'campaigns', '--since', began);
    const changed = found.filter(({ kind, field }) => kind === 'changed' && watched.some((each) => each === field));
    const mine = changed.filter((each) => each.by !== 'elsewhere');
    expect(mine.map(({ id, field, before, after }) => text(id, field, before, after)).sort()).toEqual(own[by]?.sort());
    for (const [id, row] of known) {
      for (const field of watched) {
        // Nothing is lost, invented or recorded twice: the changes lead from each value to a later one, up to the present.
        const chain = changed.filter((each) => each.id === id && each.field === field);
        const had = (values.get(`${id} ${field}`) ?? []).map((value) => JSON.stringify(value));
        let from = 0;
        for (const [index, { before, after }] of chain.entries()) {
          if (index > 0) expect(before).toEqual(chain[index - 1]?.after);
          from = had.indexOf(JSON.stringify(after), from) + 1;
          expect(from, `${id} ${field} ${after}`).toBeGreaterThan(0);
        }
        if (chain.length > 0) expect(chain.at(-1)?.after).toEqual(row[field]);
        else if (first.has(id)) expect(row[field]).toEqual(first.get(id)?.[field]);
      }
    }
  }
});
