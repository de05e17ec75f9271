import { computedFields, computedValue } from '@mkt/sdk/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryStore } from '../src/store/memory-lists.js';
import { withDefaults } from '../src/store/new-row.js';
import { maxTested, type Selection } from '../src/store/store.js';
import type { Condition } from '../src/store/table-definition.js';
import type { Row } from '../src/store/tables.js';
import { everyStore, nothing } from './support/every-store.js';
import { campaignRow, collabRow, organizationRow } from './support/rows.js';
import { openTestStore, type TestStore } from './support/stores.js';
import { yieldsOf } from './support/turns.js';

type Campaign = Row<'campaigns'>;

const percentOf = (row: Campaign): number => computedValue(computedFields.campaigns.used_percent, row) ?? -1;
const costOf = (row: Campaign): number => computedValue(computedFields.campaigns.effective_cpm, row) ?? -1;

/** What each order sorts by. */
const orders: Readonly<Record<string, (row: Campaign) => readonly (string | number)[]>> = {
  byName: ({ name }) => [name],
  byBudget: ({ currency, total_budget_amount: budget }) => [currency, budget],
  byUsed: ({ currency, used_amount: used }) => [currency, used],
  byPercent: (row) => [percentOf(row)],
  byCost: (row) => [row.currency, costOf(row)],
  byViews: ({ view_count: views }) => [views],
  bySubmissions: ({ submissions_count: submissions }) => [submissions],
  byPublication: ({ published_at: published }) => [published ?? ''],
};

const compare = (left: readonly (string | number)[], right: readonly (string | number)[]): number => {
  const place = left.findIndex((value, at) => value !== right[at]);
  if (place < 0) return 0;
  return (left[place] ?? '') < (right[place] ?? '') ? -1 : 1;
};

