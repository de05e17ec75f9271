import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sampleOf } from '../../server/test/support/long.js';
import { type Brand, type BrandRow, brandsService, campaignRow } from './support/brands.js';
import { temporaryFolder } from './support/run-cli.js';

const DAY = 86_400_000;
const START = Date.parse('2026-04-01T00:00:00Z');

/** What a campaign has used at a time: it grows by the hour, by less on each day. */
const usedAt = (id: number, time: number): number => {
  const hours = (time - START) / 3_600_000;
  return Math.round(id * 100 * hours - id * 0.01 * hours * hours);
};

const platforms = [['tiktok'], ['youtube', 'tiktok'], ['youtube'], []];
const campaignsAt = (first: number, time: number): BrandRow[] =>
  [0, 1, 2, 3].map((index) => {
    const id = first + index;
    return campaignRow(id, {
      currency: index === 2 ? 'eur' : 'usd',
      platform_ids: platforms[index],
      total_budget_amount: 10_000_000,
      used_amount: usedAt(id, time),
      unused_amount: 10_000_000 - usedAt(id, time),
      view_count: 10 * usedAt(id, time),
    });
  });

/** Three brands with readings every six days from April on; with `fails`, the second one cannot be read. */
async function threeBrands({ fails = false, days = 0 } = {}) {
  const brands: Brand[] = [
    { name: 'Acme', campaigns: [] },
    { name: 'Bolt, Inc', campaigns: [], fails },
    { name: 'Cora', campaigns: [], collabs: [] },
  ];
  const service = await brandsService(brands);
  const at = (time: number): void => {
    service.state.now = new Date(time);
    for (const [index, brand] of brands.entries()) brand.campaigns = campaignsAt(10 * (index + 1), time);
  };
  for (let day = 0; day < days; day += 1) {
    // Seconds drift, as those of cron do.
    at(START + day * 6 * DAY + ((day * 7919) % 600) * 1000);
    await service.run(['watch', '--once', '--all-orgs']);
  }
  return { ...service, brands, at };
}

const inMonth = (first: number, month: number, currency: string): number => {
  const [since, until] = [Date.UTC(2026, month), Date.UTC(2026, month + 1)];
  return [0, 1, 2, 3]
    .filter((index) => (index === 2) === (currency === 'eur'))
    .reduce((all, index) => all + usedAt(first + index, until) - usedAt(first + index, since), 0);
};

