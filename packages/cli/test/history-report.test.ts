import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { isLong } from '../../server/test/support/long.js';
import { reportHtml, svgChart } from '../src/commands/report/html.js';
import { reportMarkdown } from '../src/commands/report/markdown.js';
import { chart } from '../src/history/chart.js';
import { openHistory } from '../src/history/database.js';
import { Recorder } from '../src/history/record.js';
import { growthIn, seriesIn } from '../src/history/series.js';
import { Printer, Sink } from '../src/output/printer.js';
import { adaWithHistory } from './support/history.js';
import { temporaryFolder } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';

const { history, elsewhere } = adaWithHistory();

interface Campaign {
  readonly id: number;
  readonly [field: string]: unknown;
}

const campaign = (id: number, fields: object = {}): Campaign => ({
  id,
  name: `Campaign ${id}`,
  status: 'active',
  currency: 'usd',
  total_budget_amount: 1000,
  used_amount: 0,
  unused_amount: 1000,
  view_count: 0,
  created_at: '2026-01-01T00:00:00Z',
  published_at: '2026-01-02T00:00:00Z',
  paused_at: null,
  ...fields,
});

/** A service whose campaigns a test sets. */
async function marketplace(name = 'Acme') {
  const state = { campaigns: [] as Campaign[], collabs: [] as object[] };
  const base = await scriptedServer(({ url = '' }) => {
    if (url.includes('/campaigns.json')) return { body: /page=/.test(url) ? [] : state.campaigns };
    if (url.includes('/collabs.json')) return { body: /page=/.test(url) ? [] : state.collabs };
    return { body: { id: 5, name } };
  });
  return { state, env: { MKT_BASE_URL: base } };
}

/** A history of readings, each a list of campaigns. */
async function read(...readings: readonly (readonly Campaign[])[]) {
  const file = await openHistory(join(temporaryFolder(), 'history.db'));
  const place = { host: 'h', organization: '5' };
  readings.forEach((campaigns, index) => {
    const at = `2026-06-0${index + 1}T00:00:00.000Z`;
    file.write((database) =>
      new Recorder(database).reading({
        scope: { ...place, resource: 'campaigns' },
        rows: new Map(campaigns.map((row) => [String(row.id), JSON.stringify(row)])),
        drafts: 0,
        since: at,
        seen: at,
        at,
      }),
    );
  });
  const series = (field: string, since = '2026-05-01T00:00:00.000Z') =>
    seriesIn(file, { ...place, field, since }, ({ currency }) => currency);
  return { file, place, series };
}

/** The figures of each currency by heading, as text prints them. */
function figuresIn(stdout: string): Record<string, string>[] {
  const [, table = ''] = /\nCurrencies\n((?: {2}\S.*\n)+)/.exec(stdout) ?? [];
  const [head = [], ...rows] = table
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));
  return rows
    .filter((cells) => cells.length === head.length)
    .map((cells) => Object.fromEntries(cells.map((cell, index) => [head[index], cell])));
}

const values = (points: readonly { readonly value: number }[] | undefined) => points?.map(({ value }) => value);

