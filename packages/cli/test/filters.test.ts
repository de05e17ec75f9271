import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adaWithService } from './support/ada.js';
import { temporaryFolder } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';

const { ada, json } = adaWithService();

interface Campaign {
  readonly id: number;
  readonly currency: string;
  readonly countries: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly total_budget_amount: number;
  readonly used_amount: number;
  readonly view_count: number;
}

const all = (): Promise<Campaign[]> => json('campaigns', 'list', '--all');

const ids = async (...argv: readonly string[]): Promise<number[]> =>
  (await json('campaigns', 'list', ...argv, '--fields', 'id')).map(({ id }: Campaign) => id);

const matching = async (test: (row: Campaign) => boolean): Promise<number[]> =>
  (await all()).filter(test).map(({ id }) => id);

const percent = ({ used_amount, total_budget_amount }: Campaign) => (used_amount / total_budget_amount) * 100;

describe('a list of campaigns filters', () => {
  it('by the part of the budget that is used', async () => {
    const wanted = await matching((row) => row.total_budget_amount > 0 && percent(row) >= 60);
    expect(wanted.length % 45).toBeGreaterThan(0);
    expect(await ids('--budget-used', '60')).toEqual(wanted);
  });
  it('by countries that a campaign must not have', async () => {
    const wanted = await matching(({ countries }) => !countries.includes('DE') && !countries.includes('AT'));
    expect(wanted.length % 45).toBeGreaterThan(0);
    expect(await ids('--not-country', 'de,AT')).toEqual(wanted);
    const german = await matching(({ countries }) => countries.includes('DE') && !countries.includes('AT'));
    expect(await ids('--country', 'DE', '--not-country', 'AT')).toEqual(german);
  });
  it('by age', async () => {
    const wanted = await matching(({ created_at }) => Date.parse(created_at) < Date.parse('2026-01-08'));
    expect(wanted.length % 45).toBeGreaterThan(0);
    expect(await ids('--created-before', '2026-01-08')).toEqual(wanted);
    expect(await ids('--created-before', '144d', '--since', '2026-01-07')).toEqual(
      await matching(({ created_at }) => /^2026-01-0(7|8T0|8T1[01])/.test(created_at)),
    );
  });
  it('by the last change', async () => {
    const wanted = await matching(({ updated_at }) => Date.parse(updated_at) >= Date.parse('2026-05-31'));
    expect(await ids('--updated-since', 'yesterday')).toEqual(wanted);
    const times = (await all()).map(({ updated_at }) => updated_at).sort();
    const middle = times[20] ?? '';
    const changed = await matching(({ updated_at }) => updated_at >= middle);
    expect(changed.length % 45).toBeGreaterThan(0);
    expect(await ids('--updated-since', middle)).toEqual(changed);
  });
  it.each([
    [['--created-before', '1m'], '1m could be minutes or months: 1min or 1mo'],
    [['--updated-since', 'soon'], '--updated-since takes a date or an age'],
    [['--budget-used', '-1'], '--budget-used takes a number from 0, not -1.'],
    [['--budget-used', 'x'], '--budget-used takes a whole number'],
  ])('but not by %j', async (argv, message) => {
    const { code, stderr } = await ada(['campaigns', 'list', ...argv]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});

it('the filters choose what an action changes, and what collabs have', async () => {
  const active = await matching((row) => row.countries.includes('US'));
  const { stderr } = await ada([
    ...['campaigns', 'pause', '--status', 'active', '--not-country', 'US', '--budget-used', '1', '--dry-run'],
  ]);
  expect(stderr).toContain('Would pause');
  const paused = await json('campaigns', 'pause', '--status', 'active', '--not-country', 'US', '--dry-run');
  expect(paused.length).toBeGreaterThan(0);
  for (const { id } of paused) expect(active).not.toContain(id);
  const collabs = await json('collabs', 'list', '--not-country', 'US');
  for (const { countries } of collabs) expect(countries).not.toContain('US');
});

describe('computed fields', () => {
  it('are in --fields, for one and for a list, in each format', async () => {
    const row = (await all()).find(({ view_count, total_budget_amount }) => view_count > 0 && total_budget_amount > 0);
    if (row === undefined) throw new Error('The demo data has no such campaign.');
    const wanted = {
      id: row.id,
      used_percent: Math.round(percent(row) * 10) / 10,
      effective_cpm: Math.round((row.used_amount / row.view_count) * 100_000) / 100,
    };
    const fields = ['--fields', 'id,used_percent,effective_cpm'];
    expect(await json('campaigns', 'show', String(row.id), ...fields)).toEqual(wanted);
    const list = await json('campaigns', 'list', '--all', ...fields);
    expect(list.find(({ id }: Campaign) => id === row.id)).toEqual(wanted);
    expect(list.find(({ id }: Campaign) => id === 1)).toEqual({ id: 1, used_percent: null, effective_cpm: null });
    const out = join(temporaryFolder(), 'x.csv');
    await ada(['export', 'campaigns', ...fields, '--out', out]);
    expect(readFileSync(out, 'utf8')).toContain(`\n${row.id},${wanted.used_percent},${wanted.effective_cpm}\n`);
    expect((await ada(['campaigns', 'list', '--status', 'finished', ...fields, '--org', '7'])).code).toBe(0);
  });
  it('are not in JSON without --fields, which has the fields of the API', async () => {
    expect((await all())[0]).not.toHaveProperty('used_percent');
    expect((await ada(['campaigns', 'list', '--format', 'csv'])).stdout).not.toContain('used_percent');
  });
  it('are columns of the table, and sort it', async () => {
    const { stdout } = await ada(['campaigns', 'list', '--sort', '-used_percent', '--limit', '3'], { columns: 160 });
    expect(stdout.split('\n')[0]).toMatch(/USED% .*ECPM/);
    const most = (await all())
      .filter(({ total_budget_amount }) => total_budget_amount > 0)
      .toSorted((one, other) => percent(other) - percent(one))
      .slice(0, 3);
    expect(
      stdout
        .split('\n')
        .slice(1, 4)
        .map((line) => Number(line.split(' ')[0])),
    ).toEqual(most.map(({ id }) => id));
  });
});

it('sorts amounts within each currency, and says so', async () => {
  const argv = ['campaigns', 'list', '--sort', '-used_amount', '--fields', 'currency,used_amount'];
  const rows: Campaign[] = await json(...argv);
  const currencies = rows.map(({ currency }) => currency);
  expect(new Set(currencies).size).toBeGreaterThan(1);
  expect(currencies).toEqual(currencies.toSorted());
  for (const [index, row] of rows.entries()) {
    const next = rows[index + 1];
    if (next?.currency === row.currency) expect(row.used_amount).toBeGreaterThanOrEqual(next.used_amount);
  }
  expect((await ada(argv)).stderr).toContain('Amounts are sorted within each currency.');
  expect((await ada(['campaigns', 'list', '--sort', '-view_count'])).stderr).not.toContain('currency');
});

it('keeps the first N amounts of each currency, and says so', async () => {
  const argv = ['campaigns', 'list', '--sort', '-used_amount', '--limit', '2', '--fields', 'id,currency,used_amount'];
  const rows = await all();
  const wanted = [...new Set(rows.map(({ currency }) => currency))].sort().flatMap((currency) =>
    rows
      .filter((row) => row.currency === currency)
      .toSorted((left, right) => right.used_amount - left.used_amount)
      .slice(0, 2)
      .map(({ id }) => id),
  );
  expect(wanted.length).toBeGreaterThan(2);
  expect((await json(...argv)).map(({ id }: Campaign) => id)).toEqual(wanted);
  expect((await ada(argv)).stderr).toContain('Amounts are sorted within each currency, at most 2 rows of each.');
});

it.each(['list', 'pause'])('chooses by currency in campaigns %s', async (command) => {
  const active = await json('campaigns', 'list', '--status', 'active', '--fields', 'currency');
  const code = String(active[0].currency);
  const wanted = await matching(({ currency }) => currency === code);
  expect(wanted.length % 45).toBeGreaterThan(0);
  if (command === 'list') return expect(await ids('--currency', code.toLowerCase())).toEqual(wanted);
  const paused = await json('campaigns', command, '--currency', code.toLowerCase(), '--status', 'active', '--dry-run');
  expect(paused.length).toBeGreaterThan(0);
  for (const { id } of paused) expect(wanted).toContain(id);
});

describe('mkt campaigns copy', () => {
  it('takes the fields of create', async () => {
    const copy = await json('campaigns', 'copy', '3', '--countries', 'de', '--cpm-amount', '9', '--brief', 'New.');
    expect(copy).toMatchObject({
      countries: ['DE'],
      cpm_amount: 9,
      brief: '<p>New.</p>',
      name: '<b>Bold</b> launch (copy)',
    });
    const { platform_ids, currency } = await json('campaigns', 'show', '3');
    expect(copy).toMatchObject({ platform_ids, currency, status: 'draft' });
  });
  it('makes one draft per country with --each', async () => {
    const copies = await json('campaigns', 'copy', '3', '--countries', 'DE,AT,CH', '--each', '--name', 'Autumn');
    expect(copies).toMatchObject([
      { name: 'Autumn (DE)', countries: ['DE'], status: 'draft' },
      { name: 'Autumn (AT)', countries: ['AT'] },
      { name: 'Autumn (CH)', countries: ['CH'] },
    ]);
    const { stderr, stdout } = await ada(['campaigns', 'copy', '3', '--countries', 'DE,AT', '--each']);
    expect(stderr).toContain('Created campaign 51 "<b>Bold</b> launch (DE)" in Acme Cosmetics\n');
    expect(stdout.trim().split('\n')).toHaveLength(3);
  });
  it('stops at a country that does not exist before it creates any', async () => {
    const before = (await all()).length;
    const screen = await ada(['campaigns', 'copy', '3', '--countries', 'DE,UK', '--each']);
    expect(screen.code).toBe(2);
    const none = await ada(['campaigns', 'copy', '3', '--each']);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('--each needs --countries') });
    expect(await all()).toHaveLength(before);
  });
  it('says what was created if a later one fails', async () => {
    const row = { id: 3, name: 'Glow', status: 'draft', countries: ['US'] };
    let created = 0;
    const url = await scriptedServer(({ method, url: path = '' }) => {
      if (path.includes('/organizations/5.json')) return { body: { id: 5, name: 'Acme' } };
      if (method !== 'POST') return { body: row };
      created += 1;
      return created === 1 ? { status: 201, body: { ...row, id: 48 } } : { status: 422, body: { error: 'No.' } };
    });
    const env = { MKT_BASE_URL: url, MKT_TOKEN: 't' };
    const { code, stderr } = await ada(['campaigns', 'copy', '3', '--countries', 'DE,AT', '--each'], { env });
    expect(code).toBe(9);
    expect(stderr).toContain('Created campaign 48');
    expect(stderr).toContain('Created 1 of 2 campaigns.');
  });
});
