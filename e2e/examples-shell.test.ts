import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { exampleFixture } from './support/example-fixture.js';

vi.setConfig({ testTimeout: 120_000 });

const example = join(import.meta.dirname, '../examples/shell');
const scripts = readdirSync(example).filter((name) => name.endsWith('.sh'));
const hasJq = spawnSync('jq', ['--version']).status === 0;
if (!hasJq) console.warn('jq is not installed here, so the script that needs it was not run.');

const fixture = exampleFixture(example);

/** Runs one of the scripts as Ada in Acme Cosmetics. */
const run = (line: string, env: Record<string, string> = {}) => {
  const [script = '', ...args] = line.split(' ');
  return fixture.shop.run([`./${script}`, ...args], {
    MKT_BASE_URL: fixture.service.url,
    MKT_ORG: '5',
    MKT_TOKEN: 'mkt_demo_ada_write',
    ...env,
  });
};
const campaigns = async (query: string): Promise<unknown> => {
  const env = { MKT_BASE_URL: fixture.service.url, MKT_TOKEN: 'mkt_demo_ada_write', MKT_ORG: '5' };
  const { stdout } = await fixture.shop.run(['mkt', 'campaigns', 'list', '--all', '--quiet', '--jq', query], env);
  return JSON.parse(stdout);
};

describe('every script', () => {
  it('can be run, stops at the first failure, and is in the README', () => {
    const readme = readFileSync(join(example, 'README.md'), 'utf8');
    for (const name of scripts) {
      expect(statSync(join(example, name)).mode & 0o111, name).toBe(0o111);
      expect(readFileSync(join(example, name), 'utf8'), name).toMatch(
        /^#!\/usr\/bin\/env bash\n# .*\n(#.*\n)*set -euo pipefail\n/,
      );
      expect(readme).toContain(`(${name})`);
    }
  });
  it('ends as mkt ends when the token is wrong, and leaves nothing behind', async () => {
    const wrong = { MKT_TOKEN: 'mkt_demo_wrong' };
    for (const line of [
      'budget-report.sh',
      'pause-overspent.sh 90',
      'nightly-export.sh out',
      'copy-campaign.sh 3 X',
      'review-queue.sh',
    ]) {
      const { code, stderr } = await run(line, wrong);
      expect({ line, code }).toEqual({ line, code: 4 });
      expect(stderr).toContain('was rejected');
    }
    expect(readdirSync(join(fixture.shop.folder, 'out'))).toEqual([]);
  });
});

it('budget-report.sh adds up', async () => {
  const { code, stdout, stderr } = await run('budget-report.sh', { MKT_TOKEN: 'mkt_demo_ada_read' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [head, ...rows] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));
  expect(head).toEqual(['status', 'currency', 'campaigns', 'total', 'used', 'unused']);
  const groups = rows.map(([status, currency]) => `${status} ${currency}`);
  expect(groups).toEqual(await campaigns('map("\\(.status) \\(.currency)") | unique'));
  expect(rows.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(45);
  for (const [, , , total, used, unused] of rows) expect(Number(used) + Number(unused)).toBe(Number(total));
});

it('pause-overspent.sh pauses those, and only those', async () => {
  const over =
    '[.[] | select(.status == "active" and .used_amount * 100 >= .total_budget_amount * 80 and .total_budget_amount > 0) | .id]';
  const expected = (await campaigns(over)) as number[];
  expect(expected.length).toBeGreaterThan(1);
  const paused = '[.[] | select(.status == "paused") | .id]';
  const before = (await campaigns(paused)) as number[];

  expect(await run('pause-overspent.sh 80', { DRY_RUN: '1' })).toMatchObject({
    code: 0,
    stdout: `${expected.join('\n')}\n`,
  });
  expect(await campaigns(paused)).toEqual(before);

  expect((await run('pause-overspent.sh 80')).code).toBe(0);
  expect(await campaigns(paused)).toEqual([...before, ...expected].sort((one, other) => one - other));
  expect(await run('pause-overspent.sh 80')).toMatchObject({ code: 0, stdout: '' });
  expect((await run('pause-overspent.sh most')).code).toBe(2);
});

it('nightly-export.sh keeps the latest days, each complete', async () => {
  const out = join(fixture.shop.folder, 'out');
  for (const old of ['2020-01-01', '2020-01-02', '2020-01-03']) mkdirSync(join(out, old), { recursive: true });
  writeFileSync(join(out, 'notes.txt'), 'mine');
  const env = { KEEP_DAYS: '2', MKT_TOKEN: 'mkt_demo_ada_read' };
  for (const _time of ['first', 'again']) {
    const { code, stdout, stderr } = await run('nightly-export.sh out', env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const today = stdout.trim().replace(/^out\//, '');
    expect(readdirSync(out).sort()).toEqual(['2020-01-03', today, 'notes.txt'].sort());
    expect(readdirSync(join(out, today)).sort()).toEqual(['campaigns.csv', 'collabs.csv', 'members.csv']);
    expect(statSync(join(out, today)).mode & 0o077).toBe(0);
    expect(
      readFileSync(join(out, today, 'members.csv'), 'utf8')
        .trimEnd()
        .split('\n'),
    ).toHaveLength(4);
  }
});

it('copy-campaign.sh makes a draft with the same fields', async () => {
  const { code, stdout } = await fixture.shop.run(['./copy-campaign.sh', '3', "It's a copy"], {
    MKT_BASE_URL: fixture.service.url,
    MKT_ORG: '5',
    MKT_TOKEN: 'mkt_demo_ada_write',
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '48\n' });
  const pick = (id: number) =>
    campaigns(`.[] | select(.id == ${id}) | {status, website, countries, platform_ids, cpm_amount}`);
  expect(await pick(48)).toEqual({ ...((await pick(3)) as object), status: 'draft' });
  expect((await run('copy-campaign.sh 99 Nothing')).code).not.toBe(0);
  expect(await campaigns('length')).toBe(46);
});

it('review-queue.sh looks into every organization', async () => {
  const { code, stdout } = await run('review-queue.sh', { MKT_TOKEN: 'mkt_demo_ada_read' });
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Acme Cosmetics\t2\t.+\nAcme Cosmetics\t20\t.+\n$/),
  });
});

it.skipIf(!hasJq)('top-views.sh sorts by views for each platform', async () => {
  const { code, stdout } = await run('top-views.sh 2', { MKT_TOKEN: 'mkt_demo_ada_read' });
  expect(code).toBe(0);
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  const platforms = [...new Set(rows.map(([platform]) => platform))];
  expect(platforms).toContain('tiktok');
  for (const platform of platforms) {
    const views = rows.filter(([name]) => name === platform).map(([, count]) => Number(count));
    expect(views).toHaveLength(2);
    expect(views[0]).toBeGreaterThanOrEqual(views[1] ?? Number.POSITIVE_INFINITY);
  }
});