describe('a series', () => {
  it('is the sum at each reading, with campaigns that were created and deleted', async () => {
    const { series } = await read(
      [campaign(1, { view_count: 10 })],
      [campaign(1, { view_count: 30 }), campaign(2, { view_count: 5 })],
      [
        campaign(1, { view_count: 30 }),
        campaign(2, { view_count: 9 }),
        campaign(3, { currency: 'eur', view_count: 4 }),
      ],
      [campaign(2, { view_count: 9 }), campaign(3, { currency: 'eur', view_count: 8 })],
    );
    expect(values(series('view_count').get('usd'))).toEqual([10, 35, 39, 9]);
    expect(values(series('view_count').get('eur'))).toEqual([4, 8]);
    expect(series('view_count', '2026-06-02T12:00:00.000Z').get('usd')).toEqual([
      { at: '2026-06-02T12:00:00.000Z', value: 37 },
      { at: '2026-06-03T00:00:00.000Z', value: 39 },
      { at: '2026-06-04T00:00:00.000Z', value: 9 },
    ]);
  });

  it('is the earlier value at the start of a period if the field does not move by itself', async () => {
    const { series } = await read(
      [campaign(1, { total_budget_amount: 100 })],
      [campaign(1, { total_budget_amount: 300 })],
    );
    expect(series('total_budget_amount', '2026-06-01T12:00:00.000Z').get('usd')).toEqual([
      { at: '2026-06-01T12:00:00.000Z', value: 100 },
      { at: '2026-06-02T00:00:00.000Z', value: 300 },
    ]);
  });

  it('adds up over a year of weekly readings that drift, with a missed week, to what happened', async () => {
    const file = await openHistory(join(temporaryFolder(), 'history.db'));
    const place = { host: 'h', organization: '5' };
    const [WEEK, START] = [7 * 86_400_000, Date.parse('2026-01-05T07:00:00Z')];
    // 25 an hour. In summer the cron of a local time runs an hour earlier.
    const truth = (time: number): number => Math.round(((time - START) / 3_600_000) * 25) + 1000;
    const drift = (week: number): number => ((week * 7919) % 59) * 1000;
    const summer = (week: number): number => (week >= 12 && week < 42 ? 3_600_000 : 0);
    const weeks = Array.from({ length: 53 }, (_, week) => week).filter((week) => week !== 20);
    const times = weeks.map((week) => START + week * WEEK + drift(week) - summer(week));
    for (const [index, time] of times.entries()) {
      const at = new Date(time).toISOString();
      const row = campaign(1, { used_amount: truth(time) });
      file.write((database) =>
        new Recorder(database).reading({
          scope: { ...place, resource: 'campaigns' },
          rows: new Map([['1', JSON.stringify(row)]]),
          drafts: 0,
          since: at,
          seen: at,
          at,
        }),
      );
      if (index === 0) continue;
      const since = new Date(time - WEEK).toISOString();
      const points = seriesIn(file, { ...place, field: 'used_amount', since }, () => 'all').get('all') ?? [];
      const growth = (points.at(-1)?.value ?? 0) - (points[0]?.value ?? 0);
      const begin = Math.max(time - WEEK, START);
      expect(Math.abs(growth - (truth(time) - truth(begin)))).toBeLessThanOrEqual(growth / 1000);
      expect(growthIn(file, { ...place, field: 'used_amount', since }).get('1')).toBeCloseTo(growth, -1);
    }
    // Periods that follow each other add up exactly, wherever their borders are.
    const valueAt = (time: number): number =>
      seriesIn(file, { ...place, field: 'used_amount', since: new Date(time).toISOString() }, () => 'all').get(
        'all',
      )?.[0]?.value ?? 0;
    const borders = times.map((time, index) => time + (index === 0 || index === times.length - 1 ? 0 : index * 61_000));
    const parts = borders.slice(1).map((border, index) => valueAt(border) - valueAt(borders[index] ?? 0));
    const last = times.at(-1) ?? 0;
    expect(parts.reduce((all, part) => all + part, 0)).toBe(truth(last) - truth(START));
    file.close();
  });

  it('has one point after one reading, and zeros for a field that does not exist', async () => {
    const { series } = await read([campaign(1, { view_count: 10 })]);
    expect(values(series('view_count').get('usd'))).toEqual([10]);
    expect(values(series('nothing').get('usd'))).toEqual([0]);
  });
});

it.runIf(isLong)('a history of 1,000,000 changes answers each question in a second', { timeout: 300_000 }, async () => {
  const { ada, json, file, find } = history();
  await ada(['watch', '--once']);
  const [{ host, campaigns } = {}] = await find(
    "select host, count(*) as campaigns from mkt_rows where resource = 'campaigns' group by host",
  );
  // A year of readings that end with the one above, each with one more view of each campaign.
  const database = await openHistory(file);
  const [count, year, end] = [1_000_000, 365 * 86_400, Date.parse('2026-06-01T12:00:00Z') / 1000];
  const readings = Math.ceil(count / Number(campaigns));
  const at = `strftime('%Y-%m-%dT%H:%M:%S.000Z', ${end} - (${readings} - reading) * ${year} / ${readings}, 'unixepoch')`;
  const numbers = (to: number) => `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${to - 1})`;
  database.write((open) => {
    open.exec(`insert into changes (host, organization_id, resource, resource_id, name, at, kind, field, before, after)
      ${numbers(count)} select '${host}', '5', 'campaigns', cast(1 + i % ${campaigns} as text), 'Summer', ${at}, 'changed',
        'view_count', reading, reading + 1 from (select i, i / ${campaigns} as reading from n)`);
    open.exec(`insert into observations (host, organization_id, resource, at, rows)
      ${numbers(readings)} select '${host}', '5', 'campaigns', ${at}, ${campaigns} from (select i as reading from n)`);
  });
  database.close();
  const timed = async (...argv: string[]) => {
    const { user } = process.cpuUsage();
    const result = await json(...argv);
    expect((process.cpuUsage().user - user) / 1e6, argv.join(' ')).toBeLessThan(1);
    return result;
  };
  await ada(['undo', '--list']);
  const [{ recent } = {}] = await find("select count(*) as recent from changes where at >= '2026-05-25T15:00:00Z'");
  expect(await timed('changes', '--all-fields', '--since', '7d')).toHaveLength(Number(recent));
  const { currencies } = await timed('report');
  const views = currencies.reduce((all: number, { period }: { period: { views: number } }) => all + period.views, 0);
  expect(Math.abs(views / ((readings / 365) * 7 * Number(campaigns)) - 1)).toBeLessThan(0.05);
  await timed('campaigns', 'trend');
  expect(await timed('undo', '--list')).toEqual([]);
});

