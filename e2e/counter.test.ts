// These sources have the worked example "Add a counter" of CONTRIBUTING.md: campaigns have `likes_count`, and the code knows
// only its kind.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMarketplaceMock } from '@mkt/mock-server';
import { demoSeed, memoryStore } from '@mkt/server';
import { type Server, serve } from '@mkt/server/node';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runCli, type Terminal, temporaryFolder } from '../packages/cli/test/support/run-cli.js';
import { tokens } from '../packages/cli/test/support/service.js';
import { pullTwin } from '../packages/cli/test/support/twin.js';

const likes = (likes_count: number) => ({ likes_count }) as object;
const store = memoryStore();

/** What the marketplace does, at a later time. */
const move = (id: number, count: number, others = {}) =>
  store.transact((writer) =>
    writer.update('campaigns', id, { ...likes(count), ...others, updated_at: '2026-11-27T12:00:00Z' }),
  );

let server: Server;
beforeEach(async () => {
  // Before the server takes its clock.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-27T12:00:00Z') });
  const { tables, serials } = demoSeed();
  const campaigns = tables.campaigns.map((row) => ({ ...row, ...likes(row.id === 3 ? 40 : 0) }));
  await store.load({ tables: { ...tables, campaigns }, serials });
  // It would close the store, which every test fills again.
  server = await serve({ store: { ...store, close: async () => undefined }, port: 0 });
});
afterEach(async () => {
  vi.useRealTimers();
  await server.close();
});

const mkt = (line: string, terminal: Terminal = {}) =>
  runCli(line.split(' '), {
    ...terminal,
    env: { MKT_BASE_URL: server.url, MKT_TOKEN: tokens.ada_write, MKT_ORG: '5', ...terminal.env },
  });
const json = async (line: string, terminal?: Terminal) => JSON.parse((await mkt(`${line} --json`, terminal)).stdout);

test('no request sets it, and no form has a field for it; a page shows it as a figure', async () => {
  const headers = { Accept: 'application/json', Authorization: `Bearer ${tokens.ada_write}` };
  const body = JSON.stringify({ campaign: { name: 'Glow', likes_count: 9 } });
  const response = await fetch(`${server.url}/organizations/5/campaigns.json`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body,
  });
  expect(await response.json()).toMatchObject({ name: 'Glow', likes_count: 0 });

  const page = async (path: string) =>
    (
      await fetch(`${server.url}/organizations/5/campaigns/${path}`, { headers: { ...headers, Accept: 'text/html' } })
    ).text();
  expect(await page('3/edit')).not.toContain('likes_count');
  const [, figures = ''] = /<section class="sheet figures">([\s\S]*?)<\/section>/.exec(await page('3')) ?? [];
  expect(figures.replaceAll(/\s+/g, '')).toContain('<dt>Likes</dt><dd>40</dd>');
});

test('a plan that was shown stays valid while it moves', async () => {
  const file = join(temporaryFolder(), 'plan.json');
  writeFileSync(file, JSON.stringify({ organization: 5, campaigns: [{ id: 10, delete: true }] }));
  const confirm = async () => {
    await move(10, 7);
    return true;
  };
  const { code, stderr } = await mkt(`apply -f ${file}`, { columns: 200, answers: { confirm } as never });
  expect([code, stderr]).toEqual([0, expect.stringContaining('Deleted')]);
});

test('the history has its series, and a report leaves its changes out', async () => {
  const env = { MKT_HISTORY: join(temporaryFolder(), 'history.db') };
  /** An hour later for the service and the machine. */
  const later = () => {
    vi.setSystemTime(Date.now() + 3_600_000);
    return { env, now: () => new Date() };
  };
  await mkt('watch --once', later());
  await move(3, 55, { name: 'Shine' });
  await mkt('watch --once', later());
  const points = await json('campaigns trend 3 --field likes_count --since 2026-11-01', later());
  expect(points.map(({ value, currency }: Record<string, unknown>) => [value, currency])).toEqual([
    [40, null],
    [55, null],
  ]);
  const changed = (changes: readonly { readonly field: string }[]) => changes.map(({ field }) => field);
  expect(changed(await json('changes --all-fields --since 2026-11-01', later()))).toContain('likes_count');
  const { changes } = await json('report --since 2026-11-01', later());
  expect(changed(changes)).toEqual(['name']);
});

test('a twin has it', async () => {
  const { code, out, stderr } = await pullTwin(server.url, '5');
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  const [{ campaigns }] = Object.values(JSON.parse(readFileSync(out, 'utf8')).organizations) as [
    { campaigns: object[] },
  ];
  expect(campaigns).toContainEqual(expect.objectContaining({ id: 3, likes_count: 40 }));
});

test('the mock creates and moves it', async () => {
  const mock = createMarketplaceMock({ seed: 'demo' });
  const { id } = await mock.create.campaign({ organization: 5, ...likes(3) });
  await mock.act.addCampaignResults(id, likes(4));
  const response = await mock.fetch(
    new Request(`https://api.example.com/organizations/5/campaigns/${id}.json`, {
      headers: { Accept: 'application/json', Authorization: `Bearer ${tokens.ada_write}` },
    }),
  );
  expect(await response.json()).toMatchObject({ likes_count: 7 });
});