describe('a report of several organizations', () => {
  it('has what each has of its own, and compares this month with the last', async () => {
    const { run, json, at } = await threeBrands({ days: 11 });
    at(Date.UTC(2026, 5, 1, 6));
    const argv = ['report', '--month', '2026-05', '--compare', '--group-by', 'platform'];
    const { organizations } = await json(...argv, '--org', '1,Bolt, Inc,3');
    expect(organizations).toHaveLength(3);
    for (const [index, report] of organizations.entries()) {
      expect(report).toEqual(await json(...argv, '--org', String(index + 1)));
      expect(report.period).toMatchObject({ since: '2026-05-01T00:00:00.000Z', until: '2026-06-01T00:00:00.000Z' });
      for (const { currency, period, previous } of report.currencies) {
        const first = 10 * (index + 1);
        // Linear between two readings, which are six days apart.
        expect(period.used / inMonth(first, 4, currency)).toBeCloseTo(1, 2);
        expect(previous.used / inMonth(first, 3, currency)).toBeCloseTo(1, 2);
        expect(period.used_per_day).toBeCloseTo(period.used / 31, 0);
        expect(period.views).toBeCloseTo(10 * period.used, -2);
      }
    }
    // Two periods that follow each other add up to both.
    const usd = async (...period: string[]) => {
      const [found] = (await json('report', '--org', '1', ...period)).currencies;
      return { used: found.period.used, previous: found.previous?.used };
    };
    const both = await usd('--since', '2026-04-03', '--until', '2026-05-20');
    const later = await usd('--since', '2026-05-03', '--until', '2026-05-20');
    const middle = await usd('--since', '2026-04-03', '--until', '2026-05-03');
    expect(later.used + middle.used).toBe(both.used);
    const compared = await usd('--since', '2026-05-10', '--until', '2026-05-20', '--compare');
    expect(compared.previous).toBe((await usd('--since', '2026-04-30', '--until', '2026-05-10')).used);
    const text = await run([...argv, '--all-orgs'], { columns: 120 });
    expect(text.stdout).toMatch(/^3 organizations: campaigns\n\nOrganizations\n +ORGANIZATION +CURRENCY /);
    for (const part of [
      'Acme: campaigns',
      'Bolt, Inc: campaigns',
      'Compared with 2026-04-01 00:00 to 2026-05-01 00:00',
    ])
      expect(text.stdout).toContain(part);
    const out = join(temporaryFolder(), 'month.html');
    await run([...argv, '--all-orgs', '--out', out]);
    const html = readFileSync(out, 'utf8');
    expect([...html.matchAll(/<h1>([^<]*)</g)].map(([, title]) => title)).toEqual([
      '3 organizations: campaigns',
      'Acme: campaigns',
      'Bolt, Inc: campaigns',
      'Cora: campaigns',
    ]);
    expect(html.indexOf('<table>')).toBeLessThan(html.indexOf('<h1>Acme'));
    for (const line of (await run([...argv, '--all-orgs'], { columns: 80 })).stdout.split('\n'))
      expect(line.length).toBeLessThanOrEqual(80);
  });

  it('is limited to a currency, with the changes of what has it', async () => {
    const { run, json, at, brands } = await threeBrands({ days: 2 });
    at(START + 8 * DAY);
    for (const brand of brands) brand.campaigns = brand.campaigns.map((row) => ({ ...row, status: 'paused' }));
    for (const brand of brands)
      brand.collabs = ['usd', 'eur'].map((currency, index) => ({
        ...campaignRow(index + 1, { currency }),
        state: 'submitted_for_review',
      }));
    const argv = ['report', '--all-orgs', '--group-by', 'platform'];
    const every = (await json(...argv)).organizations;
    const only = (await json(...argv, '--currency', 'EUR')).organizations;
    for (const [index, report] of only.entries()) {
      const isEuro = ({ resource, id }: BrandRow) => (resource === 'collabs' ? id === 2 : Number(id) % 10 === 2);
      const ofEuro = ({ currency }: BrandRow) => currency === 'eur';
      const { currencies, groups, attention, changes } = every[index];
      expect({ ...report, totals_at: '', period: {} }).toEqual({
        ...{ ...every[index], totals_at: '', period: {} },
        ...{ currencies: currencies.filter(ofEuro), groups: groups.filter(ofEuro) },
        ...{ attention: attention.filter(isEuro), changes: changes.filter(isEuro) },
      });
      expect([report.currencies, report.attention, report.changes].map(({ length }) => length)).toEqual([1, 1, 2]);
    }
    const none = await run(['report', '--org', '1,2', '--currency', 'jpy']);
    expect(none).toMatchObject({ code: 0, stderr: 'No row has --currency jpy. Values found: eur, usd.\n' });
    expect((await run(['report', '--org', '1', '--currency', 'euro'])).code).toBe(2);
    expect(await json('collabs', 'list', '--all-orgs', '--currency', 'eur')).toHaveLength(3);
  });

  it('says that the history knows nothing of the period before', async () => {
    const { run, at, json } = await threeBrands();
    at(START);
    const [{ currencies, previous_period }] = (await json('report', '--org', '1,3', '--compare')).organizations;
    expect({ previous: currencies[0].previous.used, previous_period }).toMatchObject({
      previous: null,
      previous_period: { until: '2026-03-25T00:00:00.000Z' },
    });
    const { code, stdout } = await run(['report', '--org', '1', '--compare']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('it knows nothing of that period') });
  });

  it.each([
    [['--month', '2026-13'], '--month takes a month such as 2026-11'],
    [['--month', '2026-07'], 'is in the future'],
    [['--month', '2026-05', '--since', 'monday'], '--month cannot be used with --since or --until.'],
    [['--since', 'yesterday', '--until', '3d'], '--until is not after --since.'],
  ])('rejects %j before any request', async (argv, message) => {
    const { run, asked } = await threeBrands();
    const { code, stderr } = await run(['report', '--org', '1', ...argv]);
    expect({ code, stderr, asked }).toEqual({ code: 2, stderr: expect.stringContaining(message), asked: [] });
  });
});