it('draws 200,000 readings, and prints as many changes', async () => {
  const points = Array.from({ length: 200_000 }, (_, index) => ({
    at: new Date(1_700_000_000_000 + index * 60_000).toISOString(),
    value: index,
  }));
  expect(chart([{ name: 'Views', points }], { width: 80, style: (_tone, text) => text })).toContain('0 -> 199,999');
  expect(svgChart('Views', points)).toContain('Views: 0 to 199,999');
  const stream = new PassThrough();
  stream.resume();
  const printer = new Printer(new Sink(stream), {
    format: 'json',
    fields: undefined,
    jq: undefined,
    header: true,
    style: (_tone, text) => text,
    width: undefined,
  });
  await printer.rows([points], { columns: [], fields: ['at', 'value'] });
});

describe('mkt campaigns trend', () => {
  it('draws all campaigns, or some of them, and prints points', async () => {
    const { ada, json } = history();
    const { state, env } = await marketplace();
    const trend = async (...argv: string[]) =>
      (await ada(['campaigns', 'trend', ...argv], { env, columns: 80 })).stdout;
    state.campaigns = [campaign(1, { view_count: 100 }), campaign(2, { view_count: 1 })];
    await ada(['watch', '--once'], { env });
    expect(await ada(['campaigns', 'trend'], { env })).toMatchObject({
      stderr: expect.stringContaining('There is only one reading so far.'),
    });
    state.campaigns = [campaign(1, { view_count: 900 }), campaign(2, { view_count: 2 })];
    await ada(['watch', '--once'], { env });
    expect(await trend()).toMatch(/902 ┤.*╭[\s\S]*101 ┼[\s\S]*── All campaigns {2}101 -> 902\n$/);
    expect(await trend('1', 'Campaign 2')).toMatch(/── Campaign 1 {2}100 -> 900\n.*── Campaign 2 {2}1 -> 2\n$/);
    for (const line of (await trend('1')).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const points = JSON.parse((await ada(['campaigns', 'trend', '1', '--json'], { env })).stdout);
    expect(points).toMatchObject([
      { id: 1, name: 'Campaign 1', field: 'view_count', value: 100 },
      { id: 1, value: 900 },
    ]);
    const csv = await ada(['campaigns', 'trend', '--field', 'used_amount', '--format', 'csv'], { env });
    expect(csv.stdout).toMatch(/^id,name,currency,field,at,value\n,All campaigns in usd,usd,used_amount,/);
    expect(await ada(['campaigns', 'trend', '7'], { env })).toMatchObject({ code: 3 });
    expect(await json('campaigns', 'trend')).toEqual([]);
    for (const [field, said] of [
      ['budget', 'not "budget".\n  try:  Fields: total_budget_amount,'],
      ['name', 'not "name".'],
      ['views', 'not "views". Did you mean view_count?\n'],
    ])
      expect(await ada(['campaigns', 'trend', '--field', field ?? ''], { env })).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(`--field takes a field with numbers, ${said}`),
      });
  });
});

it.each(['cpm_amount', 'min_payout_amount', 'id'])('mkt campaigns trend does not add up %s', async (field) => {
  const { ada } = history();
  expect(await ada(['campaigns', 'trend', '--field', field])).toEqual({
    code: 2,
    stdout: '',
    // A new counter is one of them, too.
    stderr: expect.stringMatching(
      new RegExp(
        `^error: ${field} of several campaigns cannot be added up.\n` +
          `  try:  For single campaigns: mkt campaigns trend ID --field ${field}\n` +
          '        Fields that can: total_budget_amount, used_amount, unused_amount, view_count, submissions_count(, \\w+_count)*\n$',
      ),
    ),
  });
  await ada(['watch', '--once']);
  expect(await ada(['campaigns', 'trend', '3', '--field', field])).toMatchObject({ code: field === 'id' ? 2 : 0 });
});