everyStore((stage) => {
  const { read, write } = stage;

  /** Sixty campaigns of organization 1, and some of another one. */
  async function addMixed(): Promise<Campaign[]> {
    return write(async (writer) => {
      const rows: Campaign[] = [];
      for (let n = 0; n < 60; n += 1) {
        const budget = n % 5 === 0 ? 0 : (n % 7) * 1000 + 1000;
        rows.push(
          await writer.insert(
            'campaigns',
            campaignRow({
              name: `Campaign ${(n * 37) % 60}`,
              status: n === 31 ? 'paused' : (['draft', 'active', 'finished'][n % 3] ?? ''),
              currency: ['usd', 'eur', 'jpy'][(n >> 2) % 3] ?? '',
              countries: n % 10 === 0 ? ['FR', 'US'] : ['US'],
              platform_ids: n % 4 === 0 ? ['instagram'] : ['youtube', 'tiktok'],
              total_budget_amount: budget,
              used_amount: Math.floor((budget * ((n * 13) % 120)) / 100),
              unused_amount: 1,
              view_count: (n * 17) % 11,
              submissions_count: n % 6,
              published_at: n % 3 === 0 ? null : `2026-05-${String(10 + (n % 20)).padStart(2, '0')}T10:00:00Z`,
            }),
          ),
        );
      }
      await writer.insert('campaigns', campaignRow({ organization_id: 2, total_budget_amount: 10 }));
      return rows;
    });
  }
  const idsOf = async (selection: Selection, offset = 0, limit = 100) =>
    (await read((reader) => reader.select('campaigns', 1, selection, { offset, limit }))).rows.map(({ id }) => id);

  test('sorts texts by code points', async () => {
    const names = [
      'Z',
      'a\uFB00',
      'a\u{1F600}',
      '\uD7FF\uFFFF',
      '\uE000',
      '\uFB00',
      '\uFFFF\uFB00',
      '\u{10000}',
      '\u{1F600}',
    ];
    await write(async (writer) => {
      for (const name of names.toReversed()) await writer.insert('campaigns', campaignRow({ name }));
    });
    const sorted = async (descending: boolean) => {
      const selection = { where: [], order: 'byName', descending };
      const { rows } = await read((reader) => reader.select('campaigns', 1, selection, { offset: 0, limit: 100 }));
      return rows.map(({ name }) => name);
    };
    expect(await sorted(false)).toEqual(names);
    expect(await sorted(true)).toEqual(names.toReversed());
  });

  const filters: readonly (readonly [readonly Condition[], (row: Campaign) => boolean])[] = [
    [[], () => true],
    [[{ column: 'status', is: '<>', value: 'draft' }], ({ status }) => status !== 'draft'],
    [[{ column: 'status', is: '=', value: 'paused' }], ({ status }) => status === 'paused'],
    [[{ column: 'used_percent', is: '>=', value: 80 }], (row) => percentOf(row) >= 80],
    [
      [
        { column: 'status', is: '=', value: 'active' },
        { column: 'currency', is: '=', value: 'eur' },
        { column: 'used_percent', is: '>=', value: 100 },
      ],
      (row) => row.status === 'active' && row.currency === 'eur' && percentOf(row) >= 100,
    ],
    [[{ column: 'used_percent', is: '=', value: -1 }], ({ total_budget_amount: budget }) => budget === 0],
    [[{ column: 'currency', is: '=', value: 'chf' }], () => false],
    [[{ column: 'published_at', is: '>=', value: '2026-05-14' }], ({ published_at: at }) => (at ?? '') >= '2026-05-14'],
    [
      [
        { column: 'published_at', is: '>=', value: '2026-05-12' },
        { column: 'published_at', is: '<', value: '2026-05-16' },
      ],
      ({ published_at: at }) => at !== null && at >= '2026-05-12' && at < '2026-05-16',
    ],
  ];

  describe('lists of web pages', () => {
    test('every order and filter, all at once and in pages', async () => {
      const rows = await addMixed();
      for (const [order, keyOf] of Object.entries<(row: Campaign) => readonly (string | number)[]>({
        '': () => [],
        ...orders,
      }))
        for (const [where, isWanted] of filters)
          for (const descending of [false, true]) {
            const sorted = rows
              .filter(isWanted)
              .sort((left, right) => compare(keyOf(left), keyOf(right)) || Number(left.id) - Number(right.id))
              .map(({ id }) => id);
            const expected = descending ? sorted.reverse() : sorted;
            const selection = { where, descending, ...(order !== '' && { order }) };
            const label = [order, JSON.stringify(where), descending];
            expect([...label, ...(await idsOf(selection))]).toEqual([...label, ...expected]);
            const paged: unknown[] = [];
            for (let offset = 0; offset < expected.length; offset += 7)
              paged.push(...(await idsOf(selection, offset, 7)));
            expect([...label, ...paged]).toEqual([...label, ...expected]);
            expect(await idsOf(selection, expected.length)).toEqual([]);
            const ids = await read((reader) => reader.selectIds('campaigns', 1, selection));
            expect([...label, ids]).toEqual([...label, { rows: expected, total: expected.length }]);
          }
    });

    test('the lowest cost per thousand views of one currency, without campaigns that have no views', async () => {
      const rows = await addMixed();
      const expected = rows
        .filter(({ currency, view_count: views }) => currency === 'eur' && views > 0)
        .sort((left, right) => costOf(left) - costOf(right) || Number(left.id) - Number(right.id))
        .map(({ id }) => id);
      const where = [
        { column: 'currency', is: '=', value: 'eur' },
        { column: 'view_count', is: '>=', value: 1 },
      ] as const;
      expect(await idsOf({ where, order: 'byCost' }, 0, 5)).toEqual(expected.slice(0, 5));
    });

    test('platforms and countries, also of what a search finds', async () => {
      const rows = await addMixed();
      const having = [
        { column: 'countries', is: 'has', value: 'FR' },
        { column: 'platform_ids', is: 'has', value: 'instagram' },
      ] as const;
      const isWanted = ({ countries, platform_ids: platforms }: Campaign) =>
        countries.includes('FR') && platforms.includes('instagram');
      const expected = rows.filter(isWanted).map(({ id }) => id);
      expect(expected.length).toBeGreaterThan(1);
      expect(await idsOf({ where: having })).toEqual(expected);
      const scan = { limit: 100, text: 'campaign', newestFirst: true, having };
      const found = await read((reader) => reader.scan('campaigns', 'byOrganization', [1], scan));
      expect(found.map(({ id }) => id)).toEqual(expected.toReversed());
    });

    test('collabs', async () => {
      const ids = await write(async (writer) => {
        const made = [];
        for (const submissions_count of [3, 1, 2])
          made.push((await writer.insert('collabs', collabRow({ submissions_count, state: 'published' }))).id);
        await writer.insert('collabs', collabRow({ state: 'draft' }));
        return made;
      });
      const where = [{ column: 'state', is: '<>', value: 'draft' } as const];
      const selection = { where, order: 'bySubmissions' };
      const sorted = await read((reader) => reader.select('collabs', 1, selection, { offset: 0, limit: 9 }));
      expect(sorted.rows.map(({ id }) => id)).toEqual([ids[1], ids[2], ids[0]]);
      const totals = await read((reader) => reader.totals('collabs', 1));
      expect(totals.find(({ state }) => state === 'published')).toMatchObject({ total: 3, submissions_count: 6 });
    });
  });

  test('totals follow every change', async () => {
    const [first, second] = await addMixed();
    await write(async (writer) => {
      await writer.update('campaigns', first?.id ?? 0, { status: 'active', currency: 'chf' });
      await writer.update('campaigns', second?.id ?? 0, { used_amount: 5000, total_budget_amount: 5000 });
      await writer.delete('campaigns', Number(second?.id) + 1);
    });
    await read(async (reader) => {
      const { rows } = await reader.select('campaigns', 1, { where: [] }, { offset: 0, limit: 100 });
      const expected = new Map<string, Record<string, unknown>>();
      for (const row of rows as Campaign[]) {
        const used_percent = [100, 80, 0, -1].find((threshold) => percentOf(row) >= threshold);
        const { status, currency } = row;
        const key = `${status} ${currency} ${used_percent}`;
        const sum: Record<string, unknown> = expected.get(key) ?? { status, currency, used_percent, total: 0 };
        expected.set(key, sum);
        sum.total = Number(sum.total) + 1;
        for (const column of ['total_budget_amount', 'used_amount', 'unused_amount', 'view_count', 'submissions_count'])
          sum[column] = Number(sum[column] ?? 0) + Number(row[column as 'used_amount']);
      }
      const totals = await reader.totals('campaigns', 1);
      expect(totals).toHaveLength(expected.size);
      expect(totals).toEqual(expect.arrayContaining([...expected.values()]));
    });
  });

  test('amounts whose sum exceeds 64 bits can be stored', async () => {
    await write(async (writer) => {
      for (let n = 0; n < 1100; n += 1)
        await writer.insert('campaigns', campaignRow({ total_budget_amount: Number.MAX_SAFE_INTEGER }));
    });
    const [total] = await read((reader) => reader.totals('campaigns', 1));
    expect(total?.total_budget_amount).toBeCloseTo(1100 * Number.MAX_SAFE_INTEGER, -6);
  });
});

