import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Marketplace } from '@mkt/sdk';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { type Server, serve } from '@mkt/server/node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toSvg } from '../src/chart.js';
import { toCsv } from '../src/csv.js';
import { budgets, byCurrency, sum } from '../src/report.js';

const run = promisify(execFile);
const here = (...path: string[]) => join(import.meta.dirname, '..', ...path);

let server: Server;
let folder: string;
let mkt: Marketplace;
beforeAll(async () => {
  server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
  folder = await mkdtemp(join(tmpdir(), 'mkt-report-'));
  mkt = new Marketplace({ token: demoTokens.ada_write, baseUrl: server.url });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const report = (args: string[], env: Record<string, string>) =>
  run(process.execPath, [here('src/main.js'), ...args], { cwd: folder, env: { ...env, PATH: process.env.PATH } });

test('writes both files and describes them', { timeout: 60_000 }, async () => {
  const { stdout } = await report(['--org', '5'], { MKT_TOKEN: demoTokens.ada_read, MKT_BASE_URL: server.url });
  const [first, ...rest] = stdout.trimEnd().split('\n');
  expect(first).toMatch(/^Acme Cosmetics: \d+ campaigns with a budget$/);
  expect(rest.at(-1)).toMatch(/^Written: /);

  const rows = await budgets(mkt, 5);
  expect(await readFile(join(folder, 'report/budgets.csv'), 'utf8')).toBe(toCsv(rows));
  expect(await readFile(join(folder, 'report/budgets.svg'), 'utf8')).toBe(toSvg('Acme Cosmetics', rows));
});

test('adds up amounts, separately for each currency', async () => {
  const all = await mkt.campaigns.list(5).all();
  const rows = await budgets(mkt, 5);
  expect(rows.length).toBeLessThan(all.length);
  for (const [currency, group] of byCurrency(rows)) {
    const same = all.filter((campaign) => campaign.currency === currency);
    expect(sum(group, 'total')).toBe(same.reduce((total, campaign) => total + campaign.total_budget_amount, 0));
    expect(sum(group, 'used') + sum(group, 'unused')).toBe(sum(group, 'total'));
  }
});

test('escapes names in the chart and in the CSV', () => {
  const row = { id: 1, status: 'active', currency: 'usd', total: 10, used: 5, unused: 5, views: 0 };
  const chart = toSvg('A & B', [{ ...row, name: '<script>alert(1)</script>' }]);
  expect(chart).not.toContain('<script');
  expect(chart).toContain('A &amp; B');
  expect(toCsv([{ ...row, name: '=HYPERLINK("http://evil.example")' }])).toContain(`"'=HYPERLINK(`);
});

test('draws no bars for an organization without budgets', async () => {
  const chart = toSvg('Initech Audio', await budgets(mkt, 7));
  expect(chart).toContain('Budgets of Initech Audio: 0 campaigns');
  expect(chart).not.toContain('class="used"');
});

test('prints one sentence and exits with 1 on failure', { timeout: 60_000 }, async () => {
  const asEve = { MKT_TOKEN: demoTokens.eve_write, MKT_BASE_URL: server.url };
  await expect(report(['--org', '5'], asEve)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: .*\n$/),
  });
  await expect(report([], {})).rejects.toMatchObject({ code: 1, stderr: 'error: Set MKT_TOKEN and MKT_BASE_URL.\n' });
});

test('draws the chart in the README from the demo data', async () => {
  const rows = await budgets(mkt, 5);
  await expect(toSvg('Acme Cosmetics', rows)).toMatchFileSnapshot(here('docs/budgets.svg'));
});