describe('groups', () => {
  it.each(['platform', 'country', 'status'])('by %s are sums of the rows of the API, per currency', async (by) => {
    const { json, run, at, brands } = await threeBrands();
    at(START + 30 * DAY);
    const field = { platform: 'platform_ids', country: 'countries', status: 'status' }[by] ?? '';
    const wanted = (brand: Brand) => {
      const sums: Record<string, number[]> = {};
      for (const row of brand.campaigns)
        for (const value of [row[field]].flat().length === 0 ? [null] : [row[field]].flat()) {
          const key = `${value} ${row.currency}`;
          const [count = 0, used = 0] = sums[key] ?? [];
          sums[key] = [count + 1, used + Number(row.used_amount), 100];
        }
      return sums;
    };
    const found = (groups: readonly Record<string, unknown>[]) =>
      Object.fromEntries(
        groups.map((group) => [`${group[by]} ${group.currency}`, [group.campaigns, group.used, group.effective_cpm]]),
      );
    const rows = await json('campaigns', 'list', '--all-orgs', '--group-by', by);
    for (const [index, brand] of brands.entries()) {
      const own = rows.filter(({ organization }: { organization: BrandRow }) => organization.id === index + 1);
      expect(found(own)).toEqual(wanted(brand));
      expect(found((await json('report', '--org', String(index + 1), '--group-by', by)).groups)).toEqual(wanted(brand));
    }
    const argv = ['campaigns', 'list', '--org', '1', '--group-by', by, '--sort', '-used'];
    const { stdout, stderr } = await run(argv, { columns: 80 });
    expect(stdout).toMatch(new RegExp(`^${by.toUpperCase()} +CUR +CAMPAIGNS +BUDGET +USED +VIEWS +ECPM\n`));
    expect(stderr).toMatch(
      /^4 campaigns searched\. Amounts are sorted within each currency\. [\s\S]*cannot be added up\.\n$/,
    );
    for (const flags of [[], ['--sort', '-campaigns']]) {
      const first = await run([
        'campaigns',
        'list',
        '--org',
        '1',
        '--group-by',
        by,
        ...flags,
        '--limit',
        '1',
        '--json',
      ]);
      expect(first.stderr).toMatch(/^1 of \d groups\. 4 campaigns searched\. /);
    }
  });
});