describe.each(['sqlite', 'postgres'] as const)('a long list in the %s store', (kind) => {
  let opened: TestStore;
  /** More than can be sorted: most have ended, the last ones are active, few are in euros or have views. */
  const count = maxTested + 300;
  const rows = Array.from({ length: count }, (_, n) => ({
    ...withDefaults(
      'campaigns',
      campaignRow({
        name: `Campaign ${n}`,
        status: n >= count - 20 ? 'active' : n % 100 === 0 ? 'draft' : 'finished',
        currency: n % 1000 === 5 ? 'eur' : 'usd',
        total_budget_amount: 1000,
        used_amount: n >= count - 20 ? 700 + (n % 20) * 15 : 1000,
        view_count: n % 50 === 7 ? 20_000 - n : 0,
        platform_ids: n % 2000 === 3 ? ['instagram'] : ['tiktok'],
      }),
    ),
    id: n + 1,
  }));
  beforeAll(async () => {
    opened = await openTestStore(kind);
    await opened.store.load({
      ...nothing,
      tables: {
        ...nothing.tables,
        organizations: [{ ...withDefaults('organizations', organizationRow()), id: 1 }],
        campaigns: rows,
      },
    });
  });
  afterAll(() => opened?.dispose());

  const select = (selection: Selection, offset = 0, limit = 20) =>
    opened.store.read((reader) => reader.select('campaigns', 1, selection, { offset, limit }));
  const idsIn = (found: readonly { readonly id: number | string }[]) => found.map(({ id }) => id);

  test('has every page in the order of creation, also of one state', async () => {
    const finished = rows.filter(({ status }) => status === 'finished');
    const isFinished = { column: 'status', is: '=', value: 'finished' } as const;
    // Members, who do not see drafts, get both conditions.
    for (const where of [[isFinished], [isFinished, { column: 'status', is: '<>', value: 'draft' } as const]]) {
      const found = await select({ where, descending: true }, 10_000);
      expect([found.total, found.limit]).toEqual([finished.length, undefined]);
      expect(idsIn(found.rows)).toEqual(idsIn(finished.toReversed().slice(10_000, 10_020)));
    }
  });

  test('gives the ids of thousands of rows, and those rows, like in pages, and lets others have their turn', async () => {
    for (const order of ['byBudget', undefined]) {
      const selection = { where: [], ...(order && { order }), descending: order === undefined };
      const pages = [];
      for (let offset = 0; offset < maxTested; offset += 1000)
        pages.push(...(await select(selection, offset, 1000)).rows);
      const ids = await opened.store.read((reader) => reader.selectIds('campaigns', 1, selection));
      expect([ids.total, ids.limit, ids.rows]).toEqual([count, undefined, idsIn(pages)]);
      const { result, yields } = await yieldsOf(() =>
        opened.store.read((reader) => reader.getMany('campaigns', ids.rows)),
      );
      expect(result).toEqual(pages);
      expect(yields).toBeGreaterThanOrEqual(9);
    }
  });

  test('skips rows of a search, to find out whether there are more than are tested', async () => {
    const after = (offset: number, text = 'campaign') =>
      opened.store.read((reader) =>
        reader.scan('campaigns', 'byOrganization', [1], { limit: 2, offset, newestFirst: true, text }),
      );
    expect(idsIn(await after(maxTested))).toEqual([300, 299]);
    expect(await after(count)).toEqual([]);
    expect(await after(maxTested, 'campaign 10')).toEqual([]);
  });

  test('has the first rows of an order, without those that have no value', async () => {
    const seen = rows.filter(({ view_count: views }) => views > 0);
    expect(await select({ where: [], order: 'byViews', descending: true }, 180)).toMatchObject({
      total: seen.length,
      limit: 'first',
    });
    const { rows: found } = await select({ where: [], order: 'byViews', descending: true });
    expect(idsIn(found)).toEqual(idsIn(seen.slice(0, 20)));
    const notDraft = [{ column: 'status', is: '<>', value: 'draft' }] as const;
    const budgets = await select({ where: notDraft, order: 'byUsed' }, 9890);
    expect([budgets.total, budgets.rows.length, budgets.limit]).toEqual([9900, 10, 'first']);
    // The index of budgets has all campaigns.
    const last = await select({ where: [], order: 'byBudget' }, count - 5);
    expect([last.total, last.rows.length, last.limit]).toEqual([count, 5, undefined]);
  });

  test('finds rows that are few by their currency, state or used part, and sorts all of them', async () => {
    const euros = rows.filter(({ currency }) => currency === 'eur');
    const inEuros = await select({
      where: [{ column: 'currency', is: '=', value: 'eur' }],
      order: 'byName',
      descending: true,
    });
    expect(inEuros.limit).toBeUndefined();
    expect(idsIn(inEuros.rows)).toEqual(idsIn(euros.toSorted((one, other) => (one.name < other.name ? 1 : -1))));
    // Those that are active and nearly spent are few; those that are either are many.
    const where = [
      { column: 'status', is: '=', value: 'active' },
      { column: 'used_percent', is: '>=', value: 80 },
    ] as const;
    const spent = rows.filter(({ status, used_amount: used }) => status === 'active' && used >= 800);
    const nearly = await select({ where, order: 'byPercent', descending: true });
    expect([nearly.total, nearly.limit]).toEqual([spent.length, undefined]);
    expect(idsIn(nearly.rows)).toEqual(
      idsIn(spent.toSorted((one, other) => other.used_amount - one.used_amount || other.id - one.id)),
    );
  });

  test('tests conditions on the first rows that a search finds', async () => {
    const having = [{ column: 'platform_ids', is: 'has', value: 'instagram' }] as const;
    for (const [newestFirst, ids] of [
      [true, [10_004, 8004, 6004, 4004, 2004]],
      [false, [4, 2004, 4004, 6004, 8004]],
    ] as const) {
      const scan = { limit: 100, text: 'campaign', newestFirst, having };
      const found = await opened.store.read((reader) => reader.scan('campaigns', 'byOrganization', [1], scan));
      expect(idsIn(found)).toEqual(ids);
    }
  });

  test('tests other conditions on the first rows of the order', async () => {
    const onInstagram = [{ column: 'platform_ids', is: 'has', value: 'instagram' }] as const;
    const newest = await select({ where: onInstagram, descending: true });
    const wanted = rows.slice(300).filter(({ platform_ids: platforms }) => platforms.includes('instagram'));
    expect([newest.total, newest.limit]).toEqual([wanted.length, 'first']);
    expect(idsIn(newest.rows)).toEqual(idsIn(wanted.toReversed()));
    const notDraft = [{ column: 'status', is: '<>', value: 'draft' }] as const;
    const popular = await select({ where: notDraft, order: 'byViews', descending: true }, 0, 5);
    expect(idsIn(popular.rows)).toEqual([8, 58, 108, 158, 208]);
  });

  test('is not sorted by name, but the newest are first', async () => {
    const found = await select({ where: [], order: 'byName' });
    expect([found.total, found.limit]).toEqual([count, 'unsorted']);
    expect(idsIn(found.rows)).toEqual(idsIn(rows.toReversed().slice(0, 20)));
  });
});

test('the memory store makes the rows of a long list in pieces, between which others have their turn', async () => {
  const store = memoryStore();
  const campaigns = Array.from({ length: 5000 }, (_, n) => ({
    ...withDefaults('campaigns', campaignRow({ name: `Campaign ${n}` })),
    id: n + 1,
  }));
  await store.load({ ...nothing, tables: { ...nothing.tables, campaigns } });
  const { result, yields } = await yieldsOf(() =>
    store.read((reader) => reader.select('campaigns', 1, { where: [] }, { offset: 0, limit: maxTested })),
  );
  expect([result.total, result.rows.length]).toEqual([5000, 5000]);
  expect(yields).toBeGreaterThanOrEqual(4);
});
