import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ComputedField, computedFields, computedValue } from '@mkt/sdk/contract/resources';
import { demoSeed, memoryStore } from '@mkt/server';
import type { Server } from '@mkt/server/node';
import fc from 'fast-check';
import readWorkbook from 'read-excel-file/node';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { assistants } from './support/assistant.js';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';

// Starts a process, on machines under load.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const fields: Readonly<Record<string, ComputedField>> = computedFields.campaigns;
const names = Object.keys(fields);
type Row = Readonly<Record<string, unknown>>;
const numbersOf = (row: object): Row =>
  Object.fromEntries(names.map((name) => [name, computedValue(fields[name] as ComputedField, row)]));

const amount = fc.oneof(fc.nat(300), fc.nat(2_000_000), fc.nat(10 ** 13));
const generated = fc.sample(
  fc.record({ used_amount: amount, total_budget_amount: amount, view_count: amount, submissions_count: fc.nat(50) }),
  { numRuns: 45, seed: 51 },
);
/** Where a share of 80 % begins, what floating point rounds in the wrong direction, and what has no share. */
const edges = [
  [29, 400, 3],
  [79_949, 100_000, 7],
  [79_950, 100_000, 7],
  [9_002_695_654_626_871, 9_007_199_254_253_998, 1000],
  [7, 0, 0],
].map(([used_amount = 0, total_budget_amount = 0, view_count = 0]) => ({
  used_amount,
  total_budget_amount,
  view_count,
}));

const seed = demoSeed();
const own = seed.tables.campaigns.filter(({ organization_id }) => organization_id === 5);
const numbers = own.map((row, at) => ({ ...row, status: 'active', currency: 'usd', ...generated[at], ...edges[at] }));
const changed = new Map(numbers.map((row) => [row.id, row]));
const campaigns = seed.tables.campaigns.map((row) => changed.get(row.id) ?? row);
const expected = numbers.map((row) => ({ id: row.id, ...numbersOf(row) })) as readonly Row[];

let service: Server;
beforeAll(async () => {
  const tables = { ...seed.tables, campaigns };
  service = await startService({ store: memoryStore(), seed: { ...seed, tables } });
});
afterAll(() => service.close());
const assistant = assistants(() => service.url);
const history = join(temporaryFolder(afterAll), 'history.db');
const ada = async (...argv: readonly string[]): Promise<string> => {
  const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, MKT_ORG: '5', MKT_HISTORY: history };
  const { stdout, stderr, code } = await runCli(argv, { env });
  expect([argv, code, stderr]).toEqual([argv, argv[0] === 'watch' ? 11 : 0, expect.anything()]);
  return stdout;
};
const page = async (path: string): Promise<string> => {
  const headers = { Authorization: `Bearer ${tokens.ada_write}`, Accept: 'text/html' };
  return (await fetch(`${service.url}/organizations/5/${path}`, { headers })).text();
};
/** Values as cells: nothing for null. */
const cells = (rows: readonly Row[]): string[] =>
  rows.map((row) => ['id', ...names].map((name) => String(row[name] ?? '')).join());

test('lists and exports have the numbers of the contract, in every format', async () => {
  const chosen = ['--fields', ['id', ...names].join()];
  expect(JSON.parse(await ada('campaigns', 'list', '--all', '--json', ...chosen))).toEqual(expected);
  for (const format of ['json', 'csv', 'xlsx']) {
    const out = join(temporaryFolder(), `campaigns.${format}`);
    await ada('export', 'campaigns', ...chosen, '--out', out);
    if (format === 'json') expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(expected);
    else if (format === 'csv')
      expect(readFileSync(out, 'utf8').trim().split(/\r?\n/).slice(1)).toEqual(cells(expected));
    else
      expect((await readWorkbook(out))[0]?.data.slice(1).map((row) => row.map((cell) => cell ?? '').join())).toEqual(
        cells(expected),
      );
  }
});