describe('mkt report', () => {
  it('reports by currency, with pace, and never adds currencies', async () => {
    const { ada } = history();
    const { state, env } = await marketplace();
    state.campaigns = [
      campaign(1, { used_amount: 100, unused_amount: 900, view_count: 1000 }),
      campaign(2, { used_amount: 300, unused_amount: 700, view_count: 1000 }),
      campaign(3, { currency: 'eur', view_count: 5 }),
    ];
    await ada(['watch', '--once'], { env });
    state.campaigns = [
      campaign(1, { used_amount: 200, unused_amount: 800, view_count: 2000 }),
      campaign(2, { used_amount: 300, unused_amount: 700, view_count: 1000, status: 'finished' }),
      campaign(3, { currency: 'eur', view_count: 5 }),
      campaign(4, {
        status: 'draft',
        published_at: null,
        total_budget_amount: 0,
        unused_amount: 0,
        created_at: '2026-06-01T13:30:00Z',
      }),
    ];
    const report = JSON.parse((await ada(['report', '--json'], { env })).stdout);
    expect(report.currencies).toMatchObject([
      {
        currency: 'usd',
        budget: 2000,
        used: 500,
        left: 800,
        left_in_drafts: 0,
        unspent: 700,
        used_percent: 25,
        effective_cpm: 166.67,
        new: 1,
        published: 0,
        finished: 1,
        best: { id: 1, effective_cpm: 100 },
        worst: { id: 2, effective_cpm: 300 },
        // An hour between the two: 100 used is 2,400 a day, so the 800 left of the active one last 8 hours.
        period: {
          used: 100,
          views: 1000,
          used_per_day: 2400,
          ends_soonest: [{ id: 1, left: 800, used_per_day: 2400, ends_on: '2026-06-01' }],
          series: { used: [{ value: 400 }, { value: 500 }], views: [{ value: 2000 }, { value: 3000 }] },
        },
      },
      { currency: 'eur', budget: 1000, used: 0, period: { used: 0, ends_soonest: [] } },
    ]);
    expect(report.changes).toMatchObject([
      { id: 2, field: 'status', after: 'finished', by: 'elsewhere' },
      { id: 4, kind: 'created' },
    ]);
  });

  it('says when a budget ends at its own pace, and over how long that was measured', async () => {
    const { ada } = history();
    const { state, env } = await marketplace();
    const budget = { currency: 'eur', total_budget_amount: 600_000 };
    state.campaigns = [
      campaign(1, { ...budget, unused_amount: 600_000 }),
      campaign(2, { used_amount: 0 }),
      campaign(3, { ...budget, unused_amount: 600_000 }),
    ];
    await ada(['watch', '--once'], { env });
    state.campaigns = [
      campaign(1, { ...budget, used_amount: 1003, unused_amount: 598_997 }),
      campaign(2, { used_amount: 500_000, unused_amount: 0, status: 'finished' }),
      // Ends in October.
      campaign(3, { ...budget, used_amount: 200, unused_amount: 599_800 }),
      campaign(4, { used_amount: 0 }),
    ];
    const { stdout } = await ada(['report'], { env });
    // 24,072 a day, and not the half million of the other one.
    expect(stdout).toMatch(
      /\nBudgets that end within 30 days\n.*ENDS ON\n {2}Campaign 1 \(1\) +EUR +598,997 +24,072 +2026-06-26\n\n/,
    );
    const ends = JSON.parse((await ada(['report', '--json'], { env })).stdout).currencies.flatMap(
      ({ period }: { period: { ends_soonest: object[] } }) => period.ends_soonest,
    );
    expect(ends).toMatchObject([{ id: 1 }, { id: 3 }]);
    expect(figuresIn(stdout)).toMatchObject([
      { CURRENCY: 'EUR', 'USED PER DAY': '28,872' },
      { CURRENCY: 'USD', 'USED PER DAY': '12,000,000' },
    ]);
    expect(stdout).toContain('  The pace is that of 60 minutes. Readings over a day or more make it reliable.\n');
    const later = { env, now: () => new Date('2026-06-02T13:00:00Z') };
    await ada(['watch', '--once'], later);
    const { stdout: next } = await ada(['report'], later);
    expect(figuresIn(next)).toMatchObject([{ 'USED PER DAY': '1,203' }, { 'USED PER DAY': '500,000' }]);
    expect(next).not.toContain('The pace is');
  });

  it('counts as left what can still be spent, and says what the budget has besides', async () => {
    const { ada } = history();
    const { state, env } = await marketplace();
    state.campaigns = [
      campaign(1, { used_amount: 1000, unused_amount: 0 }),
      campaign(2, { status: 'finished', used_amount: 400, unused_amount: 600 }),
    ];
    const { stdout } = await ada(['report'], { env });
    expect(figuresIn(stdout)).toMatchObject([{ LEFT: 'used up', 'LEFT IN FINISHED': '600' }]);
    expect(stdout).toContain('the budget is used up');
    expect(stdout).not.toContain('ten years');
    state.campaigns.push(campaign(3, { status: 'paused', paused_at: '2026-06-01T12:00:00Z', unused_amount: 250 }));
    state.campaigns.push(campaign(4, { status: 'draft', unused_amount: 70 }));
    const whole = (await ada(['report'], { env })).stdout;
    expect(figuresIn(whole)).toMatchObject([{ LEFT: '250', 'LEFT IN DRAFTS': '70', 'LEFT IN FINISHED': '600' }]);
    const [{ budget, used, left, left_in_drafts: drafts, unspent: finished }] = JSON.parse(
      (await ada(['report', '--json'], { env })).stdout,
    ).currencies;
    expect({ left, drafts, finished }).toEqual({ left: 250, drafts: 70, finished: 600 });
    expect(budget - used - left - drafts - finished).toBe(4000 - 1400 - 920);
    // A narrow table leaves these columns out.
    expect((await ada(['report'], { env, columns: 40 })).stdout.replaceAll(/\s+/g, ' ')).toContain(
      'Left is what active and paused campaigns can still spend; Budget is that of all.',
    );
  });

  it('says that the history begins with the first report', async () => {
    const { ada } = history();
    const { state, env } = await marketplace();
    state.campaigns = [campaign(1)];
    const { stdout } = await ada(['report'], { env, columns: 120 });
    expect(stdout).toMatch(/ UTC\. The history begins now\.\n/);
    expect(stdout).toContain('What changed\n  Nothing was recorded in the period, apart from counters.');
  });

  it.each([[], ['--compare']])('says of a month before the first reading what it cannot know %j', async (...flags) => {
    const { ada } = history();
    const { state, env } = await marketplace();
    state.campaigns = [campaign(1, { used_amount: 400, unused_amount: 600, view_count: 9 })];
    await ada(['watch', '--once'], { env });
    const argv = ['report', '--month', '2026-01', ...flags];
    const { code, stdout } = await ada(argv, { env, columns: 120 });
    expect(code).toBe(0);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      '2026-02-01 00:00 UTC. Totals are those of 2026-06-01 14:00. The history begins later, so it knows nothing of that period.',
    );
    expect(stdout).toContain('What changed\n  This needs a history of the period. To begin: ');
    expect(Object.keys(figuresIn(stdout)[0] ?? {})).not.toContain('USED IN PERIOD');
    const report = JSON.parse((await ada([...argv, '--json'], { env })).stdout);
    expect(report).toMatchObject({
      totals_at: expect.stringMatching(/^2026-06-01T/),
      changes: null,
      currencies: [{ used: 400, new: 1, published: 1, finished: null, period: null }],
    });
    expect((await ada(['report'], { env })).stdout).not.toContain('Totals are those');
  });

  it('names the readings next to the borders of its period, and says what it estimates', async () => {
    const { ada } = history();
    const { state, env } = await marketplace();
    const at = async (time: string, used: number, ...argv: string[]) => {
      state.campaigns = [campaign(1, { used_amount: used, unused_amount: 1000 - used })];
      return (await ada(argv, { env, now: () => new Date(time) })).stdout;
    };
    await at('2026-06-01T08:00:00Z', 100, 'watch', '--once');
    const first = await at('2026-06-03T08:00:00Z', 120, 'report');
    expect(first).toContain('UTC. The record begins at 2026-06-01 08:00:');
    expect(figuresIn(first)).toMatchObject([{ 'USED IN PERIOD': '20' }]);
    // Four seconds earlier in its minute than the reading of the week before: 700 in the week, and not 720.
    await at('2026-06-08T08:00:30Z', 200, 'watch', '--once');
    const weekly = JSON.parse(await at('2026-06-15T08:00:26Z', 900, 'report', '--json'));
    expect(weekly.period).toEqual({
      since: '2026-06-08T08:00:26.000Z',
      until: '2026-06-15T08:00:26.000Z',
      from_reading: '2026-06-08T08:00:30.000Z',
      to_reading: '2026-06-15T08:00:26.000Z',
      estimated: false,
    });
    expect(weekly.currencies).toMatchObject([{ used: 900, period: { used: 700 } }]);
    const halfWay = await at('2026-06-22T08:00:26Z', 940, 'report', '--since', '2026-06-11T20:00:28Z');
    expect(halfWay).toMatch(/UTC\. The reading nearest to its start is from 2026-06-15 08:00: what was used and/);
    expect(figuresIn(halfWay)).toMatchObject([{ 'USED IN PERIOD': '390' }]);
    const ended = ['report', '--since', '2026-06-08T08:00:30Z', '--until', '2026-06-12T08:00:30Z'];
    expect(await at('2026-06-22T08:00:26Z', 940, ...ended)).toContain('nearest to its end is from 2026-06-15 08:00:');
  });

  it('counts what the reading at a border found in one of the two periods', async () => {
    const { ada } = history();
    const { state, env } = await marketplace();
    const at = async (day: number, status: string, ...argv: string[]) => {
      state.campaigns = [campaign(1, { status, used_amount: day, unused_amount: 1000 - day })];
      return (await ada(argv, { env, now: () => new Date(`2026-06-0${day}T08:00:02Z`) })).stdout;
    };
    const counts = (report: string) => {
      const { currencies, changes } = JSON.parse(report);
      return [currencies[0].finished, changes.length, currencies[0].period.used];
    };
    await at(1, 'active', 'watch', '--once');
    // Cron starts each report in the same second of its day.
    expect(counts(await at(3, 'finished', 'report', '--since', '2d', '--json'))).toEqual([1, 1, 2]);
    expect(counts(await at(5, 'finished', 'report', '--since', '2d', '--json'))).toEqual([0, 0, 2]);
    const [first, last] = ['2026-06-01T08:00:02Z', '2026-06-05T08:00:02Z'];
    for (const [border, expected] of [
      ['2026-06-03T08:00:02Z', [1, 0]],
      ['2026-06-03T08:00:01Z', [0, 1]],
    ] as const) {
      const before = await at(5, 'finished', 'report', '--since', first, '--until', border, '--json');
      const after = await at(5, 'finished', 'report', '--since', border, '--until', last, '--json');
      expect([before, after].map((report) => counts(report)[0])).toEqual(expected);
      expect([before, after].map((report) => counts(report)[1])).toEqual(expected);
    }
  });

  it('says first what needs attention, then one table, in 60 lines on a terminal and whole in a pipe', async () => {
    const { ada } = history();
    const { state, env } = await marketplace();
    const currencies = ['usd', 'eur', 'gbp', 'jpy', 'chf', 'sek', 'nok'];
    const name = `A name of a hundred characters ${'x'.repeat(69)}`;
    const read = (used: number, status: string) => {
      state.campaigns = currencies.flatMap((currency, index) =>
        Array.from({ length: 8 }, (_, each) =>
          campaign(10 * index + each, { name, currency, used_amount: used, unused_amount: 1000 - used, status }),
        ),
      );
      return ada(['watch', '--once'], { env });
    };
    await read(100, 'active');
    await read(900, 'active');
    state.campaigns = state.campaigns.map((each) => ({ ...each, status: 'paused', paused_at: '2026-06-01T12:00:00Z' }));
    const shown = (await ada(['report'], { env, columns: 80 })).stdout;
    const lines = shown.split('\n');
    expect(lines.length).toBeLessThanOrEqual(60);
    const compared = (await ada(['report', '--compare'], { env, columns: 80 })).stdout.split('\n');
    expect(compared.length).toBeLessThanOrEqual(60);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.filter((line) => /^\S/.test(line))).toEqual([
      'Acme: campaigns',
      expect.stringMatching(/UTC\. The record begins at/),
      expect.stringMatching(/^\S.*from then\.$/),
      'Needs attention',
      'Currencies',
      'Budgets that end within 30 days',
      'What changed',
    ]);
    expect(figuresIn(shown)).toHaveLength(7);
    expect(shown.match(/And 44 more: --verbose shows all\./g)).toHaveLength(2);
    expect(shown).toMatch(/ {2}status: active -> paused {2}elsewhere\n/);

    const piped = (await ada(['report'], { env })).stdout;
    expect(piped).not.toMatch(/…| more:/);
    expect(piped.split(`"${name}"`)).toHaveLength(1 + 2 * 56);
    expect(piped.split('status: active -> paused  elsewhere\n')).toHaveLength(1 + 56);
    const verbose = (await ada(['report', '--verbose'], { env, columns: 80 })).stdout;
    expect(verbose).not.toContain('more:');
    expect(verbose).toMatch(/NOK: 8 campaigns\n(?:.*\n)*.*Used +7,200\n(?:.*\n)+.*── Used {2}800 -> 7,200\n$/);
  });

  it('has every change in JSON', async () => {
    const { ada } = history();
    const { state, env } = await marketplace();
    await ada(['watch', '--once'], { env });
    state.campaigns = Array.from({ length: 600 }, (_, id) => campaign(id));
    expect(JSON.parse((await ada(['report', '--json'], { env })).stdout).changes).toHaveLength(600);
  });

  it('does not say of counters that nothing was recorded', async () => {
    const { ada } = history();
    const { state, env } = await marketplace();
    for (const view_count of [1, 2]) {
      state.campaigns = [campaign(1, { view_count })];
      const { stdout } = await ada(['report'], { env });
      expect(stdout).toContain('What changed\n  Nothing was recorded in the period, apart from counters.\n');
    }
  });

  it('shows a change of state once, with who made it, at 80 columns', async () => {
    const { ada } = history();
    await ada(['campaigns', 'pause', '3']);
    const [, changed = ''] = (await ada(['report'], { columns: 80 })).stdout.split('What changed\n');
    expect(changed.split('\n')).toEqual([
      expect.stringMatching(/^ {2}WHEN +WHAT +CHANGE +BY$/),
      expect.stringMatching(/^ {2}2026-06-01 \d\d:00 {2}campaign 3 "<b>Bold.* {2}status: active -> paused {2}you$/),
      '',
    ]);
    const piped = (await ada(['report'])).stdout;
    expect(piped).toMatch(/ {2}status: active -> paused {2}you {2}mkt campaigns pause 3\n$/);
  });

  it('names what needs attention', async () => {
    const { ada } = history();
    const { state, env } = await marketplace();
    state.campaigns = [
      campaign(1, { used_amount: 810, unused_amount: 190 }),
      campaign(2, { used_amount: 799 }),
      campaign(11, { used_amount: 800 }),
      campaign(3, { total_budget_amount: 0, unused_amount: 0 }),
      campaign(4, { status: 'paused', paused_at: '2026-05-17T12:00:00Z' }),
      campaign(5, { status: 'paused', paused_at: '2026-05-19T12:00:00Z' }),
      campaign(6, { status: 'draft', created_at: '2026-05-01T12:00:00Z' }),
      campaign(7, { status: 'draft', created_at: '2026-05-03T12:00:00Z' }),
      campaign(8, { status: 'finished', used_amount: 1000, unused_amount: 0 }),
      campaign(10, { status: 'paused', used_amount: 990, paused_at: '2026-05-31T12:00:00Z' }),
    ];
    state.collabs = [{ id: 9, name: 'Waiting', state: 'submitted_for_review' }];
    const { attention } = JSON.parse((await ada(['report', '--json'], { env })).stdout);
    // The most urgent first: reports for people leave out the rest of long lists.
    expect(attention).toEqual([
      { resource: 'campaigns', id: 10, name: 'Campaign 10', reason: '99 % of the budget is used' },
      { resource: 'campaigns', id: 1, name: 'Campaign 1', reason: '81 % of the budget is used' },
      { resource: 'campaigns', id: 11, name: 'Campaign 11', reason: '80 % of the budget is used' },
      { resource: 'campaigns', id: 3, name: 'Campaign 3', reason: 'active without a budget' },
      { resource: 'collabs', id: 9, name: 'Waiting', reason: 'in review' },
      { resource: 'campaigns', id: 4, name: 'Campaign 4', reason: 'paused for 15 days' },
      { resource: 'campaigns', id: 6, name: 'Campaign 6', reason: 'a draft for 31 days' },
    ]);
  });

  it('says how to begin without a history, and works', async () => {
    const { ada } = history();
    const { code, stdout, stderr } = await ada(['report'], { env: { MKT_HISTORY: 'off' } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(figuresIn(stdout)).toContainEqual(
      expect.objectContaining({ CURRENCY: 'USD', CAMPAIGNS: '31', BUDGET: '9,025,000' }),
    );
    expect(stdout).toContain('This needs a history of the period. To begin: mkt watch --once');
  });

  it('fits a terminal of 80 columns, and one of 40', async () => {
    const { ada } = history();
    await ada(['watch', '--once']);
    await elsewhere('PATCH', '/campaigns/1', { campaign: { name: 'N'.repeat(200) } });
    for (const columns of [80, 40]) {
      const { stdout } = await ada(['report'], { columns });
      for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    }
  });

  it('writes .html, .md and .json, and rejects other names before it reads', async () => {
    const { ada } = history();
    const folder = temporaryFolder();
    for (const name of ['week.html', 'week.md', 'week.json'])
      expect(await ada(['report', '--out', join(folder, name)])).toMatchObject({
        code: 0,
        stdout: '',
        stderr: expect.stringContaining('Wrote the report on Acme Cosmetics to'),
      });
    const html = readFileSync(join(folder, 'week.html'), 'utf8');
    expect(html).toMatch(/^<!doctype html>/);
    // On a phone a wide table scrolls, not the page.
    expect(html).toContain('@media screen { section { overflow-x: auto; } }');
    expect(readFileSync(join(folder, 'week.md'), 'utf8')).toMatch(/^# Acme Cosmetics: campaigns\n/);
    expect(JSON.parse(readFileSync(join(folder, 'week.json'), 'utf8')).organization).toEqual({
      id: 5,
      name: 'Acme Cosmetics',
    });
    expect(await ada(['report', '--out', join(folder, 'week.pdf')])).toMatchObject({ code: 2 });
    expect(existsSync(join(folder, 'week.pdf'))).toBe(false);
  });
});

describe('hostile names', () => {
  const name = `"><script>alert(1)</script><img src=x onerror=alert(1)>'|[x](http://evil.example)\u001b[31m\u202e @ada #1 \`x\` www.evil.example`;
  const made = async () => {
    const { ada } = history();
    const { state, env } = await marketplace(name);
    state.campaigns = [campaign(1, { name, currency: '<b>', view_count: 5, used_amount: 900 })];
    await ada(['watch', '--once'], { env });
    state.campaigns = [campaign(1, { name: `${name}2`, currency: '<b>', view_count: 9, used_amount: 950 })];
    const { stdout } = await ada(['report', '--json'], { env });
    return { report: JSON.parse(stdout), text: (await ada(['report'], { env, columns: 120 })).stdout };
  };

  it('leave room for the labels of large numbers', () => {
    const svg = svgChart('Views', [
      { at: '2026-01-01T00:00:00Z', value: 0 },
      { at: '2026-01-02T00:00:00Z', value: 75_000_000_000_000 },
    ]);
    const [, x] = /<text x="(\d+)"[^>]*>80,000,000,000,000</.exec(svg) ?? [];
    expect(Number(x)).toBeGreaterThan(18 * 6);
    expect(svg).toContain(`<line x1="${Number(x) + 8}"`);
  });

  it.each([
    ['2026-01-01T10:00:00Z', ['2026-01-01 09:00', '2026-01-01 10:00']],
    ['2026-01-08T10:00:00Z', ['2026-01-01', '2026-01-08']],
  ])('have times at their ends if those are days apart at most: %s', (at, labels) => {
    const svg = svgChart('Views', [
      { at: '2026-01-01T09:00:00Z', value: 1 },
      { at, value: 2 },
    ]);
    expect([...svg.matchAll(/>(2026[^<]*)</g)].map(([, label]) => label)).toEqual(labels);
  });

  it('stay text in HTML and SVG', async () => {
    const { report } = await made();
    const html = reportHtml([report, report], 'mkt watch');
    const tags = new Set([...html.matchAll(/<\/?([a-z][\w-]*)/gi)].map(([, tag]) => tag?.toLowerCase()));
    for (const tag of ['script', 'img', 'b', 'a', 'link', 'iframe']) expect(tags).not.toContain(tag);
    expect(html).not.toMatch(/<[^>]*\sonerror/);
    expect(html).not.toMatch(/https?:\/\/(?!evil)/);
    expect(svgChart(name, [{ at: '2026-01-01T00:00:00Z', value: 1 }])).not.toContain('<script');
  });

  it('stay text in Markdown', async () => {
    const { report } = await made();
    const markdown = reportMarkdown([report, report], 'mkt watch');
    expect(markdown).not.toMatch(/<|\]\(|`|@|https?:|www\.|\u202e/);
    expect(markdown).not.toContain('\u001b');
    for (const line of markdown.split('\n').filter((each) => each.startsWith('| Best')))
      expect(line.split('|')).toHaveLength(4);
  });

  it('do not reach a terminal', async () => {
    const { text } = await made();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be printed
    expect(text).not.toMatch(/\u001b\[31m|\u202e/);
  });
});