describe('the history of several organizations', () => {
  it('is one table of changes, with the organization first', async () => {
    const { run, json, at, brands } = await threeBrands({ days: 1 });
    at(START + DAY);
    for (const brand of brands) brand.campaigns = brand.campaigns.map((row) => ({ ...row, status: 'paused' }));
    const watched = await run(['watch', '--once', '--all-orgs', '--budget-used', '1']);
    expect(watched.code).toBe(0);
    expect(watched.stdout).toMatch(
      /^Acme {7}2026-04-02 00:00 {2}campaign 10 "Campaign 10" {2}status: active -> paused\n/,
    );
    expect(watched.stdout.match(/^Bolt, Inc {2}2026/gm)).toHaveLength(16);
    const rows = await json('changes', '--all-orgs');
    expect(rows).toHaveLength(12);
    for (const id of [1, 2, 3]) {
      const own = rows.filter(({ organization }: { organization: BrandRow }) => organization.id === id);
      expect(own.map(({ organization: _, ...row }: Record<string, unknown>) => row)).toEqual(
        await json('changes', '--org', String(id)),
      );
    }
    const csv = await run(['changes', '--all-orgs', '--format', 'csv']);
    expect(csv.stdout).toMatch(/^organization\.id,organization\.name,at,resource,id,.*\n1,Acme,2026-04-02T00:00:00/);
    const table = await run(['changes', '--org', '1,2', '--made-by', 'elsewhere'], { columns: 120 });
    expect(table.stdout).toMatch(/^ORGANIZATION +WHEN +WHAT +CHANGE/);
    expect(table.stderr).toMatch(/^8 changes in Acme and Bolt, Inc since [^\n]*\n$/);
    const trend = await json('campaigns', 'trend', '--all-orgs', '--field', 'used_amount', '--since', '2026-03-31');
    expect(new Set(trend.map(({ organization }: { organization: BrandRow }) => organization.name))).toEqual(
      new Set(['Acme', 'Bolt, Inc', 'Cora']),
    );
    expect(trend.at(-1).value).toBe(usedAt(32, START + DAY));
  });

  it('is noted once where it is the same, with sums and flags that work', async () => {
    const brands = Array.from({ length: 5 }, (_, index) => ({
      name: `Brand ${index + 1}`,
      campaigns: [campaignRow(index + 1, { submissions_count: index })],
      collabs: [],
    }));
    const { run, state } = await brandsService(brands);
    const begins = 'The history of 5 organizations begins at 2026-06-01 12:00 UTC';
    const steps: [day: number, argv: string, stderr: string][] = [
      [
        0,
        'changes',
        'No changes in 5 organizations since 2026-05-25 12:00 UTC.\nTo record changes that others make: mkt watch --once --all-orgs (again later, or in cron)',
      ],
      [
        0,
        'watch --once',
        'First reading of 5 organizations: 5 campaigns and 0 collabs. The next one shows what has changed.',
      ],
      [
        0,
        'campaigns trend',
        'There is only one reading of 5 organizations so far. For a trend, read again later: mkt watch --once --all-orgs',
      ],
      [1, 'watch --once', 'No changes in 5 organizations: 5 campaigns and 0 collabs.'],
      [1, 'campaigns pause --status active --dry-run', 'Would pause 5 campaigns in 5 organizations.'],
      [
        1,
        'campaigns update --status active --countries DE --dry-run --json',
        'Would update 5 campaigns in 5 organizations.',
      ],
      [1, 'campaigns pause --status paused --dry-run', 'No campaigns of 5 organizations match.'],
      [
        1,
        'campaigns list --no-submissions-for 7d --sort -id --limit 1',
        `1 campaign of 5 organizations.\nThe history of Brand 1 begins at 2026-06-01 12:00 UTC.\nwarning: ${begins.replace('5', '4')} and does not know enough of 4 campaigns yet, which may be missing here. To record more: mkt watch --once --all-orgs (in cron)`,
      ],
      [
        9,
        'campaigns list --no-submissions-for 7d --sort -id --limit 1',
        `1 of 5 campaigns of 5 organizations. To see all: leave out --limit.\n${begins}.`,
      ],
      [
        9,
        'campaigns list --no-submissions-for 7d --limit 1',
        `The first 1 campaign of 5 organizations. To see all: leave out --limit.\n${begins}.`,
      ],
    ];
    for (const [day, argv, wanted] of steps) {
      state.now = new Date(Date.parse('2026-06-01T12:00:00Z') + day * DAY);
      const { code, stderr } = await run([...argv.split(' '), '--all-orgs']);
      expect({ argv, code, stderr }).toEqual({ argv, code: 0, stderr: `${wanted}\n` });
    }
    const { stderr } = await run(['watch', '--once', '--all-orgs'], { now: () => new Date('2026-06-01T00:00:00Z') });
    expect(stderr.match(/behind the service/g)).toHaveLength(1);
  });

  it('is printed once by a watch that runs, also if another watch has read it', async () => {
    const { run, at, brands, asked } = await threeBrands();
    const argv = ['watch', '--org', '1,3'];
    at(START);
    await run([...argv, '--once']);
    const lists = () => asked.filter((path) => path.includes('/campaigns')).length;
    const before = lists();
    const stop = new AbortController();
    const now = () => new Date(START + DAY);
    const watching = run([...argv, '--every', '1s'], { now, interrupted: stop.signal });
    await expect.poll(lists, { timeout: 10_000 }).toBeGreaterThanOrEqual(before + 2);
    for (const brand of brands) brand.campaigns = brand.campaigns.map((row) => ({ ...row, status: 'paused' }));
    await run([...argv, '--once'], { now });
    const between = lists();
    await expect.poll(lists, { timeout: 10_000 }).toBeGreaterThanOrEqual(between + 4);
    stop.abort();
    const { code, stdout, stderr } = await watching;
    expect({ code, lines: stdout.match(/^(Acme|Cora) .* active -> paused$/gm)?.length }).toEqual({
      code: 130,
      lines: 8,
    });
    expect(stderr.match(/ahead of the service/g)).toHaveLength(1);
  });

  it('raises the alerts of all, with exit code 11', async () => {
    const { run, at } = await threeBrands();
    at(START + 60 * DAY);
    const { code, stdout } = await run(['watch', '--once', '--all-orgs', '--budget-used', '30']);
    expect({ code, alerts: stdout.match(/ALERT/g)?.length }).toEqual({ code: 11, alerts: 4 });
    expect(stdout).toMatch(/^Cora {7}.*ALERT Campaign 30/m);
  });
});