test('they sort lists, and are compared with thresholds', async () => {
  for (const name of names) {
    const ids = (JSON.parse(await ada('campaigns', 'list', '--sort', `-${name}`, '--json')) as Row[]).map(
      ({ id }) => id,
    );
    // Empty values come last.
    const sorted = expected.toSorted((one, other) => Number(other[name] ?? -1) - Number(one[name] ?? -1));
    expect([name, ids]).toEqual([name, sorted.map(({ id }) => id)]);
  }
  const used = (least: number) => expected.filter((row) => Number(row.used_percent ?? -1) >= least).map(({ id }) => id);
  for (const least of [73, 80, 100]) {
    const rows: Row[] = JSON.parse(await ada('campaigns', 'list', '--budget-used', String(least), '--json'));
    expect([least, rows.map(({ id }) => id)]).toEqual([least, used(least)]);
  }
  const alerts: Row[] = JSON.parse(await ada('watch', '--once', '--budget-used', '80', '--json'));
  expect(
    alerts.map(({ id, ...row }) => ({ id, ...Object.fromEntries(names.map((name) => [name, row[name]])) })),
  ).toEqual(expected.filter(({ id }) => used(80).includes(id)));
  const { attention }: { attention: readonly Row[] } = JSON.parse(await ada('report', '--json'));
  const reasons = new Map(attention.map(({ id, reason }) => [id, reason]));
  for (const { id, used_percent: percent } of expected)
    expect([id, percent, /the budget is used/.test(String(reasons.get(id)))]).toEqual([
      id,
      percent,
      used(80).includes(id),
    ]);
});

test('reports have those of all campaigns together, with their labels', async () => {
  const sum = (field: keyof (typeof numbers)[number]) => numbers.reduce((all, row) => all + Number(row[field]), 0);
  const sums = Object.fromEntries(
    Object.values(fields).flatMap(({ part, whole }) =>
      [part, whole].map((field) => [field, sum(field as keyof (typeof numbers)[number])]),
    ),
  );
  expect(JSON.parse(await ada('report', '--json')).currencies).toMatchObject([{ currency: 'usd', ...numbersOf(sums) }]);
  for (const ending of ['html', 'md']) {
    const out = join(temporaryFolder(), `report.${ending}`);
    await ada('report', '--out', out);
    const text = readFileSync(out, 'utf8');
    for (const [name, { label }] of Object.entries(fields))
      expect([label, text.includes(label)]).toEqual([label, numbersOf(sums)[name] !== null]);
  }
});

test('pages and their CSV file have them', async () => {
  const csv = (await page('campaigns.csv?sort=created')).slice(1).trim().split('\r\n');
  const columns = csv[0]?.split(',').slice(-names.length);
  expect(columns).toEqual(names);
  expect(csv.slice(1).map((line) => line.split(',').slice(-names.length).join())).toEqual(
    expected.map((row) => names.map((name) => row[name] ?? '').join()),
  );
  for (const row of expected.slice(0, edges.length)) {
    const text = (await page(`campaigns/${row.id}`)).replaceAll(/<[^>]+>/g, '').replaceAll('&nbsp;', '\u00a0');
    for (const [name, { label }] of Object.entries(fields)) {
      const value = row[name];
      const shown = typeof value === 'number' ? value.toLocaleString('en-US') : '–';
      expect(text).toContain(`${label}${shown}`);
    }
  }
});

test('tools for assistants have them', async () => {
  const { call } = await assistant();
  for (const by of names) {
    const { data, totals } = await call('compare', { resource: 'campaigns', by, limit: 100 });
    const rows = (data as readonly Row[]).toSorted((one, other) => Number(one.id) - Number(other.id));
    expect(rows.map((row) => ({ id: row.id, ...Object.fromEntries(names.map((name) => [name, row[name]])) }))).toEqual(
      expected,
    );
    expect(totals).not.toHaveProperty(`usd.${by}`);
  }
  const { data } = await call('find', { resource: 'campaigns', fields: ['id', ...names], limit: 100 });
  expect(data).toEqual(expected);
});

test('an exported file with them can be imported: they are skipped', async () => {
  const out = join(temporaryFolder(), 'campaigns.csv');
  await ada('export', 'campaigns', '--fields', ['name', ...names].join(), '--out', out);
  const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, MKT_ORG: '5' };
  const { code, stderr } = await runCli(['import', 'campaigns', out, '--dry-run'], { env });
  expect([code, stderr]).toEqual([0, expect.stringContaining(`Skipping read-only columns: ${names.join(', ')}.`)]);
});