it('plans changes of several organizations field by field', async () => {
  const { run, json, at } = await threeBrands();
  at(START + DAY);
  const update = ['campaigns', 'update', '--all-orgs', '--platform', 'youtube', '--countries', 'DE', '--dry-run'];
  const { stdout } = await run(update, { columns: 160 });
  const [head, ...lines] = stdout.trimEnd().split('\n');
  expect(head).toMatch(/^ORGANIZATION +ID .* COUNTRIES$/);
  expect(lines.map((line) => line.replaceAll(/^(.*?) {2,}(\d+) .* {2}/g, '$1 $2 '))).toEqual(
    ['Acme 11', 'Acme 12', 'Bolt, Inc 21', 'Bolt, Inc 22', 'Cora 31', 'Cora 32'].map((row) => `${row} US -> DE`),
  );
  for (const row of await json(...update))
    expect(row).toMatchObject({
      organization: { id: Math.floor(row.id / 10) },
      changes: { countries: { from: ['US'], to: ['DE'] } },
    });
  const paused = await run([
    'campaigns',
    'pause',
    '--org',
    '1,3',
    '--status',
    'active',
    '--currency',
    'eur',
    '--dry-run',
  ]);
  expect(paused.stdout.match(/^(Acme|Cora) .* active -> paused /gm)).toHaveLength(2);
});

describe('an organization that cannot be read', () => {
  it.each([
    [['report', '--json'], (text: string) => JSON.parse(text).organizations.length],
    [
      ['campaigns', 'list', '--json'],
      (text: string) => new Set(JSON.parse(text).map((row: { organization: BrandRow }) => row.organization.id)).size,
    ],
    [
      ['export', 'campaigns', '--format', 'csv', '--fields', 'organization.name,id'],
      (text: string) =>
        new Set(
          text
            .trim()
            .split('\n')
            .slice(1)
            .map((line) => line.split(',')[0]),
        ).size,
    ],
    [
      ['campaigns', 'pause', '--status', 'active', '--dry-run', '--json'],
      (text: string) => new Set(JSON.parse(text).map((row: { organization: BrandRow }) => row.organization.id)).size,
    ],
    [['watch', '--once'], () => 2],
  ])('is named, and the others are shown: %j', async (argv, count) => {
    const { run, at } = await threeBrands({ fails: true });
    at(START + DAY);
    const { code, stdout, stderr } = await run([...argv, '--all-orgs']);
    expect({ code, count: count(stdout) }).toEqual({ code: 9, count: 2 });
    expect(stderr).toMatch(/(Reported on|the [a-z]+ of) 2 of 3 organizations\./);
    expect(stderr).toContain('Bolt, Inc (organization 2): ');
    expect((await run([...argv, '--org', 'Bolt, Inc'])).code).toBe(5);
  });
});

describe('an export of several organizations', () => {
  it.each(['csv', 'json', 'ndjson'])('has all rows as %s, with their organization', async (format) => {
    const { run, at, brands } = await threeBrands();
    at(START + DAY);
    const out = join(temporaryFolder(), `all.${format}`);
    const { code, stderr } = await run([
      'export',
      'campaigns',
      '--all-orgs',
      '--out',
      out,
      '--fields',
      'organization,id,used_amount',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `Exported 12 campaigns of 3 organizations to ${out}.\n` });
    const text = readFileSync(out, 'utf8');
    const wanted = brands.flatMap(({ name, campaigns }, index) =>
      campaigns.map(({ id, used_amount }) => ({ organization: { id: index + 1, name }, id, used_amount })),
    );
    const lines = text.trim().split('\n');
    if (format === 'json') expect(JSON.parse(text)).toEqual(wanted);
    else if (format === 'ndjson') expect(lines.map((line) => JSON.parse(line))).toEqual(wanted);
    else expect(lines).toHaveLength(13);
  });
});

describe('60 small organizations', () => {
  it.each(
    sampleOf(
      [
        [4, 'campaigns list --json'],
        [4, 'campaigns list --ends-before 2027-01-01'],
        [4, 'collabs list --in-review-for 5d'],
        [4, 'report --json'],
        [4, 'watch --once'],
        [4, 'export campaigns --fields id'],
        [4, 'campaigns pause --status active --dry-run'],
        [0, 'changes'],
        [0, 'campaigns trend'],
      ],
      4,
    ),
  )('are read %i at once, in at most 20 round trips: %s', async (atOnce, argv) => {
    const brands = Array.from({ length: 60 }, (_, index) => ({
      name: `Brand ${index + 1}`,
      campaigns: [campaignRow(index + 1)] as readonly BrandRow[],
      collabs: [],
    }));
    const { run, rounds, state } = await brandsService(brands);
    for (const day of [0, 8]) {
      state.now = new Date(START + day * DAY);
      for (const brand of brands) brand.campaigns = brand.campaigns.map((row) => ({ ...row, view_count: day }));
      await run(['watch', '--once', '--all-orgs']);
    }
    const counted = rounds();
    expect((await run([...argv.split(' '), '--all-orgs'])).code).toBe(0);
    const { roundTrips, most } = counted();
    expect({ most, isFew: roundTrips <= 20 }).toEqual({ most: atOnce, isFew: true });
    if (atOnce > 0) expect(roundTrips).toBeGreaterThan(15);
  });
});

it.each([['campaigns', 'list', '--all'], ['report']])(
  'three large organizations need at most 1.3 times the round trips of the largest: %s',
  async (...argv) => {
    const needed = async (...sizes: readonly number[]) => {
      const campaigns = (size: number) => Array.from({ length: size }, (_, index) => campaignRow(index + 1));
      const brands = sizes.map((size, index) => ({ name: `Brand ${index + 1}`, campaigns: campaigns(size) }));
      const { run, rounds } = await brandsService(brands);
      const counted = rounds();
      expect((await run([...argv, '--org', sizes.map((_, index) => index + 1).join(), '--json'])).code).toBe(0);
      return counted().roundTrips;
    };
    const one = await needed(1000);
    expect(one).toBeGreaterThan(5);
    expect((await needed(1000, 1000, 1000)) / one).toBeLessThanOrEqual(1.3);
  },
);
